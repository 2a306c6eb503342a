import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import { arrived, movesNow, movesUnderWay, replacedMembers } from '../../../core/returning/under-way.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';
import { minute, rule } from './returning-views.ts';

const moveOf = (id: string, leaving: readonly string[], agoMs = minute) => ({ reservation: id, atMs: nowMs - agoMs, leaving, count: leaving.length });
const cameFor = (id: string, count: number) => members({ ...spotA, name: `new-${id}` }, count, { pool: 'spot-a', reservation: id });

/** Four members on demand that leave, and their replacements. */
const there = (
  moves: readonly ReturnType<typeof moveOf>[],
  arrivals: View['members'],
  more: Partial<GroupState> = {},
  rest: Partial<View> = {},
): View =>
  view({
    group: group({ returning: rule }),
    members: [...members(onDemandB, 4), ...arrivals],
    state: state({ desired: 4, returns: { ...noReturns, moves }, ...more }),
    ...rest,
  });
const leavingIn = (look: View) => movesUnderWay(look, takeHeadcount(look)).map(({ leaving }) => leaving);

describe('moves under way', () => {
  const two = [moveOf('r-1', ['od-b#1', 'od-b#2']), moveOf('r-2', ['od-b#3', 'od-b#4'])];

  it('let as many leave as have a replacement each', () => {
    expect(leavingIn(there(two, [...cameFor('r-1', 2), ...cameFor('r-2', 2)]))).toEqual([
      ['od-b#1', 'od-b#2'],
      ['od-b#3', 'od-b#4'],
    ]);
    expect(leavingIn(there(two, [...cameFor('r-1', 1), ...cameFor('r-2', 2)]))).toEqual([['od-b#1'], ['od-b#3', 'od-b#4']]);
  });

  it('let no more leave than the group has above its size, the earlier move first', () => {
    expect(leavingIn(there(two, [...cameFor('r-1', 2), ...cameFor('r-2', 2)], { desired: 5 }))).toEqual([['od-b#1', 'od-b#2'], ['od-b#3']]);
    expect(leavingIn(there(two, [...cameFor('r-1', 2), ...cameFor('r-2', 2)], { desired: 7 }))).toEqual([['od-b#1']]);
  });

  it('count replacements that no describe shows yet, by their own reservation', () => {
    const coming = (...reservations: GroupState['reservations']) => leavingIn(there(two.slice(0, 1), [], { reservations }));
    const granted = { replaces: [], instances: ['n-1', 'n-2'] };
    expect(coming(reservation({ id: 'r-1', ...granted }))).toEqual([['od-b#1', 'od-b#2']]);
    expect(coming(reservation({ id: 'r-1', instances: ['n-1'] }), reservation({ id: 'r-9', ...granted }))).toEqual([['od-b#1']]);
    expect(coming(reservation({ id: 'r-9', ...granted }))).toEqual([]);
  });

  it('let as many leave as were granted, also where a describe shows those already', () => {
    const granted = reservation({ id: 'r-1', instances: ['new-r-1#1'] });
    expect(leavingIn(there(two.slice(0, 1), [...cameFor('r-1', 1), ...cameFor('r-9', 1)], { reservations: [granted] }))).toEqual([['od-b#1']]);
  });

  it('count no replacement that leaves already: its move ends, and the next one goes on', () => {
    const one = [moveOf('r-1', ['od-b#1']), moveOf('r-2', ['od-b#2'])];
    const arrivals = [...cameFor('r-1', 1), ...cameFor('r-2', 1)];
    const reservations = ['r-1', 'r-2'].map((id) => reservation({ id, instances: [`new-${id}#1`] }));
    const warned = swapOf('new-r-1#1', { state: 'leaving' });
    expect(leavingIn(there(one, arrivals, { reservations }))).toEqual([['od-b#1'], ['od-b#2']]);
    expect(leavingIn(there(one, arrivals, { reservations }, { swaps: [warned] }))).toEqual([['od-b#2']]);
    expect(leavingIn(there(one, arrivals.slice(1), { reservations }, { ended: ['new-r-1#1'] }))).toEqual([['od-b#2']]);
  });

  it('spare a member that waits to be replaced itself', () => {
    const waits = swapOf('od-b#1', { reason: 'rebalance', state: 'waiting', pool: 'od-b', offering: 'm7g.large/b/on-demand' });
    expect(leavingIn(there(two.slice(0, 1), cameFor('r-1', 2), {}, { swaps: [waits] }))).toEqual([['od-b#2']]);
  });

  it('take no member whose place its own replacement does not fill: one that waits counts as gone', () => {
    const waits = swapOf('od-b#4', { reason: 'rebalance', state: 'waiting', pool: 'od-b', offering: 'm7g.large/b/on-demand' });
    expect(leavingIn(there(two.slice(0, 1), cameFor('r-1', 2), {}, { swaps: [waits] }))).toEqual([['od-b#1']]);
  });

  it('let the youngest other member of the same place leave, if the user protects one after the move began', () => {
    const came = [...cameFor('r-1', 1), ...cameFor('r-2', 1)];
    const leavingWith = (change: (of: Member) => Partial<Member>) => {
      const look = there([moveOf('r-1', ['od-b#1']), moveOf('r-2', ['od-b#2'])], came);
      return leavingIn({ ...look, members: look.members.map((of) => ({ ...of, ...change(of) })) });
    };
    const isFirst = ({ instance }: Member) => instance === 'od-b#1';
    const young = { launchedAtMs: nowMs - minute };
    expect(leavingWith((of) => ({ protected: isFirst(of), ...(of.instance === 'od-b#4' && young) }))).toEqual([['od-b#4'], ['od-b#2']]);
    expect(leavingWith((of) => ({ protected: isFirst(of), ...(of.instance === 'od-b#3' && young) }))).toEqual([['od-b#3'], ['od-b#2']]);
    expect(leavingWith((of) => ({ protected: isFirst(of), ...(!isFirst(of) && of.pool === 'od-b' && { pool: 'spot-b' }) }))).toEqual([['od-b#2']]);
    expect(leavingWith((of) => ({ protected: of.pool === 'od-b' }))).toEqual([]);
  });

  it('go on where shares leave no room for a spare: the replacement is none', () => {
    const shared = { group: group({ returning: rule, spare: 1, maxShare: { instanceType: 100 } }) };
    const mixed = [...members(onDemandB, 3), ...members(spotB, 1), ...cameFor('r-1', 1)];
    const one = [moveOf('r-1', ['od-b#1'])];
    expect(leavingIn(there(one, [], {}, { ...shared, members: mixed }))).toEqual([['od-b#1']]);
    const { removals } = decide(there(one, [], {}, { ...shared, members: mixed.map((of) => ({ ...of, serving: of.reservation !== 'r-1' })) }));
    expect(removals).toEqual([]);
  });

  it('keep what the group owes on demand', () => {
    const owing = (floor: number) => ({ group: group({ returning: rule, onDemand: { floor, percent: 0 } }) });
    const left = (floor: number) => leavingIn(there(two.slice(0, 1), cameFor('r-1', 2), {}, owing(floor)));
    expect([left(2), left(3), left(4)]).toEqual([[['od-b#1', 'od-b#2']], [['od-b#1']], []]);
  });
});

