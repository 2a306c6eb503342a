import { describe, expect, it } from 'vitest';
import type { OfferingKey } from '../../../core/pool/offering.ts';
import { adviseAgainst, advisedRestMs, rememberAdvice, whileMembersWait } from '../../../core/pool-memory/advice.ts';
import { rememberInterruptions } from '../../../core/pool-memory/interruptions.ts';
import { interruptedRestMs, isResting } from '../../../core/pool-memory/pool-memory.ts';
import { refusedRestMs, rememberRefusals } from '../../../core/pool-memory/refusals.ts';
import { rememberSuccess } from '../../../core/pool-memory/successes.ts';
import type { Swap } from '../../../core/swap/swap.ts';

const nowMs = 1_700_000_000_000;
const key: OfferingKey = 'm7g.large/zone-a/spot';
const advised: Swap = {
  group: 'web',
  instance: 'i-1',
  reason: 'rebalance',
  state: 'waiting',
  pool: 'spot-a',
  offering: key,
  claimedAtMs: nowMs,
  decision: 'd',
};
const refusal = {
  offering: { instanceType: 'm7g.large', zone: 'zone-a', market: 'spot' },
  code: 'InsufficientInstanceCapacity',
  message: '',
  scope: 'offering',
} as const;

describe('a rebalance recommendation', () => {
  it('is learned once, as of the time at which it was received, however long its member takes to leave', () => {
    const once = rememberAdvice({}, [advised], nowMs + 5_000);
    expect(once[key]).toEqual({ kind: 'advised', code: 'rebalance', atMs: nowMs, coolingUntilMs: nowMs + advisedRestMs, streak: 0 });
    for (const state of ['waiting', 'leaving', 'draining', 'drained'] as const) {
      expect(rememberAdvice(once, [{ ...advised, state }], nowMs + advisedRestMs - 1)).toEqual(once);
      expect(rememberAdvice(once, [{ ...advised, state }], nowMs + advisedRestMs)).toEqual(once);
      expect(rememberAdvice({}, [{ ...advised, state }], nowMs + advisedRestMs)).toEqual({});
    }
  });
  it('is as old as its first hearing where that was before the claim', () => {
    const late: Swap = { ...advised, claimedAtMs: nowMs + 90_000, heardAtMs: nowMs };
    expect(rememberAdvice({}, [late], nowMs + 90_000)[key]?.coolingUntilMs).toBe(nowMs + advisedRestMs);
    expect(rememberAdvice({}, [late], nowMs + advisedRestMs)).toEqual({});
  });
  it('is prolonged by later advice about the same offering', () => {
    const later: Swap = { ...advised, instance: 'i-2', claimedAtMs: nowMs + 60_000 };
    expect(rememberAdvice({}, [later, advised], nowMs + 60_000)[key]?.coolingUntilMs).toBe(nowMs + 60_000 + advisedRestMs);
  });
  it('softens neither a refusal nor a warning that still rests, and gives way to both', () => {
    for (const memory of [rememberRefusals({}, [refusal], {}, nowMs), rememberInterruptions({}, [{ offering: key }], nowMs)]) {
      expect(rememberAdvice(memory, [advised], nowMs + 1)).toEqual(memory);
      expect(whileMembersWait(memory, [advised], nowMs + 1)).toEqual(memory);
    }
    const advice = rememberAdvice({}, [advised], nowMs);
    expect(rememberInterruptions(advice, [{ offering: key }], nowMs)[key]?.kind).toBe('interrupted');
    expect(rememberRefusals(advice, [refusal], {}, nowMs)[key]?.kind).toBe('refused');
    expect(rememberSuccess(advice, [{ offering: key, askedAtMs: nowMs }])[key]?.kind).toBe('advised');
  });
  it('leaves the warning that a refusal has kept, also when the refusal is over', () => {
    const refused = rememberRefusals({}, [refusal], {}, nowMs);
    const warned = rememberInterruptions(refused, [{ offering: key }], nowMs + 60_000);
    const [over, late] = [nowMs + refusedRestMs, { ...advised, claimedAtMs: nowMs + 30_000 }];
    expect(rememberAdvice(warned, [late], over)).toEqual(warned);
    expect(whileMembersWait(warned, [late], over)).toEqual(warned);
    expect(adviseAgainst(warned, [key], over)).toEqual(warned);
    expect(rememberRefusals(rememberAdvice(warned, [late], over), [refusal], {}, over)[key]?.interruptedAtMs).toBe(nowMs + 60_000);
    const quiet = nowMs + 60_000 + interruptedRestMs;
    expect(adviseAgainst(warned, [key], quiet)[key]?.kind).toBe('advised');
  });
  it('counts for decisions while a member waits to leave, and no longer', () => {
    const at = nowMs + 3_600_000;
    const riskOf = (swap: Partial<Swap>): boolean => isResting(whileMembersWait({}, [{ ...advised, ...swap }], at)[key], at);
    expect(riskOf({ state: 'waiting' })).toBe(true);
    expect(riskOf({ state: 'leaving' })).toBe(true);
    for (const state of ['draining', 'drained', 'gone'] as const) expect(riskOf({ state })).toBe(false);
    expect(riskOf({ reason: 'moved' })).toBe(false);
    expect(riskOf({ offering: 'unknown' })).toBe(false);
  });
  it('is learned in each state of its swap, and from no swap of another reason', () => {
    for (const state of ['waiting', 'leaving', 'draining', 'drained'] as const)
      expect(Object.keys(rememberAdvice({}, [{ ...advised, state }], nowMs))).toEqual([key]);
    expect(rememberAdvice({}, [{ ...advised, reason: 'interruption' }], nowMs)).toEqual({});
    expect(whileMembersWait({}, [{ ...advised, reason: 'interruption' }], nowMs)).toEqual({});
  });
  it('is prolonged where it is received again', () => {
    const once = adviseAgainst({}, [key], nowMs);
    expect(adviseAgainst(once, [key], nowMs + 1_000)[key]).toMatchObject({ atMs: nowMs + 1_000, coolingUntilMs: nowMs + 1_000 + advisedRestMs });
    const refused = rememberRefusals({}, [refusal], {}, nowMs);
    expect(adviseAgainst(refused, [key], nowMs + 1_000)).toEqual(refused);
  });
});
