import { chunks } from '../../../aws/calls/chunks.ts';
import { allSettled } from '../../../aws/calls/in-parallel.ts';
import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import { groupsPerMessage } from '../../../aws/messages/own-message.ts';
import { metrics } from '../../../core/contract.ts';
import type { Group } from '../../../core/group/group.ts';
import { howHeld } from '../../../core/group/holding.ts';
import type { BucketName } from '../../../core/limits/account-buckets.ts';
import {
  type AccountBudget,
  areWorthAWrite,
  type Lessons,
  refusedNow,
  type Tokens,
} from '../../../core/limits/account-budget.ts';
import { whoWaits } from '../../../core/limits/ask-first.ts';
import type { Called, Turn } from '../../../core/limits/line.ts';
import type { Ask } from '../../../core/limits/need.ts';
import type { OfferingKey } from '../../../core/pool/offering.ts';
import { shareBudget } from '../../runtime/share-budget.ts';
import type { ReactPorts } from '../ports.ts';
import { wakeForTurnMs } from './ask-here.ts';
import { createAwaited } from './awaited.ts';
import { noteShortage } from './lasting.ts';
import { createLearners } from './learners.ts';

/** A turn, and offerings that were refused to other groups a moment ago. */
export type Given = { readonly turn: Turn; readonly refused: AccountBudget['refused'] };

/** Turns of the groups of one batch at the account's buckets. */
export type Turns = {
  /**
   * Requests a turn. The first request waits for the other groups of the batch, so that the order of need holds for
   * all, for two seconds at most. A group whose turn has come waits for nobody: the line has settled the order. Where
   * many of them request what nobody knows, most wait for a moment for what a few of them learn.
   *
   * @param asNow the request once it is known what EC2 refused to other groups
   */
  ask(ask: Ask, asNow?: (refused: AccountBudget['refused']) => Ask): Promise<Given>;
  /**
   * Notes that a group makes no further request, so that it does not hold up the others. If it was converged without
   * one, it has nothing to launch, and the next write of the batch takes its place in line away.
   */
  done(group: string, isConverged?: boolean): void;
  learn(lessons: Lessons): void;
  /** Notes that a group has made its launches. What it requests next may wait for what others learn once more. */
  launched(group: string): void;
  /** How long requests of a group have waited for what others learn. */
  heldMs(group: string): number;
  /** Writes facts about the account that no request has written. */
  settle(): Promise<void>;
};

/** The bucket that launches of a group draw on. */
export const bucketOf = (group: Pick<Group, 'holding'>): 'createFleet' | 'autoScaling' => howHeld(group).launchesBy;

const unpaced = (asks: readonly Ask[], nowMs: number): ReadonlyMap<string, Turn> =>
  new Map(asks.map(({ group, instances, calls }) => [group, { kind: 'now', instances, calls, sinceMs: nowMs }]));

const nothingLearned = () => ({
  empty: new Set<BucketName>(),
  refused: new Map<OfferingKey, string>(),
  granted: new Set<OfferingKey>(),
  unspent: {} as Tokens,
  idle: new Set<string>(),
  dropped: new Map<string, string>(),
});

/**
 * Wakes groups whose turn comes sooner than announced, as far ahead of it as of an announced one. If a wake cannot be
 * sent, its group is woken at the announced time.
 */
const call = async (called: readonly Called[], { wakes }: ReactPorts): Promise<void> => {
  const byTime = [...Map.groupBy(called, ({ atMs }) => wakeForTurnMs(atMs))];
  const parts = byTime.flatMap(([atMs, some]) => chunks(some, groupsPerMessage).map((part) => [atMs, part] as const));
  const names = (part: readonly Called[]): readonly string[] => part.map(({ group }) => group);
  await allSettled(parts.map(([atMs, part]) => unlessTroubled(wakes.wake(names(part), atMs))));
};

const share = async (
  asks: readonly Ask[],
  asksIn: (budget: AccountBudget) => readonly Ask[],
  lessons: Lessons,
  ports: ReactPorts,
): Promise<{ readonly turns: ReadonlyMap<string, Turn>; readonly budget?: AccountBudget }> => {
  const shared = await shareBudget(asksIn, lessons, { ...ports, mayCall: true });
  if (shared !== undefined && shared !== 'contended') {
    noteShortage(ports.store, shared.budget, ports.clock.now());
    await call(shared.called, ports);
    return shared;
  }
  if (shared === 'contended') ports.telemetry.count(metrics.readsMissed);
  ports.telemetry.logger.warn('The budget of the account could not be used. Launches go on without it.', {
    groups: asks.map(({ group }) => group),
  });
  return { turns: unpaced(asks, ports.clock.now()) };
};

type Refused = AccountBudget['refused'];

type Asking = {
  readonly ask: Ask;
  /** The request once it is known what EC2 refused to other groups. */
  readonly asNow: (refused: Refused) => Ask;
  readonly resolve: (given: Given) => void;
  readonly reject: (error: unknown) => void;
  /** It waits for nothing else that others learn. */
  readonly hasWaited?: true;
};

const sumOf = (some: Tokens, more: Tokens): Tokens => {
  const sums: [string, number][] = Object.entries(more).map(([name, count]) => [
    name,
    (some[name as BucketName] ?? 0) + count,
  ]);
  return { ...some, ...Object.fromEntries(sums) };
};

