import { expect, test } from 'vitest';
import { readDrainInput } from '../../functions/runtime/drain/order.ts';
import { checkStep, endStep, onward, stepAt } from '../../functions/runtime/drain/step.ts';
import { noonMs } from './fleet.ts';

test('a step is taken at a whole second, and none too early', () => {
  expect(stepAt('check', noonMs + 500).untilIso).toBe('2026-01-19T12:00:01Z');
  expect(stepAt('begin', noonMs).untilIso).toBe('2026-01-19T12:00:00Z');
});

test('a step that is called before the planned look only sends heartbeats', () => {
  const stepOf = (atMs: number) => readDrainInput({ group: 'web', drain: 'd', step: checkStep({ atMs, lookAtMs: noonMs + 60_500 }) });
  expect(stepOf(noonMs + 30_000).plannedMs).toBe(noonMs + 60_500);
  expect(stepOf(noonMs + 60_500).plannedMs).toBeUndefined();
  expect(readDrainInput({ group: 'web', drain: 'd', step: checkStep({ atMs: noonMs }) }).plannedMs).toBeUndefined();
  expect(checkStep(undefined)).toEqual(endStep);
});

test('the next step recognizes a delay that may grow by its own field, and by the time 0 of an earlier version', () => {
  const knownOf = (step: object) =>
    readDrainInput({ group: 'web', drain: 'd', step: { next: 'begin', untilIso: '2026-01-19T12:00:00Z', ...step } }).known;
  const delay = { deregistrationDelayMs: 0, delayOfMs: noonMs };
  expect(knownOf(delay)).toEqual({ delayMs: 0, ofMs: noonMs });
  expect(knownOf({ ...delay, delayMayGrow: true })).toEqual({ delayMs: 0, ofMs: noonMs, mayGrow: true });
  expect(knownOf({ ...delay, delayOfMs: 0 })).toMatchObject({ mayGrow: true });
  expect(knownOf({})).toBeUndefined();
});

test('a step tells the next ones that an attempt broke off, and a repeat is recognized by the state machine', () => {
  const input = { group: 'web', drain: 'd' };
  const after = (step: object) => readDrainInput({ ...input, step });
  expect(after(onward(endStep, true))).toMatchObject({ brokeOff: true });
  expect(onward(endStep, undefined)).toBe(endStep);
  expect(after(endStep)).not.toHaveProperty('brokeOff');
  const attempt = (RetryCount: number) => readDrainInput({ ...input, state: { EnteredTime: '2026-01-19T12:00:00Z', RetryCount } });
  expect(attempt(1)).toMatchObject({ isRepeat: true });
  expect(attempt(0)).not.toHaveProperty('isRepeat');
  expect(after(onward({ next: 'end', untilIso: '2026-01-19T12:00:05Z', failsSinceMs: noonMs }, undefined))).toMatchObject({ failsSinceMs: noonMs });
  expect(after(endStep)).not.toHaveProperty('failsSinceMs');
});
