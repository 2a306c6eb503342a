import { describe, expect, it } from 'vitest';
import { rarestFirst } from './rarest-first.ts';

const ranIn = new Map<number, ReadonlySet<string>>([
  [1, new Set(['always'])],
  [2, new Set(['always', 'elsewhere'])],
  [3, new Set(['always', 'on failure', 'often'])],
  [4, new Set(['always', 'often'])],
]);

describe('the worlds that are likeliest to show a change', () => {
  it('run code of the same function that few worlds run', () => {
    expect(rarestFirst([1, 2, 3, 4], ranIn, { near: ['always', 'on failure', 'often'], file: [] })).toEqual([3, 4, 1, 2]);
  });
  it('are told by code of the same file where the function is the same in all', () => {
    expect(rarestFirst([1, 2, 4], ranIn, { near: ['always'], file: ['always', 'elsewhere'] })).toEqual([2, 1, 4]);
    expect(rarestFirst([1, 2, 4], ranIn, { near: ['often'], file: ['often', 'elsewhere'] })).toEqual([4, 2, 1]);
  });
  it('keep their order where nothing tells them apart', () => {
    expect(rarestFirst([4, 2, 1], ranIn, { near: [], file: [] })).toEqual([4, 2, 1]);
  });
});
