import { expect, test } from 'vitest';
import type { LambdaContext, Surroundings } from '../../core/contract.ts';
import { drainFunction } from '../../functions/runtime/drain/drain-function.ts';

const calledAtMs = 1_767_225_700_000;

/** The time that a step has whose own clock is wrong by this. Lambda has called it a moment ago, with a deadline in a minute. */
const timeOfStep = async (wrongByMs: number, { retries = 1, enteredMs = 30_000 } = {}): Promise<unknown> => {
  const ownMs = calledAtMs + wrongByMs;
  const surroundings: Surroundings = {
    id: 'environment',
    env: {},
    now: () => ownMs,
    elapsedMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    clientConfig: { region: 'eu-west-1' },
    quiet: true,
  };
  const { create } = drainFunction(
    'begin-drain',
    ({ now }) => ({ now }),
    async (_, { now }) => now() - calledAtMs,
  );
  const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => calledAtMs + 60_000 - ownMs } as LambdaContext;
  const state = { EnteredTime: new Date(calledAtMs - enteredMs).toISOString(), RetryCount: retries };
  return create(surroundings)({ group: 'web', drain: 'd-1', state }, context);
};

test('the clock of a repeated step that is ahead is corrected by the deadline of its call', async () => {
  expect(await timeOfStep(20_000)).toBe(5_000);
  expect(await timeOfStep(4_000)).toBe(4_000);
});

test('one that is behind is corrected by the time at which the state was entered', async () => {
  expect(await timeOfStep(-40_000)).toBe(-30_000);
  expect(await timeOfStep(20_000, { retries: 0, enteredMs: 1_000 })).toBe(4_000);
});
