import { expect, it } from 'vitest';
import { keptByMinimum, toBeMoved } from '../../../core/swap/moved-members.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { AsgView } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { group, nowMs, spotA, swapOf } from '../views.ts';

const six = ['i-1', 'i-2', 'i-3', 'i-4', 'i-5', 'i-6'];
const fleet = (rest: Partial<AsgView> = {}): AsgView => ({ name: 'fleet', min: 0, max: 6, desired: 6, held: 6, holds: six, suspended: [], ...rest });
const held = six.map((id) => member(id, spotA, { asg: 'fleet' }));
const moved = (of: ReturnType<typeof group>, rest: Partial<Parameters<typeof toBeMoved>[0]> = {}) =>
  toBeMoved({ group: of, members: held, swaps: [], asgs: [fleet()], ...rest }).map(({ instance }) => instance);
const attached = (asg: string) => group({ holding: { kind: 'attach', asg } });

it('members of an Auto Scaling group that the policy names stay where they are', () => {
  expect(moved(attached('fleet'))).toEqual([]);
});

it('members of another, or of any where Holdfast keeps the group itself, are to be moved', () => {
  expect(moved(attached('next'))).toEqual(six);
  expect(moved(group())).toEqual(six);
});

it('members of a dropped pool are not', () => {
  expect(moved(group({ holding: { kind: 'launch-instances' } }))).toEqual([]);
});

it('members outside of Auto Scaling groups are, where each pool is one', () => {
  const loose = [member('i-outside', spotA, { isOutside: true }), member('i-unshown', spotA)];
  expect(moved(group({ holding: { kind: 'launch-instances' } }), { members: loose })).toEqual(['i-outside']);
});

it('as many as a minimum keeps, protected ones, and those that leave already are left alone', () => {
  expect(moved(attached('next'), { asgs: [fleet({ min: 4 })] })).toEqual(['i-1', 'i-2']);
  expect(moved(attached('next'), { asgs: [fleet({ min: 4 })], swaps: [swapOf('i-1')] })).toEqual(['i-2']);
  expect(moved(attached('next'), { members: held.map((one) => ({ ...one, protected: one.instance !== 'i-6' })) })).toEqual(['i-6']);
});

it('a member that was to be moved stays if others have used the room above the minimum', () => {
  const toMove = six.slice(0, 4).map((instance, index) => swapOf(instance, { reason: 'moved', state: 'waiting', claimedAtMs: nowMs + index }));
  const kept = (swaps: readonly Swap[], rest: Partial<AsgView> = {}) => [...keptByMinimum(swaps, [fleet({ min: 2, ...rest })])];
  expect(kept(toMove)).toEqual([]);
  expect(kept([...toMove, swapOf('i-5'), swapOf('i-6', { state: 'draining' })])).toEqual(['i-3', 'i-4']);
  expect(kept([...toMove, swapOf('i-5', { state: 'gone' })])).toEqual([]);
  expect(kept([...toMove, swapOf('i-5', { state: 'withdrawn' }), swapOf('i-6', { state: 'withdrawn' })])).toEqual([]);
  expect(kept(toMove, { desired: 4, holds: six.slice(0, 4) })).toEqual(['i-3', 'i-4']);
  const [first, second] = toMove.map((swap) => ({ ...swap, state: 'leaving' as const }));
  expect(kept([...(first && second ? [first, second] : []), ...toMove.slice(2)], { desired: 4, holds: six.slice(0, 4) })).toEqual(['i-3', 'i-4']);
  const atOnce = [...toMove].reverse().map((swap) => ({ ...swap, claimedAtMs: nowMs }));
  expect(kept(atOnce, { desired: 4, holds: six.slice(0, 4) })).toEqual(['i-3', 'i-4']);
  const refused = swapOf('i-1', { reason: 'moved', state: 'drained' });
  expect(kept([refused], { desired: 2, holds: ['i-1', 'i-2'] })).toEqual(['i-1']);
});

it('a member whose drain runs goes on to leave, although the minimum has no room any more', () => {
  const draining = swapOf('i-1', { reason: 'moved', state: 'draining' });
  expect([...keptByMinimum([draining], [fleet({ min: 6 })])]).toEqual([]);
});

it('the same members stay in whatever order the swaps are read', () => {
  const toMove = ['i-1', 'i-2'].map((instance) => swapOf(instance, { reason: 'moved', state: 'waiting' }));
  const kept = (swaps: readonly Swap[]) => [...keptByMinimum(swaps, [fleet({ min: 5 })])];
  expect([kept(toMove), kept(toMove.toReversed())]).toEqual([['i-2'], ['i-2']]);
});
