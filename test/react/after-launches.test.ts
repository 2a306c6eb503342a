import { describe, expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { Launched } from '../../core/group-state/answers.ts';
import type { Turn } from '../../core/limits/line.ts';
import type { ActionResult, CapacityIn } from '../../core/ports/capacity-provider.ts';
import type { Added } from '../../core/view/added.ts';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import type { GroupState, View } from '../../core/view/view.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { decisionOf } from '../core/decisions.ts';
import { member, members } from '../core/members.ts';
import { group, nowMs, reservation, spotA, state, swapOf, view } from '../core/views.ts';
import { factsOf, invocation, silent } from './facts.ts';

const roundOf = (decision: Partial<Decision>, rest: Partial<View> = {}, launched: readonly Launched[] = []): Round => {
  const look = view(rest);
  return { decision: decisionOf(decision), view: look, lookedAtMs: nowMs, sizes: [], launched, state: look.state };
};

type World = {
  readonly admits?: ActionResult;
  readonly takesDown?: 'done' | 'unseen' | 'changed-by-others' | 'not-yet';
  /** The same call puts the maximum back. */
  readonly putsMaxBack?: true;
  readonly turn?: Turn;
  /** The same for all looks of an environment. */
  readonly drains?: object;
  readonly atMs?: number;
  readonly run?: Partial<Run> & { readonly isCut?: true };
};

/** What follows the launches of these rounds: calls that change something, the next look, what is counted and written. */
const actedOn = async (
  rounds: readonly Round[],
  { admits = { done: [], failed: [] }, takesDown = 'done', putsMaxBack, turn, run = {}, drains = {}, atMs = nowMs }: World = {},
) => {
  const seen = { calls: [] as unknown[], wokenInMs: [] as number[], counted: {} as Record<string, number>, written: [] as GroupState[] };
  const provider: Partial<CapacityIn> = {
    admit: async (_, instances, admitting) => {
      seen.calls.push(['admit', instances, admitting]);
      return admits;
    },
    takeDown: async (added, raised) => {
      seen.calls.push(['takeDown', added.asg, raised?.toMax]);
      return { kind: takesDown, ...(putsMaxBack && { isMaxPutBack: true }) };
    },
    restoreMax: async ({ asg }) => {
      seen.calls.push(['restoreMax', asg]);
      return 'done';
    },
    noteJoined: async (_, asg, instances) => void seen.calls.push(['noteJoined', asg, instances]),
  };
  const ports = {
    store: {
      swaps: async () => [],
      putState: async (_: string, next: GroupState) => {
        seen.written.push(next);
        return 'done';
      },
    },
    believed: (_: string, known: GroupState) => known,
    wakes: { wake: async (_: readonly string[], wakeAtMs: number) => void seen.wokenInMs.push(wakeAtMs - atMs) },
    drains,
    clock: { now: () => atMs },
    telemetry: {
      ...silent,
      count: (name: string, by = 1) => {
        seen.counted[name] = (seen.counted[name] ?? 0) + by;
      },
    },
  } as unknown as ReactPorts;
  const now: Turn = { kind: 'now', instances: 0, calls: 1, sinceMs: nowMs };
  const turns = { ask: async () => ({ turn: turn ?? now, refused: [] }) };
  const acted = await carryOutRounds({
    group: group(),
    provider: provider as CapacityIn,
    facts: factsOf(),
    ports,
    turns: turns as unknown as Run['turns'],
    ...invocation,
    ...run,
    rounds,
  });
  return { ...seen, acted };
};

const failed = (instance: string, retry: 'later' | 'never') => ({ instance, code: 'Throttling', retry });
const launchedAgo = (instance: string, agoMs: number) => member(instance, spotA, { admitted: false, launchedAtMs: nowMs - agoMs });
const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });

