import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { troubleOf } from '../calls/errors.ts';
import { perClient, rememberedByKey } from '../calls/remembered.ts';
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

const keyOf = (names: readonly string[]): string => [...names].sort().join(' ');

/** When the last read of Auto Scaling groups was throttled in this environment, by their names. */
const throttledAtMs = rememberedByKey<AutoScalingClient, number>();

/** A throttle is known for longer than from one tick to the next one. */
const throttledForMs = 90_000;

/** Whether Auto Scaling throttled the last read of these groups a moment ago. */
export const wereThrottled = ({ autoScaling, now }: Reading, names: readonly string[]): boolean =>
  now() - (throttledAtMs(autoScaling).get(keyOf(names)) ?? Number.NEGATIVE_INFINITY) < throttledForMs;

const readAsgs = async ({ autoScaling, now }: Reading, names: readonly string[]): Promise<readonly Asg[]> => {
  const known = throttledAtMs(autoScaling);
  try {
    const asgs = await describeAsgs(autoScaling, names);
    known.delete(keyOf(names));
    return asgs;
  } catch (error) {
    if (troubleOf(error) === 'throttled') known.set(keyOf(names), now());
    throw error;
  }
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
  const asgs = await readAsgs(deps, names);
  keep(deps, names, asgs, readAtMs);
  return asgs;
};

/** The named Auto Scaling groups as a look of this environment has just shown them. Undefined: none did. */
export const knownAsgs = (deps: Reading, names: readonly string[]): readonly Asg[] | undefined =>
  youngerThan(deps.asgsKnownMs ?? 0, deps, names);
