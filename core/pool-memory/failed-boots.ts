import type { Pool } from '../pool/pool.ts';
import type { Member } from '../view/view.ts';
import { doublingMs } from './back-off.ts';
import {
  type BootMemory,
  budgetMs,
  type Deaths,
  type Ending,
  type FailedBoots,
  type Newcomer,
  neverServedCode,
} from './boot-memory.ts';

/** Instances of one pool that ended before they served, as far as one look found them. */
export type BootNews = FailedBoots & { readonly pool: string; readonly instances: readonly string[] };

/** Describes show an ended instance for about an hour. */
const forgottenAfterMs = 3_600_000;

const longestMessage = 200;

/** Rest of a pool after its first failed boot. It doubles with each further one in a row. */
const firstRestMs = 60_000;

const longestRestMs = 600_000;

/**
 * Ends that do not count against the pool: a user ended the instance, or EC2 took it (EC2 API Reference, StateReason).
 */
const otherEnds = new Set([
  'Client.UserInitiatedShutdown',
  'Client.UserInitiatedHibernate',
  'Client.InstanceTerminated',
  'Server.SpotInstanceTermination',
  'Server.SpotInstanceShutdown',
  'Server.ScheduledStop',
]);

/** Whether a user ended an instance, or EC2 took it. */
export const endedForOthers = ({ code }: Pick<Ending, 'code'>): boolean => otherEnds.has(code);

/** The operating system shut the instance down, so it had run (EC2 API Reference, StateReason). */
const ownShutdown = 'Client.InstanceInitiatedShutdown';

/** EC2 granted the launch and then had no capacity for it. This counts as a refusal. */
const lateRefusals = new Set(['Server.InsufficientInstanceCapacity']);

/** The facts of a look about instances. */
export type Shown = {
  readonly members: readonly (Pick<Member, 'instance' | 'admitted'> &
    Partial<Pick<Member, 'pool' | 'serving' | 'launchedAtMs' | 'reservation'>>)[];
  readonly endings?: Readonly<Record<string, Ending>>;
  /** Instances that EC2 reported as running. They may have ended since. */
  readonly ran?: readonly string[];
  /** Whether a running member needs nothing more, so that every instance that ran was in service. */
  readonly admitsRunning?: boolean;
};

type Died = { readonly instance: string; readonly newcomer: Newcomer; readonly ending: Ending };

/** A launch that began before the last failure was known belongs to the same attempt. */
const streakAfter = (previous: FailedBoots | undefined, died: readonly Died[]): number => {
  if (previous === undefined) return 1;
  return died.some(({ newcomer }) => newcomer.atMs >= previous.atMs) ? previous.streak + 1 : previous.streak;
};

const newsOf = (
  pool: Pick<Pool, 'launchTemplate'> | undefined,
  previous: FailedBoots | undefined,
  died: readonly Died[],
  last: Died,
  nowMs: number,
): FailedBoots => {
  const streak = streakAfter(previous, died);
  return {
    template: pool?.launchTemplate,
    code: last.ending.code,
    message: last.ending.message.slice(0, longestMessage),
    atMs: nowMs,
    restsUntilMs: Math.max(previous?.restsUntilMs ?? 0, nowMs + doublingMs(firstRestMs, streak, longestRestMs)),
    streak,
  };
};

/**
 * Instances that were in service, by a look or by messages of EC2. There may have been no look between the start and
 * the end of an instance, and the message about its start may arrive after its end was seen.
 */
export const inService = ({ members, endings = {}, ran = [], admitsRunning = false }: Shown): ReadonlySet<string> => {
  const admitted = members.filter((member) => member.admitted).map(({ instance }) => instance);
  if (!admitsRunning) return new Set(admitted);
  const shutDown = Object.entries(endings).filter(([, { code }]) => code === ownShutdown);
  return new Set([...admitted, ...ran, ...shutDown.map(([instance]) => instance)]);
};

/**
 * The new members by their fate. Members without a known fate are in `waiting`. A member that was put into service has
 * booted, and its later end does not count against the launch.
 */
const sorted = ({ newcomers = {} }: BootMemory, look: Shown, nowMs: number) => {
  const { members, endings = {} } = look;
  const admitted = inService(look);
  const shown = new Set(members.map(({ instance }) => instance));
  const waiting: [string, Newcomer][] = [];
  const up: Newcomer[] = [];
  const died: Died[] = [];
  for (const [instance, newcomer] of Object.entries(newcomers)) {
    const ending = endings[instance];
    if (admitted.has(instance) || newcomer.hasRun) up.push(newcomer);
    else if (ending !== undefined) died.push({ instance, newcomer, ending });
    else if (shown.has(instance) || nowMs - newcomer.atMs < forgottenAfterMs) waiting.push([instance, newcomer]);
  }
  return { waiting, up, died };
};

/** A pool that gave an instance which works, and when that was launched. */
type Working = { readonly pool?: string | undefined; readonly atMs: number };

