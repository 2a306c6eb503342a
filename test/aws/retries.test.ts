import { GetQueueUrlCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createSqsClient } from '../../aws/calls/clients.ts';
import { createRetries } from '../../aws/calls/retries.ts';

type Answer = 'ok' | 'THROTTLING' | 'TRANSIENT' | 'CLIENT_ERROR';

/** A client that makes one call after the other. Returns the attempts of each. */
const callsOf = (random = 0.5) => {
  const slept: number[] = [];
  const pauses = { sleep: async (ms: number) => void slept.push(ms), random: () => random };
  const retries = createRetries(pauses, { most: 3, mostThrottled: 5, throttledMs: 200 });
  const attemptsUntil = async (answerOf: (attempt: number) => Answer, operation = 'PutItem'): Promise<number> => {
    let token = await retries.acquireInitialRetryToken(operation);
    for (;;) {
      const answer = answerOf(token.getRetryCount() + 1);
      if (answer === 'ok') {
        retries.recordSuccess(token);
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

test('while a service is out of reach each call is made once, until one gets a response', async () => {
  const { attemptsUntil } = callsOf();
  const throttled = (): Promise<number> => attemptsUntil(() => 'THROTTLING');
  expect([await throttled(), await throttled(), await throttled(), await throttled()]).toEqual([5, 5, 1, 1]);
  expect(await attemptsUntil(() => 'ok')).toBe(1);
  expect([await throttled(), await throttled(), await throttled()]).toEqual([5, 5, 1]);
  expect(await attemptsUntil(() => 'CLIENT_ERROR')).toBe(1);
  expect(await throttled()).toBe(5);
});

test('a call that succeeds in the end shows that its service is only busy', async () => {
  const { attemptsUntil } = callsOf();
  for (let call = 0; call < 10; call++) expect(await attemptsUntil((attempt) => (attempt < 4 ? 'THROTTLING' : 'ok'))).toBe(4);
});

test('while one operation is out of reach its calls are made once, also when other operations succeed in between', async () => {
  const { attemptsUntil } = callsOf();
  const attempts: number[] = [];
  for (let call = 0; call < 4; call++) {
    attempts.push(await attemptsUntil(() => 'TRANSIENT'));
    await attemptsUntil(() => 'ok', 'Query');
  }
  expect(attempts).toEqual([3, 3, 1, 1]);
  expect(await attemptsUntil(() => 'TRANSIENT', 'GetItem')).toBe(3);
  await attemptsUntil(() => 'ok');
  expect(await attemptsUntil(() => 'TRANSIENT')).toBe(3);
});

test('a client of the SDK names the operation of each call', async () => {
  const pauses = { sleep: async () => {}, random: () => 0.5 };
  const client = createSqsClient({ region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, pauses } as never);
  let attempts = 0;
  const answers = ((_next: unknown, { commandName }: { readonly commandName: string }) =>
    async () => {
      attempts += 1;
      if (commandName === 'ListQueuesCommand') throw Object.assign(new Error('no'), { name: 'TimeoutError', $metadata: {} });
      return { response: {}, output: { $metadata: {} } };
    }) as never;
  client.middlewareStack.add(answers, { step: 'finalizeRequest', priority: 'low', name: 'answers' });
  const attemptsOfList = async (): Promise<number> => {
    attempts = 0;
    await expect(client.send(new ListQueuesCommand({}))).rejects.toThrow('no');
    const made = attempts;
    await client.send(new GetQueueUrlCommand({ QueueName: 'signals' }));
    return made;
  };
  expect([await attemptsOfList(), await attemptsOfList(), await attemptsOfList()]).toEqual([3, 3, 1]);
});
