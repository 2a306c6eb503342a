import { expect, test } from 'vitest';
import { readDrainInput } from '../../functions/runtime/drain/order.ts';
import { behindMs, checkStep, endStep, putOff, stepAt } from '../../functions/runtime/drain/step.ts';
import { noonMs } from './fleet.ts';

test('a function whose clock is behind is not called again before the time that it means', () => {
  const skewMs = 3_400;
  const meantMs = noonMs + 4_000;
  let statesMs = noonMs;
  let step = stepAt('check', noonMs);
  let calls = 0;
  while (statesMs - skewMs < meantMs) {
    const { waitedUntilMs } = readDrainInput({ group: 'web', drain: 'd', step });
    step = putOff(stepAt('check', meantMs), behindMs(waitedUntilMs, statesMs - skewMs));
    statesMs = Math.max(statesMs + 200, Date.parse(step.untilIso));
    calls += 1;
  }
  expect(calls).toBeLessThanOrEqual(2);
  expect(statesMs - skewMs).toBeLessThan(meantMs + 1_200);
});

test('a clock that is ahead or right, and the first step, change no time', () => {
  const step = stepAt('check', noonMs + 500);
  expect(step.untilIso).toBe('2026-01-19T12:00:01Z');
  expect(putOff(step, behindMs(noonMs, noonMs + 3_000))).toEqual(step);
  expect(putOff(step, behindMs(undefined, noonMs))).toEqual(step);
  expect(putOff(endStep, 5_000)).toEqual(endStep);
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
