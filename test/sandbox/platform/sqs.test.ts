import { describe, expect, it } from 'vitest';
import type { InvocationResult } from '../../../sandbox/platform/functions/invocation.ts';
import { createQueue, type Queue } from '../../../sandbox/platform/queues/queue.ts';
import { type QueuePollerOptions, startQueuePoller } from '../../../sandbox/platform/queues/queue-poller.ts';
import { createSqs } from '../../../sandbox/platform/queues/sqs.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../../sandbox/random.ts';

const operator = { kind: 'operator' } as const;
const options = (name: string) => ({
  name,
  arn: `arn:aws:sqs:eu-west-1:123456789012:${name}`,
  url: `http://127.0.0.1/123456789012/${name}`,
  visibilitySeconds: 40,
  delaySeconds: 0,
  retentionSeconds: 345_600,
});

const setUp = (maxReceiveCount = 2) => {
  const clock = createVirtualClock(0);
  const deps = { clock, random: createRandom(1) };
  const dead = createQueue(options('dead'), deps);
  const queue = createQueue({ ...options('main'), redrive: { maxReceiveCount, deadLetterArn: dead.arn } }, { ...deps, deadLetterQueue: () => dead });
  const sqs = createSqs([queue, dead], clock);
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many shapes.
  const call = async (operation: string, input: Record<string, unknown> = {}): Promise<any> =>
    sqs.operations[operation]?.({ QueueUrl: queue.url, ...input }, operator);
  return { clock, queue, dead, call };
};

describe('a queue', () => {
  it('hides a received message until its visibility time-out, and gives it again', async () => {
    const { clock, call } = setUp();
    const sent = await call('SendMessage', { MessageBody: 'hello' });
    expect(sent.MD5OfMessageBody).toBe('5d41402abc4b2a76b9719d911017c592');
    const first = await call('ReceiveMessage');
    expect(first.Messages[0]).toMatchObject({ MessageId: sent.MessageId, Body: 'hello', Attributes: { ApproximateReceiveCount: '1' } });
    expect(await call('ReceiveMessage')).toEqual({});
    await clock.run({ untilMs: 39_999 });
    expect(await call('ReceiveMessage')).toEqual({});
    await clock.run({ untilMs: 40_000 });
    expect((await call('ReceiveMessage')).Messages[0].Attributes.ApproximateReceiveCount).toBe('2');
  });

  it('moves a message to the dead-letter queue once it was received too often', async () => {
    const { clock, call, dead } = setUp(2);
    await call('SendMessage', { MessageBody: 'poison' });
    for (const untilMs of [40_000, 80_000]) {
      expect((await call('ReceiveMessage')).Messages).toHaveLength(1);
      await clock.run({ untilMs });
    }
    expect(await call('ReceiveMessage')).toEqual({});
    expect(dead.messages().map(({ body }) => body)).toEqual(['poison']);
  });

  it('holds a message back for its delay', async () => {
    const { clock, call } = setUp();
    await call('SendMessage', { MessageBody: 'later', DelaySeconds: 10 });
    expect((await call('GetQueueAttributes', { AttributeNames: ['All'] })).Attributes).toMatchObject({ ApproximateNumberOfMessagesDelayed: '1' });
    expect(await call('ReceiveMessage')).toEqual({});
    await clock.run({ untilMs: 10_000 });
    expect((await call('ReceiveMessage')).Messages).toHaveLength(1);
  });

  it('waits for a message as long as the caller wants to', async () => {
    const { clock, call } = setUp();
    clock.after(3000, () => call('SendMessage', { MessageBody: 'x' }).then(() => undefined));
    const received = await clock.drive(call('ReceiveMessage', { WaitTimeSeconds: 20 }));
    expect(received.Messages).toHaveLength(1);
    expect(clock.now()).toBeLessThan(3500);
  });

  it('gives a message up or back by its receipt', async () => {
    const { clock, call } = setUp();
    await call('SendMessage', { MessageBody: 'x' });
    const { ReceiptHandle } = (await call('ReceiveMessage')).Messages[0];
    await call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 0 });
    const again = (await call('ReceiveMessage')).Messages[0];
    await expect(call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 5 })).rejects.toThrow(
      'not available for visibility timeout change',
    );
    await call('DeleteMessage', { ReceiptHandle: again.ReceiptHandle });
    await clock.run();
    expect(await call('ReceiveMessage')).toEqual({});
  });

  it('returns a result for each entry of a batch', async () => {
    const { call } = setUp();
    const answer = await call('SendMessageBatch', {
      Entries: [
        { Id: 'a', MessageBody: 'x' },
        { Id: 'b', MessageBody: 'x', DelaySeconds: 901 },
      ],
    });
    expect(answer.Successful.map(({ Id }: { Id: string }) => Id)).toEqual(['a']);
    expect(answer.Failed).toMatchObject([{ Id: 'b', SenderFault: true, Code: 'InvalidParameterValue' }]);
    await expect(call('SendMessageBatch', { Entries: Array.from({ length: 11 }, (_, i) => ({ Id: `${i}`, MessageBody: 'x' })) })).rejects.toThrow(
      'Maximum number',
    );
    await expect(call('SendMessage', { QueueUrl: 'http://x/1/none', MessageBody: 'x' })).rejects.toMatchObject({ code: 'QueueDoesNotExist' });
  });
});

