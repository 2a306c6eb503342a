import { describe, expect, it } from 'vitest';
import { aboveMinimum } from '../../../core/decide/above-minimum.ts';
import { beyondFloor } from '../../../core/decide/beyond-floor.ts';
import { uncoveredBy } from '../../../core/decide/covering.ts';
import { decide, isQuiet } from '../../../core/decide/decide.ts';
import { emptyDraft, withProposal } from '../../../core/decide/draft.ts';
import { missingMembers } from '../../../core/decide/missing-members.ts';
import { onDemandFloor } from '../../../core/decide/on-demand-floor.ts';
import { replaced, returns } from '../../../core/decide/returns.ts';
import type { Draft } from '../../../core/decide/rule.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, onDemandB, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';
import { proposed, situationOf } from './situations.ts';

const minute = 60_000;
const idsOf = (list: readonly { readonly instance: string }[] = []): readonly string[] => list.map(({ instance }) => instance);
const countIn = ({ placements = [] }: Partial<Pick<Decision, 'placements'>>): number => placements.reduce((sum, { count }) => sum + count, 0);

describe('a draft', () => {
  it('looks again at the earliest time that any rule wants', () => {
    const wakes = (first: number | undefined, second: number | undefined) =>
      withProposal({ ...emptyDraft, ...(first !== undefined && { wakeAtMs: first }) }, second === undefined ? {} : { wakeAtMs: second }).wakeAtMs;
    expect([wakes(5, 9), wakes(9, 5), wakes(5, undefined), wakes(undefined, 9)]).toEqual([5, 5, 5, 9]);
    expect(withProposal(emptyDraft, {})).not.toHaveProperty('wakeAtMs');
  });

  it('adds what a rule proposes to what earlier rules proposed', () => {
    const placement = { pool: 'spot-a', count: 1, offerings: [] };
    const first = withProposal(emptyDraft, { placements: [placement], unplaced: 1 });
    expect(withProposal(first, { placements: [{ ...placement, pool: 'spot-b' }] })).toMatchObject({
      placements: [{ pool: 'spot-a' }, { pool: 'spot-b' }],
      unplaced: 1,
    });
    expect(withProposal(emptyDraft, { remarks: [{ code: 'deaths-bounded', count: 1 }] }).remarks).toEqual([{ code: 'deaths-bounded', count: 1 }]);
  });
});

describe('a decision', () => {
  it('changes nothing where the group is at rest, and counts the members that stay or come', () => {
    const quiet = decide(view());
    expect([isQuiet(quiet), quiet.staying]).toEqual([true, 10]);
    const coming = view({ members: members(spotA, 8), state: state({ reservations: [reservation({ instances: ['n-1', 'n-2'] })] }) });
    expect(decide(coming).staying).toBe(10);
  });

  it('changes something where any of its parts does', () => {
    const quiet = decide(view());
    const asg = { asg: 'web-asg', processes: ['Launch'] } as const;
    const parts: readonly Partial<Decision>[] = [
      { placements: [{ pool: 'spot-a', count: 1, offerings: [] }] },
      { removals: [{ instance: 'i', reason: 'scale-in', why: { code: 'stand-in', pool: 'spot-a' } }] },
      { drains: ['i'] },
      { admissions: ['i'] },
      { raise: [{ asg: 'a', fromMax: 1, toMax: 2 }] },
      { suspend: [asg] },
      { resume: [asg] },
      { takeDown: [{ asg: 'a', from: 1, instances: ['i'], atMs: nowMs }] },
      { takeOver: [{ asg: 'a', desired: 1 }] },
      { unnoticed: ['i'] },
      { leftToGroups: ['i'] },
      { remarks: [{ code: 'deaths-bounded', count: 1 }] },
      { unplaced: 1 },
    ];
    expect(parts.map((part) => isQuiet({ ...quiet, ...part }))).toEqual(parts.map(() => false));
    const { resume: _resume, remarks: _remarks, suspend: _suspend, takeDown: _down, leftToGroups: _left, ...bare } = quiet;
    expect(isQuiet(bare)).toBe(true);
  });
});

