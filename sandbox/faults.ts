import { type ApiCall, ApiError, type BusEvent, isDryRun } from './api.ts';
import { callerName } from './call-log.ts';
import type { WorldClock } from './clock.ts';
import { type CallFault, type EventFault, type Fault, type FaultInput, faultSchema } from './fault-schema.ts';
import type { Random } from './random.ts';
import { throttlingError } from './throttle/published-buckets.ts';

/** What the faults do to one call. */
export type CallTrouble = {
  /** The response. The call is not applied. */
  readonly refuse?: ApiError;
  readonly loseAnswer?: { readonly when: 'before' | 'after'; readonly as: 'reset' | 'timeout'; readonly afterMs: number };
  readonly crashCaller?: 'before' | 'after' | 'answered';
  readonly delayMs: number;
};

type Entry = { readonly id: number; readonly fault: Fault; readonly setAtMs: number; matched: number; applied: number };

export type Faults = {
  /** Sets a fault. Returns its number. */
  add(fault: FaultInput): number;
  /** Removes a fault. Returns false if no fault has that number. */
  remove(id: number): boolean;
  clear(): void;
  /** Called when a fault is set and when it is removed. */
  observe(listener: (change: FaultChange) => void): void;
  list(): readonly Readonly<Entry>[];
  onCall(call: MatchedCall): CallTrouble;
  /** Delays of the copies to deliver, in milliseconds: none when the event is lost, `[0]` when nothing is wrong. */
  onEvent(event: Pick<BusEvent, 'source' | 'detail-type'>): readonly number[];
  /** The same for a message that a queue gives to a function. */
  onMessage(queue: string): readonly number[];
  /** The error of a function's clock from now on, in milliseconds. `wrongByMs`: its error until now. */
  onClock(caller: string, wrongByMs: number): number;
};

export type FaultChange = { readonly entry: Readonly<Entry>; readonly isSet: boolean };

const isOneOf = (wanted: string | readonly string[] | undefined, value: string): boolean =>
  wanted === undefined || (typeof wanted === 'string' ? wanted === value : wanted.includes(value));

type MatchedCall = Pick<ApiCall, 'service' | 'operation' | 'caller' | 'input'>;

const matchesCall = ({ match }: CallFault, call: MatchedCall): boolean =>
  isOneOf(match.service, call.service) &&
  isOneOf(match.operation, call.operation) &&
  isOneOf(match.caller, callerName(call.caller)) &&
  (match.dryRun === undefined || match.dryRun === isDryRun(call));

const matchesEvent = ({ match }: EventFault, event: Pick<BusEvent, 'source' | 'detail-type'>): boolean =>
  isOneOf(match.source, event.source) && isOneOf(match.detailType, event['detail-type']);

/** Counts a match and decides whether the fault acts on it. */
const acts = (entry: Entry, random: Random): boolean => {
  const { nth, times, probability } = entry.fault;
  entry.matched += 1;
  const isDue = (nth === undefined || nth === entry.matched) && (times === undefined || entry.applied < times);
  if (!isDue || (probability !== undefined && random() >= probability)) return false;
  entry.applied += 1;
  return true;
};

const troubleOf = (fault: CallFault, service: string): Partial<CallTrouble> => {
  switch (fault.kind) {
    case 'throttle':
      return { refuse: throttlingError(service) };
    case 'error':
      return { refuse: new ApiError(fault.code, fault.message ?? `${fault.code}: a fault that was set in the sandbox`, fault.status) };
    case 'lose-answer':
      return { loseAnswer: fault };
    case 'crash-caller':
      return { crashCaller: fault.when };
    case 'delay':
      return { delayMs: fault.delayMs };
  }
};

type Duplication = { readonly copies: number; readonly withinMs: number };

const duplicated = ({ copies, withinMs }: Duplication, delays: readonly number[], random: Random): readonly number[] => {
  const laterMs = Array.from({ length: copies }, () => Math.round(random() * withinMs));
  return delays.flatMap((delayMs) => [delayMs, ...laterMs.map((ms) => delayMs + ms)]);
};

