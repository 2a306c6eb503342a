import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { firstSuspended, type WorldSpec } from '../world/spec.ts';
import type { WorldSnapshot } from '../world/world.ts';
import type { GroupRow, InterruptionRow, Invariant } from './report.ts';
import type { Expectations } from './scenario-schema.ts';

/** The data of all invariants, after the scenario has come to rest. */
export type Evidence = {
  readonly expect: Expectations;
  readonly spec: WorldSpec;
  readonly snapshot: WorldSnapshot;
  readonly groups: readonly GroupRow[];
  /** Most members above the size that the policies of groups want. */
  readonly spares: ReadonlyMap<string, number>;
  readonly interruptions: readonly InterruptionRow[];
  readonly states: ReadonlyMap<string, GroupState>;
  readonly swaps: readonly Swap[];
  /** Instances of groups, by tag or Auto Scaling group. Instances that are missing belong to no group. */
  readonly groupOf: (instance: string) => string | undefined;
  /** Instances that were there before and belong to no group, and did not survive. */
  readonly strangersLost: readonly string[];
  readonly requests: { readonly served: number; readonly dropped: number };
  readonly unfinishedDrains: readonly string[];
  readonly failedDrains: readonly string[];
  readonly deadLetters: number;
  readonly deniedCalls: readonly string[];
  /** Calls of functions that change something outside of Holdfast's own tables, queue and bus. */
  readonly changes: readonly string[];
  readonly costPercent: number;
};

type Rule = { readonly name: string; readonly broken: (evidence: Evidence) => readonly string[]; readonly held: (evidence: Evidence) => string };

const some = (list: readonly string[]): string =>
  list.length <= 5 ? list.join('; ') : `${list.slice(0, 5).join('; ')}; and ${list.length - 5} more`;
const alive = ({ snapshot }: Evidence) => snapshot.instances.filter(({ state }) => state === 'pending' || state === 'running');

const sizeIsHeld: Rule = {
  name: 'every group ends at its desired size, all of it serving',
  broken: ({ groups, expect, spares }) =>
    groups.flatMap(({ group, desired, serving }) => {
      const wanted = expect.size?.[group] ?? desired;
      const isWhole = serving >= wanted && serving <= wanted + (spares.get(group) ?? 0);
      return isWhole && desired === wanted ? [] : [`${group}: ${serving} serve, desired is ${desired}, expected ${wanted}`];
    }),
  held: ({ groups }) => groups.map(({ group, serving }) => `${group} ${serving}`).join(', '),
};

const replacedBeforeGone: Rule = {
  name: 'every replacement serves before its predecessor is gone',
  broken: ({ interruptions, expect }) =>
    expect.replacedBeforeGone
      ? interruptions
          .filter(
            ({ replacementServingAtMs, goneAtMs }) =>
              replacementServingAtMs === undefined || (goneAtMs !== undefined && replacementServingAtMs > goneAtMs),
          )
          .map(({ instance, replacement }) => `${instance} (replacement ${replacement ?? 'none'})`)
      : [],
  held: ({ interruptions, expect }) => (expect.replacedBeforeGone ? `${interruptions.length} interruptions` : 'not asked of this scenario'),
};

const isDrained = ({ drainedAtMs, goneAtMs }: InterruptionRow): boolean =>
  drainedAtMs !== undefined && (goneAtMs === undefined || drainedAtMs <= goneAtMs);

const drainedInTime: Rule = {
  name: 'every leaving instance is drained before it is gone, or Holdfast said why not',
  broken: ({ interruptions, expect }) =>
    expect.warningsHeard ? interruptions.filter((row) => row.shortfall === undefined && !isDrained(row)).map(({ instance }) => instance) : [],
  held: ({ interruptions, expect }) => {
    if (!expect.warningsHeard) return 'no warning reached anybody';
    const short = interruptions.filter((row) => !isDrained(row)).length;
    return short === 0 ? `${interruptions.length} drained` : `${interruptions.length - short} drained, ${short} said why not`;
  },
};

const requestsKept: Rule = {
  name: 'no more requests are dropped than allowed',
  broken: ({ requests, expect }) =>
    requests.dropped > expect.droppedAtMost
      ? [`${requests.dropped} dropped of ${requests.served + requests.dropped}, ${expect.droppedAtMost} allowed`]
      : [],
  held: ({ requests }) => `${requests.served} served, ${requests.dropped} dropped`,
};

const leastOf = ({ lowestServing = {} }: Expectations, group: string): number => lowestServing[group] ?? lowestServing['*'] ?? 0;

const capacityKept: Rule = {
  name: 'capacity never falls below what the scenario demands',
  broken: ({ groups, expect }) =>
    groups
      .filter(({ group, lowestServing }) => lowestServing < leastOf(expect, group))
      .map(({ group, lowestServing }) => `${group} fell to ${lowestServing}`),
  held: ({ groups }) => groups.map(({ group, lowestServing }) => `${group} never below ${lowestServing}`).join(', '),
};

