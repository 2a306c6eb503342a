import { describe, expect, it } from 'vitest';
import type { Offering, OfferingKey } from '../../../core/pool/offering.ts';
import { atOnceMs, type Interrupted, rememberInterruptions, withTakenAtOnce } from '../../../core/pool-memory/interruptions.ts';
import {
  forgetExpired,
  forgetRefusals,
  interruptedRestMs,
  isResting,
  longestRestMs,
  notSoldRestMs,
  type PoolMemory,
  restOfSubnet,
  takenAtOnceCode,
} from '../../../core/pool-memory/pool-memory.ts';
import { refusedRestMs, rememberRefusals } from '../../../core/pool-memory/refusals.ts';
import { rememberSuccess } from '../../../core/pool-memory/successes.ts';
import type { Refusal } from '../../../core/ports/launches.ts';
import { nowMs, pool, poolsOf } from '../selector/tree-builders.ts';

const wide = pool('wide', { zones: ['zone-a', 'zone-b'], instanceTypes: ['m7g.large', 'm6g.large'] });
const od = pool('od', { market: 'on-demand' });
const pools = poolsOf(wide, od);

const spotA: Offering = { instanceType: 'm7g.large', zone: 'zone-a', market: 'spot' };
const key = 'm7g.large/zone-a/spot';
/** A success of a request that was made after every refusal here. */
const gave = [{ offering: key, askedAtMs: nowMs + 3_600_000 }] as const;
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
    const after = rememberSuccess(twice, gave);
    expect(after).toEqual({});
    expect(restOf(rememberRefusals(after, [no()], pools, nowMs), nowMs)).toBe(refusedRestMs);
  });

  it('that came after a request was made stays when the response to a repeat names what was launched before', () => {
    const memory = rememberRefusals({}, [no()], pools, nowMs);
    expect(rememberSuccess(memory, [{ offering: key, askedAtMs: nowMs - 1 }])).toEqual(memory);
    expect(rememberSuccess(memory, [{ offering: key, askedAtMs: nowMs }])).toEqual({});
    const both = [nowMs + 5, nowMs - 5].map((askedAtMs) => ({ offering: key, askedAtMs }) as const);
    expect(rememberSuccess(memory, both)).toEqual({});
  });

  it('is compared with a thousand successes by reading each of them once, however much is remembered', () => {
    let reads = 0;
    const successes = Array.from({ length: 1_000 }, (_, index) => ({
      get offering(): OfferingKey {
        reads += 1;
        return `t${index}/zone-b/spot`;
      },
      askedAtMs: nowMs,
    }));
    const memory = rememberRefusals(
      {},
      Array.from({ length: 50 }, (_, index) => no({ offering: { ...spotA, instanceType: `t${index}` } })),
      pools,
      nowMs,
    );
    expect(rememberSuccess(memory, successes)).toEqual(memory);
    expect(reads).toBe(successes.length);
  });

  it('of a type that the zone does not sell rests a day', () => {
    expect(restOf(rememberRefusals({}, [no({ scope: 'zone-permanent', code: 'Unsupported' })], pools, nowMs), nowMs)).toBe(notSoldRestMs);
    expect(notSoldRestMs).toBe(86_400_000);
  });

  it('beside others of the same response keeps the code and the row of the one with the longest rest', () => {
    const learned = (...refusals: readonly ReturnType<typeof no>[]) => {
      const memory = rememberRefusals({}, [no()], pools, nowMs);
      const { code, streak } = rememberRefusals(memory, refusals, pools, nowMs + refusedRestMs)[key] ?? {};
      return [code, streak];
    };
    const [full, never] = [no({ scope: 'subnet', code: 'Full' }), no({ scope: 'zone-permanent', code: 'Unsupported' })];
    const expected = [no().code, 2];
    expect([learned(no(), full), learned(full, no())]).toEqual([expected, expected]);
    expect([learned(never, no()), learned(no(), never)]).toEqual(Array.from({ length: 2 }, () => ['Unsupported', 2]));
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
    const once = rememberInterruptions({}, [{ offering: key }], nowMs);
    expect(once[key]).toEqual({ kind: 'interrupted', code: 'interruption', atMs: nowMs, coolingUntilMs: nowMs + interruptedRestMs, streak: 0 });
    expect(restOf(rememberInterruptions(once, [{ offering: key }], nowMs + 1_000), nowMs + 1_000)).toBe(interruptedRestMs);
  });

  it('that was received earlier rests from then on, and ends no rest of a later one', () => {
    const toldAtMs = nowMs - 70_000;
    const late = rememberInterruptions({}, [{ offering: key, toldAtMs }], nowMs);
    expect(late[key]).toMatchObject({ atMs: toldAtMs, coolingUntilMs: toldAtMs + interruptedRestMs });
    const both: readonly Interrupted[] = [{ offering: key }, { offering: key, toldAtMs }];
    for (const order of [both, both.toReversed()]) expect(restOf(rememberInterruptions({}, order, nowMs), nowMs)).toBe(interruptedRestMs);
    const refused = { ...rememberRefusals({}, [no()], pools, nowMs) };
    expect(rememberInterruptions(refused, both, nowMs)[key]?.interruptedAtMs).toBe(nowMs);
    const over = nowMs + refusedRestMs;
    const warned = rememberInterruptions(refused, [{ offering: key }], over - 10_000);
    const later = rememberInterruptions(warned, [{ offering: key, toldAtMs: over - 20_000 }], over)[key];
    expect(later).toMatchObject({ kind: 'interrupted', atMs: over - 10_000, coolingUntilMs: over - 10_000 + interruptedRestMs });
  });

  it('is of a launch that EC2 took at once by when the warning was received', () => {
    const one: Interrupted = { offering: key, launchedAtMs: nowMs - atOnceMs };
    expect(rememberInterruptions({}, [one], nowMs)[key]).not.toHaveProperty('takenAtOnceMs');
    expect(rememberInterruptions({}, [{ ...one, toldAtMs: nowMs - 1 }], nowMs)[key]).toHaveProperty('takenAtOnceMs', nowMs - 1);
  });

  it('does not soften a refusal that still rests', () => {
    const memory = rememberRefusals({}, [no()], pools, nowMs);
    const warned = rememberInterruptions(memory, [{ offering: key }], nowMs + 1);
    expect(warned).toEqual({ [key]: { ...memory[key], interruptedAtMs: nowMs + 1 } });
  });

  it('outlives a refusal that ends, whichever of them came first', () => {
    const refused = rememberRefusals({}, [no()], pools, nowMs);
    const left = { [key]: { kind: 'interrupted', code: 'interruption', atMs: nowMs + 1, coolingUntilMs: nowMs + 1 + interruptedRestMs, streak: 0 } };
    const later = rememberInterruptions(refused, [{ offering: key }], nowMs + 1);
    const before = rememberRefusals(rememberInterruptions({}, [{ offering: key }], nowMs + 1), [no()], pools, nowMs + 2);
    for (const memory of [later, before]) {
      expect(rememberSuccess(memory, gave)).toEqual(left);
      expect(forgetRefusals(memory, nowMs + 3)).toEqual(left);
      // Another refusal keeps it for as long as it counts.
      expect(rememberSuccess(rememberRefusals(memory, [no()], pools, nowMs + interruptedRestMs), gave)).toEqual(left);
      expect(rememberSuccess(rememberRefusals(memory, [no()], pools, nowMs + 1 + interruptedRestMs), gave)).toEqual({});
    }
  });

  it('is not dropped for a launch that succeeded, because EC2 may still take what it sells', () => {
    const memory = rememberInterruptions({}, [{ offering: key }], nowMs);
    expect(rememberSuccess(memory, gave)[key]?.kind).toBe('interrupted');
  });

  it('gives way to a refusal', () => {
    const memory = rememberRefusals(rememberInterruptions({}, [{ offering: key }], nowMs), [no()], pools, nowMs + 1);
    expect(memory[key]).toMatchObject({ kind: 'refused', streak: 1 });
  });

  it('counts as a refusal where EC2 takes a second launch at once, that was made after the first warning', () => {
    const warned = (memory: PoolMemory, launchedAtMs: number, atMs: number) => rememberInterruptions(memory, [{ offering: key, launchedAtMs }], atMs);
    const first = warned({}, nowMs - 20_000, nowMs);
    expect(first[key]).toMatchObject({ kind: 'interrupted', takenAtOnceMs: nowMs });
    const again = warned(first, nowMs + 5_000, nowMs + 30_000);
    expect(again[key]).toEqual({
      ...{ kind: 'refused', code: takenAtOnceCode, atMs: nowMs + 30_000, coolingUntilMs: nowMs + 30_000 + refusedRestMs, streak: 0 },
      interruptedAtMs: nowMs + 30_000,
    });
    // EC2 takes what it gives there: neither a refusal that follows nor a policy that is written changes that.
    const warning = { kind: 'interrupted', atMs: nowMs + 30_000, coolingUntilMs: nowMs + 30_000 + interruptedRestMs };
    expect(rememberRefusals(again, [no()], pools, nowMs + 40_000)[key]).toMatchObject({ code: no().code, interruptedAtMs: nowMs + 30_000 });
    expect(forgetRefusals(again, nowMs + 40_000)[key]).toMatchObject(warning);
    expect(withTakenAtOnce(again)[key]?.kind).toBe('interrupted');
    // What is granted there was granted before as well.
    expect(rememberSuccess(again, gave)).toEqual(again);
    const kindOf = (launchedAtMs: number, atMs: number) => warned(first, launchedAtMs, atMs)[key]?.kind;
    // Launched before the first warning, long before its own, or long after the first one.
    expect(kindOf(nowMs - 1_000, nowMs + 30_000)).toBe('interrupted');
    expect(kindOf(nowMs, nowMs + atOnceMs)).toBe('interrupted');
    expect(kindOf(nowMs + 170_000, nowMs + 180_000)).toBe('interrupted');
    expect(kindOf(nowMs + 170_000, nowMs + 179_000)).toBe('refused');
    // Those that were under way together are one attempt, however many warnings come meanwhile.
    const both = warned(first, nowMs - 1_000, nowMs + 1_000);
    expect(warned(both, nowMs + 500, nowMs + 30_000)[key]?.kind).toBe('refused');
    expect(rememberInterruptions(first, [{ offering: key }], nowMs + 30_000)[key]?.kind).toBe('interrupted');
  });

  it('rests for three minutes after a refusal that follows, also while EC2 had taken it back at once', () => {
    const taken = { kind: 'refused', code: takenAtOnceCode, atMs: nowMs - 30_000, coolingUntilMs: nowMs + 150_000, streak: 0 } as const;
    const refused = rememberRefusals({ [key]: taken }, [no()], pools, nowMs);
    expect(refused[key]).toMatchObject({ code: no().code, coolingUntilMs: nowMs + refusedRestMs, streak: 1 });
    // Refusals that were under way together count as one.
    const again = rememberRefusals(refused, [no()], pools, nowMs + 1_000);
    expect(again[key]).toMatchObject({ coolingUntilMs: nowMs + 1_000 + refusedRestMs, streak: 1 });
  });

  it('counts as a refusal at once where another offering of the market was taken back a moment ago', () => {
    const there = 'm7g.large/b/spot';
    const resting = { kind: 'refused', code: takenAtOnceCode, atMs: nowMs, coolingUntilMs: nowMs + 60_000, streak: 0 } as const;
    const kindOf = (other: OfferingKey, launchedAtMs: number, atMs = nowMs) =>
      rememberInterruptions({ [other]: resting }, [{ offering: key, launchedAtMs }], atMs)[key]?.kind;
    expect(kindOf(there, nowMs - 1_000)).toBe('refused');
    expect(kindOf(there, nowMs - atOnceMs)).toBe('interrupted');
    expect(kindOf(there, nowMs + 59_000, nowMs + 60_000)).toBe('interrupted');
    expect(kindOf('m7g.large/b/on-demand', nowMs - 1_000)).toBe('interrupted');
  });

  it('shows what it showed when it was received, in whichever order warnings are remembered', () => {
    const zone = (name: string): OfferingKey => `m7g.large/${name}/spot` as OfferingKey;
    const earlier: Interrupted = { offering: zone('b'), launchedAtMs: nowMs - 90_000, toldAtMs: nowMs - 50_000 };
    const first: Interrupted = { offering: zone('a'), launchedAtMs: nowMs - 90_000, toldAtMs: nowMs - 40_000 };
    const second: Interrupted = { offering: zone('a'), launchedAtMs: nowMs - 30_000, toldAtMs: nowMs - 10_000 };
    for (const order of [
      [earlier, first, second],
      [second, first, earlier],
      [first, second, earlier],
    ]) {
      const memory = rememberInterruptions({}, order, nowMs);
      expect(memory[zone('a')]).toMatchObject({ kind: 'refused', code: takenAtOnceCode });
      expect(memory[zone('b')]?.kind).toBe('interrupted');
    }
    // Another function may have remembered the later ones.
    const later = rememberInterruptions({}, [first, second], nowMs);
    expect(rememberInterruptions(later, [earlier], nowMs)[zone('b')]?.kind).toBe('interrupted');
  });

  it('of something that is not an offering is not remembered', () => {
    expect(rememberInterruptions({}, [{ offering: 'nonsense' as typeof key }], nowMs)).toEqual({});
  });
});

