import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Group } from '../../../core/group/group.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { Returning } from '../../../core/returning/returning.ts';
import type { Selector } from '../../../core/selector/selector.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const minute = 60_000;
const rule: Returning = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 50 }, timezone: 'UTC' };
const returning = (rest: Partial<Returning> = {}, more: Partial<Group> = {}): Group =>
  group({ returning: { ...rule, ...rest }, swap: { order: 'launch-first', maxSurge: 3 }, ...more });

const leafOf = ({ name }: Pool): Selector => ({ kind: 'pool', pool: name });

/** Eight on spot, two on demand, desired ten. */
const twoOnDemand = [...members(spotA, 4), ...members(spotB, 4), ...members(onDemandB, 2)];
const look = (rest: Partial<View> = {}): View => view({ group: returning(), members: twoOnDemand, ...rest });
const spotKey = 'm7g.large/a/spot' as const;
const refusedAt = (atMs: number, restMs = 3 * minute): GroupState['memory'][typeof spotKey] => ({
  kind: 'refused',
  code: 'InsufficientInstanceCapacity',
  atMs,
  coolingUntilMs: atMs + restMs,
  streak: 1,
});

describe('a member of a later tier', () => {
  it('moves to an earlier one that takes launches, beside what the group has', () => {
    const { placements, moves, removals, unplaced } = decide(look());
    expect(placements.map(({ pool, count, moves: leaving }) => [pool, count, leaving])).toEqual([
      ['spot-a', 1, ['od-b#1']],
      ['spot-b', 1, ['od-b#2']],
    ]);
    expect(moves?.[0]?.why).toEqual({ code: 'earlier-tier', tier: 1, from: 2 });
    expect([removals, unplaced]).toEqual([[], 0]);
  });

  it('is limited to the better offerings: nothing of its own tier is requested', () => {
    const { placements } = decide(look());
    expect(placements.flatMap(({ offerings }) => offerings).every(({ market }) => market === 'spot')).toBe(true);
  });

  it('stays where the policy says so, and where it says nothing', () => {
    const { returning: _rule, ...off } = returning();
    expect(decide(look({ group: off })).placements).toEqual([]);
  });

  it('stays while its user protects it', () => {
    const kept = [...members(spotA, 4), ...members(spotB, 4), ...members(onDemandB, 2, { protected: true })];
    expect(decide(look({ members: kept })).placements).toEqual([]);
  });

  it('stays while its pool is no part of the tree', () => {
    const gone: readonly Member[] = [...members(spotA, 4), ...members(spotB, 4), ...members({ ...onDemandB, name: 'old' }, 2)];
    expect(decide(look({ members: gone })).placements).toEqual([]);
  });

  it('belongs to the earliest of the tiers that name its pool', () => {
    const both = { kind: 'tiered', children: [onDemandB, spotA, onDemandB].map(leafOf) } as const;
    expect(decide(look({ group: returning({}, { capacity: both }) })).placements.map(({ pool }) => pool)).toEqual(['od-b']);
    const home = { ...both, children: both.children.slice(0, 1).concat(both.children.slice(2)) };
    expect(decide(look({ group: returning({}, { capacity: home }), members: members(onDemandB, 10) })).placements).toEqual([]);
  });
});

