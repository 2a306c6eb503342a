import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { perClient } from '../calls/remembered.ts';
import { type Asg, describeAsgs } from './auto-scaling-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';

type Reading = Pick<ProviderDeps, 'autoScaling' | 'now' | 'asgsKeptMs' | 'asgsKnownMs'>;

/** The last read of an Auto Scaling group. Undefined `asg`: no group has that name. */
type Kept = { readonly asg: Asg | undefined; readonly readAtMs: number };

/** By name. */
const kept = perClient<AutoScalingClient, Map<string, Kept>>(() => new Map());

/** The named groups, if each of them was read less than so long ago. */
const youngerThan = (
  ms: number,
  { autoScaling, now }: Reading,
  names: readonly string[],
): readonly Asg[] | undefined => {
  const nowMs = now();
  const found = names.map((name) => kept(autoScaling).get(name));
  const areYoung = found.every((one) => one !== undefined && nowMs - one.readAtMs < ms);
  return areYoung ? found.flatMap((one) => one?.asg ?? []) : undefined;
};

const keep = (
  { autoScaling, asgsKeptMs = 0, asgsKnownMs = 0 }: Reading,
  names: readonly string[],
  asgs: readonly Asg[],
  readAtMs: number,
): void => {
  const all = kept(autoScaling);
  const longestMs = Math.max(asgsKeptMs, asgsKnownMs);
  for (const [name, one] of all) if (readAtMs - one.readAtMs >= longestMs) all.delete(name);
  const byName = new Map(asgs.map((asg) => [asg.name, asg]));
  if (longestMs > 0) for (const name of names) all.set(name, { asg: byName.get(name), readAtMs });
};

/**
 * The named Auto Scaling groups. A read that is younger than `asgsKeptMs` is used again. A step of a drain looks at a
 * group, releases members and looks again within one second, and in a storm the account's bucket has no tokens for
 * that. Describes are older than that anyway.
 */
export const recentAsgs = async (deps: Reading, names: readonly string[]): Promise<readonly Asg[]> => {
  const known = youngerThan(deps.asgsKeptMs ?? 0, deps, names);
  if (known !== undefined) return known;
  const readAtMs = deps.now();
  const asgs = await describeAsgs(deps.autoScaling, names);
  keep(deps, names, asgs, readAtMs);
  return asgs;
};

/** The named Auto Scaling groups as a look of this environment has just shown them. Undefined: none did. */
export const knownAsgs = (deps: Reading, names: readonly string[]): readonly Asg[] | undefined =>
  youngerThan(deps.asgsKnownMs ?? 0, deps, names);
