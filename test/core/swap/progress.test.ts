import { describe, expect, it } from 'vitest';
import { asDrained, changeTo, seenOver } from '../../../core/swap/progress.ts';
import { nowMs, swapOf } from '../views.ts';

const shortfall = { code: 'not-seen' } as const;
const times = { busyUntilMs: nowMs + 1, drainStartedAtMs: nowMs + 2, drainedAtMs: nowMs + 3, goneAtMs: nowMs + 4 };

describe('what a drain writes about a swap', () => {
  it('is how far it has come, and nothing that signals and decisions write', () => {
    expect(changeTo(swapOf('i-1', { state: 'gone', ...times, shortfall }))).toStrictEqual({ set: { state: 'gone', ...times, shortfall } });
    expect(changeTo(swapOf('i-1', { state: 'draining' }))).toStrictEqual({ set: { state: 'draining' }, clear: ['shortfall'] });
  });
  it('removes a shortfall that did not happen', () => {
    expect(changeTo(swapOf('i-1', { state: 'drained' }))).toStrictEqual({ set: { state: 'drained' }, clear: ['shortfall'] });
    expect(changeTo(swapOf('i-1', { state: 'drained', shortfall }))).toStrictEqual({ set: { state: 'drained', shortfall } });
    expect(changeTo(swapOf('i-1', { state: 'draining', shortfall }))).toStrictEqual({ set: { state: 'draining', shortfall } });
  });
});

describe('a swap whose drain is over', () => {
  it('has drained now, or when that was seen before', () => {
    expect(asDrained(swapOf('i-1', { state: 'draining' }), nowMs)).toEqual(swapOf('i-1', { state: 'drained', drainedAtMs: nowMs }));
    expect(asDrained(swapOf('i-1', { drainedAtMs: nowMs - 5 }), nowMs).drainedAtMs).toBe(nowMs - 5);
  });
});

describe('a look at a batch', () => {
  it('writes who has drained for the first time, who was stopped and who is gone', () => {
    const found = seenOver(
      {
        drained: [swapOf('new', { state: 'draining' }), swapOf('known', { state: 'drained' })],
        stopped: [swapOf('stopped', { state: 'leaving' })],
        gone: [swapOf('gone', { state: 'draining' })],
      } as never,
      nowMs,
    );
    expect(found.map(({ instance, state }) => [instance, state])).toMatchObject([
      ['new', 'drained'],
      ['stopped', expect.anything()],
      ['gone', 'gone'],
    ]);
  });
});