describe('members that join', () => {
  const joining = ['i-1', 'i-2', 'i-3'];
  const found = { members: [launchedAgo('i-1', 56_000), launchedAgo('i-2', 40_000), launchedAgo('i-3', 8_000), ...members(spotA, 2)] };
  const round = roundOf({ admissions: joining }, found);

  test('are put into service, and nothing else is called or counted where all of them joined', async () => {
    const { acted, calls, counted, wokenInMs } = await actedOn([round], { admits: { done: joining, failed: [] } });
    expect(acted).toEqual({ admitted: joining, failed: [], restored: [], wakeAtMs: nowMs + 10_000 });
    expect(calls).toEqual([['admit', joining, { moreCome: false }]]);
    expect([counted[metrics.actionsFailed], wokenInMs]).toEqual([0, [10_000]]);
  });

  test('wait for others only while others come: neither those that join now, nor those that leave, nor those that an Auto Scaling group launched', async () => {
    const moreCome = async (rest: Partial<View>) => (await actedOn([roundOf({ admissions: ['i-1'] }, rest)])).calls[0];
    const one = launchedAgo('i-1', 8_000);
    const other = launchedAgo('i-2', 8_000);
    expect(await moreCome({ members: [one, other, ...members(spotA, 2)] })).toEqual(['admit', ['i-1'], { moreCome: true }]);
    expect(await moreCome({ members: [one, other], swaps: [swapOf('i-2')] })).toEqual(['admit', ['i-1'], { moreCome: false }]);
    expect(await moreCome({ members: [one, ...members(spotA, 2)] })).toEqual(['admit', ['i-1'], { moreCome: false }]);
    expect(await moreCome({ members: [one, { ...other, asg: 'web-asg' }] })).toEqual(['admit', ['i-1'], { moreCome: false }]);
    const removals = [{ instance: 'i-2', reason: 'scale-in', why: { code: 'surplus', rank: { order: 'dearest-first' } } }] as const;
    const leaving = roundOf({ admissions: ['i-1'], removals }, { members: [one, other] });
    expect((await actedOn([leaving])).calls).toEqual([['admit', ['i-1'], { moreCome: false }]]);
  });

  test('bring along those that joined lately and of which no tag is shown', async () => {
    const before = [member('i-8', spotA, { unnoted: 'lately' }), member('i-9', spotA)];
    const joins = roundOf({ admissions: ['i-1'] }, { members: [launchedAgo('i-1', 8_000), ...before, ...members(spotA, 2)] });
    expect((await actedOn([joins])).calls).toContainEqual(['admit', ['i-1'], { moreCome: false, unnoted: ['i-8'] }]);
  });

  test('are looked at again while no tag says that they joined: it may wait for others that never come', async () => {
    const woken = async (unnoted: 'lately' | 'long') =>
      (await actedOn([roundOf({}, { members: [{ ...launchedAgo('i-8', 9_000), unnoted }, ...members(spotA, 2)] })])).wokenInMs;
    expect([await woken('lately'), await woken('long')]).toEqual([[10_000], []]);
  });

  test('are looked at ever more rarely while no tag says that they joined, because the response to their attach was lost', async () => {
    const woken = async (ageMs: number) =>
      (await actedOn([roundOf({}, { members: [{ ...launchedAgo('i-8', ageMs), unnoted: 'lately' }, ...members(spotA, 2)] })])).wokenInMs;
    expect([await woken(20_000), await woken(80_000), await woken(170_000)]).toEqual([[10_000], [20_000], []]);
  });

  test('are tried again where that may succeed, after a quarter of the age of the youngest, and later in a large batch', async () => {
    const again = async (failures: ActionResult['failed'], run: Partial<Run> = {}) =>
      (await actedOn([round], { admits: { done: [], failed: failures }, run })).wokenInMs;
    expect(await again([failed('i-1', 'later'), failed('i-2', 'later')])).toEqual([10_000]);
    expect(await again([failed('i-1', 'later')])).toEqual([14_000]);
    expect(await again([failed('i-3', 'later')])).toEqual([2_000]);
    expect(await again([failed('i-unknown', 'later')])).toEqual([2_000]);
    const [inMs = 0] = await again([failed('i-3', 'later')], { groupsAtOnce: 20 });
    expect(inMs).toBeGreaterThanOrEqual(5_000);
    expect(inMs).toBeLessThan(7_000);
    expect(await again([failed('i-1', 'later'), failed('i-3', 'never')])).toEqual([14_000]);
  });

  test('are left to the tick where the next attempt would come late, or could not succeed', async () => {
    const old = roundOf({ admissions: ['i-1'] }, { members: [launchedAgo('i-1', 600_000)] });
    expect((await actedOn([old], { admits: { done: [], failed: [failed('i-1', 'later')] } })).wokenInMs).toEqual([]);
    const { wokenInMs, counted, acted } = await actedOn([round], {
      admits: { done: ['i-1'], failed: [failed('i-2', 'never'), failed('i-3', 'never')] },
    });
    expect(wokenInMs).toEqual([10_000]);
    expect(counted[metrics.actionsFailed]).toBe(2);
    expect(acted.failed).toEqual([failed('i-2', 'never'), failed('i-3', 'never')]);
    expect((await actedOn([round], { admits: { done: [], failed: [failed('i-2', 'later')] } })).counted[metrics.actionsFailed]).toBe(0);
  });

  describe('in vain', () => {
    const environment = {};
    const drains = {};
    const young = (atMs: number) =>
      roundOf({ admissions: ['i-9'] }, { members: [member('i-9', spotA, { admitted: false, launchedAtMs: atMs - 8_000 })] });
    const tried = async (afterMs: number, admits: ActionResult, env: object = drains) =>
      (await actedOn([young(nowMs + afterMs)], { admits, drains: env, atMs: nowMs + afterMs })).wokenInMs;
    const inVain = { done: [], failed: [failed('i-9', 'later')] };

    test('are tried again after a quarter of the time for which none has joined, from a minute on after half of it, however young they are', async () => {
      expect(await tried(0, inVain)).toEqual([2_000]);
      expect(await tried(40_000, inVain)).toEqual([10_000]);
      expect(await tried(70_000, inVain)).toEqual([35_000]);
      expect(await tried(110_000, inVain)).toEqual([]);
      expect(await tried(170_000, inVain)).toEqual([]);
    });

    test('are tried again soon in another environment, after one has joined, and after minutes without a try', async () => {
      expect(await tried(211_000, inVain, environment)).toEqual([2_000]);
      expect(await tried(216_000, { done: ['i-8'], failed: [failed('i-9', 'later')] })).toEqual([2_000]);
      expect(await tried(217_000, inVain)).toEqual([2_000]);
      expect(await tried(274_000, inVain)).toEqual([14_250]);
      expect(await tried(444_000, inVain)).toEqual([2_000]);
    });
  });

  test('join at their turn, if others use the bucket of these calls now', async () => {
    const later: Turn = { kind: 'later', turnAtMs: nowMs + 3_500, sinceMs: nowMs, ahead: { empty: 1, smaller: 1 } };
    const { calls, wokenInMs, acted } = await actedOn([round], { turn: later, run: { group: attached } });
    expect([calls, wokenInMs]).toEqual([[], [3_500]]);
    expect(acted).toEqual({ admitted: [], failed: [], restored: [], wakeAtMs: nowMs + 3_500 });
    const soonest = await actedOn([roundOf({ admissions: joining, wakeAtMs: nowMs + 1_000 }, found)], { turn: later, run: { group: attached } });
    expect(soonest.wokenInMs).toEqual([1_000]);
  });
});

