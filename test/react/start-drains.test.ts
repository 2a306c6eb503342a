import { describe, expect, it } from 'vitest';
import { beginsByMs } from '../../core/drain/begin.ts';
import type { Group } from '../../core/group/group.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { startDrains } from '../../functions/react/carry-out/leaving-members.ts';
import type { Run } from '../../functions/react/run.ts';
import { group, noonMs, swap } from '../drain/fleet.ts';

type Options = {
  readonly over?: readonly string[];
  readonly isTick?: boolean;
  readonly isMinute?: boolean;
  /** When the run is. */
  readonly nowMs?: number;
  /** Runs of one environment share it. */
  readonly environment?: object;
  readonly causes?: readonly { readonly code: string }[];
  readonly named?: readonly string[];
  readonly ordered?: readonly string[];
  /** Swaps as they are stored when the drains run. */
  readonly stored?: readonly Swap[];
  readonly mode?: Group['mode'];
  /** Instances whose swaps others have moved on meanwhile. */
  readonly lost?: readonly string[];
};

const start = async (
  swaps: readonly Swap[],
  {
    over = [],
    isTick = false,
    isMinute = false,
    causes = [],
    named = [],
    ordered = [],
    stored = swaps,
    mode,
    lost = [],
    nowMs = noonMs,
    environment = {},
  }: Options = {},
) => {
  const started: DrainOrder[] = [];
  const moved: (SwapChange & { readonly instance: string })[] = [];
  const ports = {
    clock: { now: () => nowMs },
    drains: Object.assign(environment, {
      start: (order: DrainOrder) => {
        started.push(order);
        return Promise.resolve(over.includes(order.drain) ? 'over' : 'running');
      },
    }),
    store: {
      swaps: () => Promise.resolve(stored),
      advance: ({ instance }: Swap, change: SwapChange) => {
        moved.push({ instance, ...change });
        return Promise.resolve(lost.includes(instance) ? 'conflict' : 'done');
      },
    },
  };
  const facts = { isTick, isMinute, causes, leaving: named.map((instance) => ({ instance, reason: 'interruption', atMs: noonMs })) };
  const run = { group: group(mode && { mode }), id: 'decision-9', facts, ports } as unknown as Run;
  const active = swaps.filter(({ state }) => state !== 'gone');
  const count = await startDrains({ run, swaps: active, known: swaps, isOrdered: ({ instance }) => ordered.includes(instance) });
  return { started, moved, count };
};

const deadlineMs = noonMs + 128_000;