describe('below cheapest, a member', () => {
  const capacity = { kind: 'cheapest', children: [spotA, spotB].map(leafOf) } as const;
  const at = (a: number | undefined, b: number, losses = noReturns.losses): View => {
    const usdPerHour = { ...(a === undefined ? {} : { [spotKey]: a }), 'm7g.large/b/spot': b };
    return look({
      group: returning({ atMost: { kind: 'count', by: 1 } }, { capacity }),
      members: members(spotA, 10),
      state: state({ prices: { atMs: nowMs, usdPerHour }, returns: { ...noReturns, losses } }),
    });
  };

  it('moves to what costs less by a worthwhile saving', () => {
    expect(decide(at(0.1, 0.05)).moves).toEqual([
      { pool: 'spot-b', instances: ['spot-a#1'], why: { code: 'cheaper', usdPerHour: 0.05, fromUsdPerHour: 0.1 } },
    ]);
    expect(decide(at(0.1, 0.095)).placements).toEqual([]);
  });

  it('stays where members did not live long enough for the move to pay', () => {
    const losses = [{ offering: 'm7g.large/b/spot', atMs: nowMs - 12 * 3_600_000, livedMs: 20 * minute }] as const;
    const { placements, notMoved } = decide(at(0.1, 0.05, losses));
    expect(placements).toEqual([]);
    expect(notMoved).toMatchObject({ code: 'would-not-pay', offering: 'm7g.large/b/spot', lifeMs: 20 * minute });
  });

  it('stays where both places lie in one child, whose own selector decides', () => {
    const [dear, cheap] = [spotA, spotB].map(leafOf) as [Selector, Selector];
    const moves = (child: Selector) => {
      const group = returning({}, { capacity: { kind: 'cheapest', children: [child, leafOf(onDemandB)] } });
      return decide({ ...at(0.1, 0.05), group, members: [...members(spotA, 5), ...members(spotB, 5)] }).moves;
    };
    expect(moves({ kind: 'spread', by: 'pool', children: [cheap, dear] })).toBeUndefined();
    expect(moves({ kind: 'weighted', children: [cheap, dear].map((use) => ({ use, weight: 1 })) })).toBeUndefined();
    expect(moves({ kind: 'cheapest', children: [cheap, dear] })?.map(({ why }) => why.code)).toEqual(['cheaper']);
  });

  it('stays while its price is not known and it is spot', () => {
    expect(decide(at(undefined, 0.05)).placements).toEqual([]);
  });

  it('moves from on-demand, whose price is not known, to spot', () => {
    const mixed = { kind: 'cheapest', children: [spotA, onDemandB].map(leafOf) } as const;
    const { moves } = decide(look({ group: returning({}, { capacity: mixed }) }));
    expect(moves?.map(({ pool, why }) => [pool, why.code])).toEqual([['spot-a', 'spot-again']]);
  });
});

describe('no member moves', () => {
  const quiet = (rest: Partial<View>): void => expect(decide(look(rest)).moves).toBeUndefined();

  it('while the group is short', () => {
    const { placements } = decide(look({ members: twoOnDemand.slice(1) }));
    expect(placements.map(({ moves, count }) => [moves, count])).toEqual([[undefined, 1]]);
  });

  it('while a member does not serve', () => {
    quiet({ members: [...members(spotA, 3), member('new', spotA, { serving: false }), ...members(spotB, 4), ...members(onDemandB, 2)] });
  });

  it('while a member is young and no target group says whether it is up', () => {
    const rest = [...members(spotA, 3), ...members(spotB, 4), ...members(onDemandB, 2)];
    const aged = (ageMs: number): View => look({ members: [...rest, member('new', spotA, { unchecked: true, launchedAtMs: nowMs - ageMs })] });
    expect(decide(aged(2 * minute)).moves).toBeUndefined();
    expect(decide(aged(3 * minute)).moves).toHaveLength(2);
  });

  it('while a swap waits, or is to begin', () => {
    const waits = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting', deadlineMs: undefined as never });
    quiet({ swaps: [waits] });
    quiet({ swaps: [swapOf('other', { state: 'leaving' })] });
  });

  it('while launches are throttled', () => {
    quiet({ state: state({ throttle: { untilMs: nowMs + 5_000, streak: 1 } }) });
  });

  it('until the size and the policy have been the same for long enough', () => {
    const changed = (agoMs: number): View => look({ state: state({ returns: { ...noReturns, changedAtMs: nowMs - agoMs } }) });
    expect(decide(changed(9 * minute)).notMoved).toEqual({ code: 'unsettled', untilMs: nowMs + minute });
    expect(decide(changed(10 * minute)).moves).toHaveLength(2);
  });

  it('until nothing that moved before the state was lost or restored may count for the budget', () => {
    const renewed = (agoMs: number): View => look({ group: returning({ everyMs: 30 * minute }), state: state({ renewedAtMs: nowMs - agoMs }) });
    expect(decide(renewed(29 * minute)).notMoved).toEqual({ code: 'unsettled', untilMs: nowMs + minute });
    expect(decide(renewed(30 * minute)).moves).toHaveLength(2);
  });

  it('outside of the windows', () => {
    const windows = [{ days: [], fromMinute: 0, untilMinute: 1_440 }];
    expect(decide(look({ group: returning({ windows }) })).notMoved).toEqual({ code: 'window-closed' });
  });

  it('sooner than a minute after the last request', () => {
    quiet({ state: state({ returns: { ...noReturns, askedAtMs: nowMs - 40_000 } }) });
  });

  it('beyond the budget of a time', () => {
    const moves = [{ reservation: 'r', atMs: nowMs - 4 * minute, leaving: [], count: 5 }];
    expect(decide(look({ state: state({ returns: { ...noReturns, moves } }) })).notMoved).toEqual({ code: 'budget', withinMs: 5 * minute });
    const older = moves.map((move) => ({ ...move, atMs: nowMs - 5 * minute }));
    expect(decide(look({ state: state({ returns: { ...noReturns, moves: older } }) })).moves).toHaveLength(2);
  });

  it('beyond the surge', () => {
    const { placements } = decide(look({ group: returning({}, { swap: { order: 'drain-first', maxSurge: 1 } }) }));
    expect(placements.map(({ count }) => count)).toEqual([1]);
  });
});

