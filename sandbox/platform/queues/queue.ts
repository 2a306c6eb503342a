import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import { uuid } from '../uuid.ts';

export type QueueMessage = {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly sentAtMs: number;
  readonly receiveCount: number;
  readonly firstReceivedAtMs?: number;
  /** The chain of calls that it was sent in, when a function sent it (attribute `AWSTraceHeader`). */
  readonly traceHeader?: string;
  /** The latest receipt handle. Earlier handles no longer change the visibility. */
  readonly receipt?: string;
};

export type QueueOptions = {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly visibilitySeconds: number;
  readonly delaySeconds: number;
  readonly retentionSeconds: number;
  readonly redrive?: { readonly maxReceiveCount: number; readonly deadLetterArn: string };
};

export type QueueDeps = {
  readonly clock: WorldClock;
  readonly random: Random;
  readonly deadLetterQueue?: () => Pick<Queue, 'accept'> | undefined;
};

export type QueueCounts = { readonly visible: number; readonly inFlight: number; readonly delayed: number };

/** A standard queue: at least once, roughly in order. A received message is hidden until its visibility time-out, and then comes again. */
export type Queue = QueueOptions & {
  send(body: string, attributes?: Readonly<Record<string, unknown>>, delaySeconds?: number, traceHeader?: string): QueueMessage;
  /** Adds a message that failed too many times in another queue. */
  accept(message: QueueMessage): void;
  receive(max: number, visibilitySeconds?: number): readonly QueueMessage[];
  delete(receipt: string): void;
  /** False when the message is not in flight. */
  changeVisibility(receipt: string, seconds: number): boolean;
  purge(): void;
  counts(): QueueCounts;
  /** Called whenever a message can be received that could not before. */
  onAvailable(listener: () => void): void;
  messages(): readonly QueueMessage[];
};

type Held = { message: QueueMessage; state: 'visible' | 'in-flight' | 'delayed'; timer?: { cancel(): void } };

export const createQueue = (options: QueueOptions, { clock, random, deadLetterQueue }: QueueDeps): Queue => {
  const held = new Map<string, Held>();
  const receipts = new Map<string, string>();
  const listeners: (() => void)[] = [];

  const counts = { visible: 0, 'in-flight': 0, delayed: 0 };
  const enter = (entry: Held, state: Held['state']): void => {
    if (held.get(entry.message.id) === entry) counts[entry.state] -= 1;
    else held.set(entry.message.id, entry);
    entry.state = state;
    counts[state] += 1;
  };
  const show = (entry: Held): void => {
    enter(entry, 'visible');
    // A message that failed goes to the end, so that it does not hold up messages that were not tried yet.
    held.delete(entry.message.id);
    held.set(entry.message.id, entry);
    for (const listener of listeners) listener();
  };
  const hide = (entry: Held, state: 'in-flight' | 'delayed', seconds: number): void => {
    entry.timer?.cancel();
    enter(entry, state);
    entry.timer = clock.after(seconds * 1000, () => show(entry));
  };
  const remove = (entry: Held): void => {
    entry.timer?.cancel();
    receipts.delete(entry.message.receipt ?? '');
    if (held.delete(entry.message.id)) counts[entry.state] -= 1;
  };
  const byReceipt = (receipt: string): Held | undefined => held.get(receipts.get(receipt) ?? '');

  const isSpent = ({ message }: Held): boolean => options.redrive !== undefined && message.receiveCount >= options.redrive.maxReceiveCount;
  const isExpired = ({ message }: Held): boolean => message.sentAtMs + options.retentionSeconds * 1000 <= clock.now();
  /** False when the message leaves the queue instead: too old, or received too often. */
  const stays = (entry: Held): boolean => {
    const target = isSpent(entry) ? deadLetterQueue?.() : undefined;
    if (target === undefined && !isExpired(entry)) return true;
    remove(entry);
    if (!isExpired(entry)) target?.accept(entry.message);
    return false;
  };
  const take = (entry: Held, visibilitySeconds: number): QueueMessage => {
    const receipt = uuid(random);
    receipts.set(receipt, entry.message.id);
    const { receiveCount, firstReceivedAtMs = clock.now() } = entry.message;
    entry.message = { ...entry.message, receipt, receiveCount: receiveCount + 1, firstReceivedAtMs };
    hide(entry, 'in-flight', visibilitySeconds);
    return entry.message;
  };
  const receive = (max: number, visibilitySeconds = options.visibilitySeconds): readonly QueueMessage[] => {
    const taken: QueueMessage[] = [];
    for (const entry of held.values()) {
      if (taken.length >= max) break;
      if (entry.state === 'visible' && stays(entry)) taken.push(take(entry, visibilitySeconds));
    }
    return taken;
  };
  const put = (message: QueueMessage, delaySeconds: number): void => {
    const entry: Held = { message, state: 'visible' };
    if (delaySeconds > 0) hide(entry, 'delayed', delaySeconds);
    else show(entry);
  };
  return {
    ...options,
    send: (body, attributes = {}, delaySeconds = options.delaySeconds, traceHeader = undefined) => {
      const message = { id: uuid(random), body, attributes, sentAtMs: clock.now(), receiveCount: 0, ...(traceHeader && { traceHeader }) };
      put(message, delaySeconds);
      return message;
    },
    accept: (message) => put({ ...message, receiveCount: 0 }, 0),
    receive,
    delete: (receipt) => {
      const entry = byReceipt(receipt);
      if (entry !== undefined) remove(entry);
      receipts.delete(receipt);
    },
    changeVisibility: (receipt, seconds) => {
      const entry = byReceipt(receipt);
      if (entry === undefined || entry.state !== 'in-flight' || entry.message.receipt !== receipt) return false;
      entry.timer?.cancel();
      if (seconds === 0) show(entry);
      else hide(entry, 'in-flight', seconds);
      return true;
    },
    purge: () => {
      for (const entry of [...held.values()]) remove(entry);
    },
    counts: () => ({ visible: counts.visible, inFlight: counts['in-flight'], delayed: counts.delayed }),
    onAvailable: (listener) => {
      listeners.push(listener);
    },
    messages: () => [...held.values()].map(({ message }) => message),
  };
};
