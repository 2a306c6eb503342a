import { describe, expect, it } from 'vitest';
import { applyAnswers } from '../../../core/group-state/answers.ts';
import type { LaunchResult } from '../../../core/ports/launches.ts';
import type { View } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { group, nowMs, reservation, spotB, state } from '../views.ts';

const offering = { instanceType: 'm7g.large', zone: 'b', market: 'spot' } as const;
const answered = (
  result: LaunchResult,
  before = state({ reservations: [reservation({ replaces: ['i-old-1', 'i-old-2'] })] }),
  shown: Partial<Pick<View, 'members' | 'ended'>> = {},
) =>
  applyAnswers(before, [{ reservation: before.reservations[0] ?? reservation(), request: undefined, result }], {
    ...{ group: group(), nowMs, members: [], ended: [] },
    ...shown,
  });
const granted = (...instances: readonly string[]) => instances.map((instance) => ({ instance, offering }));
const refusal = { offering, code: 'InsufficientInstanceCapacity', message: 'none left', scope: 'offering' } as const;

describe('a response to a launch', () => {
  it('is kept with its instances', () => {
    expect(answered({ kind: 'answered', instances: granted('i-1', 'i-2'), refusals: [] }).reservations).toMatchObject([
      { instances: ['i-1', 'i-2'] },
    ]);
  });
  it('in part keeps what it got, and frees the rest for another decision', () => {
    const { reservations, memory } = answered({ kind: 'answered', instances: granted('i-1'), refusals: [refusal] });
    expect(reservations).toMatchObject([{ instances: ['i-1'], replaces: ['i-old-1'], placement: { count: 1 } }]);
    expect(memory['m7g.large/b/spot']?.kind).toBe('refused');
  });
  it('that was made before EC2 refused the same offering does not end that rest', () => {
    const lesson = {
      kind: 'refused',
      code: 'InsufficientInstanceCapacity',
      atMs: nowMs - 1_000,
      coolingUntilMs: nowMs + 179_000,
      streak: 1,
    } as const;
    const memoryAfter = (atMs: number) => {
      const before = state({ reservations: [reservation({ atMs })], memory: { 'm7g.large/b/spot': lesson } });
      return answered({ kind: 'answered', instances: granted('i-1'), refusals: [] }, before).memory;
    };
    expect(memoryAfter(nowMs - 9_000)).toEqual({ 'm7g.large/b/spot': lesson });
    expect(memoryAfter(nowMs - 500)).toEqual({});
  });
  it('counts in the limit of launches, but not what was launched before the policy was written', () => {
    const counted = (rewrittenAtMs: number | undefined, shown: Partial<Pick<View, 'members' | 'ended'>> = {}) => {
      const before = state({ reservations: [reservation({ ...(rewrittenAtMs !== undefined && { rewrittenAtMs }) })] });
      const result = { kind: 'answered' as const, instances: granted('i-1', 'i-2'), refusals: [] };
      return answered(result, before, shown).launches?.[0]?.count ?? 0;
    };
    const born = (agoMs: number) => member('i-1', spotB, { launchedAtMs: nowMs - agoMs });
    const writtenAtMs = nowMs - 20_000;
    expect(counted(undefined, { members: [born(30_000)], ended: ['i-2'] })).toBe(2);
    expect(counted(writtenAtMs)).toBe(2);
    expect(counted(writtenAtMs, { members: [born(10_000)] })).toBe(2);
    expect(counted(writtenAtMs, { members: [born(20_000)] })).toBe(1);
    expect(counted(writtenAtMs, { members: [born(30_000)], ended: ['i-2'] })).toBe(0);
  });
  it('does not count what was launched before the policy was written, also where its function had requested it before that', () => {
    const result = { kind: 'answered' as const, instances: granted('i-1'), refusals: [] };
    const shown = { group: group(), nowMs, members: [member('i-1', spotB, { launchedAtMs: nowMs - 30_000 })], ended: [] };
    const counted = (rewritten: { readonly rewrittenAtMs?: number }) => {
      const stored = state({ reservations: [reservation(rewritten)] });
      return applyAnswers(stored, [{ reservation: reservation(), request: undefined, result }], shown).launches?.[0]?.count ?? 0;
    };
    expect(counted({ rewrittenAtMs: nowMs - 20_000 })).toBe(0);
    expect(counted({})).toBe(1);
  });
  it('of none releases the reservation', () => {
    expect(answered({ kind: 'answered', instances: [], refusals: [refusal] }).reservations).toEqual([]);
  });
  it('names new members, but not those that came up or ended before the request was made again', () => {
    const newcomers = (shown: Partial<Pick<View, 'members' | 'ended'>>) => {
      const result = { kind: 'answered' as const, instances: granted('i-1', 'i-2'), refusals: [] };
      return Object.keys(answered(result, undefined, shown).newcomers ?? {});
    };
    expect(newcomers({ members: [member('i-1', spotB, { admitted: false })] })).toEqual(['i-1', 'i-2']);
    expect(newcomers({ members: [member('i-1', spotB)] })).toEqual(['i-2']);
    expect(newcomers({ ended: ['i-1'] })).toEqual(['i-2']);
  });
  it('that was lost leaves the reservation open under its token, to be repeated soon', () => {
    expect(answered({ kind: 'ambiguous', code: 'TimeoutError' }).reservations).toMatchObject([{ token: 'r-1', leaseUntilMs: nowMs + 2_000 }]);
  });
  it('that stays lost is requested again more rarely', () => {
    const old = state({ reservations: [reservation({ atMs: nowMs - 60_000 })] });
    expect(answered({ kind: 'ambiguous', code: 'TimeoutError' }, old).reservations).toMatchObject([{ leaseUntilMs: nowMs + 20_000 }]);
  });
  it('that the request is wrong lets its pool rest for a minute, so that the tree goes on, and is no refusal of what it requested', () => {
    const { reservations, memory, denials } = answered({ kind: 'invalid', code: 'InvalidLaunchTemplateId.NotFound', message: 'gone' });
    expect({ reservations, memory }).toEqual({ reservations: [], memory: {} });
    expect(Object.values(denials ?? {})).toEqual([
      { code: 'InvalidLaunchTemplateId.NotFound', message: 'gone', atMs: nowMs, untilMs: nowMs + 60_000 },
    ]);
  });
});

