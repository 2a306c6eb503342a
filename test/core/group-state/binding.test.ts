import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { bind, mostPerRequest } from '../../../core/group-state/binding.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { decisionOf } from '../decisions.ts';
import { asgView, group, nowMs, reservation, state, swapOf, view } from '../views.ts';

const bound = (of: ReturnType<typeof view>) => bind(decide(of), of, { decision: 'd-2', round: 0, leaseMs: 35_000 });

describe('a decision that is made binding', () => {
  it('requests no more than a fleet takes in one request, each part under a token of its own', () => {
    const large = view({
      group: group({ size: { min: 0, max: 50_000, desired: 25_000 }, capacity: { kind: 'pool', pool: 'od-b' } }),
      state: state({ desired: 25_010 }),
    });
    const { fresh } = bound(large);
    expect(fresh.map(({ placement }) => placement.count)).toEqual([mostPerRequest, mostPerRequest, 5_000]);
    expect(new Set(fresh.map(({ token }) => token)).size).toBe(3);
    expect(fresh.every(({ id, token }) => id === token && token.length <= 64)).toBe(true);
  });

  it('keeps each request whole outside the state item, and its reservation in brief inside', () => {
    const instanceTypes = Array.from({ length: 200 }, (_, index) => `m${index}.large`);
    const { pools } = group();
    const many = group({ pools: { ...pools, 'od-b': { ...pools['od-b'], instanceTypes } as never }, capacity: { kind: 'pool', pool: 'od-b' } });
    const { fresh, state: written } = bound(view({ group: many, state: state({ desired: 12 }) }));
    expect(fresh.map(({ placement }) => placement.offerings.length)).toEqual([200]);
    expect(written.reservations.map(({ placement }) => placement.offerings.length)).toEqual([1]);
  });

  it('takes up open requests without a worker, as they were made', () => {
    const open = reservation({ leaseUntilMs: nowMs });
    const again = { leaseUntilMs: nowMs + 35_000, repeatFromMs: nowMs + 12_000, forgetAtMs: nowMs + 180_000 };
    const { repeated, state: written } = bound(view({ state: state({ reservations: [open] }) }));
    expect(repeated).toEqual([{ before: open, reservation: { ...open, ...again } }]);
    expect(written.reservations).toEqual([repeated[0]?.reservation]);
  });

  it('takes up a request whose response is overdue before its lease ends, also a repeat', () => {
    const onDemand = group({ capacity: { kind: 'pool', pool: 'od-b' } });
    const made = bound(view({ group: onDemand, state: state({ desired: 12 }) })).state;
    expect(made.reservations).toMatchObject([{ leaseUntilMs: nowMs + 35_000, repeatFromMs: nowMs + 12_000 }]);
    const at = (written: GroupState, afterMs: number) => bound(view({ group: onDemand, nowMs: nowMs + afterMs, state: written }));
    expect(at(made, 11_999).repeated).toEqual([]);
    const once = at(made, 12_000);
    expect(once.repeated).toMatchObject([{ before: made.reservations[0], reservation: { repeatFromMs: nowMs + 24_000 } }]);
    expect(once.fresh).toEqual([]);
    expect(at(once.state, 23_999).repeated).toEqual([]);
    expect(at(once.state, 24_000).repeated).toMatchObject([{ before: once.state.reservations[0] }]);
  });
});

