import { expect, test } from 'vitest';
import { createRetries } from '../../aws/calls/retries.ts';

type Answer = 'ok' | 'THROTTLING' | 'TRANSIENT' | 'CLIENT_ERROR';

/** A client that makes one call after the other. Returns the attempts of each. */
const callsOf = (random = 0.5) => {
  const slept: number[] = [];
  const pauses = { sleep: async (ms: number) => void slept.push(ms), random: () => random };
  const retries = createRetries(pauses, { most: 3, mostThrottled: 5, throttledMs: 200 });
  const attemptsUntil = async (answerOf: (attempt: number) => Answer): Promise<number> => {
    let token = await retries.acquireInitialRetryToken();
    for (;;) {
      const answer = answerOf(token.getRetryCount() + 1);
      if (answer === 'ok') {
        retries.recordSuccess();
        return token.getRetryCount() + 1;
      }
      try {
        token = await retries.refreshRetryTokenForRetry(token, { errorType: answer });
      } catch {
        return token.getRetryCount() + 1;
      }
    }
  };
  return { slept, attemptsUntil };
};

test('a call that is throttled is made more often than one whose connection breaks, after pauses that double', async () => {
  const { slept, attemptsUntil } = callsOf();
  expect(await attemptsUntil(() => 'THROTTLING')).toBe(5);
  expect(slept).toEqual([100, 200, 400, 800]);
  expect(await callsOf().attemptsUntil(() => 'TRANSIENT')).toBe(3);
});

test('a call that is refused is made once', async () => {
  expect(await callsOf().attemptsUntil(() => 'CLIENT_ERROR')).toBe(1);
});

test('while a service is out of reach each call is made once, until one is answered', async () => {
  const { attemptsUntil } = callsOf();
  const throttled = (): Promise<number> => attemptsUntil(() => 'THROTTLING');
  expect([await throttled(), await throttled(), await throttled(), await throttled()]).toEqual([5, 5, 1, 1]);
  expect(await attemptsUntil(() => 'ok')).toBe(1);
  expect([await throttled(), await throttled(), await throttled()]).toEqual([5, 5, 1]);
  expect(await attemptsUntil(() => 'CLIENT_ERROR')).toBe(1);
  expect(await throttled()).toBe(5);
});

test('a call that is answered in the end shows a service that is only busy', async () => {
  const { attemptsUntil } = callsOf();
  for (let call = 0; call < 10; call++) expect(await attemptsUntil((attempt) => (attempt < 4 ? 'THROTTLING' : 'ok'))).toBe(4);
});
