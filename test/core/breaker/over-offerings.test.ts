import { describe, expect, it } from 'vitest';
import { type Breaker, type Breakers, breakerOver, openBreaker, withAnswers, withTrials } from '../../../core/breaker/breaker.ts';
import type { Offering } from '../../../core/pool/offering.ts';
import { nowMs, reservation } from '../views.ts';

const minuteMs = 60_000;
const rule = { interruptions: 3, withinMs: 10 * minuteMs, holdMs: 60 * minuteMs };
const slow = { ...rule, withinMs: 40 * minuteMs };
const breaker = (untilMs: number, rest: Partial<Breaker> = {}): Breaker => ({ openedAtMs: nowMs - 1, untilMs, interruptions: 3, ...rest });
const open = breaker(nowMs + minuteMs);
const over = breaker(nowMs - minuteMs);
const tried = breaker(nowMs - minuteMs, { trial: { reservation: 'r-1', atMs: nowMs - 5_000 } });
const m7g: Offering = { instanceType: 'm7g.large', zone: 'a', market: 'spot' };
const c7g: Offering = { ...m7g, instanceType: 'c7g.large' };
const standing = (breakers: Breakers | undefined, ...offerings: readonly Offering[]) => breakerOver(offerings, { breakers, rule }, nowMs);

describe('the breaker over an offering', () => {
  it('is absent without a rule, without breakers, and on demand', () => {
    expect(breakerOver([m7g], { breakers: { spot: open } }, nowMs)).toBeUndefined();
    expect(standing(undefined, m7g)).toBeUndefined();
    expect(standing({ spot: open }, { ...m7g, market: 'on-demand' })).toBeUndefined();
    expect(standing({ 'spot/m7g': open }, c7g)).toBeUndefined();
  });

  it('is open until its time, then half-open for as long as the rule holds', () => {
    expect(standing({ spot: open }, m7g)).toEqual({ breaker: 'spot', is: 'open', untilMs: nowMs + minuteMs });
    expect(standing({ spot: breaker(nowMs) }, m7g)).toEqual({ breaker: 'spot', is: 'half-open', untilMs: nowMs + rule.holdMs });
  });

  it('is tried until the trial has proved something, also where the same plan tries it', () => {
    expect(standing({ spot: tried }, m7g)).toEqual({ breaker: 'spot', is: 'tried', untilMs: nowMs - 5_000 + rule.withinMs });
    expect(breakerOver([m7g], { breakers: { spot: tried }, rule: slow }, nowMs)?.untilMs).toBe(nowMs - 5_000 + 15 * minuteMs);
    expect(breakerOver([m7g], { breakers: { spot: over }, rule, isTried: true }, nowMs)).toMatchObject({
      is: 'tried',
      untilMs: nowMs + rule.withinMs,
    });
  });

  it('of several is the strictest: an open one, then one that is tried', () => {
    expect(standing({ spot: over, 'spot/m7g': open }, m7g)).toMatchObject({ breaker: 'spot/m7g', is: 'open' });
    expect(standing({ spot: open, 'spot/m7g': over }, m7g)).toMatchObject({ breaker: 'spot', is: 'open' });
    expect(standing({ spot: over, 'spot/m7g': tried }, m7g)).toMatchObject({ breaker: 'spot/m7g', is: 'tried' });
    expect(standing({ spot: tried, 'spot/m7g': open }, m7g)).toMatchObject({ breaker: 'spot/m7g', is: 'open' });
    expect(standing({ spot: over, 'spot/m7g': over }, m7g)).toMatchObject({ breaker: 'spot', is: 'half-open' });
    expect(standing({ 'spot/m7g': open }, c7g, m7g)).toMatchObject({ is: 'open' });
  });
});

describe('the open breaker of a group', () => {
  it('is the one that closes last, and none without a rule or where all are half-open', () => {
    const breakers = { 'spot/m7g': open, 'spot/c7g': breaker(nowMs + 2 * minuteMs), spot: over };
    expect(openBreaker({ breakers, rule }, nowMs)).toMatchObject({ breaker: 'spot/c7g', is: 'open' });
    expect(openBreaker({ breakers }, nowMs)).toBeUndefined();
    expect(openBreaker({ breakers: { spot: over, 'spot/m7g': tried }, rule }, nowMs)).toBeUndefined();
  });
});

describe('a trial', () => {
  const placement = (trial: boolean, ...offerings: readonly Offering[]) => ({
    pool: 'spot-a',
    count: 1,
    offerings,
    ...(trial && { trial: true as const }),
  });
  const begin = (breakers: Breakers | undefined, of = placement(true, c7g, m7g)) =>
    withTrials({ breakers }, [reservation({ placement: of })], nowMs).breakers;

  it('is noted at the half-open breakers that cover what it launches', () => {
    const begun = { ...breaker(nowMs), trial: { reservation: 'r-1', atMs: nowMs } };
    expect(begin({ 'spot/m7g': breaker(nowMs), 'spot/r7g': over, 'spot/c7g': open })).toEqual({
      'spot/m7g': begun,
      'spot/r7g': over,
      'spot/c7g': open,
    });
  });

  it('does not begin where one is under way, nor by a launch that is none', () => {
    expect(begin({ spot: tried })).toEqual({ spot: tried });
    expect(begin({ spot: over }, placement(false, m7g))).toBeUndefined();
    expect(begin(undefined)).toBeUndefined();
  });

  const answer = (granted: readonly (readonly [string, Offering])[], stays: readonly string[] = ['r-1'], asked: readonly string[] = ['r-1']) =>
    withAnswers(
      { 'spot/m7g': tried },
      {
        asked: new Set(asked),
        stays: new Set(stays),
        granted: granted.map(([id, offering], index) => ({ reservation: id, instance: `i-${index}`, offering })),
      },
    )?.['spot/m7g'];

  it('has the instance that EC2 granted for it there', () => {
    expect(
      answer([
        ['r-2', m7g],
        ['r-1', c7g],
        ['r-1', m7g],
      ])?.trial,
    ).toMatchObject({ reservation: 'r-1', instance: 'i-2' });
  });

  it('ends when EC2 granted another type or nothing, and goes on when no response came', () => {
    expect(answer([['r-1', c7g]])).not.toHaveProperty('trial');
    expect(answer([], [])).not.toHaveProperty('trial');
    expect(answer([])).toEqual(tried);
    expect(answer([['r-2', c7g]])).toEqual(tried);
    expect(answer([], [], ['r-2'])).toEqual(tried);
    expect(withAnswers(undefined, { asked: new Set(['r-1']), stays: new Set(), granted: [] })).toBeUndefined();
  });
});
