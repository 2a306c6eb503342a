import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type Denials,
  isDeniedIn,
  mayBeDenied,
  rememberDenials,
  restOfDenial,
  untilDisproved,
} from '../../../core/pool-memory/denials.ts';

const nowMs = 1_700_000_000_000;
const minuteMs = 60_000;
const denied = (pool: string, code = 'UnauthorizedOperation'): Answer => ({ pool, denied: { code, message: 'no' } });
const answered = (pool: string): Answer => ({ pool });
const restsOf = (denials: Denials | undefined) =>
  Object.fromEntries(Object.entries(denials ?? {}).map(([pool, { untilMs }]) => [pool, (untilMs - nowMs) / minuteMs]));

describe('a launch that EC2 denies', () => {
  it('lets its pool rest for a minute, and several pools take turns, five at most', () => {
    const pools = ['a', 'b', 'c', 'd', 'e', 'f'];
    expect(
      restsOf(
        rememberDenials(
          undefined,
          pools.map((pool) => denied(pool)),
          nowMs,
        ),
      ),
    ).toEqual({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 5 });
  });

  it('is dropped for every pool that was denied for the same cause, once a launch of one of them is no longer denied', () => {
    const both = rememberDenials(undefined, [denied('a'), denied('b'), denied('c', 'InvalidLaunchTemplateId.NotFound')], nowMs);
    expect(Object.keys(rememberDenials(both, [answered('b')], nowMs) ?? {})).toEqual(['c']);
    expect(rememberDenials(rememberDenials(undefined, [denied('a')], nowMs), [answered('a')], nowMs)).toBeUndefined();
  });

  it('may be for a cause of all pools, until a launch of another pool gets a response', () => {
    const first = rememberDenials(undefined, [denied('a')], nowMs);
    expect([mayBeDenied(undefined, 'a'), mayBeDenied(first, 'a'), mayBeDenied(first, 'b')]).toEqual([false, true, true]);
    const together = rememberDenials(undefined, [answered('b'), denied('a')], nowMs);
    for (const own of [rememberDenials(first, [answered('b')], nowMs), together]) {
      expect([mayBeDenied(own, 'a'), mayBeDenied(own, 'b'), mayBeDenied(own, 'c')]).toEqual([true, false, false]);
      // Denied again for the same reason, it is still the pool's own. For another reason, it may concern all pools.
      expect(mayBeDenied(rememberDenials(own, [denied('a')], nowMs), 'c')).toBe(false);
      expect(mayBeDenied(rememberDenials(own, [denied('a', 'AccessDenied')], nowMs), 'c')).toBe(true);
      expect(mayBeDenied(rememberDenials(own, [denied('b')], nowMs), 'c')).toBe(true);
    }
  });

  it('is dropped after an hour without another', () => {
    const before = rememberDenials(undefined, [denied('a')], nowMs);
    expect(Object.keys(rememberDenials(before, [denied('b')], nowMs + 61 * minuteMs) ?? {})).toEqual(['b']);
  });

  it('holds until it is disproved for whatever depends on a launch', () => {
    const denials = rememberDenials(undefined, [denied('a')], nowMs);
    const later = nowMs + 2 * minuteMs;
    expect(restOfDenial(denials, { name: 'a' }, later)).toBeUndefined();
    expect(restOfDenial(untilDisproved(denials), { name: 'a' }, later)?.code).toBe('UnauthorizedOperation');
    expect(isDeniedIn(denials, { kind: 'pool', pool: 'a' })).toBe(true);
    expect(isDeniedIn(denials, { kind: 'pool', pool: 'b' })).toBe(false);
  });

  it('takes its turn after those of other pools that rest, and its own turn is not among them', () => {
    const first = rememberDenials(undefined, [denied('a'), denied('b')], nowMs);
    expect(restsOf(rememberDenials(first, [denied('b')], nowMs))).toEqual({ a: 1, b: 2 });
    expect(restsOf(rememberDenials(first, [denied('c')], nowMs + minuteMs))).toMatchObject({ c: 3 });
    expect(restOfDenial(first, { name: 'a' }, nowMs + minuteMs)).toBeUndefined();
    expect(restOfDenial(first, { name: 'a' }, nowMs + minuteMs - 1)).toBeDefined();
  });

  it('is kept with a message of bounded length', () => {
    const long: Answer = { pool: 'a', denied: { code: 'x', message: 'y'.repeat(500) } };
    expect(rememberDenials(undefined, [long], nowMs)?.a?.message).toHaveLength(200);
  });

  it('concerns a tree that names its pool among others', () => {
    const denials = rememberDenials(undefined, [denied('b')], nowMs);
    const children = ['a', 'b'].map((pool) => ({ kind: 'pool', pool }) as const);
    expect(isDeniedIn(denials, { kind: 'tiered', children })).toBe(true);
    expect(isDeniedIn(undefined, { kind: 'tiered', children })).toBe(false);
  });

  it('is kept for less than an hour', () => {
    const before = rememberDenials(undefined, [denied('a')], nowMs);
    expect(rememberDenials(before, [], nowMs + 60 * minuteMs - 1)).toEqual(before);
    expect(rememberDenials(before, [], nowMs + 60 * minuteMs)).toBeUndefined();
  });
});