describe('replacements above the desired size', () => {
  const look = there([moveOf('r-1', ['od-b#1', 'od-b#2'])], cameFor('r-1', 1), {
    desired: 3,
    reservations: [reservation({ id: 'r-1', instances: ['n-1', 'n-2'] })],
  });
  const underWay = movesUnderWay(look, takeHeadcount(look));

  it('are those that describes show, for members that still stay', () => {
    expect(underWay.map(({ leaving }) => leaving)).toEqual([['od-b#1', 'od-b#2']]);
    expect(arrived(underWay, () => true)).toBe(1);
    expect(arrived(underWay, (instance) => instance === 'od-b#2')).toBe(1);
    expect(arrived(underWay, () => false)).toBe(0);
  });

  it('may be members without a reservation, while the request of their Auto Scaling group has no response', () => {
    const byAsg = group({ returning: rule });
    const inAsg = { ...byAsg, pools: { ...byAsg.pools, 'spot-b': { ...byAsg.pools['spot-b'], name: 'spot-b', asg: 'spot-b' } } } as typeof byAsg;
    const open = reservation({ id: 'r-1' });
    const fresh = { launchedAtMs: nowMs - 900 };
    const came = (arrival: Partial<View['members'][number]>, request = open, of = inAsg, others: GroupState['reservations'] = []) => {
      const reservations = [request, ...others];
      const at = there([moveOf('r-1', ['od-b#1', 'od-b#2'])], [{ ...member('new', spotB), ...arrival }], { reservations }, { group: of });
      return arrived(movesUnderWay(at, takeHeadcount(at)), () => true);
    };
    expect(came(fresh)).toBe(1);
    expect(came({ launchedAtMs: nowMs - 60_000 })).toBe(0);
    expect(came({ ...fresh, reservation: 'r-9' })).toBe(0);
    expect(came({ ...fresh, pool: 'spot-a' })).toBe(0);
    expect(came(fresh, { ...open, instances: ['n-1', 'n-2'] })).toBe(0);
    expect(came(fresh, { ...open, instances: ['n-1', 'n-2'] }, inAsg, [{ ...open, id: 'r-9' }])).toBe(0);
    expect(came(fresh, open, byAsg)).toBe(0);
  });

  it('name their pool to the member that leaves', () => {
    expect(replacedMembers(underWay, nowMs)).toEqual([
      { instance: 'od-b#1', reason: 'return', why: { code: 'return', reservation: 'r-1', pool: 'spot-a' } },
    ]);
    const unknown = underWay.map((one) => ({ ...one, shown: [{ ...member('n', spotA), pool: undefined }] }));
    expect(replacedMembers(unknown, nowMs)).toStrictEqual([{ instance: 'od-b#1', reason: 'return', why: { code: 'return', reservation: 'r-1' } }]);
  });
});

