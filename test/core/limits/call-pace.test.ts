import { describe, expect, it } from 'vitest';
import {
  callAtMs,
  fullAfterThrottleMs,
  heartbeatPatienceMs,
  latestFullAtMs,
  longestPatienceMs,
  staleFullAt,
  tokenMs,
  tokensLeft,
} from '../../../core/limits/call-pace.ts';

const nowMs = 1_000_000;

describe('a bucket of calls', () => {
  it('refills by a token in a part of a second', () => {
    expect([tokenMs('createFleet'), tokenMs('targets'), tokenMs('health')]).toEqual([200, 250, 100]);
  });

  it.each([
    ['that is full', undefined, 20],
    ['that was full a moment ago', nowMs - 1, 20],
    ['that is full now', nowMs, 20],
    ['that gave one token', nowMs + 200, 19],
    ['that gave all', nowMs + 4_000, 0],
    ['in front of which calls wait in line', nowMs + 5_000, -5],
    ['with the longest line', nowMs + 14_800, -54],
    ['of which somebody with a wrong clock wrote', nowMs + 14_801, 20],
  ])('%s has the tokens that calls left', (_, fullAtMs, tokens) => {
    expect(tokensLeft('autoScaling', fullAtMs === undefined ? {} : { autoScaling: fullAtMs }, nowMs)).toBe(tokens);
  });

  it('is read on its own', () => {
    expect(tokensLeft('createFleet', { autoScaling: nowMs + 4_000 }, nowMs)).toBe(50);
    expect(tokensLeft('health', { health: nowMs + 1_000 }, nowMs)).toBe(30);
  });

  it('has no time of use before now, nor beyond the longest line, whose calls wait eight seconds, and clocks that differ', () => {
    expect(staleFullAt('autoScaling', nowMs)).toEqual({ beforeMs: nowMs, afterMs: nowMs + 19 * 200 + 8_000 + 3_000 });
    expect(staleFullAt('createFleet', nowMs).afterMs).toBe(nowMs + 49 * 200 + 8_000 + 3_000);
    const latestMs = latestFullAtMs({ bucket: 'targets', kind: 'act', patienceMs: longestPatienceMs }, nowMs);
    expect(staleFullAt('targets', nowMs).afterMs).toBe(latestMs + 3_000);
  });
});

describe('a call', () => {
  it('waits for its token when it changes something, as long as its patience, with one token to spare', () => {
    expect(latestFullAtMs({ bucket: 'autoScaling', kind: 'act', patienceMs: 700 }, nowMs)).toBe(nowMs + 19 * 200 + 700);
    expect(latestFullAtMs({ bucket: 'createFleet', kind: 'act', patienceMs: 0 }, nowMs)).toBe(nowMs + 49 * 200);
  });
  it('leaves tokens to those when it only reads, and waits for none', () => {
    expect(latestFullAtMs({ bucket: 'autoScaling', kind: 'look', patienceMs: 700 }, nowMs)).toBe(nowMs + 11 * 200);
    expect(latestFullAtMs({ bucket: 'health', kind: 'look', patienceMs: 700 }, nowMs)).toBe(nowMs + 39 * 100);
  });
  it('for the end of a drain joins a line of a second at most, however patient it is', () => {
    expect(latestFullAtMs({ bucket: 'autoScaling', kind: 'end', patienceMs: 6_000 }, nowMs)).toBe(nowMs + 19 * 200 + 1_000);
    expect(latestFullAtMs({ bucket: 'autoScaling', kind: 'end', patienceMs: 700 }, nowMs)).toBe(nowMs + 19 * 200 + 700);
  });
  it('that is a heartbeat waits so long that a quarter of the shortest hook is left, with the start of its function', () => {
    expect(heartbeatPatienceMs).toBe(3_500);
  });
  it('is made when the tokens of all before it have come', () => {
    expect(callAtMs('targets', nowMs + 19 * 250)).toBe(nowMs);
    expect(callAtMs('targets', nowMs + 20 * 250)).toBe(nowMs + 250);
  });
  it('that finds the bucket empty waits with all others until it may be full again', () => {
    expect(fullAfterThrottleMs('targets', nowMs)).toBe(nowMs + 19 * 250);
    expect(callAtMs('targets', fullAfterThrottleMs('targets', nowMs) + 250)).toBe(nowMs + 250);
  });
});
