import { describe, expect, it } from 'vitest';
import { besideName, whoDiffers } from './beside.ts';

type Beside = (value: unknown, others: readonly (readonly [number, unknown])[]) => unknown;
const beside = (globalThis as Record<string, unknown>)[besideName] as Beside;

const differing = async (play: () => void): Promise<readonly number[]> => (await whoDiffers(async () => play()))[1];

describe('broken builds beside the code as it is', () => {
  it('are noted in the worlds in which they return something else', async () => {
    const twice = beside(
      (count: number) => ({ count: count * 2 }),
      [
        [0, (count: number) => ({ count: count * count })],
        [1, (count: number) => ({ count: count + count })],
      ],
    ) as (count: number) => unknown;
    expect(await differing(() => void twice(2))).toEqual([]);
    expect(await differing(() => void twice(3))).toEqual([0]);
    expect(await differing(() => void twice(2))).toEqual([]);
  });

  it('change nothing of what is returned', async () => {
    const half = beside((count: number) => count / 2, [[2, () => 0]]) as (count: number) => unknown;
    expect(await differing(() => expect(half(6)).toBe(3))).toEqual([2]);
  });

  it('are noted when they throw', async () => {
    const text = beside(String, [
      [
        3,
        () => {
          throw new Error('broken');
        },
      ],
    ]) as (value: number) => string;
    expect(await differing(() => void text(1))).toEqual([3]);
  });

  it('are followed into functions that a function or a record holds', async () => {
    const atLeast = beside((least: number) => (count: number) => count >= least, [[4, (least: number) => (count: number) => count > least]]) as (
      least: number,
    ) => (count: number) => boolean;
    const rule = beside({ name: 'even', holds: (count: number) => count % 2 === 0 }, [[5, { name: 'even', holds: () => true }]]) as {
      readonly holds: (count: number) => boolean;
    };
    expect(await differing(() => void atLeast(1)(2))).toEqual([]);
    expect(await differing(() => void atLeast(2)(2))).toEqual([4]);
    expect(await differing(() => void rule.holds(3))).toEqual([5]);
  });

  it('are followed into lists and records within records', async () => {
    const lists = beside([{ reads: (text: string) => text.length }], [[7, [{ reads: (text: string) => text.trim().length }]]]) as readonly {
      readonly reads: (text: string) => number;
    }[];
    const targets = beside({ first: { calls: () => 1, name: 'first' } }, [[8, { first: { calls: () => 2, name: 'first' } }]]) as {
      readonly first: { readonly calls: () => number };
    };
    expect(await differing(() => void lists[0]?.reads('a'))).toEqual([]);
    expect(await differing(() => void lists[0]?.reads(' a'))).toEqual([7]);
    expect(await differing(() => expect(targets.first.calls()).toBe(1))).toEqual([8]);
  });

  it('are noted when they do not throw where the code as it is does, and not when both throw', async () => {
    const throws = (): never => {
      throw new Error('as it is');
    };
    const strict = beside(throws, [
      [9, () => undefined],
      [10, throws],
    ]) as () => void;
    expect(await differing(() => expect(strict).toThrow('as it is'))).toEqual([9]);
  });

  it('may differ in every world when they export other data', async () => {
    beside(60_000, [[6, 120_000]]);
    expect(await differing(() => undefined)).toEqual([6]);
  });
});