describe('the reservations of a decision', () => {
  const author = { decision: 'd-2', round: 1, leaseMs: 35_000 };
  const offerings = [{ instanceType: 'm7g.large', zone: 'b', market: 'spot' }] as const;
  const placing = (count: number, rest: { readonly moves?: readonly string[] } = {}) => ({ pool: 'spot-b', count, offerings, ...rest });

  it('are named after the decision, its round and their place, and count from now', () => {
    const { fresh } = bind(decisionOf({ placements: [placing(1), placing(2)] }), view(), author);
    expect(fresh).toMatchObject([
      { id: 'd-2-r1-0', decision: 'd-2', atMs: nowMs, leaseUntilMs: nowMs + 35_000, forgetAtMs: nowMs + 180_000 },
      { id: 'd-2-r1-1', placement: placing(2) },
    ]);
  });

  it('replace the leaving members that have no replacement, the most urgent first', () => {
    const swaps = [
      swapOf('i-later', { deadlineMs: nowMs + 90_000 }),
      swapOf('i-any-time-b', { deadlineMs: undefined }),
      swapOf('i-any-time-a', { deadlineMs: undefined }),
      swapOf('i-any-time-c', { deadlineMs: undefined }),
      swapOf('i-soon', { deadlineMs: nowMs + 10_000 }),
      swapOf('i-not-replaced', { reason: 'scale-in' }),
      swapOf('i-gone', { state: 'gone' }),
      swapOf('i-replaced'),
    ];
    const seen = view({ swaps, state: state({ reservations: [reservation({ replaces: ['i-replaced'] })] }) });
    const { fresh } = bind(decisionOf({ placements: [placing(1), placing(6)] }), seen, author);
    expect(fresh.map(({ replaces }) => replaces)).toEqual([['i-soon'], ['i-later', 'i-any-time-a', 'i-any-time-b', 'i-any-time-c']]);
  });

  it('of a move replace the members that move, each request its own', () => {
    const moves = Array.from({ length: mostPerRequest + 2 }, (_, index) => `i-${index}`);
    const { fresh, state: written } = bind(
      decisionOf({ placements: [placing(mostPerRequest + 2, { moves })] }),
      view({ swaps: [swapOf('i-other')] }),
      author,
    );
    expect(fresh.map(({ placement, replaces }) => [placement.count, placement.moves?.length, replaces.at(0), replaces.at(-1)])).toEqual([
      [mostPerRequest, mostPerRequest, 'i-0', `i-${mostPerRequest - 1}`],
      [2, 2, `i-${mostPerRequest}`, `i-${mostPerRequest + 1}`],
    ]);
    expect(written.returns?.moves.map(({ reservation: id, count }) => [id, count])).toEqual([
      ['d-2-r1-0', mostPerRequest],
      ['d-2-r1-1', 2],
    ]);
  });

  it('are added to those of the state, and the latest id is kept', () => {
    const before = state({ reservations: [reservation()], lastReservation: 'd-1-r0-0' });
    const { state: written } = bind(decisionOf({ placements: [placing(1), placing(1)] }), view({ state: before }), author);
    expect(written.reservations.map(({ id }) => id)).toEqual(['r-1', 'd-2-r1-0', 'd-2-r1-1']);
    expect(written.lastReservation).toBe('d-2-r1-1');
    expect(bind(decisionOf(), view({ state: before }), author).state.lastReservation).toBe('d-1-r0-0');
    expect(bind(decisionOf(), view(), author).state.lastReservation).toBeUndefined();
  });

  it('without a worker are taken up beside the others, unless the group is paused', () => {
    const open = reservation({ leaseUntilMs: nowMs });
    const before = state({ reservations: [open, reservation({ id: 'r-2' })] });
    const { state: written } = bind(decisionOf(), view({ state: before }), author);
    expect(written.reservations.map(({ id, leaseUntilMs }) => [id, leaseUntilMs])).toEqual([
      ['r-2', nowMs + 30_000],
      ['r-1', nowMs + 35_000],
    ]);
    const paused = bind(decisionOf(), view({ group: group({ mode: 'pause' }), state: before }), author);
    expect(paused.repeated).toEqual([]);
    expect(paused.state.reservations).toEqual(before.reservations);
  });
});

