import { describe, expect, it } from 'vitest';
import type { Swap } from '../../../core/swap/swap.ts';
import { isStray, takeHeadcount } from '../../../core/view/headcount.ts';
import type { AsgView, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, reservation, spotA, state, swapOf, view } from '../views.ts';

const four = members(spotA, 4);
const count = (rest: Partial<View>) => takeHeadcount(view({ members: four, ...rest }));
const idsOf = (all: readonly { readonly instance: string }[]) => all.map(({ instance }) => instance);
const asg: AsgView = { name: 'web-asg', min: 0, max: 9, desired: 4, held: 4, holds: idsOf(four), suspended: [] };
const timeless = (instance: string, rest: Partial<Swap>): Swap => {
  const { deadlineMs: _deadline, ...swap } = swapOf(instance, { reason: 'rebalance', ...rest });
  return swap;
};

describe('members that stay', () => {
  it('are those that are shown, have not ended, and do not leave', () => {
    expect(idsOf(count({ ended: ['spot-a#1'], swaps: [swapOf('spot-a#2')] }).staying)).toEqual(['spot-a#3', 'spot-a#4']);
  });
  it('are also those whose swap waits for its turn', () => {
    const { staying, waiting } = count({ swaps: [timeless('spot-a#1', { state: 'waiting' }), timeless('i-gone', { state: 'waiting' })] });
    expect(staying).toHaveLength(4);
    expect(idsOf(waiting)).toEqual(['spot-a#1']);
  });
});

describe('launches under way', () => {
  const flying = (rest: Parameters<typeof reservation>[0], more: Partial<View> = {}) => {
    const { inFlight, inFlightCount } = count({ state: state({ reservations: [reservation(rest)] }), ...more });
    expect(inFlightCount).toBe(inFlight.reduce((sum, one) => sum + one.count, 0));
    return inFlightCount;
  };
  const granted = { instances: ['i-1', 'i-2'] };
  it('are what was requested, less what describes show of it', () => {
    expect(flying({})).toBe(2);
    expect(flying({}, { members: [...four, member('i-1', spotA, { reservation: 'r-1' }), member('i-x', spotA, { reservation: 'r-2' })] })).toBe(1);
    expect(flying({}, { members: members(spotA, 3, { reservation: 'r-1' }) })).toBe(0);
  });
  it('are less by the instances of the request that have ended, while it has no response', () => {
    const shown = [...four, member('i-1', spotA, { reservation: 'r-1' })];
    expect(flying({}, { members: shown, ended: ['i-1'] })).toBe(1);
    expect(flying({}, { ended: ['i-1'], endedUnder: { 'r-1': 1, 'r-2': 1 } })).toBe(1);
    expect(flying({}, { members: shown, ended: ['i-2'], endedUnder: { 'r-1': 1 } })).toBe(0);
    expect(flying({}, { endedUnder: { 'r-1': 3 } })).toBe(0);
    expect(flying(granted, { endedUnder: { 'r-1': 1 } })).toBe(2);
  });
  it('are what was granted, less what is shown, has ended, leaves, or holds no place', () => {
    expect(flying(granted)).toBe(2);
    expect(flying(granted, { members: [...four, member('i-1', spotA)] })).toBe(1);
    expect(flying(granted, { ended: ['i-1'] })).toBe(1);
    expect(flying(granted, { aside: ['i-1'] })).toBe(1);
    expect(flying(granted, { swaps: [swapOf('i-1')] })).toBe(1);
    expect(flying(granted, { swaps: [timeless('i-1', { state: 'waiting' })] })).toBe(2);
  });
  it('count until their time is over, and requests without a response count for as long as they are kept', () => {
    expect(flying({ ...granted, forgetAtMs: nowMs + 1 })).toBe(2);
    expect(flying({ ...granted, forgetAtMs: nowMs })).toBe(0);
    expect(flying({ forgetAtMs: nowMs })).toBe(2);
  });
  it('say when they are repeated, if they are', () => {
    const repeats = (rest: Parameters<typeof reservation>[0]) =>
      count({ state: state({ reservations: [reservation({ leaseUntilMs: nowMs + 7, ...rest })] }) }).inFlight[0];
    expect(repeats({})).toMatchObject({ pool: 'spot-b', repeatAtMs: nowMs + 7 });
    expect(repeats(granted)).not.toHaveProperty('repeatAtMs');
    expect(repeats({ unanswerable: true })).not.toHaveProperty('repeatAtMs');
  });
  it('are also what an Auto Scaling group launched by itself, and EC2 does not show yet', () => {
    const holds = ['i-1', 'i-2', 'i-3', 'i-4', 'spot-a#1'];
    const found = count({
      asgs: [{ ...asg, holds }],
      ended: ['i-1'],
      swaps: [swapOf('i-2')],
      state: state({
        reservations: [
          reservation({ instances: ['i-3'], forgetAtMs: nowMs }),
          reservation({ id: 'r-2', placement: { pool: 'spot-b', count: 0, offerings: [] } }),
        ],
      }),
    });
    expect(found).toMatchObject({ inFlight: [], inFlightCount: 1 });
  });
  it('count twice for a request without a response, while its Auto Scaling group shows instances that EC2 does not: it may have launched them by itself', () => {
    const two = { placement: { pool: 'spot-b', count: 2, offerings: [] } };
    const shown = (instances?: readonly string[]) =>
      count({
        asgs: [{ ...asg, holds: ['i-1', 'i-2'] }],
        state: state({ reservations: [reservation({ ...two, ...(instances && { instances }) })] }),
      });
    expect(shown().inFlightCount).toBe(4);
    expect(shown(['i-1', 'i-2']).inFlightCount).toBe(2);
  });
});