describe('the mapping from a queue to a function', () => {
  type Event = { readonly Records: readonly { readonly messageId: string; readonly body: string }[] };
  const startPoller = (
    queue: Queue,
    clock: ReturnType<typeof createVirtualClock>,
    answer: (event: Event) => Promise<InvocationResult>,
    more: Partial<QueuePollerOptions> = {},
  ) => {
    const seen: { readonly atMs: number; readonly bodies: readonly string[] }[] = [];
    startQueuePoller({
      queue,
      clock,
      region: 'eu-west-1',
      batchSize: 10,
      windowSeconds: 0,
      maximumConcurrency: 5,
      reportsItemFailures: true,
      filters: [],
      invoke: (event) => {
        seen.push({ atMs: clock.now(), bodies: (event as Event).Records.map(({ body }) => body) });
        return answer(event as Event);
      },
      ...more,
    });
    return seen;
  };
  const done: InvocationResult = { kind: 'ok', value: undefined };

  it('gathers messages until its window has passed, or the batch is full', async () => {
    const { clock, queue } = setUp();
    const seen = startPoller(queue, clock, async () => done, { batchSize: 3, windowSeconds: 1 });
    queue.send('a');
    clock.after(500, () => void queue.send('b'));
    await clock.run({ untilMs: 5000 });
    for (const body of ['c', 'd', 'e', 'f']) queue.send(body);
    await clock.run();
    expect(seen.map(({ bodies }) => bodies)).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']]);
    expect(seen[0]?.atMs).toBe(1016);
    expect(seen[1]?.atMs).toBe(5016);
    expect(queue.messages()).toEqual([]);
  });

  it('leaves to the visibility time-out what the function names as failed, and deletes the rest', async () => {
    const { clock, queue } = setUp(5);
    let failing = true;
    const seen = startPoller(queue, clock, async (event) => {
      const failed = failing ? event.Records.filter(({ body }) => body === 'bad') : [];
      failing = false;
      return { kind: 'ok', value: { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) } };
    });
    queue.send('good');
    queue.send('bad');
    await clock.run();
    expect(seen.map(({ bodies }) => bodies)).toEqual([['good', 'bad'], ['bad']]);
    expect((seen[1]?.atMs ?? 0) - (seen[0]?.atMs ?? 0)).toBe(40_016);
  });

  it('gives the whole batch again when the function fails, and at last to the dead-letter queue', async () => {
    const { clock, queue, dead } = setUp(3);
    const seen = startPoller(queue, clock, async () => ({ kind: 'error', errorType: 'Error', errorMessage: 'no' }));
    queue.send('a');
    await clock.run();
    expect(seen).toHaveLength(3);
    expect(dead.messages()).toHaveLength(1);
    expect(queue.messages()).toHaveLength(0);
  });

  it('delivers a message again when its fate requires it, to another environment, though the first has deleted it by then', async () => {
    const { clock, queue } = setUp();
    const seen = startPoller(queue, clock, async () => done, { fate: () => [0, 0, 700] });
    queue.send('a');
    queue.send('b');
    await clock.run();
    expect(seen.map(({ bodies }) => bodies)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect(seen.map(({ atMs }) => atMs - (seen[0]?.atMs ?? 0))).toEqual([0, 0, 700]);
    expect(queue.messages()).toEqual([]);
  });

  it('runs no more at once than it may', async () => {
    const { clock, queue } = setUp();
    let [running, most] = [0, 0];
    const seen = startPoller(
      queue,
      clock,
      async () => {
        running += 1;
        most = Math.max(most, running);
        await clock.sleep(1000);
        running -= 1;
        return done;
      },
      { batchSize: 1, maximumConcurrency: 2 },
    );
    for (const body of ['a', 'b', 'c', 'd', 'e']) queue.send(body);
    await clock.run();
    expect(most).toBe(2);
    expect(seen.flatMap(({ bodies }) => bodies)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('drops what no filter lets through', async () => {
    const { clock, queue } = setUp();
    const seen = startPoller(queue, clock, async () => done, { filters: [{ body: { kind: ['wanted'] } }] });
    queue.send('{"kind":"wanted"}');
    queue.send('{"kind":"other"}');
    queue.send('plain');
    await clock.run();
    expect(seen.map(({ bodies }) => bodies)).toEqual([['{"kind":"wanted"}']]);
    expect(queue.messages()).toEqual([]);
  });

  it('tries a throttled invocation again until the messages would become visible', async () => {
    const { clock, queue } = setUp();
    const busy: InvocationResult = { kind: 'error', errorType: 'Lambda.TooManyRequestsException', errorMessage: 'Rate Exceeded.' };
    let free = false;
    clock.after(5_000, () => {
      free = true;
    });
    const seen = startPoller(queue, clock, async () => (free ? done : busy));
    queue.send('a');
    await clock.run();
    expect(seen.map(({ atMs }) => atMs)).toEqual([16, 1_016, 3_016, 7_016]);
    expect(queue.messages()).toEqual([]);
  });

  it('with pollers that compete, spreads what comes together over five batches, ten messages at a time', async () => {
    const { clock, queue } = setUp();
    for (let index = 0; index < 120; index += 1) queue.send(`${index}`);
    const seen = startPoller(queue, clock, async () => done, { batchSize: 1_000, windowSeconds: 1, maximumConcurrency: 1_000, pollers: 'ramp' });
    await clock.run();
    expect(seen.map(({ atMs }) => atMs)).toEqual([1_016, 1_016, 1_016, 1_016, 1_016]);
    expect(seen.map(({ bodies }) => bodies.length)).toEqual([30, 30, 20, 20, 20]);
    expect(new Set(seen.flatMap(({ bodies }) => bodies)).size).toBe(120);
    expect(queue.messages()).toEqual([]);
  });

  it('with pollers that compete, adds five a second while messages are left, up to the most that may run', async () => {
    const { clock, queue } = setUp();
    for (let index = 0; index < 200; index += 1) queue.send(`${index}`);
    const slow = async (): Promise<InvocationResult> => {
      await clock.sleep(20_000);
      return done;
    };
    const seen = startPoller(queue, clock, slow, { batchSize: 10, maximumConcurrency: 12, pollers: 'ramp' });
    await clock.run({ untilMs: 10_000 });
    const begunBy = (ms: number): number => seen.filter(({ atMs }) => atMs <= ms).length;
    expect([begunBy(500), begunBy(1_500), begunBy(9_000)]).toEqual([5, 10, 12]);
    await clock.run();
    expect(seen.flatMap(({ bodies }) => bodies)).toHaveLength(200);
    expect(queue.messages()).toEqual([]);
  });
});