describe('what a decision says is written with it', () => {
  const author = { decision: 'd-2', round: 0, leaseMs: 35_000 };
  const said = (decision: Parameters<typeof decisionOf>[0], seen: Parameters<typeof view>[0] = {}) =>
    bind(decisionOf(decision), view(seen), author).state;

  it('in place of what the one before said', () => {
    const numbers = { uncovered: 2, keptByMinimum: 1, onDemandShort: 3, sparesMissing: 4 };
    expect(said({ uncovered: 2, keptByMinimum: 1, onDemandShort: 3, spares: { placed: 0, missing: 4 } })).toMatchObject(numbers);
    const { uncovered, keptByMinimum, onDemandShort, sparesMissing } = said({ spares: { placed: 1, missing: 0 } }, { state: state(numbers) });
    expect([uncovered, keptByMinimum, onDemandShort, sparesMissing]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('with the members that it lets leave, beside those of earlier decisions', () => {
    const earlier = { decision: 'd-1', instances: ['i-1'], untilMs: nowMs + 1 };
    expect(said({ drains: ['i-2'] }, { state: state({ chosen: [earlier] }) }).chosen).toEqual([
      earlier,
      { decision: 'd-2', instances: ['i-2'], untilMs: nowMs + 35_000 },
    ]);
    expect(said({}).chosen).toBeUndefined();
  });

  it('with the maximum sizes that it raises, one note for each Auto Scaling group', () => {
    const of = (asg: string, toMax: number) => ({ asg, fromMax: 10, toMax });
    const { raised } = said({ raise: [of('one', 12)] }, { state: state({ raised: [of('one', 11), of('two', 11)] }) });
    expect(raised).toEqual([of('two', 11), { ...of('one', 12), atMs: nowMs, by: 'd-2' }]);
  });

  it('with the maximum sizes that it lowers, and with when they were raised', () => {
    const of = (asg: string, toMax: number) => ({ asg, fromMax: 10, toMax });
    const { raised } = said({ lower: [of('one', 11)] }, { state: state({ raised: [{ ...of('one', 12), atMs: 5 }, of('two', 11)] }) });
    expect(raised).toEqual([of('two', 11), { ...of('one', 11), atMs: nowMs, by: 'd-2', beforeMs: 5 }]);
  });

  it('with the processes that it suspends, one note for each Auto Scaling group', () => {
    const of = (asg: string, ...processes: readonly string[]) => ({ asg, processes });
    const { suspended } = said({ suspend: [of('one', 'Launch')] }, { state: state({ suspended: [of('one', 'AZRebalance'), of('two', 'Launch')] }) });
    expect(suspended).toEqual([of('two', 'Launch'), { ...of('one', 'Launch'), atMs: nowMs }]);
    expect(said({}, { state: state({ suspended: [of('one', 'Launch')] }) }).suspended).toEqual([of('one', 'Launch')]);
    expect(said({}).suspended).toBeUndefined();
  });

  it('with what attaching adds to a desired capacity that others set', () => {
    const outside = group({ holding: { kind: 'attach', asg: 'web-asg' }, size: { from: 'asg', min: 0, max: 20, desired: 10 } });
    const { added } = said({ admissions: ['i-1'] }, { group: outside, asgs: [asgView()] });
    expect(added).toEqual([{ asg: 'web-asg', from: 10, instances: ['i-1'], atMs: nowMs }]);
    expect(said({}).added).toBeUndefined();
    const note = { asg: 'web-asg', from: 9, instances: ['i-1'], atMs: nowMs - 5_000 };
    const open = state({ added: [note] });
    expect(said({ takeDown: [note] }, { group: outside, state: open }).added).toEqual([{ ...note, triedAtMs: nowMs }]);
    expect(said({}, { group: outside, state: open }).added).toEqual([note]);
  });

  it('without new members that it puts into service', () => {
    const newcomer = { pool: 'spot-a', atMs: nowMs };
    const before = state({ newcomers: { 'i-1': newcomer, 'i-2': newcomer } });
    expect(said({ admissions: ['i-1'] }, { state: before }).newcomers).toEqual({ 'i-2': newcomer });
    expect(said({ admissions: ['i-1', 'i-2'] }, { state: before }).newcomers).toBeUndefined();
  });

  it('with how many members it lets leave for advice', () => {
    const bounded = group({ rebalance: { act: true, atMostPerHour: 5 } });
    const swaps = [swapOf('i-1', { reason: 'rebalance', state: 'waiting' }), swapOf('i-2', { reason: 'rebalance', state: 'waiting' })];
    expect(said({ drains: ['i-1'] }, { group: bounded, swaps }).advised).toEqual([{ atMs: nowMs, count: 1 }]);
  });
});