describe('members that the group may not get', () => {
  const denied = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs, untilMs: nowMs + minute, isItsOwn: true as const };
  const placement = (pool: string, count: number) => ({ pool, count, offerings: [] });
  const uncovered = (rest: Partial<View> = {}, of: Partial<Pick<Draft, 'unplaced' | 'placements'>> = {}) =>
    uncoveredBy(view({ ...rest, state: state({ denials: { 'spot-a': denied }, ...rest.state }) }), { unplaced: 0, placements: [], ...of });

  it('are those without a place, and those of pools whose last launch failed', () => {
    expect(uncovered({}, { unplaced: 2, placements: [placement('spot-a', 3), placement('spot-b', 5)] })).toBe(5);
  });

  it('are those of every pool while the cause of a denial may be common, except new members that were granted', () => {
    const { isItsOwn: _, ...common } = denied;
    const denials = { 'spot-a': common };
    expect(uncovered({ state: state({ denials }) }, { placements: [placement('spot-b', 5)] })).toBe(5);
    const newcomers = { 'i-0': { pool: 'spot-b', atMs: nowMs - minute } };
    expect(uncovered({ state: state({ denials, newcomers }) })).toBe(0);
  });

  it('are those that are under way from such pools, until the launch has its response', () => {
    const reservations = [
      reservation({ id: 'r-1', placement: placement('spot-a', 2) }),
      reservation({ id: 'r-2', placement: placement('spot-b', 4) }),
      reservation({ id: 'r-3', placement: placement('spot-a', 8), instances: ['n-1'] }),
    ];
    expect(uncovered({ state: state({ reservations, denials: { 'spot-a': denied } }) })).toBe(2);
  });

  it('are the new members of such pools, as long as they live', () => {
    const newcomers = Object.fromEntries(
      (['spot-a', 'spot-a', 'spot-b'] as const).map((pool, index) => [`i-${index}`, { pool, atMs: nowMs - minute }]),
    );
    const shown = (ended: readonly string[]) => uncovered({ ended, state: state({ newcomers, denials: { 'spot-a': denied } }) });
    expect([shown([]), shown(['i-0']), shown(['i-0', 'i-1'])]).toEqual([2, 1, 0]);
  });
});

describe('members on demand that may leave', () => {
  it('are as many as the group has beyond its floor, and members on spot always may', () => {
    const three = [...members(spotA, 2), ...members(onDemandB, 3)];
    const floor = (owed: number) => beyondFloor(view({ group: group({ onDemand: { floor: owed, percent: 0 } }) }), three);
    const account = floor(2);
    account.take('spot-a#1');
    expect([account.allows('od-b#1'), account.allows('spot-a#2')]).toEqual([true, true]);
    account.take('od-b#1');
    expect([account.allows('od-b#2'), account.allows('spot-a#2')]).toEqual([false, true]);
    expect([floor(3).allows('od-b#1'), floor(0).allows('od-b#1')]).toEqual([false, true]);
  });
});