const asWorking = ({ pool, launchedAtMs = 0 }: Shown['members'][number]): Working => ({ pool, atMs: launchedAtMs });

/** Instances of ours that came up. Those that a decision put into service are no longer among the new members. */
const cameUpIn = (up: readonly Newcomer[], { members }: Shown): readonly Working[] => [
  ...up,
  ...members.filter(({ admitted, reservation }) => admitted && reservation !== undefined).map(asWorking),
];

/**
 * A pool works again when an instance came up that was launched after the last failure. After members that came up and
 * never served, an instance must serve that was launched after them: it takes minutes to give a member up, and what
 * was launched meanwhile shows what the pool gives now.
 */
const withoutWorking = (
  failed: Readonly<Record<string, FailedBoots>>,
  cameUp: readonly Working[],
  { members }: Shown,
): Record<string, FailedBoots> => {
  const serving = members.filter((member) => member.serving).map(asWorking);
  return Object.fromEntries(
    Object.entries(failed).filter(([name, { atMs, code, launchedAtMs = atMs - 1 }]) => {
      const works = code === neverServedCode ? serving : cameUp;
      return !works.some((one) => one.pool === name && one.atMs > launchedAtMs);
    }),
  );
};

/** Ends that still bound launches. After an instance came up that was launched later, launches work again. */
const stillBounding = ({ deaths = [] }: BootMemory, cameUp: readonly Working[], nowMs: number): readonly Deaths[] =>
  deaths.filter((one) => nowMs - one.atMs < budgetMs && !cameUp.some(({ atMs }) => atMs >= one.atMs));

/**
 * A streak is remembered for the longest rest after its own rest, so that a pool that keeps failing rests longer each
 * time. A streak of members that never served grows slowly, and is remembered for longer.
 */
const isForgotten = ({ restsUntilMs, code }: FailedBoots, nowMs: number): boolean =>
  nowMs >= restsUntilMs + (code === neverServedCode ? forgottenAfterMs : longestRestMs);

const withoutEmpty = (memory: BootMemory): BootMemory =>
  Object.fromEntries(Object.entries(memory).filter(([, part]) => Object.keys(part ?? {}).length > 0));

/** Why instances ended without an order to end them, and how many. */
export type EndedWhy = { readonly awsCode: string; readonly awsMessage: string; readonly count: number };

const namedEnds = 3;

/** The most frequent reasons of EC2, without ends that do not count against a pool. */
export const whyEnded = ({ endings = {} }: Pick<Shown, 'endings'>): readonly EndedWhy[] =>
  [...Map.groupBy(Object.values(endings), ({ code }) => code)]
    .filter(([code]) => !(otherEnds.has(code) || lateRefusals.has(code)))
    .map(([awsCode, all]) => ({
      awsCode,
      awsMessage: (all[0]?.message ?? '').slice(0, longestMessage),
      count: all.length,
    }))
    .toSorted((one, other) => other.count - one.count)
    .slice(0, namedEnds);

/** The result of a look at boots. */
export type Lessons = {
  readonly memory: BootMemory;
  /** Pools with newly found instances that ended before they served. */
  readonly news: readonly BootNews[];
  /** Instances that EC2 granted and found no capacity for: refusals of their offerings. */
  readonly refused: readonly Ending[];
};

/**
 * Memory after a look at the instances that came up and at those that ended before they served. An instance that a user
 * ended, or that EC2 took, does not count as a failed boot.
 */
export const learnBoots = (
  memory: BootMemory,
  shown: Shown,
  pools: Readonly<Record<string, Pool>>,
  nowMs: number,
): Lessons => {
  const { waiting, up, died } = sorted(memory, shown, nowMs);
  const failed = died.filter(({ ending: { code } }) => !otherEnds.has(code) && !lateRefusals.has(code));
  const cameUp = cameUpIn(up, shown);
  const before = withoutWorking(memory.failedBoots ?? {}, cameUp, shown);
  const news = [...Map.groupBy(failed, ({ newcomer }) => newcomer.pool)].flatMap(([pool, list]): BootNews[] => {
    const last = list.at(-1);
    if (last === undefined) return [];
    const lesson = newsOf(pools[pool], before[pool], list, last, nowMs);
    return [{ ...lesson, pool, instances: list.map(({ instance }) => instance) }];
  });
  const known = { ...before, ...Object.fromEntries(news.map(({ pool, instances: _, ...lesson }) => [pool, lesson])) };
  const deaths = [
    ...stillBounding(memory, cameUp, nowMs),
    ...(failed.length > 0 ? [{ atMs: nowMs, count: failed.length }] : []),
  ];
  return {
    memory: withoutEmpty({
      newcomers: Object.fromEntries(waiting),
      failedBoots: Object.fromEntries(Object.entries(known).filter(([, lesson]) => !isForgotten(lesson, nowMs))),
      deaths,
    }),
    news,
    refused: died.filter(({ ending: { code } }) => lateRefusals.has(code)).map(({ ending }) => ending),
  };
};
