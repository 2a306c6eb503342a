import { describe, expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import { emptyDraft } from '../../core/decide/draft.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { Launched } from '../../core/group-state/answers.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { CapacityIn } from '../../core/ports/capacity-provider.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState, Member, View } from '../../core/view/view.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import { beginWaiting, claimRemovals, nameJoined } from '../../functions/react/carry-out/leaving-members.ts';
import { giveBack } from '../../functions/react/carry-out/lowered-sizes.ts';
import { noteOf, resumeAll, suspendedAfter, takeDownAll, tellOverwritten, wakeForAdded } from '../../functions/react/carry-out/outside-size.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { turnsOf } from '../../functions/react/turns/turns.ts';
import { awsError } from '../aws/fake-aws.ts';
import { member, members } from '../core/members.ts';
import { asgView, group, nowMs, onDemandB, reservation, spotA, state, swapOf, view } from '../core/views.ts';
import { factsOf, invocation, silent } from './facts.ts';

const offering = { instanceType: 'm7g.large', zone: 'b', market: 'on-demand' } as const;
const decided = (rest: Partial<Decision> = {}): Decision => {
  const { lack: _lack, ...draft } = emptyDraft;
  return { ...draft, group: 'web', desired: 10, staying: 10, ...rest };
};
const roundOf = (decision: Partial<Decision> = {}, rest: Partial<View> = {}, launched: readonly Launched[] = [], after?: GroupState): Round => {
  const look = view(rest);
  return { decision: decided(decision), view: look, lookedAtMs: nowMs, sizes: [], launched, state: after ?? look.state };
};

/** A run whose calls are listed. Each call has this result. */
const runOf = (provides: Partial<CapacityIn> = {}, rest: Partial<Run> = {}) => {
  const seen = { calls: [] as unknown[], woken: [] as number[], written: [] as GroupState[], advanced: [] as unknown[] };
  const listed =
    <T>(name: string, result: T) =>
    async (...args: readonly unknown[]): Promise<T> => {
      seen.calls.push([name, ...args.filter((one) => (one as { name?: unknown })?.name !== 'web')]);
      return result;
    };
  const provider = {
    release: listed('release', { done: [], failed: [] }),
    restoreMax: listed('restoreMax', 'done' as const),
    lowerMax: listed('lowerMax', undefined),
    resume: listed('resume', 'done' as const),
    takeDown: listed('takeDown', { kind: 'done' as const }),
    noteJoined: listed('noteJoined', undefined),
    tagLaunched: listed('tagLaunched', undefined),
    giveBack: listed('giveBack', undefined),
    admit: listed('admit', { done: [], failed: [] }),
    ...provides,
  } as unknown as CapacityIn;
  const ports = {
    store: {
      putState: async (_: string, next: GroupState) => {
        seen.written.push(next);
        return 'done';
      },
      advance: async (swap: { instance: string }, change: unknown) => {
        seen.advanced.push([swap.instance, change]);
        return 'done';
      },
    },
    believed: (_: string, known: GroupState) => known,
    wakes: {
      wake: async (_: readonly string[], atMs: number, when?: 'ahead') => {
        if (when === 'ahead') seen.calls.push(['wake ahead', atMs - nowMs]);
        else seen.woken.push(atMs - nowMs);
      },
    },
    clock: { now: () => nowMs },
    drains: {},
    telemetry: silent,
  } as unknown as ReactPorts;
  const run = {
    group: group(),
    provider,
    facts: factsOf(),
    ports,
    ...invocation,
    ...rest,
  };
  return { seen, run: run as Run };
};

const answered = (count: number): Launched => ({
  reservation: reservation({ placement: { pool: 'od-b', count, offerings: [offering] } }),
  request: undefined,
  result: { kind: 'answered', instances: Array.from({ length: count }, (_, index) => ({ instance: `n-${index}`, offering })), refusals: [] },
});

describe('members that were registered with target groups', () => {
  const admitting = async (loadBalancers: readonly string[], done: readonly string[]) => {
    const { seen, run } = runOf({ admit: async () => ({ done, failed: [] }) }, { group: group({ drain: { timeoutMs: 1, loadBalancers } }) });
    const swaps = { ...run.ports.store, swaps: async () => [], budget: async () => emptyBudget, putBudget: async () => 'done' as const };
    Object.assign(run.ports, { store: swaps });
    const stored = state({ registered: { 'i-0': nowMs - 1_000 } });
    await carryOutRounds({ ...run, turns: turnsOf([], run.ports), rounds: [roundOf({ admissions: ['i-1', 'i-2'] }, {}, [], stored)] });
    return seen.written.map(({ registered }) => registered);
  };

  test('are noted in the state, so that other environments know them where target health cannot be read', async () => {
    expect(await admitting(['tg-1'], ['i-1'])).toEqual([{ 'i-0': nowMs - 1_000, 'i-1': nowMs }]);
  });

  test('cost no write where none was, or where the policy names no target groups', async () => {
    expect(await admitting(['tg-1'], [])).toEqual([]);
    expect(await admitting([], ['i-1'])).toEqual([]);
  });
});

describe('the next look of a group', () => {
  const wakesAfter = async (rounds: readonly Round[], rest: Partial<Run> & { readonly isCut?: true } = {}) => {
    const { seen, run } = runOf({}, rest);
    const { wakeAtMs } = await carryOutRounds({ ...run, rounds });
    expect(wakeAtMs).toBe(seen.woken[0] === undefined ? undefined : nowMs + seen.woken[0]);
    return seen.woken;
  };

  test('comes ten seconds after a launch that brings instances', async () => {
    expect(await wakesAfter([roundOf({}, {}, [answered(1)])])).toEqual([10_000]);
    const waited = (waitedMs: number) => ({ remarks: [{ code: 'waited-for-turn', bucket: 'createFleet', waitedMs } as const] });
    // In a shortage that lasts, all members that come up are looked at at multiples of ten seconds.
    const laterBy = async (ms: number, longMs: number) => {
      const { seen, run } = runOf();
      const ports = { ...run.ports, clock: { now: () => nowMs + ms } };
      await carryOutRounds({ ...run, ports, rounds: [roundOf(waited(longMs), {}, [answered(1)])] });
      return seen.woken;
    };
    expect([await laterBy(3_000, 60_000), await laterBy(0, 60_000), await laterBy(3_000, 59_999)]).toEqual([[20_000], [10_000], [13_000]]);
    expect(await wakesAfter([roundOf({}, {}, [answered(0)])])).toEqual([]);
    expect(await wakesAfter([roundOf()])).toEqual([]);
  });

  test('comes when a throttle ends, at the time that the decision names, or at once after a cut', async () => {
    const throttled = state({ throttle: { untilMs: nowMs + 5_000, streak: 1 } });
    expect(await wakesAfter([roundOf({}, {}, [], throttled)])).toEqual([5_000]);
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs + 7_000 })])).toEqual([7_000]);
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs - 7_000 })])).toEqual([1]);
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs + 7_000 })], { isCut: true })).toEqual([1]);
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs + 7_000 }, {}, [answered(2)], throttled)])).toEqual([5_000]);
  });

  test('comes for launches that a suspension cut off, although a later round of the same look needs none', async () => {
    const cutOff = roundOf({ suspend: [{ asg: 'a', processes: ['Launch'] }], wakeAtMs: nowMs - 3_000 });
    expect(await wakesAfter([cutOff, roundOf()])).toEqual([1]);
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs - 3_000 }), roundOf()])).toEqual([]);
  });

  test('is left to the tick where it is a minute away or more', async () => {
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs + 59_999 })])).toEqual([59_999]);
    expect(await wakesAfter([roundOf({ wakeAtMs: nowMs + 60_000 })])).toEqual([]);
  });

  test('is shared by the groups of a batch', async () => {
    const together = await wakesAfter([roundOf({ wakeAtMs: nowMs + 7_001 })], { groupsAtOnce: 3 });
    expect(together.map((inMs) => (nowMs + inMs) % 2_000)).toEqual([0]);
    expect(together[0]).toBeGreaterThanOrEqual(7_001);
  });

  test('is not scheduled when nothing was decided', async () => {
    expect(await wakesAfter([])).toEqual([]);
  });
});