describe('launches for missing members', () => {
  const eight = [...members(spotA, 4), ...members(spotB, 4)];
  const keys = ['m7g.large/a/spot', 'm7g.large/b/spot', 'm7g.large/b/on-demand'];
  const refusedAt = (atMs: number) =>
    ({ kind: 'refused', code: 'InsufficientInstanceCapacity', atMs, coolingUntilMs: nowMs + 10 * minute, streak: 1 }) as const;

  it('go to a refused pool again after a minute, although its breaker is open, and only for members that are short', () => {
    const breaking = {
      group: group({ breaker: { interruptions: 5, withinMs: 10 * minute, holdMs: 60 * minute } }),
      state: state({
        memory: Object.fromEntries(keys.map((key, index) => [key, refusedAt(nowMs - minute - index)])),
        breakers: { spot: { openedAtMs: nowMs - minute, untilMs: nowMs + minute, interruptions: 5 } },
      }),
    };
    const { 'm7g.large/b/on-demand': _closed, ...spotOnly } = breaking.state.memory;
    const spotAlone = group({ ...breaking.group, capacity: { kind: 'pool', pool: 'spot-a' } });
    const asked = (rest: Partial<View>) =>
      proposed(missingMembers, { ...breaking, group: spotAlone, ...rest }).placements?.map(({ pool, count }) => [pool, count]);
    expect(asked({ members: eight, state: state({ ...breaking.state, memory: spotOnly }) })).toEqual([['spot-a', 1]]);
    const { deadlineMs: _deadline, drain: _drain, ...swap } = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    const ten = [...members(spotA, 5), ...members(spotB, 5)];
    expect(asked({ members: ten, swaps: [swap], state: state({ ...breaking.state, memory: spotOnly }) })).toEqual([]);
    const nine = ten.slice(1);
    expect(asked({ members: nine, swaps: [{ ...swap, instance: 'spot-a#2' }], state: state({ ...breaking.state, memory: spotOnly }) })).toEqual([
      ['spot-a', 1],
    ]);
  });

  it('are none for spares while earlier deaths bound those for the size', () => {
    const { placements, unplaced } = proposed(missingMembers, {
      group: group({ spare: 2 }),
      members: eight,
      state: state({ deaths: [{ atMs: nowMs, count: 19 }] }),
    });
    expect([countIn({ placements: placements ?? [] }), unplaced]).toEqual([1, 1]);
  });

  it('are counted once by both the limit of deaths and the limit of launches', () => {
    const bounded = proposed(missingMembers, {
      members: eight,
      state: state({ deaths: [{ atMs: nowMs, count: 19 }] }),
      group: group({ launches: { atMost: { kind: 'count', by: 1 }, withinMs: 10 * minute } }),
    });
    expect(bounded.remarks).toEqual([{ code: 'deaths-bounded', count: 1 }]);
    expect([countIn({ placements: bounded.placements ?? [] }), bounded.unplaced]).toEqual([1, 1]);
  });

  it('look again soon where another decision has not written yet who leaves, only while members are missing', () => {
    const { deadlineMs: _deadline, drain: _drain, ...chosen } = swapOf('spot-a#1', { reason: 'scale-in', state: 'leaving' });
    const look = (desired: number) => proposed(missingMembers, { swaps: [chosen], state: state({ desired }) });
    expect([look(10).wakeAtMs, look(9).wakeAtMs, look(10).placements]).toEqual([nowMs + 5_000, undefined, []]);
  });
});

