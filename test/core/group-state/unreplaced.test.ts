import { expect, it } from 'vitest';
import { withUnreplaced } from '../../../core/group-state/unreplaced.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { View } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { group, reservation, spotA, state, swapOf, view } from '../views.ts';

const drainFirst = group({ swap: { order: 'drain-first', maxSurge: 3 } });
const draining = (instance: string, rest: Partial<Swap> = {}): Swap => {
  const { deadlineMs: _deadline, ...swap } = swapOf(instance, { reason: 'rebalance', state: 'draining', ...rest });
  return swap;
};
const two = [draining('spot-a#1'), draining('spot-a#2')];

/** Five members on spot, two of which drain. The size was `before`, and is `desired` now. */
const after = (before: number, desired: number, rest: Partial<View> = {}, known: Parameters<typeof state>[0] = {}) =>
  withUnreplaced(view({ group: drainFirst, members: members(spotA, 5), swaps: two, ...rest, state: state({ ...known, desired }) }), before)
    .unreplaced;

it('a draining member is not replaced where the size falls and enough stay without it', () => {
  expect(after(5, 4)).toEqual(['spot-a#1']);
  expect(after(5, 3)).toEqual(['spot-a#1', 'spot-a#2']);
  expect(after(5, 2)).toEqual(['spot-a#1', 'spot-a#2']);
});

it('it is replaced where the size stays or grows', () => {
  expect(after(5, 5)).toBeUndefined();
  expect(after(3, 5)).toBeUndefined();
  expect(after(3, 3)).toBeUndefined();
});

it('as many places go as the size fell by, and none that the size still needs', () => {
  expect(after(4, 3)).toEqual(['spot-a#1']);
  expect(after(6, 5)).toBeUndefined();
  expect(after(6, 5, { state: state({ desired: 5 }), members: members(spotA, 6) })).toEqual(['spot-a#1']);
});

it('launches under way count as members that stay', () => {
  const inFlight = { reservations: [reservation({ instances: ['i-new'] })] };
  expect(after(6, 5, {}, inFlight)).toEqual(['spot-a#1']);
});

it('only swaps that drain first and whose drain is ordered lose their place', () => {
  const { drain: _drain, ...chosen } = draining('spot-a#1', { state: 'leaving' });
  expect(after(5, 3, { swaps: [chosen, draining('spot-a#2')] })).toEqual(['spot-a#2']);
  expect(after(5, 3, { swaps: two.map((swap) => ({ ...swap, reason: 'scale-in' as const })) })).toBeUndefined();
  expect(after(5, 3, { group: group() })).toBeUndefined();
});

it('the state names them until their drain is over', () => {
  const known = { unreplaced: ['spot-a#1'] };
  expect(after(4, 4, {}, known)).toEqual(['spot-a#1']);
  expect(after(4, 4, { swaps: [draining('spot-a#1', { state: 'drained' })] }, known)).toBeUndefined();
  expect(after(4, 3, {}, known)).toEqual(['spot-a#1', 'spot-a#2']);
});

it('they hold no place, so a member that is lost later is missing at once', () => {
  const placesAt = (unreplaced: readonly string[]) =>
    takeHeadcount(view({ group: drainFirst, members: members(spotA, 5), swaps: two, state: state({ unreplaced }) })).holdingPlace.length;
  expect([placesAt([]), placesAt(['spot-a#1']), placesAt(['spot-a#1', 'spot-a#2'])]).toEqual([2, 1, 0]);
});
