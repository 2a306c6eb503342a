import { expect, test } from 'vitest';
import type { Turn } from '../../core/limits/line.ts';
import type { Ask } from '../../core/limits/need.ts';
import type { Run } from '../../functions/react/run.ts';
import { askHere, wakeForTurnMs } from '../../functions/react/turns/ask-here.ts';
import { commonTime } from '../../functions/react/turns/wakes-together.ts';

const beganAtMs = 1_000_000;
const ask: Ask = { group: 'web', by: 'd1', bucket: 'createFleet', calls: 1, instances: 10, need: { urgency: 'warned', size: 10 } };
const now: Turn = { kind: 'now', instances: 10, calls: 1, sinceMs: beganAtMs };

/** Requests a turn that comes in so many milliseconds, in an invocation that has run for some time. */
const asked = async (turnInMs: number, { ranForMs = 0, second = now }: { readonly ranForMs?: number; readonly second?: Turn } = {}) => {
  let nowMs = beganAtMs + ranForMs;
  const later: Turn = { kind: 'later', turnAtMs: nowMs + turnInMs, sinceMs: nowMs, ahead: {} };
  const told: Turn[] = [later, second];
  const turns = { ask: async () => ({ turn: told.shift(), refused: {} }) };
  const sleep = async (ms: number) => {
    nowMs += ms;
  };
  const ports = { clock: { now: () => nowMs }, sleep };
  const { turn } = await askHere(
    { turns, ports, beganAtMs } as unknown as Run,
    () => ask,
    () => ask,
  );
  return { kind: turn.kind, waitedMs: nowMs - beganAtMs - ranForMs, requests: 2 - told.length };
};

test('a turn that is nearer than a wake for it is waited for, and requested once more', async () => {
  expect(await asked(2_999)).toEqual({ kind: 'now', waitedMs: 2_999, requests: 2 });
  expect(await asked(-1)).toEqual({ kind: 'now', waitedMs: 0, requests: 2 });
  const later: Turn = { kind: 'later', turnAtMs: beganAtMs + 2_000, sinceMs: beganAtMs, ahead: {} };
  expect(await asked(1_000, { second: later })).toEqual({ kind: 'later', waitedMs: 1_000, requests: 2 });
});

test('a later turn is not waited for, and none where the invocation has taken a quarter of its time', async () => {
  expect(await asked(3_000)).toEqual({ kind: 'later', waitedMs: 0, requests: 1 });
  expect(await asked(1_000, { ranForMs: 7_500 })).toMatchObject({ kind: 'now' });
  expect(await asked(1_000, { ranForMs: 7_501 })).toEqual({ kind: 'later', waitedMs: 0, requests: 1 });
});

test('groups are woken one to three seconds ahead of their turns, and those of the same two seconds together', () => {
  const wakes = [0, 999, 1_000, 2_999, 3_000].map((ms) => wakeForTurnMs(beganAtMs + ms) - beganAtMs);
  expect(wakes).toEqual([-2_000, -2_000, 0, 0, 2_000]);
  // A batch of several groups sends the wake at that time, and not at a later common one.
  expect(commonTime(wakeForTurnMs(beganAtMs + 1_500), 40)).toBe(beganAtMs);
});
