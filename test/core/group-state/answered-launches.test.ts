import { describe, expect, it } from 'vitest';
import { applyAnswers, type Launched, missingAfter, mustRepeat, unmovedAfter } from '../../../core/group-state/answers.ts';
import { offeringKey } from '../../../core/pool/offering.ts';
import type { LaunchResult } from '../../../core/ports/launches.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { group, nowMs, reservation, state } from '../views.ts';

const inB = { instanceType: 'm7g.large', zone: 'b', market: 'spot' } as const;
const granted = (...instances: readonly string[]): LaunchResult => ({
  kind: 'answered',
  instances: instances.map((instance) => ({ instance, offering: inB })),
  refusals: [],
});
const ambiguous: LaunchResult = { kind: 'ambiguous', code: 'TimeoutError' };
const throttled = (code = 'RequestLimitExceeded'): LaunchResult => ({ kind: 'throttled', code });
const invalid: LaunchResult = { kind: 'invalid', code: 'UnauthorizedOperation', message: 'no' };
const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs - 1, untilMs: nowMs + 60_000 };

const of = (id: string, result: LaunchResult, rest: Parameters<typeof reservation>[0] = {}): Launched => ({
  reservation: reservation({ id, ...rest }),
  request: undefined,
  result,
});
const settled = (before: GroupState, ...launched: readonly Launched[]) =>
  applyAnswers(before, launched, { group: group(), nowMs, members: [], ended: [] });

describe('responses to several requests', () => {
  it('settle each its own reservation, and no other', () => {
    const before = state({ reservations: ['r-1', 'r-2', 'r-3'].map((id) => reservation({ id })) });
    const next = settled(before, of('r-1', granted('i-1')), of('r-2', { kind: 'answered', instances: [], refusals: [] }));
    expect(next.reservations).toEqual([
      reservation({ id: 'r-1', instances: ['i-1'], placement: { ...reservation().placement, count: 1 } }),
      reservation({ id: 'r-3' }),
    ]);
  });

  it('do not settle a request that another invocation has taken up meanwhile, unless they name instances', () => {
    const takenUp = reservation({ id: 'r-1', leaseUntilMs: nowMs + 47_000, repeatFromMs: nowMs + 24_000 });
    const before = state({ reservations: [takenUp] });
    const none: LaunchResult = { kind: 'answered', instances: [], refusals: [] };
    for (const result of [none, throttled(), invalid, ambiguous]) expect(settled(before, of('r-1', result)).reservations).toEqual([takenUp]);
    expect(settled(before, of('r-1', granted('i-1'))).reservations).toMatchObject([{ instances: ['i-1'] }]);
  });

  it('count once, if two attempts of one request have the same response', () => {
    const once = settled(state({ reservations: [reservation({ id: 'r-1' })] }), of('r-1', granted('i-1')));
    const cameUp = { ...once, newcomers: undefined };
    const twice = settled(cameUp, of('r-1', granted('i-1'), { leaseUntilMs: nowMs + 47_000 }));
    expect(twice.launches).toEqual(once.launches);
    expect(twice.reservations).toEqual(once.reservations);
    expect(twice.newcomers).toBeUndefined();
  });

  it('name all their instances as new and on their way', () => {
    const next = settled(state(), of('r-1', granted('i-1')), of('r-2', granted('i-2')), of('r-3', ambiguous));
    const newcomer = { pool: 'spot-b', offering: offeringKey(inB), atMs: nowMs };
    expect(next.newcomers).toEqual({ 'i-1': newcomer, 'i-2': newcomer });
    expect(Object.keys(next.arriving ?? {})).toEqual(['i-1', 'i-2']);
    expect(next.launches).toMatchObject([{ count: 2 }]);
  });

  it('that grant nothing leave no reservation', () => {
    const { newcomers, arriving, breakers, denials, throttle, launches } = settled(state(), of('r-1', ambiguous));
    expect([newcomers, arriving, breakers, denials, throttle, launches]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined]);
  });

  it('end what was learned of the offering before, unless they refuse it too', () => {
    const lesson = { kind: 'refused' as const, code: 'x', atMs: nowMs - 60_000, coolingUntilMs: nowMs + 60_000, streak: 1 };
    const before = state({ memory: { 'm7g.large/b/spot': lesson } });
    expect(settled(before, of('r-1', granted('i-1'))).memory).toEqual({});
    expect(settled(before, of('r-1', ambiguous)).memory).toEqual(before.memory);
  });

  it('end the denial of their pool, and one that is wrong in itself begins it', () => {
    const denied = state({ denials: { 'spot-b': denial } });
    expect(settled(denied, of('r-1', granted('i-1'))).denials).toBeUndefined();
    expect(settled(denied, of('r-1', throttled())).denials).toEqual(denied.denials);
    expect(Object.keys(settled(state(), of('r-1', invalid)).denials ?? {})).toEqual(['spot-b']);
  });

  it('give the trial of a breaker its instance, or end it', () => {
    const trial = { reservation: 'r-1', atMs: nowMs };
    const before = state({ breakers: { spot: { openedAtMs: 1, untilMs: 2, interruptions: 3, trial } }, reservations: [reservation()] });
    expect(settled(before, of('r-1', granted('i-1'))).breakers?.spot?.trial).toEqual({ ...trial, instance: 'i-1' });
    expect(settled(before, of('r-1', invalid)).breakers?.spot?.trial).toBeUndefined();
    expect(settled(before, of('r-1', ambiguous)).breakers?.spot?.trial).toEqual(trial);
  });

  it('end moves that they refuse', () => {
    const move = { reservation: 'r-1', atMs: nowMs, leaving: ['i-old-1', 'i-old-2'], count: 2 };
    const before = state({ reservations: [reservation()], returns: { moves: [move], losses: [] } });
    expect(settled(before, of('r-1', granted('i-1'))).returns?.moves).toEqual([{ ...move, leaving: ['i-old-1'], count: 1 }]);
    expect(settled(before, of('r-1', { kind: 'answered', instances: [], refusals: [] })).returns?.moves).toEqual([]);
    expect(settled(before, of('r-1', ambiguous)).returns?.moves).toEqual([move]);
  });
});

