import type { Instance } from '@aws-sdk/client-ec2';
import { groupTagValue, tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import { asgsOf } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { Granted } from '../../core/launch/reservation-life.ts';
import { troubleOf } from '../calls/errors.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { asgTag, groupOf, instancesByTag, tagOf } from '../instances.ts';
import type { Asg } from './auto-scaling-groups.ts';
import { instancesOfOne, type Parts } from './large-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { recentAsgs } from './recent-asgs.ts';

/** The reads of EC2 and Auto Scaling for several groups together. */
type Read = {
  readonly byGroup: Promise<ReadonlyMap<string | undefined, readonly Instance[]>>;
  readonly byAsg: Promise<ReadonlyMap<string | undefined, readonly Instance[]>>;
  readonly asgs: Promise<readonly Asg[]>;
};

/** The most times that a throttled read is made, each with the SDK's own attempts, because many groups wait for it. */
const mostReads = 4;

/** Repeats a throttled read. A read for one group alone is left to its next look. */
const patiently = <T>(read: () => Promise<T>, reads: number): Promise<T> =>
  read().catch((error: unknown) => {
    if (reads <= 1 || troubleOf(error) !== 'throttled') throw error;
    return patiently(read, reads - 1);
  });

const readsFor = (groups: readonly unknown[]): number => (groups.length > 1 ? mostReads : 1);

/** Instances of many groups by tag and by Auto Scaling group, all pages. One describe serves many groups. */
const instancesOfAll = ({ ec2 }: ProviderDeps, values: readonly string[], names: readonly string[]): Parts => {
  const reads = readsFor(values);
  return {
    tagged: patiently(() => instancesByTag(ec2, tags.group, values), reads),
    grouped: patiently(() => instancesByTag(ec2, asgTag, names), reads),
  };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Begins to read groups. What waits for Auto Scaling groups shares the one read of them. */
const readTogether = (deps: ProviderDeps, groups: readonly Group[], granted: Granted | undefined): Read => {
  const names = [...new Set(groups.flatMap(asgsOf))];
  const values = groups.map(({ name }) => groupTagValue(deps.deployment, name));
  const readAsgs = once(() => patiently(() => recentAsgs(deps, names), readsFor(groups)));
  const ofOne = (group: Group, known: Granted): Parts => {
    const { joins } = howHeld(group);
    const [value = ''] = values;
    const one = { value, asgs: names, ...(joins !== undefined && { joins }) };
    return instancesOfOne({ ...deps, readAsgs }, one, known);
  };
  const [group, ...others] = groups;
  const isOne = group !== undefined && others.length === 0;
  const parts = isOne && granted !== undefined ? ofOne(group, granted) : instancesOfAll(deps, values, names);
  return {
    byGroup: parts.tagged.then((found) => Map.groupBy(found, (instance) => groupOf(instance, deps.deployment))),
    byAsg: parts.grouped.then((found) => Map.groupBy(found, (instance) => tagOf(instance, asgTag))),
    asgs: readAsgs(),
  };
};

/** The instances and Auto Scaling groups of one group. Some instances may occur twice. */
export type Shown = { readonly instances: readonly Instance[]; readonly asgs: readonly Asg[] };

/** The part of a read for one group. A group without Auto Scaling groups does not wait for those of others. */
const shownOf = async (read: Read, group: Group): Promise<Shown> => {
  const names = asgsOf(group);
  if (names.length === 0) return { instances: (await read.byGroup).get(group.name) ?? [], asgs: [] };
  const [byGroup, byAsg, asgs] = await allSettled([read.byGroup, read.byAsg, read.asgs]);
  const instances = [...(byGroup.get(group.name) ?? []), ...names.flatMap((name) => byAsg.get(name) ?? [])];
  return { instances, asgs: asgs.filter(({ name }) => names.includes(name)) };
};

/** Handles failures of reads that no caller waits for. Callers that wait get the failure themselves. */
const unheard = ({ byGroup, byAsg, asgs }: Read): void => {
  for (const part of [byGroup, byAsg, asgs]) part.catch(() => undefined);
};

/**
 * Begins to read groups, and returns a function for the part of each group.
 *
 * @param granted where it is one group: what EC2 granted it a moment ago. Absent: it is not known.
 */
export const readGroups = (
  deps: ProviderDeps,
  groups: readonly Group[],
  granted?: Granted,
): ((group: Group) => Promise<Shown>) => {
  const read = readTogether(deps, groups, granted);
  unheard(read);
  return (group) => shownOf(read, group);
};