describe('throttles in a row', () => {
  const throttle: LaunchResult = { kind: 'throttled', code: 'RequestLimitExceeded' };
  const streak = (times: number, result: LaunchResult = throttle) =>
    Array.from({ length: times }).reduce<ReturnType<typeof state>>(
      (before) => answered(result, { ...before, reservations: [reservation()] }),
      state(),
    );
  it('say nothing about capacity', () => {
    expect(streak(1).memory).toEqual({});
    expect(streak(1).reservations).toEqual([]);
  });
  it('double the time until launches are requested again, up to ten seconds', () => {
    expect([1, 2, 3, 4, 5, 6].map((times) => (streak(times).throttle?.untilMs ?? 0) - nowMs)).toEqual([2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  });
  it('double it up to a minute where the account has no room for another fleet', () => {
    const noRoom: LaunchResult = { kind: 'throttled', code: 'MaxFleetCountExceeded' };
    expect([3, 4, 5, 6, 7].map((times) => (streak(times, noRoom).throttle?.untilMs ?? 0) - nowMs)).toEqual([8_000, 16_000, 32_000, 60_000, 60_000]);
  });
  it('that last for minutes put off the next request as long as whatever else fails', () => {
    const lasting = (forMs: number, quietMs = 0) => {
      const before = state({ throttle: { sinceMs: nowMs - forMs, untilMs: nowMs - quietMs, streak: 9 }, reservations: [reservation()] });
      const { sinceMs = 0, untilMs = 0 } = answered(throttle, before).throttle ?? {};
      return [nowMs - sinceMs, untilMs - nowMs];
    };
    expect(lasting(40_000)).toEqual([40_000, 10_000]);
    expect(lasting(100_000)).toEqual([100_000, 25_000]);
    expect(lasting(600_000)).toEqual([600_000, 45_000]);
    expect(lasting(600_000, 120_000)).toEqual([0, 10_000]);
  });
  it('end with the first response', () => {
    const before = state({ throttle: { untilMs: nowMs, streak: 3 }, reservations: [reservation()] });
    expect(answered({ kind: 'answered', instances: granted('i-1', 'i-2'), refusals: [] }, before).throttle).toBeUndefined();
  });
});