describe('a throttle', () => {
  const before = { untilMs: nowMs, streak: 2 };

  it('stays until any of several requests gets a response', () => {
    expect(settled(state({ throttle: before }), of('r-1', ambiguous)).throttle).toEqual(before);
    expect(settled(state({ throttle: before }), of('r-1', ambiguous), of('r-2', granted('i-1'))).throttle).toBeUndefined();
  });

  it('is long only where all of several say that there is no room for another fleet', () => {
    const long = state({ throttle: { untilMs: nowMs, streak: 4 } });
    const waits = (...codes: readonly string[]) =>
      (settled(long, ...codes.map((code, index) => of(`r-${index}`, throttled(code)))).throttle?.untilMs ?? 0) - nowMs;
    expect(waits('MaxFleetCountExceeded', 'MaxFleetCountExceeded')).toBe(32_000);
    expect(waits('MaxFleetCountExceeded', 'RequestLimitExceeded')).toBe(10_000);
  });

  it('delays the repeat of a request without a response', () => {
    const open = reservation({ id: 'r-1' });
    const next = settled(state({ reservations: [open], throttle: { untilMs: nowMs, streak: 3 } }), of('r-1', ambiguous), of('r-2', throttled()));
    expect(next.reservations).toMatchObject([{ leaseUntilMs: nowMs + 10_000 }]);
  });
});

describe('a request without a response', () => {
  const old = reservation({ id: 'r-old', atMs: nowMs - 100_000 });
  const young = reservation({ id: 'r-new', atMs: nowMs - 1_000 });
  const waitsMs = (other: Partial<typeof old>, ...more: readonly Launched[]) =>
    (settled(state({ reservations: [{ ...old, ...other }, young] }), of('r-new', ambiguous), ...more).reservations.find(({ id }) => id === 'r-new')
      ?.leaseUntilMs ?? 0) - nowMs;
  const soonMs = 3_000;
  const rarelyMs = 20_000;

  it('is repeated as rarely as the oldest of its group that has none, whoever was tried now', () => {
    expect(Math.abs(waitsMs({}) - 100_000 / 4)).toBeLessThanOrEqual(10_000);
    expect(waitsMs({}, of('r-old', ambiguous))).toBe(waitsMs({}));
    expect(waitsMs({})).toBeGreaterThanOrEqual(rarelyMs);
  });

  it('is repeated soon where another has a response', () => {
    expect(waitsMs({}, of('r-old', granted('i-1')))).toBeLessThanOrEqual(soonMs);
    expect(waitsMs({}, of('r-third', { kind: 'answered', instances: [], refusals: [] }))).toBeLessThanOrEqual(soonMs);
    expect(waitsMs({ instances: ['i-1'] })).toBeLessThanOrEqual(soonMs);
  });

  it('is repeated soon beside one that is not repeated any more', () => {
    expect(waitsMs({ unanswerable: true })).toBeLessThanOrEqual(soonMs);
  });
});

describe('after responses', () => {
  const asked = (count: number, rest: object = {}) => ({ placement: { ...reservation().placement, count, ...rest } });

  it('the members count as missing at once that were refused, or whose first request was wrong', () => {
    expect(missingAfter([of('r-1', granted('i-1'), asked(3)), of('r-2', invalid, asked(5))])).toBe(7);
    expect(missingAfter([{ ...of('r-1', invalid, asked(5)), before: reservation() }])).toBe(0);
    expect(missingAfter([of('r-1', throttled(), asked(5)), of('r-2', ambiguous, asked(5))])).toBe(0);
    expect(missingAfter([of('r-1', granted(), asked(3, { moves: ['i-1', 'i-2', 'i-3'] })), of('r-2', granted(), asked(1))])).toBe(1);
  });

  it('members stay where they are whose moves were refused', () => {
    const moving = asked(3, { moves: ['i-1', 'i-2', 'i-3'] });
    expect(unmovedAfter([of('r-1', granted('i-4'), moving), of('r-2', granted(), asked(5))])).toBe(2);
    expect(unmovedAfter([of('r-1', throttled(), moving)])).toBe(0);
  });

  it('a request whose response was lost is repeated soon', () => {
    expect(mustRepeat([of('r-1', granted('i-1')), of('r-2', ambiguous)])).toBe(true);
    expect(mustRepeat([of('r-1', granted('i-1')), of('r-2', throttled())])).toBe(false);
    expect(mustRepeat([])).toBe(false);
  });
});