const failing = (code: string) => async (): Promise<never> => {
  throw Object.assign(new Error(code), { name: code, $fault: 'client' });
};

describe('what a look changed before', () => {
  const raised = { asg: 'web-asg', fromMax: 10, toMax: 12 };
  const suspension = { asg: 'web-asg', processes: ['Launch'] } as const;

  test('is put back once. Its notes say when', async () => {
    const { seen, run } = runOf();
    const other = { asg: 'other', fromMax: 1, toMax: 2 };
    const { restored } = await carryOutRounds({
      ...run,
      rounds: [roundOf({ restore: [raised], resume: [suspension] }, { state: state({ raised: [raised, other], suspended: [suspension] }) })],
    });
    expect(restored).toEqual(['web-asg']);
    expect(seen.calls).toEqual([
      ['restoreMax', raised, undefined],
      ['resume', suspension],
    ]);
    expect(seen.written).toMatchObject([
      {
        version: 4,
        raised: [{ ...raised, putBackAtMs: nowMs }, other],
        suspended: [{ ...suspension, resumedAtMs: expect.any(Number) }],
      },
    ]);
  });

  test('keeps its note where it cannot be put back yet', async () => {
    const { seen, run } = runOf({ restoreMax: async () => 'not-yet' });
    const { restored } = await carryOutRounds({ ...run, rounds: [roundOf({ restore: [raised] }, { state: state({ raised: [raised] }) })] });
    expect([restored, seen.written]).toEqual([[], []]);
  });

  test('keeps its note where it is only lowered, also where Auto Scaling refuses that', async () => {
    const lowered = { ...raised, toMax: 11, earlier: [12] };
    const rounds = [roundOf({ lower: [lowered] }, { state: state({ raised: [lowered] }) })];
    const { seen, run } = runOf();
    const refused = runOf({ lowerMax: failing('ScalingActivityInProgress') });
    for (const one of [run, refused.run]) expect(await carryOutRounds({ ...one, rounds })).toMatchObject({ restored: [] });
    expect(seen.calls).toEqual([['lowerMax', lowered]]);
    expect([...seen.written, ...refused.seen.written]).toEqual([]);
  });

  test('is not written where nothing was settled', async () => {
    const { seen, run } = runOf();
    await carryOutRounds({ ...run, rounds: [roundOf()] });
    expect([seen.written, seen.calls, seen.advanced]).toEqual([[], [], []]);
  });

  test('of processes keeps the notes of other Auto Scaling groups', async () => {
    const { seen, run } = runOf();
    const kept = { asg: 'other', processes: ['Terminate'] };
    await carryOutRounds({ ...run, rounds: [roundOf({ resume: [suspension] }, { state: state({ suspended: [suspension, kept] }) })] });
    expect(seen.written[0]?.suspended?.map(({ asg, resumedAtMs }) => [asg, resumedAtMs === undefined])).toEqual([
      [suspension.asg, false],
      [kept.asg, true],
    ]);
  });
});

