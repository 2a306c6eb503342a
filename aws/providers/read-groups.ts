import { groupTagValue, tags } from '../../core/contract.ts';
import type { Group } from '../../core/group/group.ts';
import { asgsOf } from '../../core/group/holders.ts';
import { howHeld } from '../../core/group/holding.ts';
import type { Changes } from '../../core/view/changes.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { troubleOf } from '../calls/errors.ts';
import { allSettled } from '../calls/in-parallel.ts';
import { asgTag, groupOf, instancesByTag, tagOf } from '../instances.ts';
import type { Asg } from './auto-scaling-groups.ts';
import { type Both, instancesOfOne, isLarge, type OneGroup } from './large-groups.ts';
import type { ProviderDeps } from './provider-deps.ts';
import { recentAsgs, wereThrottled } from './recent-asgs.ts';

/** The reads of EC2 and Auto Scaling for several groups together. */
type Read = {
  readonly byGroup: Promise<ReadonlyMap<string | undefined, readonly Instance[]>>;
  readonly byAsg: Promise<ReadonlyMap<string | undefined, readonly Instance[]>>;
  readonly asgs: Promise<readonly Asg[]>;
  readonly after: After;
};

/** Begins a read: at once, or when the read of the Auto Scaling groups has succeeded. */
type After = <T>(read: () => Promise<T>) => Promise<T>;

/** The most times that a throttled read is made, each with the SDK's own attempts, because many groups wait for it. */
const mostReads = 4;

/** Repeats a throttled read. A read for one group alone is left to its next look. */
const patiently = <T>(read: () => Promise<T>, reads: number): Promise<T> =>
  read().catch((error: unknown) => {
    if (reads <= 1 || troubleOf(error) !== 'throttled') throw error;
    return patiently(read, reads - 1);
  });

const readsFor = (groups: readonly unknown[]): number => (groups.length > 1 ? mostReads : 1);

/** Both kinds of instances, each on its way. */
type Parts = { readonly [Part in keyof Both]: Promise<Both[Part]> };

/** Instances of many groups by tag and by Auto Scaling group, all pages. One describe serves many groups. */
const instancesOfAll = (
  { ec2 }: ProviderDeps,
  values: readonly string[],
  names: readonly string[],
  after: After,
): Parts => {
  const reads = readsFor(values);
  return {
    tagged: after(() => patiently(() => instancesByTag(ec2, tags.group, values), reads)),
    grouped: after(() => patiently(() => instancesByTag(ec2, asgTag, names), reads)),
  };
};

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/**
 * `changes`: by group, what its items and signals report, where they are known. `isWhole`: everything is read.
 * `isReported`: signals ask for the look, so no read waits for another one.
 */
type How = {
  readonly changes?: ReadonlyMap<string, Changes>;
  readonly isWhole?: boolean;
  readonly isReported?: boolean;
};

const oneOf = ({ deployment }: ProviderDeps, group: Group): OneGroup => {
  const { joins } = howHeld(group);
  return { value: groupTagValue(deployment, group.name), asgs: asgsOf(group), ...(joins !== undefined && { joins }) };
};

/** What the reads of groups that are read together share. */
type Shared = {
  readonly groups: readonly Group[];
  readonly readAsgs: () => Promise<readonly Asg[]>;
  readonly after: After;
};

/**
 * Instances of a group that is read by itself: the only one, or a large one. Undefined: it is read with the others. Of
 * a group without a state item nothing is known but its policy.
 */
const instancesAlone = (
  deps: ProviderDeps,
  group: Group,
  { changes, isWhole }: How,
  { groups, readAsgs, after }: Shared,
): Parts | undefined => {
  const known = changes?.get(group.name);
  const one = oneOf(deps, group);
  const { size } = known ?? { size: group.size.desired };
  if (groups.length > 1 ? !isLarge(deps.ec2, one, { size }) : known === undefined) return undefined;
  const own = async (): Promise<readonly Asg[]> => (await readAsgs()).filter(({ name }) => one.asgs.includes(name));
  const read = (): Promise<Both> => instancesOfOne({ ...deps, readAsgs: own }, one, known, isWhole);
  const both = after(() => patiently(read, readsFor(groups)));
  return { tagged: both.then(({ tagged }) => tagged), grouped: both.then(({ grouped }) => grouped) };
};

const inOne = async (some: readonly Promise<readonly Instance[]>[]): Promise<readonly Instance[]> =>
  (await allSettled(some)).flat();

/**
 * Where Auto Scaling throttled the last look at a group, its other reads would be in vain again. They wait then for the
 * read of its Auto Scaling groups.
 */
const afterAsgs = (
  deps: ProviderDeps,
  names: readonly string[],
  how: How,
  { groups, readAsgs }: Omit<Shared, 'after'>,
): After => {
  if (groups.length > 1 || how.isReported === true || !wereThrottled(deps, names)) return (read) => read();
  const asgs = readAsgs();
  return (read) => asgs.then(read);
};

/** Begins to read groups. What waits for Auto Scaling groups shares the one read of them. */
const readTogether = (deps: ProviderDeps, groups: readonly Group[], how: How): Read => {
  const names = [...new Set(groups.flatMap(asgsOf))];
  const readAsgs = once(() => patiently(() => recentAsgs(deps, names), readsFor(groups)));
  const after = afterAsgs(deps, names, how, { groups, readAsgs });
  const alone = new Map(
    groups.flatMap((group) => {
      const parts = instancesAlone(deps, group, how, { groups, readAsgs, after });
      return parts === undefined ? [] : [[group, parts] as const];
    }),
  );
  const rest = groups.filter((group) => !alone.has(group));
  const values = rest.map(({ name }) => groupTagValue(deps.deployment, name));
  const parts = [...alone.values(), instancesOfAll(deps, values, [...new Set(rest.flatMap(asgsOf))], after)];
  return {
    byGroup: inOne(parts.map(({ tagged }) => tagged)).then((found) =>
      Map.groupBy(found, (instance) => groupOf(instance, deps.deployment)),
    ),
    byAsg: inOne(parts.map(({ grouped }) => grouped)).then((found) =>
      Map.groupBy(found, (instance) => tagOf(instance, asgTag)),
    ),
    asgs: readAsgs(),
    after,
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

/** A read of groups that has begun. `shownOf`: the part of each group. `after`: when another read of theirs begins. */
export type Reading = { readonly shownOf: (group: Group) => Promise<Shown>; readonly after: After };

/** Begins to read groups. */
export const readGroups = (deps: ProviderDeps, groups: readonly Group[], how: How = {}): Reading => {
  const read = readTogether(deps, groups, how);
  unheard(read);
  return { shownOf: (group) => shownOf(read, group), after: read.after };
};
