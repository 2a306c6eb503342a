import { describe, expect, it } from 'vitest';
import { type FailedBoots, withoutFailures } from '../../../core/pool-memory/boot-memory.ts';
import { withoutRest } from '../../../core/pool-memory/denials.ts';
import { forgetRefusals, type Lesson, refusalsIn } from '../../../core/pool-memory/pool-memory.ts';

const writtenAtMs = 1_700_000_000_000;
const lesson = (kind: Lesson['kind'], atMs: number): Lesson => ({ kind, code: 'x', atMs, coolingUntilMs: atMs + 60_000, streak: 1 });
const memory = {
  'm7g.large/a/spot': lesson('refused', writtenAtMs),
  'm7g.large/b/spot': lesson('refused', writtenAtMs + 1),
  'm7g.large/c/spot': lesson('interrupted', writtenAtMs - 1),
  'm7g.large/d/spot': lesson('advised', writtenAtMs - 1),
} as const;

describe('a policy that a user wrote', () => {
  it('lets offerings be requested again that EC2 refused until then', () => {
    expect(Object.keys(forgetRefusals(memory, writtenAtMs))).toEqual(['m7g.large/b/spot', 'm7g.large/c/spot', 'm7g.large/d/spot']);
  });

  it('lets pools be requested again that were denied until then', () => {
    const denied = (atMs: number) => ({ code: 'x', message: 'no', atMs, untilMs: atMs + 60_000 });
    expect(withoutRest({ a: denied(writtenAtMs), b: denied(writtenAtMs + 1) }, writtenAtMs)).toEqual({
      a: { ...denied(writtenAtMs), untilMs: writtenAtMs },
      b: denied(writtenAtMs + 1),
    });
  });

  it('ends the rest of pools whose instances ended early until then', () => {
    const failed = (atMs: number): FailedBoots => ({ code: 'x', message: 'no', atMs, restsUntilMs: atMs + 60_000, streak: 1 });
    const deaths = [
      { atMs: writtenAtMs, count: 1 },
      { atMs: writtenAtMs + 1, count: 2 },
    ];
    const failedBoots = { a: failed(writtenAtMs), b: failed(writtenAtMs + 1) };
    expect(withoutFailures({ failedBoots, deaths }, writtenAtMs)).toStrictEqual({
      failedBoots: { b: failed(writtenAtMs + 1) },
      deaths: [{ atMs: writtenAtMs + 1, count: 2 }],
    });
    expect(withoutFailures({}, writtenAtMs)).toStrictEqual({});
  });
});

describe('refusals alone', () => {
  it('are the lessons of offerings that EC2 refused', () => {
    expect(Object.keys(refusalsIn(memory))).toEqual(['m7g.large/a/spot', 'm7g.large/b/spot']);
  });
});