describe('leaving members that their Auto Scaling group still counts', () => {
  const [one, two] = [
    swapOf('i-1', { state: 'drained', shortfall: { code: 'not-released', awsCode: 'BelowMinSize' } }),
    swapOf('i-2', { state: 'drained' }),
  ];

  test('are terminated through it, and the note that the minimum kept them is removed', async () => {
    const { seen, run } = runOf({ release: async (_, swaps) => ({ done: swaps.map(({ instance }) => instance), failed: [] }) });
    await carryOutRounds({ ...run, rounds: [roundOf({ unnoticed: ['i-1', 'i-2'] }, { swaps: [one, two] })] });
    expect(seen.advanced).toEqual([['i-1', { from: ['drained'], set: {}, clear: ['shortfall'] }]]);
  });

  test('stay as many as were not replaced after all, the dead aside', async () => {
    const released: (readonly string[])[] = [];
    const { run } = runOf({
      release: async (_, swaps) => {
        released.push(swaps.map(({ instance }) => instance));
        return { done: [], failed: [] };
      },
    });
    const first = (ended: readonly string[]) => roundOf({ unnoticed: ['i-1', 'i-2'] }, { swaps: [one, two], ended });
    await carryOutRounds({ ...run, rounds: [first([]), roundOf({ unplaced: 1 })] });
    await carryOutRounds({ ...run, rounds: [first(['i-2']), roundOf({ uncovered: 1, unplaced: 0 })] });
    await carryOutRounds({ ...run, rounds: [first([]), roundOf({ uncovered: 0, unplaced: 2 })] });
    expect(released).toEqual([['i-1'], ['i-2'], ['i-1', 'i-2']]);
  });

  test('that AWS does not end are tried again as rarely as their drain would, whatever causes looks, and once a minute', async () => {
    const code = { now: 'ServiceUnavailable' };
    const released: (readonly string[])[] = [];
    const { run } = runOf({
      release: async (_, swaps) => {
        released.push(swaps.map(({ instance }) => instance));
        return { done: [], failed: swaps.map(({ instance }) => ({ instance, code: code.now, retry: 'later' as const })) };
      },
    });
    const triedAfter = async (sinceMs: number, ended: readonly string[] = []) => {
      const swaps = [swapOf('i-1', { state: 'drained', drainStartedAtMs: nowMs - 20_000 })];
      const count = released.length;
      await carryOutRounds({ ...run, rounds: [roundOf({ unnoticed: ['i-1'] }, { swaps, ended, nowMs: nowMs + sinceMs })] });
      return released.length > count;
    };
    expect(await triedAfter(0)).toBe(true);
    expect([await triedAfter(5_000), await triedAfter(18_000), await triedAfter(5_000, ['i-1'])]).toEqual([false, false, true]);
    expect([await triedAfter(24_000), await triedAfter(30_000)]).toEqual([false, true]);
    expect([await triedAfter(78_000), await triedAfter(90_000), await triedAfter(149_000)]).toEqual([false, true, true]);
    code.now = 'BelowMinSize';
    expect([await triedAfter(209_000), await triedAfter(210_000), await triedAfter(211_000)]).toEqual([true, true, true]);
  });

  test.each([
    ['has drained for a moment', {}, 5_000],
    ['has drained for a while', { drainStartedAtMs: nowMs - 12_000 }, 12_000],
    ['is about to be taken', { drainStartedAtMs: nowMs - 12_000, deadlineMs: nowMs + 30_000 }, 12_000],
    ['has drained for long, so that the tick comes as soon', { drainStartedAtMs: nowMs - 60_000, deadlineMs: nowMs + 30_000 }, undefined],
    ['was to be taken by now', { deadlineMs: nowMs - 1 }, undefined],
    ['was warned of no time', { deadlineMs: undefined }, undefined],
    ['is ended by Holdfast', { reason: 'rebalance' as const }, undefined],
  ])('are looked at again where one could not be ended that %s, and not where it was', async (_, rest, expected) => {
    const swaps = [swapOf('i-1', { state: 'draining', drainStartedAtMs: nowMs, ...rest })];
    const wokenAfter = async (unnoticed: readonly string[], done: readonly string[], ended: readonly string[] = []) => {
      const { seen, run } = runOf({ release: async () => ({ done, failed: [] }) });
      await carryOutRounds({ ...run, rounds: [roundOf({ unnoticed }, { swaps, ended })] });
      return seen.woken;
    };
    expect(await wokenAfter(['i-1'], [])).toEqual(expected === undefined ? [] : [expected]);
    expect([await wokenAfter(['i-1'], ['i-1']), await wokenAfter(['i-1'], [], ['i-1']), await wokenAfter([], [])]).toEqual([[], [], []]);
  });

  test('are not terminated again by the look that follows the call of their drain', async () => {
    const { seen, run } = runOf();
    const look = async (askedMs: number) => {
      const swap = swapOf('i-1', { state: 'draining', drainStartedAtMs: nowMs + askedMs, releaseAskedAtMs: nowMs + askedMs });
      await carryOutRounds({ ...run, rounds: [roundOf({ unnoticed: ['i-1'] }, { swaps: [swap] })] });
      return seen.calls.filter((call) => (call as [string])[0] === 'release').length;
    };
    expect([await look(-1_500), await look(-5_000), await look(60_000)]).toEqual([0, 1, 2]);
  });

  test('that have ended are not terminated again by looks that follow within five seconds, because describes of their group lag', async () => {
    const released: (readonly string[])[] = [];
    const { run } = runOf({
      release: async (_, swaps) => {
        released.push(swaps.map(({ instance }) => instance));
        return { done: swaps.map(({ instance }) => instance), failed: [] };
      },
    });
    const look = async (sinceMs: number, releaseAskedAtMs?: number) => {
      const [instance, count] = [releaseAskedAtMs === undefined ? 'i-1' : 'i-2', released.length];
      const swaps = [swapOf(instance, { state: 'gone', ...(releaseAskedAtMs !== undefined && { releaseAskedAtMs }) })];
      await carryOutRounds({ ...run, rounds: [roundOf({ unnoticed: [instance] }, { swaps, ended: [instance], nowMs: nowMs + sinceMs })] });
      return released.length > count;
    };
    expect([await look(0, nowMs - 4_999), await look(0, nowMs + 4_999), await look(0, nowMs - 5_000)]).toEqual([false, false, true]);
    expect([await look(0), await look(1_000), await look(4_999), await look(5_000)]).toEqual([true, false, false, true]);
  });

  test('are left to it when nothing replaces them, and their swaps record that', async () => {
    const { seen, run } = runOf();
    await carryOutRounds({ ...run, rounds: [roundOf({ leftToGroups: ['i-2'] }, { swaps: [one, two] })] });
    expect(seen.advanced).toEqual([['i-2', { from: ['drained'], set: { leftToGroup: true } }]]);
  });
});

