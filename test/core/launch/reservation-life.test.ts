import { describe, expect, it } from 'vitest';
import { abandoned, afterAttempt, inBrief, isBelieved, takenUp } from '../../../core/launch/reservation-life.ts';
import type { LaunchResult } from '../../../core/ports/launches.ts';
import { describeLagMs } from '../../../core/times/times.ts';
import { nowMs, reservation, state } from '../views.ts';

const repeatAtMs = nowMs + 7_000;
/** A request that was made twenty seconds ago, and never answered. */
const before = reservation({ atMs: nowMs - 20_000, leaseUntilMs: nowMs, forgetAtMs: nowMs + 160_000 });
const repeated = takenUp(before, nowMs, 35_000);
const first = (result: LaunchResult, stored = reservation()) => afterAttempt(stored, { result }, repeatAtMs, nowMs);
const repeat = (result: LaunchResult, stored = repeated) => afterAttempt(stored, { result, before }, repeatAtMs, nowMs);

const throttled: LaunchResult = { kind: 'throttled', code: 'RequestLimitExceeded' };
const invalid: LaunchResult = { kind: 'invalid', code: 'UnauthorizedOperation', message: 'no' };
const ambiguous: LaunchResult = { kind: 'ambiguous', code: 'TimeoutError' };
const madeBefore: LaunchResult = { kind: 'made-before', code: 'IdempotentParameterMismatch' };
const notAsked: LaunchResult = { kind: 'not-asked', code: 'LeaseOver' };
const answered: LaunchResult = {
  kind: 'answered',
  instances: [{ instance: 'i-1', offering: { instanceType: 'm7g.large', zone: 'b', market: 'spot' } }],
  refusals: [],
};

describe('a first attempt', () => {
  it('that was throttled or wrong launched nothing: its reservation is released', () => {
    expect(first(throttled)).toBeUndefined();
    expect(first(invalid)).toBeUndefined();
  });
  it('without a response stays open, and counts from now on, for as long as describes may lag', () => {
    expect(first(ambiguous)).toMatchObject({ leaseUntilMs: repeatAtMs, forgetAtMs: nowMs + describeLagMs });
  });
  it('is repeated at the time that its attempts allow, not when its response was overdue', () => {
    for (const result of [ambiguous, madeBefore]) expect(first(result, reservation({ repeatFromMs: nowMs }))).not.toHaveProperty('repeatFromMs');
  });
});

describe('a repeat', () => {
  it('that is throttled says nothing about the first attempt: the reservation stays open, and describes are believed as before', () => {
    expect(repeat(throttled)).toEqual({ ...before, leaseUntilMs: repeatAtMs });
  });
  it('that is wrong by now is left to describes, and not made again', () => {
    const left = repeat(invalid);
    expect(left).toEqual({ ...before, unanswerable: true, leaseUntilMs: nowMs });
    expect(abandoned(state({ reservations: left === undefined ? [] : [left] }), nowMs + 60_000)).toEqual([]);
  });
  it('that fails because its token was used for another request is made again, until the time of its reservation is over', () => {
    const left = repeat(madeBefore);
    expect(left).toEqual({ ...before, leaseUntilMs: repeatAtMs });
    expect(abandoned(state({ reservations: left === undefined ? [] : [left] }), nowMs + 60_000)).toEqual([left]);
    expect(first(madeBefore)).toMatchObject({ leaseUntilMs: repeatAtMs });
  });
  it('with a response settles the reservation, also when EC2 grants only a part', () => {
    expect(repeat(answered)).toMatchObject({ instances: ['i-1'], placement: { count: 1 } });
    expect(repeat({ ...answered, instances: [] })).toBeUndefined();
  });
  it('whose lease was over before it was made leaves the reservation to others', () => {
    expect(repeat(notAsked)).toBe(repeated);
  });
  it.each([throttled, invalid, ambiguous, madeBefore, notAsked])('does not open again what others have settled meanwhile: $kind', (result) => {
    const settled = reservation({ instances: ['i-1', 'i-2'] });
    expect(repeat(result, settled)).toBe(settled);
  });
});

describe('an open reservation', () => {
  const at = (ms: number) => abandoned(state({ reservations: [before] }), ms).length;
  it('is repeated once its lease is over, and not forever', () => {
    expect(at(nowMs - 1)).toBe(0);
    expect(at(nowMs)).toBe(1);
    expect(at(before.atMs + 1_800_000)).toBe(0);
  });
  it('is not repeated while EC2 throttles launches', () => {
    const held = state({ reservations: [before], throttle: { untilMs: nowMs + 5_000, streak: 1 } });
    expect(abandoned(held, nowMs)).toEqual([]);
    expect(abandoned(held, nowMs + 5_000)).toEqual([before]);
  });
  it('counts until describes have had their time, and while a function works on it', () => {
    expect(isBelieved(before.forgetAtMs - 1)(before)).toBe(true);
    expect(isBelieved(before.forgetAtMs)(before)).toBe(false);
    expect(isBelieved(before.forgetAtMs)({ ...before, leaseUntilMs: before.forgetAtMs + 1 })).toBe(true);
    expect(isBelieved(before.forgetAtMs)({ ...before, instances: ['i-1'], leaseUntilMs: before.forgetAtMs + 1 })).toBe(false);
  });
  it('keeps of its offerings the one that the tree meant', () => {
    const offerings = Array.from({ length: 600 }, (_, index) => ({ instanceType: `m${index}.large`, zone: 'b', market: 'spot' as const }));
    const brief = inBrief(reservation({ placement: { pool: 'spot-b', count: 2, offerings } }));
    expect(brief.placement).toEqual({ pool: 'spot-b', count: 2, offerings: offerings.slice(0, 1) });
  });
});