describe('members that are owed on demand', () => {
  const owing = group({ onDemand: { floor: 2, percent: 0 } });
  const propose = (rest: Partial<View> = {}, soFar: Partial<Draft> = {}) => proposed(onDemandFloor, { group: owing, ...rest }, soFar);
  const moved = (rest: Partial<View> = {}, soFar: Partial<Draft> = {}): number => countIn({ placements: propose(rest, soFar).placements ?? [] });

  it('come while nothing else is decided', () => {
    const leaving = { instance: 'i', reason: 'scale-in', why: { code: 'stand-in', pool: 'spot-a' } } as const;
    const placement = { pool: 'spot-a', count: 1, offerings: [] };
    expect(moved()).toBe(2);
    const others: readonly Partial<Draft>[] = [
      { lack: 1 },
      { placements: [placement] },
      { removals: [leaving] },
      { drains: ['i'] },
      { removals: [leaving], drains: ['i'] },
      { placements: [placement], removals: [leaving] },
      { lack: -1, drains: ['i'] },
    ];
    expect(others.map((soFar) => moved({}, soFar))).toEqual(others.map(() => 0));
    expect(moved({}, { lack: -1 })).toBe(2);
  });

  it('come while the group has no more than it keeps, its spares and what a minimum size holds included', () => {
    expect(moved({ state: state({ desired: 9 }) })).toBe(0);
    expect(moved({ state: state({ desired: 9 }), group: { ...owing, spare: 1 } })).toBe(2);
    expect(moved({ state: state({ desired: 9 }) }, { keptByMinimum: 1 })).toBe(2);
    const coming = reservation({ instances: ['n-1'] });
    expect(moved({ state: state({ reservations: [coming] }) })).toBe(0);
    expect(moved({ state: state({ desired: 11, reservations: [coming] }) })).toBe(2);
  });

  it('come not while an Auto Scaling group launches by itself, or holds a member that EC2 does not show', () => {
    const attached = group({ ...owing, holding: { kind: 'attach', asg: 'web-asg' } });
    const ten = [...members(spotA, 5, { asg: 'web-asg' }), ...members(spotB, 5, { asg: 'web-asg' })];
    const held = (rest: Parameters<typeof asgView>[0]) => moved({ group: attached, members: ten, asgs: [asgView({ holds: idsOf(ten), ...rest })] });
    const unseen = { desired: 11, held: 11, holds: [...idsOf(ten), 'i-unseen'] };
    expect([held({}), held({ desired: 11 }), held(unseen)]).toEqual([2, 0, 0]);
    const reservations = [reservation({ instances: ['n-1'] })];
    const all = { group: attached, members: ten, state: state({ desired: 12, reservations }), asgs: [asgView(unseen)] };
    expect(moved(all)).toBe(0);
  });

  it('come no more than the account may launch, and not for members that leave for a move already', () => {
    expect([moved({ mayLaunch: 1 }), moved({ mayLaunch: 0 })]).toEqual([1, 0]);
    expect(propose({ mayLaunch: 0, state: state({ onDemandShort: 2 }) })).toEqual({ onDemandShort: 2 });
    const moves = [{ reservation: 'r-1', atMs: nowMs - 10 * minute, leaving: ['spot-b#1'], count: 1 }];
    const eleven: readonly Member[] = [...members(spotA, 5), ...members(spotB, 5), member('od', onDemandB, { reservation: 'r-1', serving: false })];
    const moving = propose({ members: eleven, state: state({ returns: { ...noReturns, moves } }) });
    expect(moving.placements?.map(({ moves: leaving }) => leaving)).toEqual([['spot-a#1']]);
  });

  it('are reported as missing when no pool on demand gives them, and no members are moved', () => {
    const denied = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs, untilMs: nowMs + minute };
    expect(propose({ state: state({ denials: { 'od-b': denied } }) })).toEqual({
      onDemandShort: 2,
      remarks: [{ code: 'on-demand-short', owed: 2, held: 0 }],
    });
    expect(propose({ group: group() })).toEqual({});
    const oneOnDemand = [...members(spotA, 5), ...members(spotB, 4), ...members(onDemandB, 1)];
    expect(propose({ members: oneOnDemand, state: state({ denials: { 'od-b': denied } }) }).onDemandShort).toBe(1);
    const replacedNow = {
      members: [...members(spotA, 1), ...members(onDemandB, 1)],
      swaps: [swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' })],
      state: state({ desired: 2, denials: { 'od-b': denied }, reservations: [reservation({ instances: ['n-1'] })] }),
    };
    expect(propose(replacedNow).onDemandShort).toBe(1);
    expect(propose({ members: [...members(spotA, 8), ...members(onDemandB, 2)], state: state({ onDemandShort: 1 }) })).toEqual({});
  });
});

describe('members whose replacements serve in better places', () => {
  const moves = [{ reservation: 'r-1', atMs: nowMs - minute, leaving: ['od-b#1', 'od-b#2'], count: 2 }];
  const there = [...members(spotA, 4), ...members(spotB, 4), ...members(onDemandB, 2)];
  const came = (serving: number, rest: Partial<Member> = {}) =>
    members({ ...spotA, name: 'new' }, serving, { pool: 'spot-a', reservation: 'r-1', ...rest });
  const left = (list: readonly Member[], rest: Partial<View> = {}) =>
    idsOf(proposed(replaced, { members: list, state: state({ returns: { ...noReturns, moves } }), ...rest }).removals);

  it('leave, each for one of them', () => {
    expect([left(there), left([...there, ...came(1)]), left([...there, ...came(2)])]).toEqual([[], ['od-b#1'], ['od-b#1', 'od-b#2']]);
  });

  it('stay while so few members serve that the group would be short of its size', () => {
    const idle = there.map((one) => (one.instance === 'spot-a#1' ? { ...one, serving: false } : one));
    expect(left([...idle, ...came(2)])).toEqual(['od-b#1']);
  });

  it('stay where the minimum of their Auto Scaling group keeps them', () => {
    const asg = asgView({ name: 'in-b', min: 1, desired: 2, held: 2, holds: ['od-b#1', 'od-b#2'] });
    expect(left([...there, ...came(2)], { asgs: [asg] })).toEqual(['od-b#1']);
  });

  it('leave no more than the group has above its size, after what an Auto Scaling group ends by itself', () => {
    const spare = { ...swapOf('spot-a#1'), state: 'draining' as const };
    expect(left([...there, ...came(2)], { swaps: [spare] })).toEqual(['od-b#1']);
    const ends = asgView({ name: 'in-a', desired: 3, held: 4, holds: idsOf(members(spotA, 4)) });
    expect(left([...there, ...came(2)], { asgs: [ends] })).toEqual(['od-b#1']);
  });

  it('are claimed: no later rule lets the same members leave', () => {
    const situation = situationOf({ members: [...there, ...came(2)], state: state({ returns: { ...noReturns, moves } }) });
    replaced.propose(situation, emptyDraft);
    expect(idsOf(situation.arbiter.unclaimed())).toEqual(idsOf([...there.slice(0, 8), ...came(2)]));
  });
});