describe('members whose tags could not be written before', () => {
  const joined = member('i-1', spotA, { unnoted: 'long', asg: 'web' });
  const lately = member('i-2', spotA, { unnoted: 'lately', asg: 'web' });

  const tagged = async (unnoted: readonly Member[], rest: Partial<Run> = {}) => {
    const { seen, run } = runOf({}, rest);
    await carryOutRounds({ ...run, rounds: [roundOf({}, { members: [...unnoted, ...members(spotA, 2)] })] });
    return seen.calls;
  };

  test('are tagged by the next look, except in a group that is only observed', async () => {
    expect(await tagged([joined])).toEqual([['noteJoined', 'web', ['i-1']]]);
    expect(await tagged([joined], { group: group({ mode: 'observe' }) })).toEqual([]);
  });

  test('take along those whose tags wait in other environments, which alone cause no call', async () => {
    expect(await tagged([joined, lately])).toEqual([['noteJoined', 'web', ['i-1', 'i-2']]]);
    expect(await tagged([lately])).toEqual([]);
  });

  test('are tagged by the Auto Scaling group that each has joined', async () => {
    const former = member('i-3', spotA, { unnoted: 'long', asg: 'former' });
    expect(await tagged([lately, former])).toEqual([
      ['noteJoined', 'web', ['i-2']],
      ['noteJoined', 'former', ['i-3']],
    ]);
  });
});

