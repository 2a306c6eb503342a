import type { WorldClock } from '../../clock.ts';
import type { EventPattern } from '../events/event-pattern.ts';
import { isThrottled } from '../functions/functions.ts';
import type { InvocationResult } from '../functions/invocation.ts';
import { eventOf, finished, pollMs, receiveFiltered } from './batch.ts';
import { createPollerCount } from './poller-count.ts';
import type { Queue, QueueMessage } from './queue.ts';

export type QueuePollerOptions = {
  readonly queue: Queue;
  readonly region: string;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly maximumConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly filters: readonly EventPattern[];
  readonly clock: WorldClock;
  readonly invoke: (event: unknown) => Promise<InvocationResult>;
  /** Absent: every message is delivered once each time it is received. */
  readonly fate?: MessageFate;
  /**
   * `one`: one poller at a time gathers a batch, so that what comes together is delivered together. `ramp`: as many as Lambda runs compete for the
   * messages, so that what comes together is spread over several batches (default: one).
   */
  readonly pollers?: Pollers;
};

export type Pollers = 'one' | 'ramp';

/** Delays of the deliveries of one message from a queue, in milliseconds: `[0]` when nothing is wrong. */
export type MessageFate = (queue: string) => readonly number[];

/** What one call of SQS receives at most. */
const receivedAtOnce = 10;
/** A throttled invocation is tried again after a second, then after twice as long, until its messages become visible again. */
const firstThrottleMs = 1_000;

/** Gives batches to the function, deletes what was done, and leaves the rest to the visibility time-out. */
const createDelivery = (options: QueuePollerOptions) => {
  const { queue, clock, fate = () => [0] } = options;
  /**
   * Lambda repeats what was throttled for as long as the messages stay hidden (Lambda Developer Guide, "Backoff strategy for failed invocations" of
   * Amazon SQS event source mappings).
   */
  const invoke = async (batch: readonly QueueMessage[]): Promise<InvocationResult> => {
    const untilMs = clock.now() + queue.visibilitySeconds * 1_000;
    for (let delayMs = firstThrottleMs; ; delayMs *= 2) {
      const result = await options.invoke(eventOf(batch, queue, options.region));
      if (!isThrottled(result) || clock.now() + delayMs >= untilMs) return result;
      await clock.sleep(delayMs);
    }
  };
  const handle = async (batch: readonly QueueMessage[]): Promise<void> => {
    const result = await invoke(batch);
    for (const { receipt } of finished(batch, result, options.reportsItemFailures)) queue.delete(String(receipt));
  };
  /** Messages of the same moment come in one batch. Messages that come again go to another environment. */
  return (batch: readonly QueueMessage[], around: (work: Promise<void>) => Promise<void>): Promise<void> => {
    const again = batch.flatMap((message) =>
      fate(queue.name)
        .slice(1)
        .map((delayMs) => ({ message, delayMs })),
    );
    for (const [delayMs, copies] of Map.groupBy(again, (copy) => copy.delayMs))
      clock.after(delayMs, () => around(handle(copies.map(({ message }) => message))));
    return around(handle(batch));
  };
};

/** One poller gathers for all: whatever is visible when its window has passed comes in one batch. */
const startOnePoller = (options: QueuePollerOptions): void => {
  const { queue, clock, batchSize, maximumConcurrency, filters } = options;
  const deliver = createDelivery(options);
  let running = 0;
  let opensAtMs: number | undefined;

  const counted = async (work: Promise<void>): Promise<void> => {
    running += 1;
    await work;
    running -= 1;
    consider();
  };
  const poll = async (): Promise<void> => {
    const batch = receiveFiltered(queue, batchSize, filters);
    consider();
    if (batch.length > 0) await deliver(batch, counted);
  };
  const consider = (): void => {
    const { visible } = queue.counts();
    if (visible === 0 || running >= maximumConcurrency) return;
    const dueMs = clock.now() + (visible >= batchSize ? pollMs : options.windowSeconds * 1000 + pollMs);
    if (opensAtMs !== undefined && opensAtMs <= dueMs) return;
    opensAtMs = dueMs;
    clock.at(dueMs, () => {
      if (opensAtMs !== dueMs) return undefined;
      opensAtMs = undefined;
      return running < maximumConcurrency ? poll() : undefined;
    });
  };
  queue.onAvailable(consider);
  consider();
};

/** A batch that one poller gathers. */
type Gathering = { readonly messages: QueueMessage[] };

/**
 * Several pollers take ten messages at a time, and each delivers its batch when it is full or its window has passed. A poller that waits for its
 * function takes nothing.
 */
const startRampedPollers = (options: QueuePollerOptions): void => {
  const { queue, clock, batchSize, filters } = options;
  const deliver = createDelivery(options);
  const pollers = createPollerCount({ clock, most: options.maximumConcurrency });
  const gathering = new Set<Gathering>();
  let running = 0;
  let isDue = false;

  const counted = async (work: Promise<void>): Promise<void> => {
    running += 1;
    await work;
    running -= 1;
    consider();
  };
  /** Does nothing if the batch was sent before. */
  const send = (one: Gathering): Promise<void> | undefined => (gathering.delete(one) ? deliver(one.messages, counted) : undefined);
  const begin = (): Gathering => {
    const one: Gathering = { messages: [] };
    gathering.add(one);
    clock.after(options.windowSeconds * 1_000, () => send(one));
    return one;
  };
  const isFull = ({ messages }: Gathering): boolean => messages.length >= batchSize;
  const areLeft = (): boolean => queue.counts().visible > 0;
  /** The poller whose turn it is: one without messages, or else the one with the fewest. */
  const next = (): Gathering | undefined => {
    if (!areLeft()) return undefined;
    if (running + gathering.size < pollers.now()) return begin();
    return [...gathering].filter((one) => !isFull(one)).sort((a, b) => a.messages.length - b.messages.length)[0];
  };
  const receive = (one: Gathering): void => {
    one.messages.push(...receiveFiltered(queue, Math.min(receivedAtOnce, batchSize - one.messages.length), filters));
    if (one.messages.length === 0) gathering.delete(one);
    if (isFull(one)) clock.after(0, () => send(one));
  };
  const poll = (): void => {
    isDue = false;
    for (let one = next(); one !== undefined; one = next()) receive(one);
    pollers.note(areLeft());
    if (areLeft()) clock.after(1_000, consider);
  };
  const consider = (): void => {
    if (isDue || !areLeft()) return;
    isDue = true;
    clock.after(pollMs, poll);
  };
  queue.onAvailable(consider);
  consider();
};

/**
 * The event source mapping from a queue to a function: gathers a batch until it is full or its window has passed, deletes what was done, and leaves
 * the rest to the visibility time-out. Rules: Lambda Developer Guide, "Using Lambda with Amazon SQS".
 */
export const startQueuePoller = (options: QueuePollerOptions): void =>
  options.pollers === 'ramp' ? startRampedPollers(options) : startOnePoller(options);