describe('what is over', () => {
  it('is dropped, but not before a repeated refusal would have been noticed', () => {
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
  it('lets its offering rest where it is not known, also for no longer when it is refused again', () => {
    const unknown = no({ scope: 'subnet', code: 'InsufficientFreeAddressesInSubnet' });
    const later = nowMs + refusedRestMs;
    const twice = rememberRefusals(rememberRefusals({}, [unknown], pools, nowMs), [unknown], pools, later);
    expect(twice[key]).toMatchObject({ kind: 'refused', coolingUntilMs: later + refusedRestMs });
  });
});

describe('what a refusal is about', () => {
  it('is the offering where EC2 names no subnet, and also where the refusal is not about the subnet', () => {
    expect(Object.keys(rememberRefusals({}, [no({ scope: 'subnet' })], pools, nowMs))).toEqual([key]);
    expect(Object.keys(rememberRefusals({}, [no({ subnet: 'subnet-1' })], pools, nowMs))).toEqual([key]);
  });
});

describe('a warning', () => {
  const warned = (launchedAtMs?: number) => ({ offering: key, ...(launchedAtMs !== undefined && { launchedAtMs }) }) as const;

  it('keeps when the first launch was taken at once, and nothing of later ones', () => {
    expect(rememberInterruptions({}, [warned()], nowMs)[key]).toStrictEqual({
      kind: 'interrupted',
      code: 'interruption',
      atMs: nowMs,
      coolingUntilMs: nowMs + interruptedRestMs,
      streak: 0,
    });
    expect(rememberInterruptions({}, [warned(nowMs - 1_000)], nowMs)[key]).toHaveProperty('takenAtOnceMs', nowMs);
  });

  it('counts as a refusal for a launch of the same moment as the first warning', () => {
    const first = rememberInterruptions({}, [warned(nowMs - 1_000)], nowMs);
    expect(rememberInterruptions(first, [warned(nowMs)], nowMs + 1_000)[key]?.kind).toBe('refused');
    expect(rememberInterruptions(first, [warned(nowMs - 1)], nowMs + 1_000)[key]?.kind).toBe('interrupted');
  });
});

describe('a lesson that is needed for longer than its rest', () => {
  it('is dropped only then', () => {
    const memory = rememberRefusals({}, [no()], pools, nowMs);
    const needed = refusedRestMs + longestRestMs + 60_000;
    expect(forgetExpired(memory, nowMs + needed - 1, needed)).toEqual(memory);
    expect(forgetExpired(memory, nowMs + needed, needed)).toEqual({});
  });
});