describe('a size that others set', () => {
  const note = (asg: string, instances: readonly string[] = ['i-1']) => ({ asg, from: 4, instances, atMs: nowMs });

  test('gets back what attaching added, with the maximum that was raised for it', async () => {
    const asked: unknown[] = [];
    const results = { a: 'done', b: 'unseen', c: 'changed-by-others', d: 'not-yet' } as const;
    const takeDown: CapacityIn['takeDown'] = async (added, raised) => {
      asked.push([added.asg, raised?.toMax]);
      const kind = results[added.asg as keyof typeof results];
      return { kind, ...(kind === 'unseen' && { isMaxPutBack: true }) };
    };
    const raised = [
      { asg: 'b', fromMax: 1, toMax: 9 },
      { asg: 'a', fromMax: 1, toMax: 5 },
    ];
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((asg) => note(asg));
    const { run } = runOf({ takeDown });
    const notes = [a, b, c, d].flatMap((one) => one ?? []);
    expect(await takeDownAll(run, notes, raised)).toEqual({ takenDown: { done: [a], unseen: [b], overwritten: [c] }, maxPutBack: ['b'] });
    expect(asked).toEqual([
      ['a', 5],
      ['b', 9],
      ['c', undefined],
      ['d', undefined],
    ]);
  });

  test('is looked at again soon where no describe shows the members of an attach yet', async () => {
    const web = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const ask = async () => ({ turn: { kind: 'now' as const, instances: 0, calls: 1, sinceMs: nowMs }, refused: [] });
    const wokenAfter = async (takeDown: 'done' | 'unseen' | 'not-yet') => {
      const admit: CapacityIn['admit'] = async (_, done) => ({ done, failed: [] });
      const { seen, run } = runOf({ admit, takeDown: async () => ({ kind: takeDown }) }, { group: web, turns: { ask } as unknown as Run['turns'] });
      const ports = { ...run.ports, drains: {}, store: { ...run.ports.store, swaps: async () => [] } } as unknown as ReactPorts;
      const rounds = [roundOf({ admissions: ['i-1'] }, { group: web }, [], state({ added: [note('web-asg')] }))];
      await carryOutRounds({ ...run, ports, rounds });
      return seen.woken;
    };
    expect(await wokenAfter('not-yet')).toEqual([2_000]);
    expect(await wokenAfter('done')).toEqual([10_000]);
    expect(await wokenAfter('unseen')).toEqual([10_000]);
  });

  test('has a note that names the members of the attach that are in the group when it is lowered', async () => {
    const web = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const ask = async () => ({ turn: { kind: 'now' as const, instances: 0, calls: 1, sinceMs: nowMs }, refused: [] });
    const admit: CapacityIn['admit'] = async () => ({ done: ['i-1'], failed: [{ instance: 'i-2', code: 'ValidationError', retry: 'later' }] });
    const { seen, run } = runOf({ admit, takeDown: async () => ({ kind: 'done' }) }, { group: web, turns: { ask } as unknown as Run['turns'] });
    const ports = { ...run.ports, drains: {}, store: { ...run.ports.store, swaps: async () => [] } } as unknown as ReactPorts;
    const shown = { name: 'web-asg', min: 0, max: 9, desired: 4, held: 2, holds: ['i-3', 'i-5'], suspended: [] };
    // The group still holds the fifth one, which has ended.
    const notes = state({ added: [note('web-asg', ['i-1', 'i-2', 'i-3', 'i-4', 'i-5'])] });
    const rounds = [roundOf({ admissions: ['i-1', 'i-2'] }, { group: web, asgs: [shown], ended: ['i-5'] }, [], notes)];
    await carryOutRounds({ ...run, ports, rounds });
    expect(seen.written.map(({ added }) => added?.map(({ joined }) => joined))).toEqual([[['i-1', 'i-3']]]);
  });

  test('has no note any more after an attach that certainly attached nobody, unless one was open before', async () => {
    const web = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const ask = async () => ({ turn: { kind: 'now' as const, instances: 0, calls: 1, sinceMs: nowMs }, refused: [] });
    const failed = [{ instance: 'i-2', code: 'ValidationError', retry: 'later' as const }];
    type Attached = Awaited<ReturnType<CapacityIn['admit']>>;
    const notesAfter = async (attached: Attached, before: Partial<GroupState> = {}, admissions = ['i-2']) => {
      const { seen, run } = runOf({ admit: async () => attached, takeDown: async () => ({ kind: 'done' }) }, { group: web, turns: { ask } as never });
      const ports = { ...run.ports, drains: {}, store: { ...run.ports.store, swaps: async () => [] } } as unknown as ReactPorts;
      const notes = state({ added: [{ ...note('other-asg'), takenDownAtMs: nowMs }, note('web-asg', ['i-2'])] });
      const rounds = [roundOf({ admissions }, { group: web, asgs: [], state: state(before) }, [], notes)];
      await carryOutRounds({ ...run, ports, rounds });
      return (seen.written.at(-1) ?? notes).added?.map(({ asg }) => asg);
    };
    expect(await notesAfter({ done: [], failed })).toEqual(['other-asg']);
    expect(await notesAfter({ done: [], failed, mayBeDone: true })).toEqual(['other-asg', 'web-asg']);
    expect(await notesAfter({ done: ['i-2'], failed: [] })).toEqual(['other-asg', 'web-asg']);
    expect(await notesAfter({ done: [], failed }, { added: [note('web-asg')] })).toEqual(['other-asg', 'web-asg']);
    expect(await notesAfter({ done: [], failed }, {}, [])).toEqual(['other-asg', 'web-asg']);
  });

  test('is looked at again even if this function dies after the attach: that look is arranged before it', async () => {
    const web = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const ask = async () => ({ turn: { kind: 'now' as const, instances: 0, calls: 1, sinceMs: nowMs }, refused: [] });
    const calledFor = async (added?: ReturnType<typeof note>) => {
      const { seen, run } = runOf({}, { group: web, turns: { ask } as unknown as Run['turns'] });
      const ports = { ...run.ports, drains: {}, store: { ...run.ports.store, swaps: async () => [] } } as unknown as ReactPorts;
      const rounds = [roundOf({ admissions: ['i-1'] }, { group: web }, [], state(added && { added: [added] }))];
      await carryOutRounds({ ...run, ports, rounds });
      return seen.calls;
    };
    const [first, second] = await calledFor(note('web-asg'));
    expect([first, (second as string[])[0]]).toEqual([['wake ahead', 5_000], 'admit']);
    expect((await calledFor()).map((call) => (call as string[])[0])).toEqual(['admit']);
  });

  test('has its next attempt arranged before a look at it begins', async () => {
    const wakesOf = async (rest: Partial<GroupState>) => {
      const { seen, run } = runOf();
      await wakeForAdded(run, state(rest));
      return seen.calls;
    };
    expect(await wakesOf({ added: [note('web-asg')] })).toEqual([['wake ahead', 2_000]]);
    expect(await wakesOf({ added: [{ ...note('web-asg'), atMs: nowMs - 40_000 }] })).toEqual([['wake ahead', 10_000]]);
    expect(await wakesOf({ added: [{ ...note('web-asg'), takenDownAtMs: nowMs }] })).toEqual([]);
    expect(await wakesOf({})).toEqual([]);
  });

  test('is tried again at the next look where AWS refuses the call, and that is logged', async () => {
    const { run } = runOf({ takeDown: () => Promise.reject(awsError('AccessDenied', 'no right', 403)) });
    const problems: string[] = [];
    const telemetry = { ...silent, logger: { ...silent.logger, error: (problem: string) => void problems.push(problem) } };
    const ports = { ...run.ports, telemetry } as unknown as ReactPorts;
    expect(await takeDownAll({ ...run, ports }, [note('a')], [])).toEqual({ takenDown: { done: [], unseen: [], overwritten: [] }, maxPutBack: [] });
    expect(problems).toEqual(['A desired capacity could not be lowered by what attaching added.']);
  });

  const outside = { size: { min: 0, max: 9, desired: 0, from: 'asg' as const }, holding: { kind: 'attach' as const, asg: 'a' } };
  const joins = (added: GroupState['added'], admissions: readonly string[]) => noteOf(outside, { ...(added && { added }) }, decided({ admissions }));

  test('has one note for the members that join now', () => {
    const open = note('a', ['i-1', 'i-2']);
    expect(joins([{ ...open, takenDownAtMs: nowMs }, open], ['i-2', 'i-1'])).toBe(open);
    expect(joins([note('b', ['i-1', 'i-2']), open], ['i-2'])).toBe(open);
    expect([joins([open], ['i-9']), joins(undefined, ['i-1'])]).toEqual([undefined, undefined]);
  });

  test('has no note for members of which another function noted only some', () => {
    expect(joins([note('a', ['i-1', 'i-2'])], ['i-1', 'i-9'])).toBeUndefined();
  });

  test('is logged where others wrote it meanwhile, and only then', () => {
    const logs: unknown[] = [];
    const counted: unknown[] = [];
    const { run } = runOf();
    const telemetry = {
      ...silent,
      count: (name: string) => void counted.push(name),
      logger: { ...silent.logger, warn: (_: string, more: unknown) => void logs.push(more) },
    };
    const telling = { ...run, ports: { ...run.ports, telemetry } } as unknown as Run;
    tellOverwritten(telling, []);
    expect([logs, counted]).toEqual([[], []]);
    tellOverwritten(telling, [note('a')]);
    expect([logs, counted.length]).toEqual([[{ group: 'web', added: [note('a')] }], 1]);
  });

  test('is free again once the processes are resumed', async () => {
    const { seen, run } = runOf();
    const held = ['a', 'b'].map((asg) => ({ asg, processes: ['Launch'] }));
    expect([await resumeAll(run, held), await resumeAll(run)]).toEqual([['a', 'b'], []]);
    expect(seen.calls).toEqual(held.map((one) => ['resume', one]));
  });
});

