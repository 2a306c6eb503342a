import { describe, expect, it } from 'vitest';
import { historyOf } from '../judge/histories.ts';
import { busiestDrainsFirst, drainWorkIn, rarestFirst } from './rarest-first.ts';

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

describe('the worlds that are likeliest to show a change of the workflow', () => {
  it('are those in which steps of drains failed, and then those with the most steps', () => {
    const work = new Map([
      [1, { steps: 9, failed: 0 }],
      [2, { steps: 4, failed: 1 }],
      [3, undefined],
      [4, { steps: 12, failed: 0 }],
    ]);
    expect(busiestDrainsFirst(work)).toEqual([2, 4, 1, 3]);
  });
  it('are told by the steps in their histories', () => {
    const ended = { kind: 'invocation-ended', function: 'check-drain', startedAtMs: 0, timeoutMs: 60_000, again: [], injected: false } as const;
    const history = historyOf((script) => {
      script.at(10, { ...ended, invocation: 'a', drain: 'd' });
      script.at(11, { ...ended, invocation: 'b', drain: 'd', error: { type: 'Error', message: 'no' } });
      script.at(12, { ...ended, invocation: 'c' });
    });
    expect(drainWorkIn(history)).toEqual({ steps: 2, failed: 1 });
  });
});
