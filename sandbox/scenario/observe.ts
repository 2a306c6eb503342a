import type { World, WorldFact } from '../world/world.ts';
import type { GroupOf } from './scenario-groups.ts';

/** What happened to one instance, world time in epoch milliseconds. */
export type InstanceLife = {
  readonly instance: string;
  group?: string;
  zone?: string;
  market?: string;
  launchedAtMs?: number;
  runningAtMs?: number;
  servingAtMs?: number;
  warnedAtMs?: number;
  takenAtMs?: number;
  drainingAtMs?: number;
  drainedAtMs?: number;
  goneAtMs?: number;
};

/** How many members of a group served, over time. */
export type ServingSpan = { readonly atMs: number; readonly serving: number };

export type Observation = {
  readonly lives: ReadonlyMap<string, InstanceLife>;
  readonly serving: ReadonlyMap<string, readonly ServingSpan[]>;
  readonly requests: ReadonlyMap<string, { served: number; dropped: number }>;
  servingNow(group: string): number;
  /** Forgets requests and lows of the time before everything was up. */
  markReady(): void;
  readonly readyAtMs: () => number | undefined;
};

const timeField = {
  launched: 'launchedAtMs',
  running: 'runningAtMs',
  serving: 'servingAtMs',
  draining: 'drainingAtMs',
  drained: 'drainedAtMs',
  'shutting-down': 'goneAtMs',
} as const;

/** Watches a world from its beginning and writes down what a report needs. */
export const observe = (world: World, groupOf: GroupOf, now: () => number): Observation => {
  const lives = new Map<string, InstanceLife>();
  const servingSets = new Map<string, Set<string>>();
  const serving = new Map<string, ServingSpan[]>();
  const requests = new Map<string, { served: number; dropped: number }>();
  let readyAtMs: number | undefined;

  const lifeOf = (instance: string): InstanceLife => {
    const life = lives.get(instance) ?? { instance };
    life.group ??= groupOf(instance);
    lives.set(instance, life);
    return life;
  };
  const setServing = (life: InstanceLife, isServing: boolean, atMs: number): void => {
    if (life.group === undefined) return;
    const set = servingSets.get(life.group) ?? new Set();
    servingSets.set(life.group, set);
    const before = set.size;
    if (isServing) set.add(life.instance);
    else set.delete(life.instance);
    const spans = serving.get(life.group) ?? [];
    serving.set(life.group, spans);
    if (set.size !== before) spans.push({ atMs, serving: set.size });
  };
  const onInstance = (fact: Extract<WorldFact, { instance: string }>): void => {
    const life = lifeOf(fact.instance);
    if (fact.kind === 'warned') {
      life.warnedAtMs ??= fact.atMs;
      if (fact.takenAtMs !== undefined) life.takenAtMs = fact.takenAtMs;
    } else if (fact.kind === 'terminated') {
      life.goneAtMs ??= fact.atMs;
    } else if (fact.kind !== 'rebalance' && fact.kind !== 'retired') {
      life[timeField[fact.kind]] ??= fact.atMs;
    }
    if (fact.kind === 'serving') setServing(life, true, fact.atMs);
    if (fact.kind === 'draining' || fact.kind === 'shutting-down' || fact.kind === 'terminated') setServing(life, false, fact.atMs);
  };
  world.observe((fact) => {
    if ('targetGroup' in fact) {
      const total = requests.get(fact.targetGroup) ?? { served: 0, dropped: 0 };
      total[fact.kind] += fact.count;
      requests.set(fact.targetGroup, total);
      return;
    }
    onInstance(fact);
  });
  return {
    lives,
    serving,
    requests,
    servingNow: (group) => servingSets.get(group)?.size ?? 0,
    markReady: () => {
      readyAtMs = now();
      requests.clear();
      for (const [group, set] of servingSets) serving.set(group, [{ atMs: readyAtMs, serving: set.size }]);
    },
    readyAtMs: () => readyAtMs,
  };
};

/** The fewest members that served since everything was up. */
export const lowestServing = (spans: readonly ServingSpan[]): number => Math.min(...spans.map(({ serving }) => serving));

/** Share of the time from the first span to `untilMs` in which at least `wanted` served, 0 to 1. */
export const availability = (spans: readonly ServingSpan[], wanted: number, untilMs: number): number => {
  const first = spans[0];
  if (first === undefined || untilMs <= first.atMs) return 0;
  const enoughMs = spans.reduce((sum, { atMs, serving }, index) => sum + (serving >= wanted ? (spans[index + 1]?.atMs ?? untilMs) - atMs : 0), 0);
  return enoughMs / (untilMs - first.atMs);
};