describe('a stray', () => {
  const unknown = member('i-1', spotA, { pool: undefined });
  const { reservation: _none, ...stray } = unknown;
  it('is of no pool, of no reservation and in no Auto Scaling group', () => {
    expect(isStray(group(), stray)).toBe(true);
    expect(isStray(group(), { ...stray, pool: 'spot-a' })).toBe(false);
    expect(isStray(group(), { ...stray, reservation: 'r-1' })).toBe(false);
    expect(isStray(group(), { ...stray, asg: 'web-asg' })).toBe(false);
    expect(isStray(group({ holding: { kind: 'attach', asg: 'web-asg' } }), stray)).toBe(false);
  });
  it('is no member, and counts on its own until it leaves', () => {
    const { staying, strays } = count({ members: [...four, stray] });
    expect([idsOf(staying), idsOf(strays)]).toEqual([idsOf(four), ['i-1']]);
    expect(count({ members: [...four, stray], swaps: [swapOf('i-1')] }).strays).toEqual([]);
  });
});

describe('a leaving member holds its place', () => {
  const drainFirst = group({ swap: { order: 'drain-first', maxSurge: 1 } });
  const holds = (swap: Swap, of = drainFirst) => idsOf(count({ group: of, swaps: [swap] }).holdingPlace).length === 1;
  it('with drain-first until it is drained, if it can wait', () => {
    expect(holds(timeless('spot-a#1', { state: 'leaving' }))).toBe(true);
    expect(holds(timeless('spot-a#1', { state: 'draining' }))).toBe(true);
    expect(holds(timeless('spot-a#1', { state: 'drained' }))).toBe(false);
    expect(holds(timeless('spot-a#1', { state: 'waiting' }))).toBe(false);
  });
  it('not with launch-first, with a deadline, or without a replacement', () => {
    expect(holds(timeless('spot-a#1', { state: 'draining' }), group())).toBe(false);
    expect(holds(swapOf('spot-a#1', { reason: 'rebalance', state: 'draining' }))).toBe(false);
    expect(holds(timeless('spot-a#1', { reason: 'scale-in', state: 'draining' }))).toBe(false);
    expect(holds(timeless('spot-a#1', { reason: 'hook', state: 'draining' }))).toBe(false);
  });
  it('in either order while only a decision has chosen it to begin', () => {
    const { drain: _drain, ...chosen } = timeless('spot-a#1', { state: 'leaving' });
    expect(holds(chosen, group())).toBe(true);
    expect(holds({ ...chosen, drain: 'web-1-d0' }, group())).toBe(false);
    expect(holds({ ...chosen, instance: 'i-gone' }, group())).toBe(false);
    expect(holds({ ...chosen, state: 'drained' }, group())).toBe(false);
    expect(holds({ ...chosen, deadlineMs: nowMs }, group())).toBe(false);
    expect(holds({ ...chosen, reason: 'scale-in' }, group())).toBe(false);
  });
});

describe('a member that only a decision has chosen to leave, without a replacement', () => {
  const { drain: _drain, ...chosen } = timeless('spot-a#1', { reason: 'scale-in', state: 'leaving' });
  const undecided = (swap: Swap) => idsOf(count({ swaps: [swap] }).undecided);
  it('is undecided until its swap is written', () => {
    expect(undecided(chosen)).toEqual(['spot-a#1']);
    expect(undecided({ ...chosen, drain: 'web-1-d0' })).toEqual([]);
    expect(undecided({ ...chosen, state: 'draining' })).toEqual([]);
    expect(undecided({ ...chosen, reason: 'rebalance' })).toEqual([]);
    expect(undecided({ ...chosen, instance: 'i-gone' })).toEqual([]);
  });
  it('is none where it is a stray', () => {
    const { reservation: _none, ...stray } = member('spot-a#1', spotA, { pool: undefined });
    expect(count({ members: [stray], swaps: [chosen] }).undecided).toEqual([]);
  });
});