describe('an offering', () => {
  const remembered = (memory: GroupState['memory']): View => look({ state: state({ memory }) });

  it('is not requested until no signal against it has come for long enough', () => {
    const other = { 'm7g.large/b/spot': refusedAt(nowMs - minute) };
    const { placements, notMoved } = decide(remembered({ ...other, [spotKey]: refusedAt(nowMs - 9 * minute) }));
    expect(placements).toEqual([]);
    expect(notMoved).toEqual({ code: 'resting', offering: spotKey, untilMs: nowMs + minute });
    expect(decide(remembered({ ...other, [spotKey]: refusedAt(nowMs - 10 * minute) })).moves?.map(({ pool }) => pool)).toEqual(['spot-a']);
  });

  it('rests longer after refusals in a row, and no longer than ten minutes or return.after', () => {
    const both = (agoMs: number, afterMs: number, restMs = 30 * minute) => {
      const lesson = refusedAt(nowMs - agoMs, restMs);
      const memory = { [spotKey]: lesson, 'm7g.large/b/spot': lesson };
      return decide(look({ group: returning({ afterMs }, { capacity: group().capacity, pools: group().pools }), state: state({ memory }) }));
    };
    expect(both(9 * minute, minute).notMoved).toMatchObject({ code: 'resting', untilMs: nowMs + minute });
    expect(both(10 * minute, minute).moves).toHaveLength(2);
    expect(both(3 * minute, minute, 4 * minute).notMoved).toMatchObject({ code: 'resting', untilMs: nowMs + minute });
    expect(both(29 * minute, 30 * minute).notMoved).toMatchObject({ code: 'resting', untilMs: nowMs + minute });
  });

  it('is not requested while its pool rests, because its instances die or its launches are denied', () => {
    const at = { code: 'c', message: 'm', atMs: nowMs - minute };
    const own = spotA.launchTemplate === undefined ? {} : { template: spotA.launchTemplate };
    const failedBoots = { [spotA.name]: { ...at, ...own, restsUntilMs: nowMs + minute, streak: 1 } };
    const denials = { [spotB.name]: { ...at, untilMs: nowMs + 2 * minute } };
    const poolsAfter = (learned: Partial<GroupState>) => decide(look({ state: state(learned) })).moves?.map(({ pool }) => pool);
    expect(poolsAfter({ failedBoots })).toEqual(['spot-b']);
    expect(poolsAfter({ denials })).toEqual(['spot-a']);
    const { placements, notMoved } = decide(look({ state: state({ failedBoots, denials }) }));
    expect([placements, notMoved]).toEqual([[], { code: 'resting', offering: spotKey, untilMs: nowMs + minute }]);
  });

  const lost = (atMs: number, livedMs: number, zone = 'a') => ({ offering: `m7g.large/${zone}/spot`, atMs, livedMs }) as const;
  const decideAfter = (losses: readonly ReturnType<typeof lost>[]) =>
    decide(look({ group: returning({}, { capacity: group().capacity, pools: group().pools }), state: state({ returns: { ...noReturns, losses } }) }));

  it('is left alone for longer after each move that was interrupted there soon', () => {
    const once = decideAfter([lost(nowMs - 19 * minute, 2 * minute), lost(nowMs - 19 * minute, 2 * minute, 'b')]);
    expect(once.notMoved).toMatchObject({ code: 'resting', untilMs: nowMs + minute });
    const twice = [lost(nowMs - 60 * minute, minute), lost(nowMs - 30 * minute, minute)];
    expect(decideAfter([...twice, lost(nowMs - 30 * minute, 2 * minute, 'b')]).moves?.map(({ pool }) => pool)).toEqual(['spot-b']);
  });

  it('is not left alone for an interruption after a long life', () => {
    expect(decideAfter([lost(nowMs - 11 * minute, 60 * minute), lost(nowMs - 11 * minute, 60 * minute, 'b')]).moves).toHaveLength(2);
  });

  it('of any zone is left alone once three moves of an hour did not pay', () => {
    const three = [lost(nowMs - 59 * minute, minute), lost(nowMs - 50 * minute, minute), lost(nowMs - 41 * minute, minute)];
    expect(decideAfter(three).notMoved).toEqual({ code: 'flapping', untilMs: nowMs + minute });
  });
});

