import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { asgName, firstProblem } from '../../../core/signals/fields.ts';
import { type Signal, signalKindOf } from '../../../core/signals/signal.ts';

const message = z.object({ detail: z.object({ name: asgName, other: z.optional(asgName) }) });
const problemOf = (value: unknown): string => {
  const { error } = z.safeParse(message, value);
  return error === undefined ? 'none' : firstProblem(error);
};

describe('the first problem of a message', () => {
  it('is its path and its rule, and never the value', () => {
    expect(problemOf({ detail: { name: '' } })).toBe('detail.name: too_small');
    expect(problemOf({ detail: { name: 'x'.repeat(256) } })).toBe('detail.name: too_big');
    expect(problemOf({ detail: { name: '', other: '' } })).toBe('detail.name: too_small');
    expect(problemOf({ detail: { name: 'web' } })).toBe('none');
  });

  it('is of the message where it has no path', () => {
    expect(problemOf('secret')).toBe('message: invalid_type');
  });
});

describe('a signal of a kind that is not known', () => {
  it('is a fault', () => {
    expect(() => signalKindOf({ kind: 'unheard-of' } as unknown as Signal)).toThrow('Expected a kind of signal, found "unheard-of".');
  });
});
