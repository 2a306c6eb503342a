import type { UnfitAsg, UnfitSetting } from '../core/group/unfit.ts';
import { meansClosed } from '../core/policy/closed-asg.ts';

const takesOver =
  'it replaces and ends members at risk by itself, and takes a member out of service as soon as EC2 gives notice';
const counts = (what: string): string =>
  `its sizes count ${what}, so Holdfast launches and removes nothing. Members that EC2 takes are still drained`;

type Refused = Exclude<UnfitSetting, 'launch-suspended'>;

const settings: Readonly<Record<Refused, readonly [has: string, means: string]>> = {
  'capacity-rebalancing': ['Capacity Rebalancing', takesOver],
  'warm-pool': ['a warm pool', 'Holdfast takes no replacement from it'],
  weights: ['weights of instance types', counts('these')],
  vcpu: ['sizes in vCPUs', counts('vCPUs')],
  'memory-mib': ['sizes in MiB of memory', counts('memory')],
};

const textOf = (asg: string, found: UnfitSetting): string => {
  if (found === 'launch-suspended') return `the owner of ${asg} has suspended Launch: ${meansClosed(asg)}`;
  const [has, means] = settings[found];
  return `${asg} has ${has} now, with which the policy would be refused: ${means}`;
};

/** Settings with which the policy would be refused or warned of, and what they mean. */
export const unfitTexts = (asgs: readonly UnfitAsg[]): readonly string[] =>
  asgs.flatMap(({ asg, found }) => found.map((one) => textOf(asg, one)));
