import { describe, expect, test } from 'vitest';
import { type AccountBudget, emptyBudget, shareOut, withLessons } from '../../../core/limits/account-budget.ts';
import type { Ask, Need } from '../../../core/limits/need.ts';

const nowMs = 1_000_000;
const warned: Need = { urgency: 'warned', size: 10, deadlineMs: nowMs + 120_000 };
const asks = (group: string, more: Partial<Ask> = {}): Ask => ({
  group,
  by: `d-${group}`,
  bucket: 'createFleet',
  calls: 1,
  instances: 2,
  need: warned,
  ...more,
});
const kinds = (budget: AccountBudget, of: readonly Ask[], atMs = nowMs) =>
  Object.fromEntries([...shareOut(budget, of, atMs).turns].map(([group, { kind }]) => [group, kind]));
const withTokens = (tokens: number): AccountBudget => ({ ...emptyBudget, levels: { createFleet: { tokens, atMs: nowMs } } });

describe('turns at a bucket', () => {
  test('a full bucket gives every group a turn, and counts the tokens as spent before any call', () => {
    const { budget, turns } = shareOut(emptyBudget, [asks('a', { calls: 3 }), asks('b')], nowMs);
    expect([...turns.values()].map(({ kind }) => kind)).toEqual(['now', 'now']);
    expect(budget).toMatchObject({ version: 1, levels: { createFleet: { tokens: 46 }, instances: { tokens: 996 } }, waiting: [] });
  });

  test('a group that finds too few tokens waits for them, and for the groups ahead', () => {
    const { turns, budget } = shareOut(withTokens(1), [asks('a'), asks('b', { calls: 5 }), asks('c', { calls: 5 })], nowMs);
    expect(turns.get('b')).toEqual({ kind: 'later', turnAtMs: nowMs + 1_000, sinceMs: nowMs, ahead: {} });
    expect(turns.get('c')).toEqual({ kind: 'later', turnAtMs: nowMs + 2_000, sinceMs: nowMs, ahead: { earlier: 1 } });
    expect(kinds(budget, [asks('c', { calls: 5 })], nowMs + 1_500)).toEqual({ c: 'later' });
    const later = shareOut(budget, [asks('b', { calls: 5 }), asks('c', { calls: 5 })], nowMs + 2_000);
    expect(later.turns.get('c')).toMatchObject({ kind: 'now', sinceMs: nowMs });
  });

  test.each<readonly [string, Need, Need]>([
    ['a group of which nothing serves before a warned one', { urgency: 'empty', size: 90 }, warned],
    ['a warned group before one that misses members', { ...warned, size: 90 }, { urgency: 'missing', size: 1 }],
    ['launches before looks of drains', { urgency: 'missing', size: 90 }, { urgency: 'look', size: 1 }],
    ['a small group before a large one, whichever was warned first', { ...warned, size: 2, deadlineMs: nowMs + 130_000 }, warned],
    ['a small group before one that has little time left', { ...warned, size: 1 }, { ...warned, size: 90, deadlineMs: nowMs + 5_000 }],
  ])('%s', (_rule, first, second) => {
    const [one, other] = [asks('z', { need: first }), asks('a', { need: second })];
    expect(kinds(withTokens(1), [other, one])).toEqual({ z: 'now', a: 'later' });
  });

  test('a waiting group with a greater need keeps its tokens, until it has missed its turn for long', () => {
    const { budget } = shareOut(withTokens(0), [asks('a', { calls: 2 })], nowMs);
    const less = [asks('b', { calls: 2, need: { urgency: 'missing', size: 1 } })];
    expect(kinds(budget, less, nowMs + 500)).toEqual({ b: 'later' });
    expect(kinds(budget, less, nowMs + 11_000)).toEqual({ b: 'now' });
  });

  test('a group that has missed its turn leaves its tokens to others, and comes in its old place when it requests again', () => {
    const levels = { instances: { tokens: 0, atMs: nowMs } };
    const missing: Need = { urgency: 'missing', size: 10 };
    const [a, b] = ['a', 'b'].map((name) => asks(name, { instances: 20, need: missing })) as [Ask, Ask];
    const first = shareOut({ ...emptyBudget, levels }, [a], nowMs).budget;
    const second = shareOut(first, [b], nowMs + 1_000).budget;
    expect(second.waiting).toMatchObject([
      { group: 'a', turnAtMs: nowMs + 10_000 },
      { group: 'b', turnAtMs: nowMs + 20_000 },
    ]);
    // Somebody else is given the tokens that it did not come for.
    const late = shareOut(second, [asks('c', { instances: 20, need: missing }), b], nowMs + 20_000);
    expect(Object.fromEntries([...late.turns].map(([group, { kind }]) => [group, kind]))).toEqual({ b: 'now', c: 'now' });
    expect(late.budget.waiting).toMatchObject([{ group: 'a', sinceMs: nowMs }]);
    // But of two that request, it is the one that has waited longer.
    const both = shareOut({ ...second, levels: { instances: { tokens: 20, atMs: nowMs + 25_000 } } }, [b, a], nowMs + 25_000);
    expect([...both.turns].map(([group, { kind }]) => [group, kind])).toEqual([
      ['a', 'now'],
      ['b', 'later'],
    ]);
  });

  test('its place is kept for two ticks, and that of a look not at all', () => {
    const levels = { createFleet: { tokens: -100, atMs: nowMs }, autoScaling: { tokens: 0, atMs: nowMs } };
    const look = asks('look', { bucket: 'autoScaling', calls: 2, instances: 0, need: { urgency: 'look', size: 1 } });
    const { budget } = shareOut({ ...emptyBudget, levels }, [asks('a'), look], nowMs);
    const turnAtMs = budget.waiting.find(({ group }) => group === 'a')?.turnAtMs ?? 0;
    const left = (afterMs: number) => shareOut(budget, [], turnAtMs + afterMs).budget.waiting.map(({ group }) => group);
    expect([left(9_999), left(129_999), left(130_000)]).toEqual([['a'], ['a'], []]);
  });

  test('a group whose warned members have ended misses them, whether it was looked at since or not', () => {
    const levels = { instances: { tokens: 0, atMs: nowMs } };
    const [a, b] = ['a', 'b'].map((name) => asks(name, { instances: 20, need: { ...warned, deadlineMs: nowMs + 5_000 } })) as [Ask, Ask];
    const { budget } = shareOut({ ...emptyBudget, levels }, [a, b], nowMs);
    const again = (need: Need) => shareOut(budget, [{ ...a, need }], nowMs + 10_000).turns.get('a')?.kind;
    expect(again({ urgency: 'missing', size: 10 })).toBe('now');
    expect(again(a.need)).toBe('now');
    expect(again({ urgency: 'missing', size: 11 })).toBe('later');
  });

  test('two decisions about one group do not both launch', () => {
    const { budget } = shareOut(emptyBudget, [asks('a')], nowMs);
    expect(kinds(budget, [asks('a', { by: 'd-other' })], nowMs + 500)).toEqual({ a: 'taken' });
    // The one that was given tokens had a clock a little ahead, or far ahead.
    expect(kinds(budget, [asks('a', { by: 'd-other' })], nowMs - 500)).toEqual({ a: 'taken' });
    expect(kinds(budget, [asks('a', { by: 'd-other' })], nowMs - 60_000)).toEqual({ a: 'now' });
    expect(kinds(budget, [asks('a')], nowMs + 500)).toEqual({ a: 'now' });
    expect(kinds(budget, [asks('a', { by: 'd-other' })], nowMs + 1_000)).toEqual({ a: 'now' });
  });

  test('where few instances are left, as many as there are, and the rest later', () => {
    const low = { ...emptyBudget, levels: { instances: { tokens: 30, atMs: nowMs } } };
    const { turns, budget } = shareOut(low, [asks('a', { instances: 100 })], nowMs);
    expect(turns.get('a')).toMatchObject({ kind: 'now', instances: 30, rest: { turnAtMs: nowMs + 10_000, ahead: {} } });
    expect(budget.waiting).toMatchObject([{ group: 'a', instances: 70 }]);
  });

  test('a group that waits is told how many are ahead, and what makes their need greater', () => {
    const ask = (group: string, urgency: Ask['need']['urgency'], size: number) => asks(group, { calls: 5, need: { urgency, size } });
    const need = [ask('z', 'warned', 30), ask('a', 'empty', 90), ask('b', 'empty', 5), ask('c', 'warned', 8), ask('d', 'warned', 30)];
    const { turns } = shareOut(withTokens(0), [...need, ask('e', 'missing', 2)], nowMs);
    expect(turns.get('z')).toMatchObject({ kind: 'later', ahead: { empty: 2, smaller: 1, earlier: 1 } });
    expect(turns.get('e')).toMatchObject({ kind: 'later', ahead: { empty: 2, warned: 3 } });
  });

  test('a group that gets a part of its turn is told how many wait for instances ahead of it, and what makes their need greater', () => {
    const low: AccountBudget = {
      ...emptyBudget,
      levels: { instances: { tokens: 60, atMs: nowMs }, createFleet: { tokens: 0, atMs: nowMs } },
    };
    const look = asks('look', { instances: 0, calls: 5, need: { urgency: 'empty', size: 1 } });
    const others = [asks('a', { need: { urgency: 'empty', size: 9 } }), asks('b', { need: { urgency: 'warned', size: 9 } })];
    const large = asks('z', { instances: 100, bucket: 'autoScaling', need: { urgency: 'warned', size: 30 } });
    const { turns } = shareOut(low, [look, ...others, large], nowMs);
    expect(turns.get('z')).toMatchObject({ kind: 'now', rest: { ahead: { empty: 1, smaller: 1 } } });
  });

  test('a group is told a turn after all instances of those ahead, not after their first part alone', () => {
    const low = (tokens: number): AccountBudget => ({ ...emptyBudget, levels: { instances: { tokens, atMs: nowMs } } });
    const [a, b] = [asks('a', { instances: 34 }), asks('b', { instances: 34 })];
    const timesOf = (tokens: number) => shareOut(low(tokens), [a, b], nowMs).turns;
    expect([timesOf(0).get('a'), timesOf(0).get('b')]).toMatchObject([{ turnAtMs: nowMs + 10_000 }, { turnAtMs: nowMs + 27_000 }]);
    // The first is given 20 and waits for 14, the second for 20 more.
    expect([timesOf(20).get('a'), timesOf(20).get('b')]).toMatchObject([{ rest: { turnAtMs: nowMs + 7_000 } }, { turnAtMs: nowMs + 17_000 }]);
    // But whoever is here and finds twenty is not held up by what those who are not here get later.
    const { budget } = shareOut(low(0), [a], nowMs);
    expect(shareOut({ ...budget, levels: low(40).levels }, [b], nowMs).turns.get('b')).toMatchObject({ kind: 'now', instances: 20 });
  });

  test('a group that waits for instances counts all who wait for them: also at other buckets, and those that were given a part', () => {
    const low: AccountBudget = { ...emptyBudget, levels: { instances: { tokens: 30, atMs: nowMs }, targets: { tokens: 0, atMs: nowMs } } };
    const [part, other] = [asks('part', { instances: 100 }), asks('other', { bucket: 'autoScaling', need: { ...warned, size: 20 } })];
    const last = asks('z', { need: { ...warned, size: 30 } });
    const attaches = asks('a', { bucket: 'targets', instances: 0, need: { urgency: 'empty', size: 1 } });
    const { turns, budget } = shareOut(low, [part, other, last, attaches], nowMs);
    expect(turns.get('part')).toMatchObject({ kind: 'now', instances: 30, rest: { ahead: {} } });
    expect(turns.get('other')).toMatchObject({ kind: 'later', ahead: { smaller: 1 } });
    expect(turns.get('z')).toMatchObject({ kind: 'later', ahead: { smaller: 2 } });
    expect(shareOut(budget, [last], nowMs + 1_000).turns.get('z')).toMatchObject({ kind: 'later', ahead: { smaller: 2 } });
  });

  test('where few instances are left, no group begins with fewer than twenty of them, or than it needs', () => {
    const low = (tokens: number) => ({ ...emptyBudget, levels: { instances: { tokens, atMs: nowMs } } });
    const turn = (tokens: number, instances: number) => shareOut(low(tokens), [asks('a', { instances })], nowMs).turns.get('a');
    expect(turn(19, 100)).toEqual({ kind: 'later', turnAtMs: nowMs + 500, sinceMs: nowMs, ahead: {} });
    expect(turn(20, 100)).toEqual({ kind: 'now', instances: 20, calls: 1, sinceMs: nowMs, rest: { turnAtMs: nowMs + 10_000, ahead: {} } });
    expect(turn(7, 8)).toMatchObject({ kind: 'later', turnAtMs: nowMs + 500 });
    expect(turn(8, 8)).toEqual({ kind: 'now', instances: 8, calls: 1, sinceMs: nowMs });
  });

  test('tokens that one group leaves for another are not given to a third', () => {
    const low = { ...emptyBudget, levels: { instances: { tokens: 30, atMs: nowMs } } };
    const { turns, budget } = shareOut(
      low,
      [asks('a', { instances: 35 }), asks('b', { instances: 1, need: { urgency: 'missing', size: 1 } })],
      nowMs,
    );
    expect(turns.get('b')).toMatchObject({ kind: 'later', turnAtMs: nowMs + 3_000 });
    expect(budget.waiting.map(({ group, instances }) => [group, instances])).toEqual([
      ['a', 5],
      ['b', 1],
    ]);
  });

  test('a small group that is warned in the middle of a storm has its turn at once, and the storm waits for longer than it has time', () => {
    const low = { ...emptyBudget, levels: { instances: { tokens: 1, atMs: nowMs } } };
    const storm = Array.from({ length: 60 }, (_, index) =>
      asks(`storm-${index}`, { instances: 34, need: { urgency: 'warned', size: 100, deadlineMs: nowMs + 30_000 } }),
    );
    const { budget } = shareOut(low, storm, nowMs);
    const { turns } = shareOut(budget, [asks('z', { instances: 1, need: { ...warned, size: 2 } })], nowMs);
    expect(turns.get('z')).toMatchObject({ kind: 'now', instances: 1 });
  });

  test('a look that launches nothing leaves the instances as they are, however many others wait for more than there are', () => {
    const low = { ...emptyBudget, levels: { instances: { tokens: 5, atMs: nowMs } } };
    const { budget } = shareOut(low, [asks('a', { instances: 100 }), asks('b', { instances: 100 })], nowMs);
    const look = asks('c', { instances: 0, bucket: 'autoScaling', need: { urgency: 'look', size: 1 } });
    const after = shareOut(budget, [look], nowMs);
    expect(after.turns.get('c')).toMatchObject({ kind: 'now', instances: 0 });
    expect(after.budget.levels.instances).toMatchObject({ tokens: 5 });
    expect(after.budget.waiting).toHaveLength(2);
  });

  test('calls those whose turn is far away when tokens come back, each once, and as many as there are tokens for', () => {
    const low = { ...emptyBudget, levels: { instances: { tokens: 0, atMs: nowMs } } };
    const many = ['a', 'b', 'c'].map((name) => asks(name, { instances: 20 }));
    const { budget } = shareOut(low, many, nowMs);
    expect(budget.waiting.map(({ turnAtMs }) => turnAtMs - nowMs)).toEqual([10_000, 20_000, 30_000]);
    const back = { ...budget, levels: { instances: { tokens: 40, atMs: nowMs } } };
    const shared = shareOut(back, [], nowMs, true);
    expect(shared.called).toEqual(['a', 'b'].map((group) => ({ group, atMs: nowMs })));
    expect(shareOut(shared.budget, [], nowMs, true).called).toEqual([]);
    expect(shareOut(back, [], nowMs)).toMatchObject({ called: [], budget: { waiting: budget.waiting } });
    expect(shareOut(back, [], nowMs + 8_000, true).called).toEqual([{ group: 'b', atMs: nowMs + 8_000 }]);
    expect(shareOut(back, [], nowMs + 7_999, true).called).toHaveLength(2);
  });

  test('a whole line moves up when what EC2 refused comes back, also where its turns are only five seconds apart', () => {
    const low = { ...emptyBudget, levels: { instances: { tokens: 0, atMs: nowMs } } };
    const { budget } = shareOut(
      low,
      ['a', 'b', 'c'].map((name) => asks(name, { instances: 10 })),
      nowMs,
    );
    expect(budget.waiting.map(({ turnAtMs }) => turnAtMs - nowMs)).toEqual([5_000, 10_000, 15_000]);
    const back = withLessons(budget, { empty: new Set(), refused: new Map(), granted: new Set(), unspent: { instances: 10 } }, nowMs);
    const first = shareOut(back, [], nowMs, true);
    expect(first.called).toEqual([{ group: 'a', atMs: nowMs }]);
    const second = shareOut(first.budget, [asks('a', { instances: 10 })], nowMs + 1_000, true);
    expect(second.turns.get('a')).toMatchObject({ kind: 'now', instances: 10 });
    expect(second.called).toEqual([{ group: 'b', atMs: nowMs + 5_000 }]);
    const third = shareOut(second.budget, [asks('b', { instances: 10 })], nowMs + 5_000, true);
    expect(third.turns.get('b')).toMatchObject({ kind: 'now', instances: 10 });
    expect(third.called).toEqual([{ group: 'c', atMs: nowMs + 10_000 }]);
  });

  test('groups that wait for instances leave the calls to others until then', () => {
    const levels = { instances: { tokens: 0, atMs: nowMs }, autoScaling: { tokens: 2, atMs: nowMs } };
    const launching = ['a', 'b', 'c'].map((name) => asks(name, { bucket: 'autoScaling' }));
    const joins = asks('z', { bucket: 'autoScaling', calls: 2, instances: 0, need: { urgency: 'missing', size: 9 } });
    const { budget } = shareOut({ ...emptyBudget, levels }, launching, nowMs);
    expect(kinds(budget, [joins])).toEqual({ z: 'now' });
    const full = { ...budget, levels: { ...levels, instances: { tokens: 100, atMs: nowMs } } };
    expect(kinds(full, [joins])).toEqual({ z: 'later' });
  });

  test('groups that wait for calls leave the instances to groups of the same urgency, and keep them from all others', () => {
    const levels = { instances: { tokens: 20, atMs: nowMs }, autoScaling: { tokens: 0, atMs: nowMs } };
    const ahead = ['a', 'b'].map((name) => asks(name, { bucket: 'autoScaling', instances: 10 }));
    const { budget } = shareOut({ ...emptyBudget, levels }, ahead, nowMs);
    expect(kinds(budget, [asks('z', { instances: 20 })])).toEqual({ z: 'now' });
    const missing: Need = { urgency: 'missing', size: 1 };
    expect(kinds(budget, [asks('z', { instances: 2, need: missing })])).toEqual({ z: 'later' });
    // What others took comes to the first in line: its calls are there, and now it waits for instances.
    const spent = shareOut(budget, [asks('z', { instances: 20 })], nowMs).budget;
    expect(kinds(spent, [asks('y', { instances: 4 })], nowMs + 2_000)).toEqual({ y: 'later' });
    expect(kinds(spent, ahead.slice(0, 1), nowMs + 5_000)).toEqual({ a: 'now' });
  });

  test('a group that waits for exactly the calls or the instances that are there keeps these, and no more, from others', () => {
    const levels = { instances: { tokens: 20, atMs: nowMs }, autoScaling: { tokens: 0, atMs: nowMs } };
    const ahead = asks('a', { bucket: 'autoScaling', instances: 20 });
    const { budget } = shareOut({ ...emptyBudget, levels }, [ahead], nowMs);
    expect(kinds(budget, [asks('z', { instances: 20 })])).toEqual({ z: 'now' });
    const there = (tokens: number) => ({ ...budget, levels: { instances: { tokens, atMs: nowMs }, autoScaling: { tokens: 1, atMs: nowMs } } });
    expect(kinds(there(20), [asks('z', { instances: 20 })])).toEqual({ z: 'later' });
    const missing: Need = { urgency: 'missing', size: 1 };
    expect(kinds(there(40), [asks('z', { instances: 20, need: missing })])).toEqual({ z: 'now' });
  });

  test('a group that waits for calls alone is not called before its turn', () => {
    const waits = { ...asks('a', { instances: 0 }), sinceMs: nowMs, turnAtMs: nowMs + 60_000 };
    const shared = shareOut({ ...emptyBudget, waiting: [waits] }, [], nowMs, true);
    expect([shared.called, shared.budget.waiting]).toEqual([[], [waits]]);
  });

  test('calls the first group in line for the time when its tokens are there, when that is earlier than its stored turn', () => {
    const waits = (name: string, inMs: number) => ({ ...asks(name, { instances: 20 }), sinceMs: nowMs, turnAtMs: nowMs + inMs });
    const budget = { ...emptyBudget, levels: { instances: { tokens: 4, atMs: nowMs } }, waiting: [waits('a', 60_000), waits('b', 70_000)] };
    const shared = shareOut(budget, [], nowMs, true);
    expect(shared.called).toEqual([{ group: 'a', atMs: nowMs + 8_000 }]);
    expect(shared.budget.waiting.map(({ turnAtMs }) => turnAtMs - nowMs)).toEqual([8_000, 70_000]);
    expect(shareOut(shared.budget, [], nowMs + 1_000, true).called).toEqual([]);
  });

  test('a group that does not wait for a late turn keeps no place, and holds up no other group', () => {
    const atOnce = (untilMs: number) => asks('z', { calls: 5, instances: 0, untilMs });
    const turnAtMs = nowMs + 1_000;
    for (const [untilMs, waiting] of [
      [turnAtMs, ['z']],
      [turnAtMs - 1, []],
    ] as const) {
      const { turns, budget } = shareOut(withTokens(0), [atOnce(untilMs)], nowMs);
      expect(turns.get('z')).toMatchObject({ kind: 'later', turnAtMs });
      expect(budget.waiting.map(({ group }) => group)).toEqual(waiting);
    }
  });

  test('a waiting group loses its place ten seconds after its turn', () => {
    const ahead = ['a', 'c'].map((name) => asks(name, { calls: 25 }));
    const { budget, turns } = shareOut(withTokens(0), ahead, nowMs);
    expect(turns.get('a')).toMatchObject({ turnAtMs: nowMs + 5_000 });
    const less = [asks('b', { calls: 25, need: { urgency: 'missing', size: 1 } })];
    expect(kinds(budget, less, nowMs + 14_999)).toEqual({ b: 'later' });
    expect(kinds(budget, less, nowMs + 15_000)).toEqual({ b: 'now' });
  });

  test('only a decision that was given tokens keeps others of its group from launching, and for a second', () => {
    const later = shareOut(withTokens(0), [asks('a')], nowMs).budget;
    expect(later.given).toEqual({});
    expect(kinds(later, [asks('a', { by: 'd-other' })], nowMs + 500)).toEqual({ a: 'now' });
    const given = shareOut(emptyBudget, [asks('a')], nowMs).budget;
    expect(given.given).toEqual({ a: { by: 'd-a', atMs: nowMs } });
    expect(shareOut(given, [], nowMs + 999).budget.given).toEqual(given.given);
    expect(shareOut(given, [], nowMs + 1_000).budget.given).toEqual({});
  });

  test('a look does not show what a turn was given for since it began, for ten seconds at most', () => {
    const { budget } = shareOut(emptyBudget, [asks('a', { lookedAtMs: nowMs - 500 })], nowMs);
    const asked = (lookedForMs: number, inMs: number) =>
      kinds(shareOut(budget, [], nowMs + inMs).budget, [asks('a', { by: 'd-other', lookedAtMs: nowMs + inMs - lookedForMs })], nowMs + inMs);
    expect([asked(3_001, 3_000), asked(3_000, 3_000), asked(500, 999)]).toEqual([{ a: 'taken' }, { a: 'now' }, { a: 'taken' }]);
    expect([asked(20_000, 9_999), asked(20_000, 10_000)]).toEqual([{ a: 'taken' }, { a: 'now' }]);
    expect(kinds(budget, [asks('a', { by: 'd-other' })], nowMs + 1_000)).toEqual({ a: 'now' });
  });

  test('a turn of many calls begins with half a bucket, and whoever comes next waits for all of its calls', () => {
    const joins = (name: string, calls: number) => asks(name, { bucket: 'autoScaling', calls, instances: 0 });
    const left = (tokens: number) => ({ ...emptyBudget, levels: { autoScaling: { tokens, atMs: nowMs } } });
    expect(kinds(emptyBudget, [asks('a', { calls: 80 })])).toEqual({ a: 'now' });
    const later = shareOut(left(9), [joins('a', 20)], nowMs);
    expect(later.turns.get('a')).toMatchObject({ kind: 'later', turnAtMs: nowMs + 200 });
    const { turns, budget } = shareOut(left(10), [joins('a', 20)], nowMs);
    expect([turns.get('a'), budget.levels.autoScaling]).toMatchObject([{ kind: 'now', calls: 20 }, { tokens: -10 }]);
    expect(shareOut(budget, [joins('b', 1)], nowMs).turns.get('b')).toMatchObject({ kind: 'later', turnAtMs: nowMs + 2_200 });
  });

  test('calls are taken for the instances that there are tokens for, at least one for each placement', () => {
    const large = asks('a', { bucket: 'autoScaling', calls: 21, leastCalls: 3, instances: 2_000, need: { urgency: 'empty', size: 2_000 } });
    const { turns, budget } = shareOut(emptyBudget, [large], nowMs);
    expect(turns.get('a')).toMatchObject({ kind: 'now', instances: 1_000, calls: 12 });
    expect(budget).toMatchObject({ levels: { autoScaling: { tokens: 8 } }, waiting: [{ group: 'a', instances: 1_000, calls: 12 }] });
    const few = { ...emptyBudget, levels: { instances: { tokens: 20, atMs: nowMs }, autoScaling: { tokens: 4, atMs: nowMs } } };
    expect(shareOut(few, [large], nowMs).turns.get('a')).toMatchObject({ kind: 'now', instances: 20, calls: 4 });
  });
});