describe('a size that others set', () => {
  const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
  const note: Added = { asg: 'web-asg', from: 4, instances: ['i-1'], atMs: nowMs };
  const raised = { asg: 'web-asg', fromMax: 4, toMax: 5 };
  const other = { asg: 'other', fromMax: 1, toMax: 2 };
  const joins = (rest: Partial<GroupState> = {}) =>
    roundOf({ admissions: ['i-1'] }, { members: [launchedAgo('i-1', 8_000)], state: state({ added: [note], raised: [raised, other], ...rest }) });
  const run = { group: outside };

  test('gets back what the members that joined added, and the maximum that was raised for them; the note stays for late describes', async () => {
    const { calls, written, acted, counted } = await actedOn([joins()], { admits: { done: ['i-1'], failed: [] }, run });
    expect(calls).toEqual([
      ['admit', ['i-1'], { added: note, moreCome: false }],
      ['takeDown', 'web-asg', 5],
      ['restoreMax', 'web-asg'],
    ]);
    expect(acted.restored).toEqual(['web-asg']);
    expect(written).toMatchObject([{ version: 4, added: [{ ...note, takenDownAtMs: nowMs }] }]);
    expect(written[0]?.raised).toEqual([{ ...raised, putBackAtMs: nowMs }, other]);
    expect(counted[metrics.conflicts]).toBeUndefined();
  });

  test('stays as it is where none of them joined', async () => {
    const { calls, written } = await actedOn([joins()], { admits: { done: [], failed: [failed('i-1', 'later')] }, run });
    expect(calls).toEqual([['admit', ['i-1'], { added: note, moreCome: false }]]);
    expect(written).toEqual([]);
  });

  test('is taken down later, with its note, where that is not possible yet', async () => {
    const { calls, written, acted } = await actedOn([joins()], { admits: { done: ['i-1'], failed: [] }, takesDown: 'not-yet', run });
    expect(calls.slice(1)).toEqual([['takeDown', 'web-asg', 5]]);
    expect([written, acted.restored]).toEqual([[], []]);
  });

  test('keeps its note while no describe shows that it was taken down', async () => {
    const { written, acted } = await actedOn([joins()], { admits: { done: ['i-1'], failed: [] }, takesDown: 'unseen', run });
    expect(written).toMatchObject([{ raised: [raised, other], added: [{ ...note, takenDownAtMs: nowMs }] }]);
    expect(acted.restored).toEqual([]);
  });

  test('needs no further call for a maximum that went back with it', async () => {
    const world = { admits: { done: ['i-1'], failed: [] }, putsMaxBack: true, run } as const;
    const { calls, written, acted } = await actedOn([joins()], world);
    expect(calls.slice(1)).toEqual([['takeDown', 'web-asg', 5]]);
    expect(written).toMatchObject([{ raised: [{ ...raised, putBackAtMs: nowMs, withSize: true }, other] }]);
    expect(acted.restored).toEqual(['web-asg']);
    const unseen = await actedOn([joins()], { ...world, takesDown: 'unseen' });
    expect(unseen.written).toMatchObject([{ raised: [{ ...raised, putBackAtMs: nowMs }, other] }]);
  });

  test('leaves a maximum that was put back before to its owner, who may have set the same value since', async () => {
    const before = { ...raised, putBackAtMs: nowMs - 1_000 };
    const { calls } = await actedOn([joins({ raised: [before] })], { admits: { done: ['i-1'], failed: [] }, run });
    expect(calls.slice(1)).toEqual([['takeDown', 'web-asg', undefined]]);
  });

  test('of an earlier look is taken down too', async () => {
    const earlier: Added = { ...note, instances: ['i-0'] };
    const { calls } = await actedOn([roundOf({ takeDown: [earlier] }, { state: state({ added: [earlier] }) })], { run });
    expect(calls).toEqual([['takeDown', 'web-asg', undefined]]);
  });

  test('that others wrote meanwhile stays, and this is counted', async () => {
    const { written, counted } = await actedOn([joins()], { admits: { done: ['i-1'], failed: [] }, takesDown: 'changed-by-others', run });
    expect(counted[metrics.conflicts]).toBe(1);
    expect(written).toHaveLength(1);
    expect(written[0]).not.toHaveProperty('added');
  });
});