/** Facts about the account from the groups of a batch, since the item was written last. */
const lessonsOfBatch = () => {
  let lessons = nothingLearned();
  return {
    learn: ({ empty, refused, granted, unspent, dropped }: Lessons): void => {
      lessons.unspent = sumOf(lessons.unspent, unspent);
      for (const name of empty) lessons.empty.add(name);
      for (const [key, code] of refused) lessons.refused.set(key, code);
      for (const key of granted) lessons.granted.add(key);
      for (const [group, by] of dropped ?? []) lessons.dropped.set(group, by);
    },
    rests: (group: string): void => void lessons.idle.add(group),
    isWorthWriting: (): boolean => areWorthAWrite(lessons),
    take: (): Lessons => {
      const taken = lessons;
      lessons = nothingLearned();
      return taken;
    },
  };
};

/** The requests of a batch once the budget is known, and those that wait for what others learn. */
const planned = (ready: readonly Asking[], budget: AccountBudget, nowMs: number) => {
  const refused = refusedNow(budget, nowMs);
  const asks = new Map(ready.map((one) => [one, one.asNow(refused)]));
  const fresh = ready.filter(({ hasWaited }) => !hasWaited).flatMap((one) => asks.get(one) ?? []);
  const waits = whoWaits(budget, fresh, nowMs);
  const others = [...asks].flatMap(([one, ask]) => (waits.has(ask) ? [{ ...one, ask }] : []));
  return { asks: [...asks.values()].filter((ask) => !waits.has(ask)), others };
};

/** Requests that wait, and whether somebody makes requests now from which they learn. */
type Rest = { readonly others: readonly Asking[]; readonly willLearn: boolean };

/** Handles simultaneous requests together. */
const answer = async (ready: readonly Asking[], lessons: Lessons, ports: ReactPorts): Promise<Rest> => {
  try {
    let plan: ReturnType<typeof planned> = { asks: ready.map(({ ask }) => ask), others: [] };
    const asksIn = (budget: AccountBudget): readonly Ask[] => {
      plan = planned(ready, budget, ports.clock.now());
      return plan.asks;
    };
    const { turns, budget } = await share(
      ready.map(({ ask }) => ask),
      asksIn,
      lessons,
      ports,
    );
    const others = budget === undefined ? [] : plan.others;
    const waiting = new Set(others.map(({ ask: { group } }) => group));
    const first = ready.filter(({ ask: { group } }) => !waiting.has(group));
    const given = first.map(({ ask, resolve }) => ({
      turn: turns.get(ask.group) ?? ({ kind: 'taken' } as const),
      resolve,
    }));
    for (const { turn, resolve } of given) resolve({ turn, refused: budget?.refused ?? {} });
    // If nobody goes first here, groups of other batches request the same now.
    return { others, willLearn: given.length === 0 || given.some(({ turn }) => turn.kind !== 'later') };
  } catch (error) {
    for (const { reject } of ready) reject(error);
    return { others: [], willLearn: false };
  }
};

/** @param groups the groups of the batch. Each holds up the others of its bucket until its first request or its end. */
export const turnsOf = (groups: readonly Group[], ports: ReactPorts): Turns => {
  const buckets = new Map<string, Ask['bucket']>(groups.map((group) => [group.name, bucketOf(group)]));
  const awaited = createAwaited(buckets, ports, () => void consider());
  const { learn, take, rests, isWorthWriting } = lessonsOfBatch();
  const learners = createLearners<Asking>(ports, (some) => {
    again(some);
    void consider();
  });
  const asked = new Set<string>();
  /** Groups that have waited for what others learn, and have launched nothing since. They do not wait again. */
  const waited = new Set<string>();
  let asking: readonly Asking[] = [];
  let isSharing = false;

  const again = (some: readonly Asking[]): void => {
    for (const { ask } of some) waited.add(ask.group);
    asking = [...asking, ...some.map((one) => ({ ...one, hasWaited: true as const }))];
  };
  const consider = async (): Promise<void> => {
    const ready = asking.filter(({ ask }) => !awaited.holdsUp(ask));
    if (isSharing || ready.length === 0) return;
    isSharing = true;
    asking = asking.filter((one) => !ready.includes(one));
    const { others, willLearn } = await answer(ready, take(), ports);
    isSharing = false;
    if (willLearn) learners.hold(others);
    else again(others);
    await consider();
  };
  return {
    ask: (ask, asNow = () => ask) =>
      new Promise((resolve, reject) => {
        asking = [...asking, { ask, asNow, resolve, reject, ...(waited.has(ask.group) && { hasWaited: true }) }];
        asked.add(ask.group);
        awaited.without(ask.group);
        awaited.waitsFrom(ask.bucket);
      }),
    done: (group, isConverged) => {
      if (isConverged && !asked.has(group)) rests(group);
      awaited.without(group);
    },
    learn: (lessons) => {
      learn(lessons);
      learners.learned([...lessons.refused.keys(), ...lessons.granted]);
    },
    launched: (group) => void waited.delete(group),
    heldMs: learners.heldMs,
    settle: async () => {
      if (isWorthWriting()) await share([], () => [], take(), ports);
    },
  };
};