describe('processes that AWS denied to suspend', () => {
  const note = (processes: readonly string[]) => [{ asg: 'a', processes }];
  const denied = note(['Launch', 'Terminate']);
  const none = { resumed: [], denied: [], suspended: [], nowMs };
  const notesLeft = (before: readonly string[], shown: readonly string[], resumed: readonly string[] = []) => {
    const asgs = [asgView({ name: 'a', suspended: shown })];
    const look = view({ asgs, state: state(before.length > 0 ? { suspended: note(before) } : {}) });
    const noted = [...denied, { asg: 'b', processes: ['Launch'] }];
    return suspendedAfter(look, noted, { resumed, denied: resumed.length > 0 ? [] : denied, suspended: [], nowMs });
  };

  test('are not noted any more, and those that were noted before are, where they are still suspended', () => {
    const other = { asg: 'b', processes: ['Launch'] };
    expect(notesLeft([], [])).toEqual([other]);
    expect(notesLeft(['Launch', 'Terminate'], ['Launch'])).toEqual([...note(['Launch']), other]);
    expect(notesLeft(['Launch'], ['Launch', 'AZRebalance'])).toEqual([...note(['Launch']), other]);
    expect(notesLeft([], [], ['a'])).toEqual([{ ...denied[0], resumedAtMs: nowMs }, other]);
    expect(suspendedAfter(view(), [], { ...none, resumed: ['a'] })).toBeUndefined();
  });

  test('stay noted with the time at which they are resumed', () => {
    const one = { asg: 'a', processes: ['Launch'], atMs: nowMs - 55_000 };
    expect(suspendedAfter(view(), [one], { ...none, resumed: ['a'] })).toEqual([{ ...one, resumedAtMs: nowMs }]);
  });

  test('are not marked, and those that AWS has suspended are, once', () => {
    const noted = [{ asg: 'a', processes: ['Launch'], atMs: nowMs }];
    const marked = suspendedAfter(view(), noted, { ...none, suspended: noted });
    expect(marked).toEqual([{ ...noted[0], isAnswered: true }]);
    expect(suspendedAfter(view(), marked, { ...none, suspended: noted })).toBe(marked);
    expect(suspendedAfter(view(), noted, none)).toBe(noted);
  });

  test('are taken from the state once the look is over, and those that AWS has suspended are marked there', async () => {
    const { seen, run } = runOf();
    const suspended = note(['Launch']);
    await carryOutRounds({ ...run, rounds: [{ ...roundOf({}, {}, [], state({ suspended })), suspended }] });
    expect(seen.written.splice(0)).toMatchObject([{ suspended: [{ ...suspended[0], isAnswered: true }] }]);
    await carryOutRounds({ ...run, rounds: [{ ...roundOf({}, {}, [], state({ suspended: denied })), denied }] });
    expect(seen.written.map(({ suspended }) => suspended)).toEqual([undefined]);
  });
});

test('a swap that a decision let begin is chosen no more where the launches of that decision are denied', async () => {
  const { seen, run } = runOf();
  const swaps = [swapOf('i-1', { reason: 'rebalance', state: 'waiting' })];
  const chosen = [{ decision: run.id, instances: ['i-1'], untilMs: nowMs + 35_000 }];
  const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs, untilMs: nowMs + 60_000 };
  const left = async (after: Partial<GroupState>) => {
    await carryOutRounds({ ...run, rounds: [roundOf({ drains: ['i-1'], unplaced: 1 }, { swaps }, [], state({ chosen, ...after }))] });
    return seen.written.splice(0).map((one) => one.chosen);
  };
  expect(await left({ denials: { 'spot-a': denial } })).toEqual([undefined]);
  expect(await left({})).toEqual([]);
});