describe('what groups learn from launches', () => {
  const none = { empty: new Set<'createFleet'>(), refused: new Map<'m/a/spot', string>(), granted: new Set<'m/a/spot'>(), unspent: {} };

  test('a throttle empties the bucket, whatever draws on it', () => {
    const taught = withLessons(emptyBudget, { ...none, empty: new Set(['createFleet']) }, nowMs);
    expect(shareOut(taught, [asks('a')], nowMs).turns.get('a')).toMatchObject({ kind: 'later', turnAtMs: nowMs + 200 });
    const inDebt = withLessons(withTokens(-4), { ...none, empty: new Set(['createFleet']) }, nowMs);
    expect(shareOut(inDebt, [asks('a')], nowMs).turns.get('a')).toMatchObject({ kind: 'later', turnAtMs: nowMs + 1_000 });
  });

  test('a refusal counts for all groups for a while, unless one of them is granted the same offering', () => {
    const known = { atMs: nowMs, code: 'UnfulfillableCapacity' };
    const refused = withLessons(emptyBudget, { ...none, refused: new Map([['m/a/spot', known.code]]) }, nowMs);
    expect(shareOut(refused, [], nowMs + 29_999).budget.refused).toEqual({ 'm/a/spot': known });
    expect(shareOut(refused, [], nowMs + 30_000).budget.refused).toEqual({});
    const both = { ...refused, refused: { ...refused.refused, 'm/b/spot': known } };
    expect(withLessons(both, { ...none, granted: new Set(['m/a/spot']) }, nowMs).refused).toEqual({ 'm/b/spot': known });
  });

  test('calls that launch nothing do not wait for the bucket of launched instances', () => {
    const spent = { ...emptyBudget, levels: { instances: { tokens: 0, atMs: nowMs } } };
    const { turns, budget } = shareOut(spent, [asks('a', { instances: 500 })], nowMs);
    expect(turns.get('a')).toMatchObject({ kind: 'later' });
    expect(kinds(budget, [asks('a targets', { bucket: 'targets', instances: 0 })])).toEqual({ 'a targets': 'now' });
    const full = { ...budget, levels: { ...budget.levels, targets: { tokens: 0, atMs: nowMs } } };
    const turn = shareOut(full, [asks('a targets', { bucket: 'targets', instances: 0 })], nowMs).turns.get('a targets');
    expect(turn).toMatchObject({ kind: 'later', turnAtMs: nowMs + 250 });
  });

  test('a group that has nothing to launch any more leaves its place to the next', () => {
    const { budget } = shareOut(withTokens(0), [asks('a', { calls: 5 }), asks('b', { calls: 5 })], nowMs);
    const taught = withLessons(budget, { ...none, idle: new Set(['a']) }, nowMs);
    expect(taught.waiting.map(({ group }) => group)).toEqual(['b']);
    expect(kinds(budget, [asks('b', { calls: 5 })], nowMs + 1_000)).toEqual({ b: 'later' });
    expect(kinds(taught, [asks('b', { calls: 5 })], nowMs + 1_000)).toEqual({ b: 'now' });
  });

  test('instances that EC2 did not launch are not spent', () => {
    const spent = { ...emptyBudget, levels: { instances: { tokens: 100, atMs: nowMs } } };
    const levelAfter = (budget: AccountBudget, instances: number) =>
      withLessons(budget, { ...none, unspent: { instances } }, nowMs).levels.instances?.tokens;
    expect([levelAfter(spent, 0), levelAfter(spent, 333), levelAfter(spent, 5_000), levelAfter(emptyBudget, 5)]).toEqual([
      100,
      433,
      1_000,
      undefined,
    ]);
  });

  test('calls that a turn was given for and that were not made are not spent', () => {
    const after = shareOut(emptyBudget, [asks('a', { calls: 30 })], nowMs).budget;
    expect(kinds(after, [asks('b', { calls: 30 })])).toEqual({ b: 'later' });
    expect(kinds(withLessons(after, { ...none, unspent: { createFleet: 30 } }, nowMs), [asks('b', { calls: 30 })])).toEqual({ b: 'now' });
  });

  test('a decision that had a turn and launches nothing holds up no other decision of its group', () => {
    const { budget } = shareOut(emptyBudget, [asks('a', { by: 'd-1' }), asks('b', { by: 'd-2' })], nowMs);
    const dropped = withLessons(budget, { ...none, dropped: new Map([['a', 'd-1']]) }, nowMs);
    expect(kinds(dropped, [asks('a', { by: 'd-3' }), asks('b', { by: 'd-3' })])).toEqual({ a: 'now', b: 'taken' });
    const another = withLessons(budget, { ...none, dropped: new Map([['a', 'd-0']]) }, nowMs);
    expect(kinds(another, [asks('a', { by: 'd-3' })])).toEqual({ a: 'taken' });
  });

  test('a bucket has no more tokens than the calls that were made have left, with a turn or without one', () => {
    const ask = asks('a', { bucket: 'autoScaling', calls: 4 });
    const fullAt = (inMs: number) => ({ ...emptyBudget, fullAt: { autoScaling: nowMs + inMs } });
    expect(kinds(fullAt(3_200), [ask])).toEqual({ a: 'now' });
    expect(shareOut(fullAt(3_400), [ask], nowMs).turns.get('a')).toMatchObject({ kind: 'later', turnAtMs: nowMs + 200 });
    expect(kinds(fullAt(-5_000), [ask])).toEqual({ a: 'now' });
  });

  describe('that looks empty as it refills', () => {
    const missing: Need = { urgency: 'missing', size: 5 };
    const ask = asks('a', { bucket: 'autoScaling', calls: 4, need: missing });
    /** Looks wait in line for three seconds at most. */
    const drawnOn = (budget: AccountBudget, atMs: number): AccountBudget => ({ ...budget, fullAt: { autoScaling: atMs + 6_800 } });
    const firstAsk = (first: Ask = ask) => shareOut(drawnOn(emptyBudget, nowMs), [first], nowMs);
    /** Other decisions of the same group request again, until looks have put it off for ten seconds. */
    const secondAsk = (first: Ask = ask) => {
      const { budget, turns } = firstAsk(first);
      const turn = turns.get('a');
      const dueAtMs = (turn?.kind === 'later' ? turn.turnAtMs : Number.NaN) + 10_000;
      let again = budget;
      for (const atMs of [dueAtMs - 10_100, dueAtMs - 7_000, dueAtMs - 4_000, dueAtMs - 1]) {
        const asked = shareOut(drawnOn(again, atMs), [first], atMs);
        expect(asked.turns.get('a')).toMatchObject({ kind: 'later' });
        again = asked.budget;
      }
      return { budget: drawnOn(again, dueAtMs), dueAtMs };
    };

    test('lets the first group in line begin ten seconds after the first turn that it was given', () => {
      const { budget, dueAtMs } = secondAsk();
      const { turns, budget: after } = shareOut(budget, [ask], dueAtMs);
      expect(turns.get('a')).toMatchObject({ kind: 'now', calls: 4, instances: 2 });
      // Its calls count as spent, and it keeps no place.
      expect(after.levels.autoScaling?.tokens).toBe(-18);
      expect(after.waiting).toEqual([]);
      expect(kinds(drawnOn(after, dueAtMs + 2_000), [ask], dueAtMs + 2_000)).toEqual({ a: 'later' });
    });

    test('lets a group whose turn has come take the tokens that looks have taken in advance, and no more', () => {
      const { budget, turns } = firstAsk();
      const turn = turns.get('a');
      const dueAtMs = turn?.kind === 'later' ? turn.turnAtMs : Number.NaN;
      const withTokensLeft = (tokens: number): AccountBudget => ({ ...budget, fullAt: { autoScaling: dueAtMs + (20 - tokens) * 200 } });
      expect(kinds(withTokensLeft(-11), [ask], dueAtMs)).toEqual({ a: 'now' });
      expect(kinds(withTokensLeft(-12), [ask], dueAtMs)).toEqual({ a: 'later' });
      expect(kinds(withTokensLeft(3), [ask], dueAtMs - 1)).toEqual({ a: 'later' });
      // The tokens of a needier group come first.
      const needier = asks('b', { bucket: 'autoScaling', calls: 4 });
      expect(kinds(withTokensLeft(-7), [needier, ask], dueAtMs)).toEqual({ a: 'now', b: 'later' });
      expect(kinds(withTokensLeft(-8), [needier, ask], dueAtMs)).toEqual({ a: 'later', b: 'later' });
    });

    test('keeps a group waiting that others are ahead of', () => {
      const { budget, dueAtMs } = secondAsk();
      const needier = asks('b', { bucket: 'autoScaling', calls: 4 });
      expect(kinds(budget, [needier, ask], dueAtMs)).toEqual({ a: 'later', b: 'later' });
    });

    test('keeps a look of a drain waiting, and a group whose bucket no look draws on', () => {
      const look = { ...ask, instances: 0, need: { ...missing, urgency: 'look' } as const };
      const looking = secondAsk(look);
      expect(kinds(looking.budget, [look], looking.dueAtMs)).toEqual({ a: 'later' });
      const fleet = asks('a', { calls: 4 });
      const waiting = shareOut(withTokens(0), [fleet], nowMs).budget;
      const emptied = { ...waiting, levels: { createFleet: { tokens: 0, atMs: nowMs + 800 } } };
      expect(kinds(emptied, [fleet], nowMs + 800)).toEqual({ a: 'later' });
    });
  });
});