describe('members with a better place', () => {
  const rule = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'count', by: 5 }, timezone: 'UTC' } as const;
  const there = [...members(spotA, 4), ...members(spotB, 4), ...members(onDemandB, 2)];
  const moved = (soFar: Partial<Draft> = {}, rest: Partial<View> = {}) =>
    countIn({ placements: proposed(returns, { group: group({ returning: rule }), members: there, ...rest }, soFar).placements ?? [] });

  it('move while nothing else is decided', () => {
    const leaving = { instance: 'i', reason: 'scale-in', why: { code: 'stand-in', pool: 'spot-a' } } as const;
    const placement = { pool: 'spot-a', count: 1, offerings: [] };
    const others: readonly Partial<Draft>[] = [
      { lack: 1 },
      { lack: -1 },
      { placements: [placement] },
      { drains: ['i'] },
      { removals: [leaving], drains: ['i'] },
      { placements: [placement], removals: [leaving] },
    ];
    expect([moved(), ...others.map((soFar) => moved(soFar))]).toEqual([2, ...others.map(() => 0)]);
    expect(moved({}, { mayLaunch: 1 })).toBe(1);
  });

  it('leave for a spare only while the others serve the desired size', () => {
    const noSpot = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + minute, streak: 1 } as const;
    const spared = (list: readonly Member[], asgs: View['asgs'] = []) =>
      idsOf(
        proposed(returns, {
          group: group({ returning: rule, spare: 2 }),
          members: list,
          asgs,
          state: state({ desired: 4, memory: { 'm7g.large/a/spot': noSpot, 'm7g.large/b/spot': noSpot } }),
        }).removals,
      );
    const list = [...members(spotA, 4), ...members(onDemandB, 2)];
    expect(spared(list)).toEqual(['od-b#1', 'od-b#2']);
    const asg = asgView({ name: 'in-b', min: 1, desired: 2, held: 2, holds: ['od-b#1', 'od-b#2'] });
    expect(spared(list, [asg])).toEqual(['od-b#1']);
  });

  it('are claimed where they leave at once: no later rule lets the same members leave', () => {
    const noSpot = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + minute, streak: 1 } as const;
    const situation = situationOf({
      group: group({ returning: rule, spare: 2 }),
      members: [...members(spotA, 4), ...members(onDemandB, 2)],
      state: state({ desired: 4, memory: { 'm7g.large/a/spot': noSpot, 'm7g.large/b/spot': noSpot } }),
    });
    expect(idsOf(returns.propose(situation, emptyDraft).removals)).toHaveLength(2);
    expect(idsOf(situation.arbiter.unclaimed())).toEqual(idsOf(members(spotA, 4)));
  });
});

describe('members above the minimum of their Auto Scaling group', () => {
  it('are counted without those that leave already, in each Auto Scaling group by itself', () => {
    const asgs = [
      asgView({ name: 'in-a', min: 2, desired: 3, held: 3, holds: ['spot-a#1', 'spot-a#2', 'leaves'] }),
      asgView({ name: 'in-b', min: 0, desired: 2, held: 2, holds: ['spot-b#1', 'spot-b#2'] }),
    ];
    const account = aboveMinimum(asgs, [...members(spotA, 2), ...members(spotB, 2)]);
    expect([account.total, account.allows('spot-a#1'), account.allows('spot-b#1')]).toEqual([2, false, true]);
  });
});