describe('members that could not be tagged', () => {
  const untagged = (ageMs: number) => {
    const one = reservation({ id: 'r-1', instances: ['i-1'], atMs: nowMs - ageMs, placement: { pool: 'spot-a', count: 1, offerings: [] } });
    const members = [member('i-1', { ...spotA, asg: 'a-asg' }, { asg: 'a-asg', isUntagged: true })];
    return { state: state({ reservations: [one] }), members, group: group({ pools: { 'spot-a': { ...spotA, asg: 'a-asg' } } }) };
  };
  const woken = async (ageMs: number, tagged: 'done' | 'later') => {
    const { seen, run } = runOf({ tagLaunched: async () => tagged });
    await carryOutRounds({ ...run, rounds: [roundOf({}, untagged(ageMs))] });
    return seen.woken;
  };

  test('are tagged again after a quarter of the time for which that failed', async () => {
    expect(await woken(16_000, 'later')).toEqual([4_000]);
    expect(await woken(16_000, 'done')).toEqual([]);
  });

  test('are left to the tick once that is forty seconds', async () => {
    expect(await woken(200_000, 'later')).toEqual([]);
  });
});

describe('calls that AWS refuses after the launches', () => {
  const refusing = async (code: string) => {
    const counted: unknown[] = [];
    const refuse = failing(code);
    const calls = ['a', 'b'].map((asg) => ({ asg, processes: ['Launch'] }));
    const resume: CapacityIn['resume'] = async ({ asg }) => (asg === 'a' ? refuse() : 'done');
    const { seen, run } = runOf({ takeDown: refuse, restoreMax: refuse, resume });
    const added = [{ asg: 'a', from: 4, instances: ['i-1'], atMs: nowMs }];
    const raised = [{ asg: 'a', fromMax: 4, toMax: 5 }];
    const noted = state({ added, raised, suspended: calls });
    const telemetry = { ...silent, count: (name: string, by = 1) => void (by > 0 && counted.push(name)) };
    const rounds = [roundOf({ takeDown: added, restore: raised, resume: calls, wakeAtMs: nowMs + 2_000 }, {}, [], noted)];
    await carryOutRounds({ ...run, ports: { ...run.ports, telemetry } as unknown as ReactPorts, rounds });
    return { written: seen.written, woken: seen.woken, counted, noted };
  };

  test('hold up neither the others nor the next look, and stay noted', async () => {
    const { written, woken, noted } = await refusing('AccessDenied');
    expect(woken).toEqual([2_000]);
    expect(written).toMatchObject([
      { added: noted.added, raised: noted.raised, suspended: [{ asg: 'a' }, { asg: 'b', resumedAtMs: expect.any(Number) }] },
    ]);
    expect(written[0]?.suspended?.[0]).not.toHaveProperty('resumedAtMs');
  });

  test('are counted as failed actions where the refusal is final', async () => {
    expect([(await refusing('AccessDenied')).counted, (await refusing('Throttling')).counted]).toEqual([
      Array.from({ length: 3 }, () => metrics.actionsFailed),
      [],
    ]);
  });

  test('fail the look where the error is not from AWS', async () => {
    const resume = () => Promise.reject(new TypeError('a mistake'));
    const { run } = runOf({ resume });
    await expect(resumeAll(run, [{ asg: 'a', processes: ['Launch'] }])).rejects.toThrow('a mistake');
  });
});

describe('desired capacities that were lowered for launches', () => {
  const lowered = [
    { asg: 'a', desired: 2 },
    { asg: 'b', desired: 1 },
  ];
  const asgs = [asgView({ name: 'a', desired: 4 }), asgView({ name: 'b', desired: 4 })];
  const given = async (rounds: readonly Round[]) => {
    const { seen, run } = runOf();
    await giveBack(run, rounds);
    return seen.calls;
  };

  test('are raised again by what was not launched, each up to its value before', async () => {
    expect(await given([roundOf({ takeOver: lowered, unplaced: 3 }, { asgs })])).toEqual([
      ['giveBack', 'a', { from: 2, to: 4 }],
      ['giveBack', 'b', { from: 1, to: 2 }],
    ]);
    expect(await given([roundOf({ takeOver: lowered }, { asgs })])).toEqual([]);
    expect(await given([roundOf({ takeOver: lowered }, { asgs }), roundOf({ unplaced: 1 }, { asgs })])).toEqual([
      ['giveBack', 'a', { from: 2, to: 3 }],
    ]);
    expect(await given([])).toEqual([]);
  });

  test('are not raised for members that the decision had left to them', async () => {
    const short = asgView({ name: 'a', desired: 3, held: 0, holds: [] });
    const refusing = { asgs: [short], state: state({ asgGaps: { a: { sinceMs: nowMs - 60_000, refused: true } } }) };
    const left = (unplaced: number, uncovered: number) => given([roundOf({ takeOver: [{ asg: 'a', desired: 2 }], unplaced, uncovered }, refusing)]);
    expect(await left(2, 2)).toEqual([]);
    for (const [unplaced, uncovered] of [
      [3, 3],
      [2, 1],
    ] as const)
      expect(await left(unplaced, uncovered)).toEqual([['giveBack', 'a', { from: 2, to: 3 }]]);
  });

  test('of earlier looks are raised for the members that are still missing then, while launches are denied', async () => {
    const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs, untilMs: nowMs + 60_000 };
    const look = {
      group: group({ holding: { kind: 'launch-instances' }, pools: { 'spot-a': { ...spotA, asg: 'a' }, 'od-b': { ...onDemandB, asg: 'b' } } }),
      members: [],
      asgs: [asgView({ name: 'a', desired: 4 }), asgView({ name: 'b', desired: 1 })],
      state: state({ desired: 8, denials: { 'spot-a': denial } }),
    };
    expect(await given([roundOf({ takeOver: lowered.slice(0, 1), unplaced: 3 }, look)])).toEqual([
      ['giveBack', 'a', { from: 2, to: 4 }],
      ['giveBack', 'b', { from: 1, to: 2 }],
    ]);
  });

  test('hold up neither each other nor the rest of the look where AWS denies the call', async () => {
    const calls: string[] = [];
    const refuse = async (asg: string): Promise<void> => {
      calls.push(asg);
      throw Object.assign(new Error('AccessDenied'), { name: 'AccessDenied', $fault: 'client' });
    };
    const { run } = runOf({ giveBack: refuse });
    await giveBack(run, [roundOf({ takeOver: lowered, unplaced: 3 }, { asgs })]);
    expect(calls).toEqual(['a', 'b']);
  });
});