const nothingLeft: Rule = {
  name: 'nothing is left behind: no orphan, no open reservation, no raised maximum, no suspended process',
  broken: (evidence) => {
    const leaving = new Set(evidence.swaps.filter(({ state }) => state !== 'waiting').map(({ instance }) => instance));
    const orphans = alive(evidence)
      .filter(({ id }) => leaving.has(id))
      .map(({ id }) => `${id} should be gone`);
    const open = [...evidence.states].flatMap(([group, { reservations, raised }]) => [
      ...reservations.filter(({ instances }) => instances === undefined).map(({ id }) => `${group}: reservation ${id} is open`),
      ...raised.map(({ asg }) => `${group}: maximum of ${asg} is still raised`),
    ]);
    const asgs = evidence.snapshot.autoScalingGroups.flatMap((asg) => {
      const before = evidence.spec.autoScalingGroups.find(({ name }) => name === asg.name);
      if (before === undefined) return [];
      const suspended =
        asg.suspended.toSorted().join() === firstSuspended(before).toSorted().join() ? [] : [`${asg.name}: suspended processes changed`];
      return asg.max === before.max && asg.min === before.min
        ? suspended
        : [...suspended, `${asg.name}: min ${asg.min}, max ${asg.max}, were ${before.min}, ${before.max}`];
    });
    return [...orphans, ...open, ...asgs];
  },
  held: () => 'all put back',
};

const drainsEnd: Rule = {
  name: 'every drain comes to its end',
  broken: ({ unfinishedDrains, failedDrains }) => [
    ...unfinishedDrains.map((name) => `${name} still runs`),
    ...failedDrains.map((name) => `${name} failed`),
  ],
  held: () => 'no execution is open or failed',
};

const strangersUntouched: Rule = {
  name: 'instances that are not ours are untouched',
  broken: ({ strangersLost }) => strangersLost,
  held: () => 'none was ended',
};

const messagesRead: Rule = {
  name: 'no message is lost to the dead-letter queue',
  broken: ({ deadLetters }) => (deadLetters === 0 ? [] : [`${deadLetters} messages`]),
  held: () => 'the dead-letter queue is empty',
};

const rightsSuffice: Rule = {
  name: 'every call is one that the function’s role allows',
  broken: ({ deniedCalls }) => deniedCalls,
  held: () => 'no call was denied',
};

const fewChanges: Rule = {
  name: 'no more is changed outside of Holdfast than the scenario allows',
  broken: ({ changes, expect: { changesAtMost = Number.POSITIVE_INFINITY } }) => (changes.length > changesAtMost ? changes : []),
  held: ({ changes, expect }) => (expect.changesAtMost === undefined ? 'not asked of this scenario' : `${changes.length} calls change something`),
};

const endsWith: Rule = {
  name: 'every group ends on the markets and in the zones that the scenario demands',
  broken: (evidence) =>
    Object.entries(evidence.expect.endsWith ?? {}).flatMap(([group, places]) =>
      Object.entries(places).flatMap(([place, wanted]) => {
        const isThere = ({ market, zone }: { market: string; zone: string }): boolean => market === place || zone === place;
        const found = alive(evidence).filter((instance) => isThere(instance) && evidence.groupOf(instance.id) === group).length;
        return found === wanted ? [] : [`${group}: ${found} ${place}, expected ${wanted}`];
      }),
    ),
  held: ({ expect }) => (expect.endsWith === undefined ? 'not asked of this scenario' : JSON.stringify(expect.endsWith)),
};

const worthIt: Rule = {
  name: 'availability and cost stay within what the scenario demands',
  broken: ({ groups, expect, costPercent }) => [
    ...groups
      .filter(({ availabilityPercent }) => availabilityPercent < (expect.availabilityPercentAtLeast ?? 0))
      .map(({ group, availabilityPercent }) => `${group}: ${availabilityPercent.toFixed(2)} % available`),
    ...(expect.costPercentAtMost !== undefined && costPercent > expect.costPercentAtMost ? [`cost is ${costPercent.toFixed(1)} % of on-demand`] : []),
  ],
  held: ({ groups, costPercent }) =>
    `${groups.map(({ group, availabilityPercent }) => `${group} ${availabilityPercent.toFixed(2)} % available`).join(', ')}; cost ${costPercent.toFixed(1)} % of on-demand`,
};

const rules = [
  sizeIsHeld,
  replacedBeforeGone,
  drainedInTime,
  requestsKept,
  capacityKept,
  nothingLeft,
  drainsEnd,
  strangersUntouched,
  messagesRead,
  rightsSuffice,
  fewChanges,
  endsWith,
  worthIt,
] as const;

/** Looks at every invariant. */
export const checkInvariants = (evidence: Evidence): readonly Invariant[] =>
  rules.map(({ name, broken, held }) => {
    const found = broken(evidence);
    return { name, ok: found.length === 0, detail: found.length === 0 ? held(evidence) : some(found) };
  });