describe('launches without a response', () => {
  const lost = (leaseUntilMs: number): Launched => ({
    reservation: reservation({ leaseUntilMs }),
    request: undefined,
    result: { kind: 'ambiguous', code: 'TimeoutError' },
  });
  const endingAfter = (leaseUntilMs: number, launched: readonly Launched[], more: readonly Round[] = []) => {
    const open = [reservation({ leaseUntilMs }), reservation({ id: 'r-2', leaseUntilMs: nowMs + 5_000, instances: ['i-1'] })];
    return [...more, roundOf({}, { state: state({ reservations: open }) }, launched)];
  };

  test('are repeated by a look of their own when their lease ends, whichever round made them', async () => {
    const lease = nowMs + 30_000;
    expect((await actedOn(endingAfter(lease, [lost(lease)]))).wokenInMs).toEqual([30_000]);
    expect((await actedOn(endingAfter(lease, [], [roundOf({}, {}, [lost(lease)])]))).wokenInMs).toEqual([30_000]);
    expect((await actedOn(endingAfter(lease, []))).wokenInMs).toEqual([]);
  });

  test('are left to the tick where their lease ends late, or has ended', async () => {
    expect((await actedOn(endingAfter(nowMs + 40_000, [lost(nowMs + 40_000)]))).wokenInMs).toEqual([]);
    expect((await actedOn(endingAfter(nowMs, [lost(nowMs)]))).wokenInMs).toEqual([]);
  });
});

