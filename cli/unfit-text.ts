import type { UnfitAsg, UnfitSetting } from '../core/group/unfit.ts';

const takesOver =
  'it replaces and ends members at risk by itself, and takes a member out of service as soon as EC2 gives notice';
const counts = (what: string): string =>
  `its sizes count ${what}, so Holdfast launches and removes nothing. Members that EC2 takes are still drained`;

const settings: Readonly<Record<UnfitSetting, readonly [has: string, means: string]>> = {
  'capacity-rebalancing': ['Capacity Rebalancing', takesOver],
  'warm-pool': ['a warm pool', 'Holdfast takes no replacement from it'],
  weights: ['weights of instance types', counts('these')],
  vcpu: ['sizes in vCPUs', counts('vCPUs')],
  'memory-mib': ['sizes in MiB of memory', counts('memory')],
};

/** Settings with which the policy would be refused, and what they mean. */
export const unfitTexts = (asgs: readonly UnfitAsg[]): readonly string[] =>
  asgs.flatMap(({ asg, found }) =>
    found.map((one) => {
      const [has, means] = settings[one];
      return `${asg} has ${has} now, with which the policy would be refused: ${means}`;
    }),
  );