describe('members that leave by a decision', () => {
  const leaving = { instance: 'od-b#1', reason: 'scale-in', why: { code: 'stand-in', pool: 'spot-a' } } as const;
  const claims: unknown[] = [];
  const portsOf = (result: (instance: string) => unknown) => {
    claims.length = 0;
    const store = {
      claim: async (swap: { instance: string }) => {
        claims.push(swap);
        return result(swap.instance);
      },
      advance: async (swap: { instance: string }, change: unknown) => {
        claims.push([swap.instance, change]);
        return result(swap.instance);
      },
    };
    return { store } as unknown as ReactPorts;
  };
  const context = (rest: Partial<View>, ports: ReactPorts) => ({ view: view(rest), decision: 'd-1', drain: 'web-removal-1', ports });

  test('are claimed on one drain, without those that others claimed or that are gone', async () => {
    const removals = ['od-b#1', 'od-b#2', 'od-b#9'].map((instance) => ({ ...leaving, instance }));
    const ports = portsOf((instance) => ({ kind: instance === 'od-b#1' ? 'claimed' : 'exists' }));
    const { fresh, failure } = await claimRemovals(decided({ removals }), context({ members: members(onDemandB, 3) }, ports));
    expect(failure).toBeUndefined();
    expect(fresh.map(({ instance, drain, reason, decision }) => [instance, drain, reason, decision])).toEqual([
      ['od-b#1', 'web-removal-1', 'scale-in', 'd-1'],
    ]);
    expect(claims).toHaveLength(2);
  });

  test('begin when their turn has come, unless another run has changed their swaps', async () => {
    const { drain: _drain, ...waits } = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    const swaps = [waits, { ...waits, instance: 'spot-a#2' }, { ...waits, instance: 'spot-a#3' }];
    const ports = portsOf((instance) => (instance === 'spot-a#1' ? 'done' : 'conflict'));
    const begun = await beginWaiting(decided({ drains: ['spot-a#1', 'spot-a#2'] }), context({ swaps }, ports));
    const set = { state: 'leaving', drain: 'web-removal-1', chosenAtMs: nowMs, drainOrderedAtMs: nowMs };
    expect(begun).toEqual([{ ...waits, ...set }]);
    expect(claims).toEqual([
      ['spot-a#1', { from: ['waiting'], set }],
      ['spot-a#2', { from: ['waiting'], set }],
    ]);
  });

  test('are written up to three times while AWS has trouble, because the state says already that they leave', async () => {
    const written = async (failures: number, result: unknown, leave: (ports: ReactPorts) => Promise<unknown>) => {
      const ports = portsOf(() => {
        if (claims.length <= failures) throw awsError('InternalServerError', 'InternalServerError', 500);
        return result;
      });
      return [await leave(ports).catch(({ name }: Error) => name), claims.length];
    };
    const { drain: _drain, ...waits } = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    const begin = async (ports: ReactPorts) => (await beginWaiting(decided({ drains: ['spot-a#1'] }), context({ swaps: [waits] }, ports))).length;
    const claim = async (ports: ReactPorts) =>
      (await claimRemovals(decided({ removals: [leaving] }), context({ members: members(onDemandB, 1) }, ports))).fresh.length;
    expect([await written(2, 'done', begin), await written(2, { kind: 'claimed' }, claim)]).toEqual([
      [1, 3],
      [1, 3],
    ]);
    expect([await written(9, 'done', begin), await written(9, {}, claim)]).toEqual([
      ['InternalServerError', 3],
      [0, 3],
    ]);
  });

  test('name the Auto Scaling group that they joined since their swap was written, and no other', async () => {
    const { drain: _drain, ...waits } = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    const begun = async (asg: string | undefined, known?: string) => {
      const look = { members: [member('spot-a#1', spotA, asg === undefined ? {} : { asg })], asgs: [asgView()] };
      const swaps = [known === undefined ? waits : { ...waits, asg: known }];
      const [one] = await beginWaiting(
        decided({ drains: ['spot-a#1'] }),
        context(
          { ...look, swaps },
          portsOf(() => 'done'),
        ),
      );
      return one?.asg;
    };
    expect([await begun('web-asg'), await begun(undefined), await begun('strangers')]).toEqual(['web-asg', undefined, undefined]);
    expect(await begun('web-asg', 'before')).toBe('before');
  });

  test('name it also where they were claimed at the moment when they joined', async () => {
    const named = async ({ asg = 'web-asg', ...rest }: Partial<Swap> = {}) => {
      const look = { members: [member('spot-a#1', spotA, { asg })], asgs: [asgView()], swaps: [swapOf('spot-a#1', { state: 'leaving', ...rest })] };
      await nameJoined(
        view(look),
        portsOf(() => 'done'),
      );
      return [...claims];
    };
    expect(await named()).toEqual([['spot-a#1', { from: ['leaving'], set: { asg: 'web-asg' } }]]);
    expect(await named({ asg: 'strangers' })).toEqual([]);
    expect(await named({ state: 'gone' })).toEqual([]);
  });
});