describe('moves that are remembered', () => {
  const moves = [moveOf('r-1', ['od-b#1'], 40 * minute), moveOf('r-2', ['gone'], 14 * minute), moveOf('r-3', ['gone'], 15 * minute)];
  const kept = (look: View) => movesNow(look, takeHeadcount(look)).map(({ reservation: id, leaving }) => [id, leaving]);
  const latest = [
    ['r-1', ['od-b#1']],
    ['r-2', []],
  ];

  it('are under way, count for the budget of the policy, or may still be undone', () => {
    expect(kept(there(moves, cameFor('r-1', 1)))).toEqual(latest);
    const longer = group({ returning: { ...rule, everyMs: 20 * minute } });
    expect(kept(there(moves, cameFor('r-1', 1), {}, { group: longer }))).toEqual([...latest, ['r-3', []]]);
  });

  it('name a member whose drain has not begun, beside those that are to leave: its drain may be called off', () => {
    const draining = (state: Swap['state'], names: readonly string[]) =>
      kept(there([moveOf('r-1', names)], cameFor('r-1', 2), {}, { swaps: [swapOf('od-b#1', { state })] }));
    expect(draining('leaving', ['od-b#1', 'od-b#2'])).toEqual([['r-1', ['od-b#1', 'od-b#2']]]);
    expect(draining('leaving', ['od-b#1'])).toEqual([['r-1', ['od-b#1']]]);
    expect(draining('draining', ['od-b#1'])).toEqual([['r-1', []]]);
  });

  it('are those under way and those that may still be undone, once the policy allows no more moves', () => {
    expect(kept(there(moves, cameFor('r-1', 1), {}, { group: group() }))).toEqual(latest);
  });
});