test('a look after a cut comes at once, and that of a throttle that is over does not come', async () => {
  const throttled = (untilMs: number) => roundOf({}, { state: state({ throttle: { untilMs, streak: 1 } }) });
  expect((await actedOn([throttled(nowMs + 5_000)], { run: { isCut: true } })).wokenInMs).toEqual([1]);
  expect((await actedOn([throttled(nowMs)])).wokenInMs).toEqual([]);
});

test('a maximum that was raised and put back by the same look keeps its note while another invocation may still raise it', async () => {
  const raised = { asg: 'web-asg', fromMax: 10, toMax: 12, atMs: nowMs, beforeMs: nowMs - 1_000, by: 'd-1' };
  const noted = async (one: RaisedMax, after: Partial<Round> = {}, rest: Partial<Decision> = {}) => {
    const round = roundOf({ restore: [one], ...rest }, { state: state({ raised: [one] }) });
    return (await actedOn([{ ...round, ...after }], { run: { id: 'd-1' } })).written;
  };
  const own = { raised: ['web-asg'] };
  const answered = { ...raised, answeredAtMs: nowMs };
  expect(await noted(raised)).toEqual([]);
  expect(await noted(raised, own, { raise: [raised] })).toMatchObject([{ raised: [answered] }]);
  expect(await noted(raised, {}, { raise: [raised] })).toEqual([]);
  const before = { ...raised, beforeMs: nowMs - 35_000 };
  expect(await noted(before, own, { raise: [before] })).toMatchObject([{ raised: [{ ...before, putBackAtMs: nowMs }] }]);
  const old = { ...raised, atMs: nowMs - 35_000 };
  expect(await noted(old)).toMatchObject([{ raised: [{ ...old, putBackAtMs: nowMs }] }]);
});

test('a raise that AWS refused once may take effect later, though it answered another one of the same run', async () => {
  const raised = { asg: 'web-asg', fromMax: 10, toMax: 12, atMs: nowMs, by: 'd-1' };
  const noted = async (first: readonly string[]) => {
    const round = roundOf({ raise: [raised] }, { state: state({ raised: [raised] }) });
    return (
      await actedOn(
        [
          { ...round, raised: first },
          { ...round, raised: ['web-asg'] },
        ],
        { run: { id: 'd-1' } },
      )
    ).written;
  };
  expect(await noted([])).toEqual([]);
  expect(await noted(['web-asg'])).toMatchObject([{ raised: [{ ...raised, answeredAtMs: nowMs }] }]);
});