const deliveriesOf = (fault: EventFault, delays: readonly number[], random: Random): readonly number[] => {
  switch (fault.kind) {
    case 'drop':
      return [];
    case 'delay':
      return delays.map((delayMs) => delayMs + fault.delayMs);
    case 'reorder':
      return delays.map((delayMs) => delayMs + Math.round(random() * fault.withinMs));
    case 'duplicate':
      return duplicated(fault, delays, random);
  }
};

/** The new error of a clock that jumps. Undefined if it does not jump. */
const steppedTo = (entry: Entry, random: Random): number | undefined =>
  entry.fault.on === 'clock' && acts(entry, random) ? Math.round((2 * random() - 1) * entry.fault.withinMs) : undefined;

/** The faults in force. If two faults do the same thing to one call, the one that was set first acts. Delays add up. */
export const createFaults = ({ random, clock }: { readonly random: Random; readonly clock: Pick<WorldClock, 'now'> }): Faults => {
  let entries: readonly Entry[] = [];
  let lastId = 0;
  const isInForce = ({ fault: { fromMs = 0, untilMs = Number.POSITIVE_INFINITY }, setAtMs }: Entry): boolean => {
    const sinceMs = clock.now() - setAtMs;
    return sinceMs >= fromMs && sinceMs < untilMs;
  };
  const inForce = (): readonly Entry[] => entries.filter(isInForce);
  const listeners: ((change: FaultChange) => void)[] = [];
  const tell = (entry: Entry, isSet: boolean): void => {
    for (const listener of listeners) listener({ entry: { ...entry }, isSet });
  };
  /** Keeps the faults that pass the test, and removes the others. */
  const keep = (suits: (entry: Entry) => boolean): void => {
    const removed = entries.filter((entry) => !suits(entry));
    entries = entries.filter(suits);
    for (const entry of removed) tell(entry, false);
  };
  return {
    add: (input) => {
      lastId += 1;
      const entry = { id: lastId, fault: faultSchema.parse(input), setAtMs: clock.now(), matched: 0, applied: 0 };
      entries = [...entries, entry];
      tell(entry, true);
      return lastId;
    },
    remove: (id) => {
      const before = entries.length;
      keep((entry) => entry.id !== id);
      return entries.length < before;
    },
    clear: () => keep(() => false),
    observe: (listener) => {
      listeners.push(listener);
    },
    list: () => entries.map((entry) => ({ ...entry })),
    onCall: (call) => {
      let trouble: CallTrouble = { delayMs: 0 };
      for (const entry of inForce()) {
        if (entry.fault.on !== 'call' || !matchesCall(entry.fault, call) || !acts(entry, random)) continue;
        const added = troubleOf(entry.fault, call.service);
        trouble = { ...added, ...trouble, delayMs: trouble.delayMs + (added.delayMs ?? 0) };
      }
      return trouble;
    },
    onEvent: (event) => {
      let delays: readonly number[] = [0];
      for (const entry of inForce()) {
        if (entry.fault.on !== 'event' || !matchesEvent(entry.fault, event) || !acts(entry, random)) continue;
        delays = deliveriesOf(entry.fault, delays, random);
      }
      return delays;
    },
    onMessage: (queue) => {
      let delays: readonly number[] = [0];
      for (const entry of inForce()) {
        if (entry.fault.on !== 'message' || !isOneOf(entry.fault.match.queue, queue) || !acts(entry, random)) continue;
        delays = duplicated(entry.fault, delays, random);
      }
      return delays;
    },
    onClock: (caller, wrongByMs) => {
      const wrong = inForce().filter(({ fault }) => fault.on === 'clock' && isOneOf(fault.match.caller, caller));
      return wrong.reduce((ms, entry) => steppedTo(entry, random) ?? ms, wrong.length === 0 ? 0 : wrongByMs);
    },
  };
};
