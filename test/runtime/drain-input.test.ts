import { describe, expect, test } from 'vitest';
import { readDrainInput } from '../../functions/runtime/drain/order.ts';

const noonMs = Date.UTC(2026, 10, 20, 12);
const inMs = (seconds: number) => noonMs + seconds * 1_000;
const isoOf = (seconds: number) => new Date(inMs(seconds)).toISOString();

describe('the input of a step', () => {
  const input = { group: 'web', drain: 'd-1' };

  test('has the delay that an earlier step read, and until when the state machine waited', () => {
    expect(readDrainInput(input)).toEqual({ order: input, began: { atLeastMs: 0 }, error: undefined });
    const step = { next: 'begin', untilIso: isoOf(5), deregistrationDelayMs: 30_000, delayOfMs: noonMs };
    expect(readDrainInput({ ...input, step })).toEqual({
      order: input,
      began: { atLeastMs: inMs(5) },
      known: { delayMs: 30_000, ofMs: noonMs },
      waitedUntilMs: inMs(5),
      error: undefined,
    });
    expect(readDrainInput({ ...input, step: { deregistrationDelayMs: 0 } })).toMatchObject({ known: { delayMs: 0 } });
  });

  test('names the span in which the function was called, which has no end after an attempt that failed', () => {
    const beganOf = (RetryCount: number) => readDrainInput({ ...input, state: { Name: 'Check drain', EnteredTime: isoOf(9), RetryCount } });
    expect(beganOf(0)).toEqual({ order: input, began: { atLeastMs: inMs(9), atMostMs: inMs(14) }, error: undefined });
    expect(beganOf(1).began).toEqual({ atLeastMs: inMs(9) });
  });

  test('says when the next look is due only where the step comes before it', () => {
    const planned = (untilS: number | undefined, lookS: number | undefined) =>
      readDrainInput({
        ...input,
        step: { ...(untilS !== undefined && { untilIso: isoOf(untilS) }), ...(lookS !== undefined && { lookAtMs: inMs(lookS) }) },
      }).plannedMs;
    expect([planned(5, 9), planned(9, 9), planned(10, 9), planned(5, undefined), planned(undefined, 9)]).toEqual([
      inMs(9),
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('has the error of a step with the message of its function, or its cause as it is', () => {
    const errorOf = (error: object) => readDrainInput({ ...input, error }).error;
    expect(errorOf({ Error: 'Lambda.Unknown', Cause: '{"errorMessage":"Died."}' })).toEqual({ Error: 'Lambda.Unknown', Cause: 'Died.' });
    expect(errorOf({ Error: 'States.Timeout', Cause: 'Too long.' })).toEqual({ Error: 'States.Timeout', Cause: 'Too long.' });
    expect(errorOf({ Error: 'States.Timeout', Cause: '{"other":1}' })).toEqual({ Error: 'States.Timeout', Cause: '{"other":1}' });
    expect(errorOf({ Error: 'States.Timeout' })).toEqual({ Error: 'States.Timeout' });
    expect(() => readDrainInput({ group: 'web' })).toThrow();
  });
});