describe('a move under way', () => {
  const moves = [{ reservation: 'r-9', atMs: nowMs - minute, leaving: ['od-b#1'], count: 1 }];
  const moving = (arrival: Partial<Member> | undefined, rest: Partial<View> = {}): View =>
    look({
      members: [...twoOnDemand, ...(arrival === undefined ? [] : [member('new', spotA, { reservation: 'r-9', ...arrival })])],
      state: state({ returns: { ...noReturns, moves } }),
      ...rest,
    });

  it('lets its member leave once the replacement serves', () => {
    expect(decide(moving({})).removals).toEqual([
      { instance: 'od-b#1', reason: 'return', why: { code: 'return', reservation: 'r-9', pool: 'spot-a' } },
    ]);
  });

  it('waits three minutes where no target group says whether the replacement is up', () => {
    const aged = (ageMs: number) => decide(moving({ unchecked: true, launchedAtMs: nowMs - ageMs })).removals.length;
    expect([aged(2 * minute), aged(3 * minute)]).toEqual([0, 1]);
  });

  it('removes no member before its replacement serves, and does not remove the replacement as a surplus', () => {
    const decision = decide(moving({ serving: false, launchedAtMs: nowMs - 10_000 }));
    expect(decision.removals).toEqual([]);
    expect(decision.wakeAtMs).toBeDefined();
  });

  it('takes the replaced member, whatever the order of removal', () => {
    const newestFirst = returning({}, { removal: { order: 'newest-first' } });
    expect(decide(moving({ launchedAtMs: nowMs }, { group: newestFirst })).removals.map(({ instance }) => instance)).toEqual(['od-b#1']);
  });

  it('is off when a member is lost meanwhile: the replacement takes its place', () => {
    const { removals, placements } = decide(moving({}, { swaps: [swapOf('spot-b#1', { state: 'draining' })] }));
    expect([removals, placements]).toEqual([[], []]);
  });

  it('launches nothing in the place of a replacement that ended', () => {
    expect(decide(moving(undefined)).removals).toEqual([]);
    expect(decide(moving(undefined, { state: state({ returns: { ...noReturns, moves, askedAtMs: nowMs - minute } }) })).unplaced).toBe(0);
  });

  it('lets another member of the same place leave when its own is protected meanwhile, and is off when all are', () => {
    const removalsWith = (isKept: (of: Member) => boolean) => {
      const arrival = member('new', spotA, { reservation: 'r-9' });
      const newestFirst = returning({}, { removal: { order: 'newest-first' } });
      const kept = twoOnDemand.map((of) => ({ ...of, protected: isKept(of) }));
      return decide(moving({}, { group: newestFirst, members: [...kept, { ...arrival, launchedAtMs: nowMs - minute }] })).removals;
    };
    const kinds = (isKept: (of: Member) => boolean) => removalsWith(isKept).map(({ instance, reason }) => [instance, reason]);
    expect(kinds(({ instance }) => instance === 'od-b#1')).toEqual([['od-b#2', 'return']]);
    expect(kinds(({ pool }) => pool === 'od-b')).toEqual([['new', 'scale-in']]);
  });

  it('keeps its replacement where another move is off, whatever the order of removal', () => {
    const kept = twoOnDemand.map((one) => (one.instance === 'od-b#2' ? { ...one, protected: true } : one));
    const came = { serving: false, admitted: false };
    const both = [
      member('for-1', spotA, { ...came, reservation: 'r-9', launchedAtMs: nowMs - 10_000 }),
      member('for-2', spotB, { ...came, reservation: 'r-8', launchedAtMs: nowMs - 11_000 }),
    ];
    const two = [...moves, { reservation: 'r-8', atMs: nowMs - minute, leaving: ['od-b#2'], count: 1 }];
    const newestFirst = returning({}, { removal: { order: 'newest-first' } });
    const { removals } = decide(look({ group: newestFirst, members: [...kept, ...both], state: state({ returns: { ...noReturns, moves: two } }) }));
    expect(removals.map(({ instance, reason }) => [instance, reason])).toEqual([['for-2', 'scale-in']]);
  });

  it('begins no other', () => {
    expect(decide(moving({ serving: false })).placements).toEqual([]);
  });
});