describe('the drains that a run starts', () => {
  it('are those that it ordered, each once, with nothing but their names', async () => {
    const swaps = [swap('i-1'), swap('i-2'), swap('i-3', { drain: 'd-2' }), swap('i-4', { drain: 'd-3' })];
    expect(await start(swaps, { ordered: ['i-1', 'i-2', 'i-3'] })).toMatchObject({
      count: 2,
      started: [
        { group: 'web', drain: 'd-1' },
        { group: 'web', drain: 'd-2' },
      ],
    });
  });
  it('of members that could not be taken out of service are started again after as long as they have been wanted, and five minutes at most', async () => {
    const shortfall = { code: 'still-in-service', awsCode: 'AccessDenied' } as const;
    const tried = async (
      claimedSecondsAgo: number,
      orderedSecondsAgo: number,
      more: Partial<Swap> = { shortfall },
      options: Options = { isTick: true },
    ) => {
      const times = { claimedAtMs: noonMs - claimedSecondsAgo * 1_000, drainOrderedAtMs: noonMs - orderedSecondsAgo * 1_000 };
      return (await start([swap('i-1', { reason: 'rebalance', ...times, ...more })], options)).started.length > 0;
    };
    expect(await tried(200, 100)).toBe(true);
    expect(await tried(201, 100)).toBe(false);
    expect(await tried(9_000, 300)).toBe(true);
    expect(await tried(9_000, 299)).toBe(false);
    expect(await tried(200, 100, { shortfall, claimedAtMs: 0, chosenAtMs: noonMs - 200_000 })).toBe(true);
    // Another reason to start it: nothing fell short yet, or its signal comes again.
    expect(await tried(9_000, 1, {})).toBe(true);
    expect(await tried(9_000, 1, { shortfall }, { named: ['i-1'] })).toBe(true);
  });
  it('of members that could not be taken out of service are started with the next wake once EC2 or Auto Scaling takes the members', async () => {
    const refused = { claimedAtMs: 0, drainOrderedAtMs: noonMs - 1, shortfall: { code: 'still-in-service', awsCode: 'AccessDenied' } } as const;
    const startedOf = async (more: Partial<Swap>) => (await start([swap('i-1', { ...refused, ...more })], { isTick: true })).started.length;
    expect(await startedOf({ reason: 'interruption', deadlineMs })).toBe(1);
    expect(await startedOf({ reason: 'rebalance', hooks: [{ asg: 'web', hook: 'drain', expiresAtMs: noonMs + 30_000 }] })).toBe(1);
    expect(await startedOf({ reason: 'rebalance' })).toBe(0);
  });
  it('that have not begun are started again when their signal comes again, with the tick, or with a policy that is written', async () => {
    const swaps = [swap('i-1'), swap('i-2', { drain: 'd-2' }), swap('i-3', { drain: 'd-3', state: 'draining' })];
    expect((await start(swaps)).started).toEqual([]);
    expect((await start(swaps, { named: ['i-2', 'i-3'] })).started).toEqual([{ group: 'web', drain: 'd-2' }]);
    expect((await start(swaps, { isTick: true })).started.map(({ drain }) => drain)).toEqual(['d-1', 'd-2']);
    expect((await start(swaps, { causes: [{ code: 'policy-change' }] })).started.map(({ drain }) => drain)).toEqual(['d-1', 'd-2']);
  });
  it('that one environment found running are started again only with the tick of the minute, or with a policy that is written', async () => {
    const swaps = [swap('i-1')];
    const environment = {};
    const starts = async (options: Options) => (await start(swaps, { environment, ...options })).started.length;
    expect(await starts({ isTick: true })).toBe(1);
    expect(await starts({ isTick: true, nowMs: noonMs + 59_999 })).toBe(0);
    expect(await starts({ named: ['i-1'] })).toBe(0);
    expect(await starts({ isTick: true, environment: {} })).toBe(1);
    expect(await starts({ ordered: ['i-1'] })).toBe(1);
    expect(await starts({ isTick: true, isMinute: true })).toBe(1);
    expect(await starts({ causes: [{ code: 'policy-change' }] })).toBe(1);
    expect(await starts({ isTick: true, nowMs: noonMs + 60_000 })).toBe(1);
    expect(await starts({ isTick: true, isMinute: true, over: ['d-1'] })).toBe(2);
    expect(await starts({ isTick: true })).toBe(1);
  });
  it('that one environment found running are started again by a wake once half of the time until they must begin is over', async () => {
    const starts = async (more: Partial<Swap>, foundMs: number, nowMs: number) => {
      const swaps = [swap('i-1', more)];
      const environment = {};
      await start(swaps, { isTick: true, environment, nowMs: noonMs + foundMs });
      return (await start(swaps, { isTick: true, environment, nowMs: noonMs + nowMs })).started.length;
    };
    const taken = { claimedAtMs: noonMs, deadlineMs: noonMs + 120_000 };
    const byMs = beginsByMs(group().drain, swap('i-1', taken), noonMs + 120_000) - noonMs;
    expect(byMs).toBeGreaterThan(20_000);
    expect([await starts(taken, 0, byMs / 2 - 1), await starts(taken, 0, byMs / 2)]).toEqual([0, 1]);
    expect([await starts(taken, byMs - 1_000, byMs + 3_999), await starts(taken, byMs - 1_000, byMs + 4_000)]).toEqual([0, 1]);
    expect(await starts({ claimedAtMs: noonMs }, 0, 59_999)).toBe(0);
    expect(await starts({ ...taken, state: 'draining', drainOrderedAtMs: noonMs + 1 }, 0, byMs)).toBe(0);
  });
  it('that should have begun by now are started again by any look, until EC2 takes the members', async () => {
    const taken = { claimedAtMs: noonMs, deadlineMs: noonMs + 120_000 };
    const byMs = beginsByMs(group().drain, swap('i-1', taken), taken.deadlineMs) - noonMs;
    const starts = async (seconds: number, more: Partial<Swap> = {}, environment = {}) =>
      (await start([swap('i-1', { ...taken, ...more })], { environment, nowMs: noonMs + byMs + 1_000 * seconds })).started.length;
    expect([await starts(-0.001), await starts(0)]).toEqual([0, 1]);
    expect(await starts(0, { state: 'draining' })).toBe(0);
    expect(await starts((120_000 - byMs) / 1_000)).toBe(0);
    expect(await starts(0, { deadlineMs: undefined })).toBe(0);
    // Where the drain was found running, the next look waits.
    const environment = {};
    expect([await starts(0, {}, environment), await starts(4.999, {}, environment), await starts(5, {}, environment)]).toEqual([1, 0, 1]);
  });
  it('that took over from others, and that were not started, are started with the tick while they are young', async () => {
    const out = { drainStartedAtMs: noonMs - 30_000, drainOrderedAtMs: noonMs - 20_000 };
    const started = async (changes: Partial<Swap>) => (await start([swap('i-1', { ...out, ...changes })], { isTick: true })).started.length;
    expect(await started({ state: 'draining' })).toBe(1);
    expect(await started({ state: 'draining', drainOrderedAtMs: noonMs - 30_000 })).toBe(0);
    expect(await started({ state: 'drained', drainedAtMs: noonMs - 25_000 })).toBe(1);
    expect(await started({ state: 'drained', drainedAtMs: noonMs - 15_000 })).toBe(0);
    const longAgo = { drainStartedAtMs: noonMs - 200_000, drainOrderedAtMs: noonMs - 120_000 };
    expect(await started({ state: 'draining', ...longAgo })).toBe(0);
    expect(await started({ state: 'draining', ...longAgo, drainOrderedAtMs: noonMs - 119_999 })).toBe(1);
  });
  it('that had ended before a member joined leave that member to a new drain, and do not change members that have begun', async () => {
    const swaps = [swap('i-1', { deadlineMs }), swap('i-2', { state: 'draining', deadlineMs })];
    const { started, moved } = await start(swaps, { isTick: true, over: ['d-1'] });
    const drain = started[1]?.drain ?? '';
    expect(drain).toMatch(/^web-interruption-\w+-decision-9$/);
    expect(moved).toEqual([{ instance: 'i-1', from: ['leaving'], drain: 'd-1', set: { drain, drainOrderedAtMs: noonMs } }]);
    expect(started).toHaveLength(2);
  });
  it('that began without the members that this run added leave these to a new drain', async () => {
    const swaps = [swap('i-1', { deadlineMs }), swap('i-2', { deadlineMs })];
    const begun = (more: Partial<Swap>) =>
      start(swaps, { ordered: ['i-1'], stored: [swap('i-1', { deadlineMs }), swap('i-2', { deadlineMs, ...more })] });
    for (const state of ['draining', 'drained', 'gone'] as const) {
      const { started, moved } = await begun({ state, drainStartedAtMs: noonMs - 100 });
      expect(moved).toMatchObject([{ instance: 'i-1', from: ['leaving'], drain: 'd-1' }]);
      expect(started.map(({ drain }) => drain)).toEqual(['d-1', moved[0]?.set.drain]);
    }
    expect((await begun({})).moved).toEqual([]);
    expect((await begun({ state: 'gone' })).moved).toEqual([]);
    expect((await start(swaps, { ordered: ['i-1'], stored: [swap('i-1', { state: 'draining' }), swaps[1] ?? swap('i-2')] })).moved).toEqual([]);
  });
  it('that others have put a member on meanwhile are theirs to start', async () => {
    const swaps = [swap('i-1', { deadlineMs }), swap('i-2', { deadlineMs, drain: 'd-2' })];
    const { started, moved } = await start(swaps, { isTick: true, over: ['d-1', 'd-2'], lost: ['i-1', 'i-2'] });
    expect(moved).toHaveLength(2);
    expect(started.map(({ drain }) => drain)).toEqual(['d-1', 'd-2']);
  });
  it('of a group that does not act are none for members that AWS takes and that may not begin, and go on for the others', async () => {
    const swaps = [swap('i-1', { deadlineMs }), swap('i-2', { drain: 'd-2', reason: 'scale-in' }), swap('i-3', { drain: 'd-3', state: 'draining' })];
    const drainsIn = async (mode?: Group['mode']) =>
      (await start(swaps, { ordered: ['i-1', 'i-2', 'i-3'], ...(mode && { mode }) })).started.map(({ drain }) => drain);
    expect(await drainsIn()).toEqual(['d-1', 'd-2', 'd-3']);
    expect(await drainsIn('observe')).toEqual(['d-2', 'd-3']);
  });
  it('that have just ended leave no member behind until a tick looks', async () => {
    const swaps = [swap('i-1', { deadlineMs, drainOrderedAtMs: noonMs - 60_000 }), swap('i-2', { state: 'gone', drainStartedAtMs: noonMs - 60_000 })];
    expect((await start(swaps)).moved).toEqual([]);
    expect((await start(swaps, { isTick: true })).moved).toHaveLength(1);
    const alone = [swap('i-1', { deadlineMs, drainOrderedAtMs: noonMs - 60_000 })];
    expect((await start(alone, { isTick: true })).moved).toEqual([]);
  });
  it('that left a member behind are found by the tick, also if all the others have ended since', async () => {
    const behind = (agoMs: number) =>
      start([swap('i-1', { deadlineMs, drainOrderedAtMs: noonMs - 60_000 }), swap('i-2', { state: 'gone', drainStartedAtMs: noonMs - agoMs })], {
        isTick: true,
      });
    expect((await behind(16_000)).moved).toMatchObject([{ instance: 'i-1' }]);
    expect((await behind(14_000)).moved).toEqual([]);
  });
  it('that left a member behind are found sooner where its own time is short: once half of it is over, and after five seconds at least', async () => {
    const taken = { claimedAtMs: noonMs, warnedAtMs: noonMs, deadlineMs: noonMs + 120_000 };
    const byMs = beginsByMs(group().drain, swap('i-1', taken), taken.deadlineMs);
    const behind = async (leftMs: number, afterMs: number, more: Partial<Swap> = {}) => {
      const sinceMs = byMs - leftMs;
      const swaps = [swap('i-1', { ...taken, drainOrderedAtMs: sinceMs, ...more }), swap('i-2', { state: 'gone', drainStartedAtMs: sinceMs })];
      return (await start(swaps, { isTick: true, nowMs: sinceMs + afterMs })).moved.length;
    };
    expect([await behind(18_000, 9_000), await behind(18_000, 9_001)]).toEqual([0, 1]);
    expect([await behind(2_000, 5_000), await behind(2_000, 5_001)]).toEqual([0, 1]);
    expect([await behind(40_000, 15_000), await behind(40_000, 15_001)]).toEqual([0, 1]);
    expect([await behind(2_000, 15_000, { deadlineMs: undefined }), await behind(2_000, 15_001, { deadlineMs: undefined })]).toEqual([0, 1]);
  });
  it('of many members look at each member a few times, not once for each other member', async () => {
    let reads = 0;
    const swaps = Array.from({ length: 300 }, (_, index) =>
      Object.defineProperty(swap(`i-${index}`, { deadlineMs }), 'state', {
        get: () => {
          reads += 1;
          return 'leaving';
        },
      }),
    );
    await start(swaps, { isTick: true, ordered: swaps.map(({ instance }) => instance) });
    expect(reads).toBeLessThan(30 * swaps.length);
  });
});
