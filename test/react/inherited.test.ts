import { expect, test } from 'vitest';
import { withLosses } from '../../core/group-state/returns.ts';
import type { Loss } from '../../core/returning/memory.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { GroupState } from '../../core/view/view.ts';
import { inherit } from '../../functions/react/look/inherited.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, nowMs, state, swapOf } from '../core/views.ts';

const lossAt = (atMs: number): Loss => ({ offering: 'm7g.large/a/spot', atMs, livedMs: 60_000 });
const held = group({ holding: { kind: 'attach', asg: 'web-asg' }, after: ['web', 'old'] });
const lossesFrom = async (states: Readonly<Record<string, GroupState>>, own = state()) => {
  const store = { state: async (name: string) => states[name], swaps: async () => [] };
  const { losses } = await inherit(held, own, { store, clock: { now: () => nowMs } } as unknown as ReactPorts);
  return losses.map(({ atMs }) => atMs);
};
const lost = (...atMs: readonly number[]) => state({ returns: { moves: [], losses: atMs.map(lossAt) } });

test('a group that takes over an Auto Scaling group inherits the losses of its earlier groups, the earliest first', async () => {
  expect(await lossesFrom({ web: lost(3, 5), old: lost(4) })).toEqual([3, 4, 5]);
  expect(await lossesFrom({ web: lost(3) }, state({ holders: ['web-asg'] }))).toEqual([]);
});

/** What a group inherits from those that held its Auto Scaling groups before. */
const inheritedFrom = (before: Readonly<Record<string, { state?: GroupState; swaps?: readonly Swap[] }>>, own = state(), of = held) => {
  const store = { state: async (name: string) => before[name]?.state, swaps: async (name: string) => before[name]?.swaps ?? [] };
  return inherit(of, own, { store, clock: { now: () => nowMs } } as unknown as ReactPorts);
};

test('a group that takes over an Auto Scaling group inherits the members that EC2 has warned about and not taken yet', async () => {
  const swaps = [
    swapOf('i-warned', { warnedAtMs: nowMs - 5_000, deadlineMs: nowMs + 115_000 }),
    swapOf('i-claimed', { claimedAtMs: nowMs - 4_000, deadlineMs: nowMs + 1 }),
    swapOf('i-over', { deadlineMs: nowMs }),
    swapOf('i-gone', { state: 'gone', deadlineMs: nowMs + 115_000 }),
    { ...swapOf('i-moved'), reason: 'moved', deadlineMs: undefined } as unknown as Swap,
  ];
  const { leaving, raised } = await inheritedFrom({
    web: { swaps },
    old: { swaps: [swapOf('i-old', { deadlineMs: nowMs + 9_000, claimedAtMs: nowMs })] },
  });
  expect(leaving).toEqual([
    { instance: 'i-warned', reason: 'interruption', atMs: nowMs - 5_000, deadlineMs: nowMs + 115_000 },
    { instance: 'i-claimed', reason: 'interruption', atMs: nowMs - 4_000, deadlineMs: nowMs + 1 },
    { instance: 'i-old', reason: 'interruption', atMs: nowMs, deadlineMs: nowMs + 9_000 },
  ]);
  expect(raised).toEqual([]);
});

test('a maximum that an earlier holder raised is put back by the group that holds it now, to the value of the first who raised it', async () => {
  const raise = (asg: string, fromMax: number) => ({ asg, fromMax, toMax: fromMax + 5 });
  const before = {
    web: { state: state({ raised: [raise('web-asg', 10), raise('others-asg', 1)] }) },
    old: { state: state({ raised: [raise('web-asg', 15)] }) },
    gone: {},
  };
  const of = { ...held, after: ['web', 'old', 'gone'] };
  expect((await inheritedFrom(before, state(), of)).raised).toEqual([raise('web-asg', 10)]);
  expect((await inheritedFrom(before, state({ raised: [raise('web-asg', 12)] }), of)).raised).toEqual([]);
  const nothing = { raised: [], added: [], suspended: [], leaving: [], losses: [] };
  expect(await inheritedFrom(before, state({ holders: ['web-asg'] }), of)).toEqual(nothing);
  expect(await inheritedFrom(before, state(), group({ holding: { kind: 'attach', asg: 'web-asg' } }))).toEqual(nothing);
});

test('what attaching added is taken off by the group that holds the Auto Scaling group now, if it has no note of its own', async () => {
  const note = (asg: string, from: number) => ({ asg, from, instances: ['i-1'], atMs: nowMs - 1_000 });
  const before = { web: { state: state({ added: [note('web-asg', 4), note('others-asg', 1)] }) }, old: { state: state() } };
  expect((await inheritedFrom(before)).added).toEqual([note('web-asg', 4)]);
  expect((await inheritedFrom(before, state({ added: [note('others-asg', 2)] }))).added).toEqual([note('web-asg', 4)]);
  expect((await inheritedFrom(before, state({ added: [note('web-asg', 3)] }))).added).toEqual([]);
  expect((await inheritedFrom(before, state({ holders: ['web-asg'] }))).added).toEqual([]);
});

test('processes that an earlier holder suspended are resumed by the group that holds the Auto Scaling group now, if it has no note of its own', async () => {
  const note = (asg: string) => ({ asg, processes: ['Launch'], atMs: nowMs - 1_000 });
  const before = { web: { state: state({ suspended: [note('web-asg'), note('others-asg')] }) }, old: { state: state() } };
  expect((await inheritedFrom(before)).suspended).toEqual([note('web-asg')]);
  expect((await inheritedFrom(before, state({ suspended: [note('web-asg')] }))).suspended).toEqual([]);
});

test('what is known of interruptions so is part of what members move by, where the policy lets them move', () => {
  const returning = { afterMs: 600_000, everyMs: 300_000, atMost: { kind: 'count' as const, by: 1 }, timezone: 'UTC' };
  const moving = { ...held, returning };
  expect(withLosses(lost(7), moving, [lossAt(3)]).returns?.losses).toEqual([lossAt(3), lossAt(7)]);
  expect(withLosses(state(), moving, [lossAt(3)]).returns).toEqual({ moves: [], losses: [lossAt(3)] });
  expect(withLosses(lost(7), moving, [])).toEqual(lost(7));
  expect(withLosses(state(), moving, [])).toEqual(state());
  expect(withLosses(state(), held, [lossAt(3)])).toEqual(state());
});
