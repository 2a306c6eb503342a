import { expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { type Gathered, viewOf } from '../../functions/react/look/gather.ts';
import { withLessons } from '../../functions/react/look/lessons.ts';
import type { Run } from '../../functions/react/run.ts';
import { members } from '../core/members.ts';
import { nowMs } from '../core/selector/tree-builders.ts';
import { asgView, group, reservation, spotA, state, swapOf } from '../core/views.ts';
import { factsOf } from './facts.ts';

const run = { id: '2', facts: { ended: [], leaving: [], ran: [] }, ports: { clock: { now: () => nowMs } } } as unknown as Run;

const learned = (swap: ReturnType<typeof swapOf>, counted?: readonly string[]) => {
  const breaker = { interruptions: 1, withinMs: 600_000, holdMs: 600_000 };
  const before = state(counted === undefined ? {} : { counted });
  const holdings = { members: members(spotA, 3), asgs: [], aside: [], ended: [], endings: {} };
  return withLessons({ group: group({ breaker }), state: before, swaps: [swap], holdings } as unknown as Gathered, run, []);
};

test('a warning whose function died before it wrote the state is counted by the next look', () => {
  const claimed = swapOf('spot-a#1', { warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000, decision: '1' });
  const { state: after, breakers } = learned(claimed);
  expect(after.counted).toEqual(['spot-a#1']);
  expect(breakers?.map(({ code }) => code)).toEqual(['breaker-opened']);
  // The offering rests from the warning on, not from the look that counts it (13020171).
  expect(after.memory['m7g.large/a/spot']).toMatchObject({ kind: 'interrupted', atMs: nowMs - 19_000 });
});

test('it is counted no second time', () => {
  const claimed = swapOf('spot-a#1', { warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000 });
  const again = learned(claimed, ['spot-a#1']);
  expect([again.breakers, again.state.counted]).toEqual([[], ['spot-a#1']]);
  const old = { ...claimed, warnedAtMs: nowMs - 200_000, claimedAtMs: nowMs - 190_000 };
  expect(learned(old, ['spot-a#1']).breakers).toEqual([]);
});

test('an old one is counted too, where no state could be written for minutes, and the rest of its offering is over', () => {
  const old = swapOf('spot-a#1', { warnedAtMs: nowMs - 200_000, claimedAtMs: nowMs - 190_000 });
  const { state: after, breakers } = learned(old);
  expect(after.counted).toEqual(['spot-a#1']);
  expect(breakers?.map(({ code }) => code)).toEqual(['breaker-opened']);
  expect(after.memory).toEqual({});
});

test('nothing is counted for a member that its Auto Scaling group ends', () => {
  const { deadlineMs: _, ...hooked } = swapOf('spot-a#1', { reason: 'hook', warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000 });
  expect(learned(hooked).state.counted).toBeUndefined();
});

test('a warning about a member on its hook is counted by the next look, where the function that received it stored no state', () => {
  const hooked = swapOf('spot-a#1', { reason: 'hook', warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 29_000 });
  expect(learned(hooked).state.counted).toEqual(['spot-a#1']);
});

test('how long an instance lived is learned of EC2 where it is no member any more', () => {
  const returning = { afterMs: 600_000, everyMs: 60_000, atMost: { by: 1, isShare: false }, windows: [], timezone: 'UTC' };
  const warned = { instance: 'i-1', offering: 'm7g.large/a/spot' } as const;
  const owner = { offering: { instanceType: 'm7g.large', zone: 'a', market: 'spot' }, state: 'stopping', launchedAtMs: nowMs - 90_000 };
  const facts = { ended: [], leaving: [{ instance: 'i-1', reason: 'interruption', atMs: nowMs, owner }], ran: [] };
  const holdings = { members: members(spotA, 3), asgs: [], aside: [], ended: [], endings: {} };
  const gathered = { group: group({ returning } as never), state: state(), swaps: [], holdings } as unknown as Gathered;
  const { state: after } = withLessons(gathered, { ...run, facts } as unknown as Run, [warned]);
  expect(after.returns?.losses).toEqual([{ offering: 'm7g.large/a/spot', atMs: nowMs, livedMs: 90_000 }]);
});

test('how long a warned instance lived is learned from its swap, where it ended before a look could store that', () => {
  const returning = { afterMs: 600_000, everyMs: 60_000, atMost: { by: 1, isShare: false }, windows: [], timezone: 'UTC' };
  const claimed = swapOf('i-1', { launchedAtMs: nowMs - 90_000, warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000 });
  const holdings = { members: members(spotA, 3), asgs: [], aside: [], ended: ['i-1'], endings: {} };
  const gathered = { group: group({ returning } as never), state: state(), swaps: [claimed], holdings } as unknown as Gathered;
  // The loss has the time of its warning, not that of the look that counts it.
  expect(withLessons(gathered, run, []).state.returns?.losses).toEqual([{ offering: 'm7g.large/a/spot', atMs: nowMs - 19_000, livedMs: 71_000 }]);
});

const advice = (...instances: readonly string[]) => instances.map((instance) => ({ instance, reason: 'rebalance', atMs: nowMs }) as const);
const seen = (rest: Partial<Gathered> = {}, of: Partial<Group> = {}): Gathered =>
  ({
    group: group(of),
    stored: state(),
    state: state(),
    swaps: [],
    holdings: { members: members(spotA, 3), asgs: [], aside: [], ended: [], stopped: [], endings: {} },
    ...rest,
  }) as unknown as Gathered;
const heard = (rest: Parameters<typeof factsOf>[0]) => ({ ...run, facts: factsOf(rest) }) as unknown as Run;

test('advice beyond the budget of the hour is learned, and no member leaves for it', () => {
  const overBudget = (of: Partial<Group>, leaving = advice('spot-a#1', 'spot-a#2'), swaps: readonly ReturnType<typeof swapOf>[] = []) =>
    withLessons(seen({ swaps }, of), heard({ leaving }), []);
  const bounded = { rebalance: { act: true, atMostPerHour: 1 } };
  const learnedOf = overBudget(bounded, advice('spot-a#1', 'spot-a#2', 'i-unknown'), [swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' })]);
  expect(learnedOf.overBudget?.map(({ instance }) => instance)).toEqual(['spot-a#2']);
  expect(learnedOf.state.memory['m7g.large/a/spot']).toMatchObject({ kind: 'advised' });
  expect(overBudget({ rebalance: { act: true } }).overBudget).toEqual([]);
  expect(overBudget({ rebalance: { act: false, atMostPerHour: 1 } }).overBudget).toEqual([]);
  expect(overBudget({ ...bounded, mode: 'observe' }).overBudget).toEqual([]);
  const none = overBudget(bounded, []);
  expect([none.overBudget, none.state.memory]).toEqual([[], {}]);
  const warned = [{ instance: 'spot-a#1', reason: 'interruption', atMs: nowMs }] as const;
  expect(withLessons(seen({}, bounded), heard({ leaving: warned }), []).overBudget).toEqual([]);
});

test('a pool whose members this look gave up rests, and is counted once', () => {
  const gaveUp = swapOf('spot-a#1', { reason: 'never-served', decision: '2', claimedAtMs: nowMs });
  const found = (swap: ReturnType<typeof swapOf>, before = state()) => withLessons(seen({ swaps: [swap], state: before }), heard({}), []);
  expect(found(gaveUp).givenUp?.map(({ pool, instances }) => [pool, instances])).toEqual([['spot-a', ['spot-a#1']]]);
  expect(found(gaveUp).state.failedBoots?.['spot-a']).toMatchObject({ streak: 1, atMs: nowMs });
  expect(found({ ...gaveUp, decision: '1' }).givenUp).toEqual([]);
  expect(found({ ...gaveUp, reason: 'scale-in' }).givenUp).toEqual([]);
  const known = state({ failedBoots: { 'spot-a': { code: 'never-served', message: 'idle', atMs: nowMs, restsUntilMs: nowMs, streak: 1 } } });
  expect(found(gaveUp, known).givenUp).toEqual([]);
});

test('warnings of this run and warnings that only the swaps hold count together, each once', () => {
  const claimed = swapOf('spot-a#1', { warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000 });
  const warning = { instance: 'spot-a#1', offering: 'm7g.large/a/spot' } as const;
  const after = withLessons(seen({ swaps: [claimed] }, { breaker: { interruptions: 9, withinMs: 600_000, holdMs: 600_000 } }), heard({}), [
    warning,
  ]).state;
  expect(after.counted).toEqual(['spot-a#1']);
  expect(after.interruptions?.reduce((sum, { count }) => sum + count, 0)).toBe(1);
});

test('a warning about an instance that stands by or is in a warm pool allows no launch beyond the limit', () => {
  const warned = ['spot-a#1', 's-1'].map((instance) => ({ instance, offering: 'm7g.large/a/spot' }) as const);
  const countedOf = (holdings: { readonly aside: readonly string[]; readonly standby?: readonly string[] }, swaps: readonly Swap[] = []) =>
    withLessons(seen({ holdings: { ...seen().holdings, ...holdings }, swaps }), heard({}), warned).state.warnings?.map(({ count }) => count);
  expect(countedOf({ aside: ['s-1'] })).toEqual([1]);
  expect(countedOf({ aside: [] })).toEqual([2]);
  expect(countedOf({ aside: ['s-1', 'spot-a#1'] })).toBeUndefined();
  // Its Auto Scaling group terminates it: it counts if the warning is the first signal about it, or it had waited to leave.
  const swapped = (more: Partial<Swap> = {}) => [swapOf('s-1', { warnedAtMs: nowMs - 1_000, claimedAtMs: nowMs, ...more })];
  expect(countedOf({ aside: ['s-1'] }, swapped())).toEqual([2]);
  expect(countedOf({ aside: ['s-1'], standby: ['s-1'] }, swapped())).toEqual([1]);
  expect(countedOf({ aside: ['s-1'] }, swapped({ claimedAtMs: nowMs - 20_000 }))).toEqual([2]);
  expect(countedOf({ aside: ['s-1'] }, swapped({ claimedAtMs: nowMs - 20_000, drainStartedAtMs: nowMs - 1_000 }))).toEqual([2]);
  expect(countedOf({ aside: ['s-1'] }, swapped({ claimedAtMs: nowMs - 20_000, drainStartedAtMs: nowMs - 1_001 }))).toEqual([1]);
  expect(countedOf({ aside: ['s-1'] }, swapped({ reason: 'hook' }))).toEqual([1]);
  // Its swap waited because of advice, and its end was requested only after the warning.
  const advised = { claimedAtMs: nowMs - 20_000, releaseAskedAtMs: nowMs };
  expect(countedOf({ aside: ['s-1'] }, swapped(advised))).toEqual([2]);
  expect(countedOf({ aside: ['s-1'] }, swapped({ ...advised, chosenAtMs: nowMs - 10_000 }))).toEqual([1]);
  expect(countedOf({ aside: ['s-1'] }, swapped({ ...advised, releaseAskedAtMs: nowMs - 2_000 }))).toEqual([1]);
});

test('what an Auto Scaling group launched by itself and what ended early is noted, and nothing that Holdfast launched', () => {
  const [untagged, ends] = [Object.fromEntries(['i-1', 'i-2', 'i-3', 'i-4'].map((instance) => [instance, nowMs - 5_000])), ['i-1', 'i-2', 'i-3']];
  const ending = {
    code: 'Client.InternalError',
    message: 'Client error on launch',
    offering: { instanceType: 't', zone: 'a', market: 'spot' },
  } as const;
  const endings = Object.fromEntries(ends.map((instance) => [instance, ending]));
  const learnedOf = (instances: readonly string[]) => {
    const newcomers = { 'i-2': { pool: 'spot-a', atMs: nowMs } };
    const before = state({ reservations: [reservation({ instances })], newcomers });
    const holdings = { ...seen().holdings, asgs: [asgView({ untagged })], endings };
    return withLessons(seen({ state: before, holdings }), heard({}), []).state;
  };
  const refills = { 'i-4': { asg: 'web-asg', atMs: nowMs - 5_000 } };
  expect(learnedOf(['i-3'])).toMatchObject({ refills, failing: { 'web-asg': { sinceMs: nowMs - 5_000, atMs: nowMs } } });
  expect(learnedOf(['i-1', 'i-3'])).toMatchObject({ refills });
  expect(learnedOf(['i-1', 'i-3']).failing).toBeUndefined();
});

test('what a describe shows as stopped runs, where EC2 has warned about it and its deadline is to come', () => {
  const holdings = { ...seen().holdings, ended: ['i-1', 'i-2'], stopped: ['i-1'] };
  const endedOf = (swap: Parameters<typeof swapOf>[1], facts = factsOf()): readonly string[] =>
    viewOf(seen({ holdings, swaps: [swapOf('i-1', swap), swapOf('i-2', swap)] }), nowMs, facts).ended;
  const warned = { state: 'leaving', warnedAtMs: nowMs - 1_000, deadlineMs: nowMs + 1 } as const;
  expect(endedOf(warned)).toEqual(['i-2']);
  // Its deadline has come, nobody warned about it, or a message said that it stopped.
  expect(endedOf({ ...warned, deadlineMs: nowMs })).toEqual(['i-1', 'i-2']);
  expect(endedOf({ state: 'leaving', deadlineMs: nowMs + 1 })).toEqual(['i-1', 'i-2']);
  expect(endedOf(warned, factsOf({ ended: ['i-1'] }))).toEqual(['i-2', 'i-1']);
});

test('a look reports each detached member and each advice that the policy ignores once', () => {
  const holdings = { ...seen().holdings, detached: ['d-1', 'd-2'], foreign: ['f-1'], aside: ['s-1'], ended: ['e-1'] };
  const leaving = [...advice('spot-a#1', 'spot-a#1', 'i-unknown'), { instance: 'spot-a#2', reason: 'interruption', atMs: nowMs } as const];
  const ignoring = seen({ holdings, stored: state({ detached: ['d-1'] }) }, { rebalance: { act: false } });
  const view = viewOf(ignoring, nowMs, factsOf({ leaving, ended: ['e-2'] }));
  expect(view.news).toMatchObject({ detached: ['d-2'], adviceNotFollowed: ['spot-a#1'] });
  expect([view.aside, view.ended]).toEqual([
    ['s-1', 'd-1', 'd-2', 'f-1'],
    ['e-1', 'e-2'],
  ]);
  expect(view).not.toHaveProperty('endedUnder');
  expect(viewOf(seen({ holdings: { ...holdings, endedUnder: { 'r-1': 1 } } }), nowMs, factsOf()).endedUnder).toEqual({ 'r-1': 1 });
  expect(Object.keys(view.news ?? {})).toEqual(['detached', 'adviceNotFollowed', 'ends']);
  expect(viewOf(seen({ holdings }), nowMs, factsOf({ leaving })).news).toMatchObject({ detached: ['d-1', 'd-2'], adviceNotFollowed: [] });
  // An Auto Scaling group drops who leaves or has ended, while describes still show it: nobody detached that one.
  const leaves = seen({ holdings, swaps: [swapOf('d-1', { state: 'drained' }), swapOf('d-2', { state: 'waiting' })] });
  expect(viewOf(leaves, nowMs, factsOf()).news?.detached).toEqual(['d-2']);
  expect(viewOf(seen({ holdings }), nowMs, factsOf({ ended: ['d-2'] })).news?.detached).toEqual(['d-1']);
  const told = viewOf(
    seen({ putBack: ['p-1'], overBudget: members(spotA, 1), failedBoots: [], givenUp: [], breakers: [] } as never),
    nowMs,
    factsOf(),
  );
  expect(told.news).toMatchObject({ putBack: ['p-1'], adviceOverBudget: ['spot-a#1'] });
  expect(told.news).not.toHaveProperty('failedBoots');
});

test('an instance that EC2, a message and the state name as ended has ended once', () => {
  const holdings = { ...seen().holdings, ended: ['e-1', 'e-2'] };
  const before = state({ ended: { 'e-1': nowMs - 5_000, 'e-3': nowMs - 5_000 } });
  expect(viewOf(seen({ holdings, state: before }), nowMs, factsOf({ ended: ['e-2', 'e-1'] })).ended).toEqual(['e-1', 'e-2', 'e-3']);
});
