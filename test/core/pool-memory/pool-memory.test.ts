import { describe, expect, it } from 'vitest';
import type { Offering } from '../../../core/pool/offering.ts';
import {
  forgetExpired,
  interruptedRestMs,
  isResting,
  longestRestMs,
  notSoldRestMs,
  type PoolMemory,
  refusedRestMs,
  rememberInterruptions,
  rememberRefusals,
  rememberSuccess,
  restOfSubnet,
} from '../../../core/pool-memory/pool-memory.ts';
import type { Refusal } from '../../../core/ports/launches.ts';
import { nowMs, pool, poolsOf } from '../selector/tree-builders.ts';

const wide = pool('wide', { zones: ['zone-a', 'zone-b'], instanceTypes: ['m7g.large', 'm6g.large'] });
const od = pool('od', { market: 'on-demand' });
const pools = poolsOf(wide, od);

const spotA: Offering = { instanceType: 'm7g.large', zone: 'zone-a', market: 'spot' };
const key = 'm7g.large/zone-a/spot';
const no = (rest: Partial<Refusal> = {}): Refusal => ({
  offering: spotA,
  code: 'InsufficientInstanceCapacity',
  message: 'none left',
  scope: 'offering',
  ...rest,
});
const restOf = (memory: PoolMemory, atMs: number, which: keyof PoolMemory = key) => (memory[which]?.coolingUntilMs ?? 0) - atMs;

describe('a refusal', () => {
  it('rests the offering for three minutes, and no other', () => {
    const memory = rememberRefusals({}, [no()], pools, nowMs);
    expect(memory).toEqual({
      [key]: { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + refusedRestMs, streak: 1 },
    });
    expect(refusedRestMs).toBe(180_000);
    expect(isResting(memory[key], nowMs + refusedRestMs - 1)).toBe(true);
    expect(isResting(memory[key], nowMs + refusedRestMs)).toBe(false);
  });

  it('rests twice as long each time it is repeated, up to half an hour', () => {
    let memory: PoolMemory = {};
    let atMs = nowMs;
    const rests: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      memory = forgetExpired(rememberRefusals(memory, [no()], pools, atMs), atMs);
      rests.push(restOf(memory, atMs) / 60_000);
      atMs = memory[key]?.coolingUntilMs ?? 0;
    }
    expect(rests).toEqual([3, 6, 12, 24, 30, 30]);
    expect(longestRestMs).toBe(1_800_000);
  });

  it('that arrives while the offering rests already is the same refusal, not a second one', () => {
    const first = rememberRefusals({}, [no(), no()], pools, nowMs);
    expect(first[key]?.streak).toBe(1);
    const again = rememberRefusals(first, [no()], pools, nowMs + 2_000);
    expect(again[key]?.streak).toBe(1);
    expect(restOf(again, nowMs + 2_000)).toBe(refusedRestMs);
  });

  it('starts again at three minutes after a success', () => {
    const twice = rememberRefusals(rememberRefusals({}, [no()], pools, nowMs), [no()], pools, nowMs + refusedRestMs);
    const after = rememberSuccess(twice, [key]);
    expect(after).toEqual({});
    expect(restOf(rememberRefusals(after, [no()], pools, nowMs), nowMs)).toBe(refusedRestMs);
  });

  it('of a type that the zone does not sell rests a day', () => {
    expect(restOf(rememberRefusals({}, [no({ scope: 'zone-permanent', code: 'Unsupported' })], pools, nowMs), nowMs)).toBe(notSoldRestMs);
    expect(notSoldRestMs).toBe(86_400_000);
  });

  it('of a type that the zone does not sell is not shortened by a lesser one', () => {
    const memory = rememberRefusals({}, [no({ scope: 'zone-permanent' })], pools, nowMs);
    expect(restOf(rememberRefusals(memory, [no()], pools, nowMs), nowMs)).toBe(notSoldRestMs);
  });

  it('of a whole market rests every offering of that market in the pools, and leaves the other market', () => {
    const memory = rememberRefusals({}, [no({ scope: 'market', code: 'MaxSpotInstanceCountExceeded' })], pools, nowMs);
    expect(Object.keys(memory).sort()).toEqual(['m6g.large/zone-a/spot', 'm6g.large/zone-b/spot', 'm7g.large/zone-a/spot', 'm7g.large/zone-b/spot']);
  });

  it('leaves the memory it was given as it was', () => {
    const before = Object.freeze(rememberRefusals({}, [no()], pools, nowMs));
    expect(rememberRefusals(before, [no()], pools, nowMs + refusedRestMs)).not.toBe(before);
    expect(before[key]?.streak).toBe(1);
  });
});

describe('an interruption', () => {
  it('makes the offering a last resort for three minutes, however often it is repeated', () => {
    const once = rememberInterruptions({}, [key], nowMs);
    expect(once[key]).toEqual({ kind: 'interrupted', code: 'interruption', atMs: nowMs, coolingUntilMs: nowMs + interruptedRestMs, streak: 0 });
    expect(restOf(rememberInterruptions(once, [key], nowMs + 1_000), nowMs + 1_000)).toBe(interruptedRestMs);
  });

  it('does not soften a refusal that still rests', () => {
    const memory = rememberRefusals({}, [no()], pools, nowMs);
    expect(rememberInterruptions(memory, [key], nowMs + 1)).toEqual(memory);
  });

  it('is not forgotten for a launch that succeeded: what EC2 still sells it may still take', () => {
    const memory = rememberInterruptions({}, [key], nowMs);
    expect(rememberSuccess(memory, [key])[key]?.kind).toBe('interrupted');
  });

  it('gives way to a refusal', () => {
    const memory = rememberRefusals(rememberInterruptions({}, [key], nowMs), [no()], pools, nowMs + 1);
    expect(memory[key]).toMatchObject({ kind: 'refused', streak: 1 });
  });

  it('of something that is no offering is not remembered', () => {
    expect(rememberInterruptions({}, ['nonsense' as typeof key], nowMs)).toEqual({});
  });
});

describe('what is over', () => {
  it('is forgotten, but not before a repeated refusal would have been noticed', () => {
    const memory = rememberRefusals({}, [no()], pools, nowMs);
    const overMs = nowMs + refusedRestMs + longestRestMs;
    expect(forgetExpired(memory, overMs - 1)).toEqual(memory);
    expect(forgetExpired(memory, overMs)).toEqual({});
  });
});

describe('a subnet without free addresses', () => {
  const full = (subnet: string) => no({ scope: 'subnet', subnet, code: 'InsufficientFreeAddressesInSubnet' });
  it('rests by itself, for no longer when it is refused again, and leaves its offering alone', () => {
    const once = rememberRefusals({}, [full('subnet-1')], pools, nowMs);
    expect(once[key]).toBeUndefined();
    expect(restOfSubnet(once, 'subnet-1', nowMs)?.coolingUntilMs).toBe(nowMs + refusedRestMs);
    const later = nowMs + refusedRestMs;
    expect(restOfSubnet(once, 'subnet-1', later)).toBeUndefined();
    expect(restOfSubnet(rememberRefusals(once, [full('subnet-1')], pools, later), 'subnet-1', later)?.coolingUntilMs).toBe(later + refusedRestMs);
  });
});
