import type { ApiCall, Caller } from './api.ts';
import type { WorldClock } from './clock.ts';

/** A logged call. `outcome` is absent while the call is under way. */
export type LoggedCall = {
  readonly service: string;
  readonly operation: string;
  /** A role's name, or `operator`. */
  readonly caller: string;
  /** `ok`, an error code, `lost` (the response never arrived) or `crashed` (the call killed its caller). */
  readonly outcome?: string;
  /** World time of the arrival, epoch milliseconds. */
  readonly atMs: number;
  /** Wall time of the arrival, epoch milliseconds. */
  readonly realMs: number;
  /** World time from arrival to response. */
  readonly durationMs?: number;
  /** The invocation of a function that made it; absent for all other callers. */
  readonly invocation?: Invocation;
  /** The outcome is a fault that was set, or a throttle by the account's own buckets. */
  readonly trouble?: 'fault' | 'bucket';
  /** Whether the service carried it out, even if the caller received an error or no response. */
  readonly applied?: boolean;
};

/** One call of a function, by its id and the function's name. */
export type Invocation = { readonly id: string; readonly functionName: string };

/** How a call ended. */
export type CallEnd = {
  readonly outcome: string;
  readonly trouble?: 'fault' | 'bucket' | undefined;
  readonly applied: boolean;
  readonly output?: unknown;
};

type CallListener = (call: LoggedCall, content: { readonly input: ApiCall['input']; readonly output: unknown }) => void;

export type CallFilter = {
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly caller?: string | undefined;
  readonly outcome?: string | undefined;
  /** World time, inclusive. */
  readonly sinceMs?: number | undefined;
  readonly mutating?: boolean | undefined;
};

export type CallLog = {
  /** Adds a call to the log. Returns a function that notes its end. */
  begin(call: Pick<ApiCall, 'service' | 'operation' | 'caller'> & Partial<ApiCall>, invocation?: Invocation): (end: CallEnd) => void;
  /** Called when a call has ended, with its input and output, which the log does not keep. */
  observe(listener: CallListener): void;
  /** The newest calls that match, oldest first. */
  calls(filter?: CallFilter): readonly LoggedCall[];
  /** Counts every call, including calls that the log no longer keeps. */
  counts(): Readonly<Record<string, number>>;
  mutatingCalls(): number;
};

export type CallLogOptions = { readonly clock: Pick<WorldClock, 'now'>; readonly realNow?: () => number; readonly capacity?: number };

const readOnly = /^(Describe|Get|List|Query$|Scan$|BatchGet|TransactGet|ReceiveMessage$|Lookup|Search)/;
/** Whether a call changes anything. */
export const isMutating = (operation: string): boolean => !readOnly.test(operation);

export const callerName = (caller: Caller): string => (caller.kind === 'role' ? caller.name : 'operator');

const fields = ['service', 'operation', 'caller', 'outcome'] as const;
const matches = (call: LoggedCall, filter: CallFilter): boolean =>
  fields.every((field) => filter[field] === undefined || filter[field] === call[field]) &&
  (filter.sinceMs === undefined || call.atMs >= filter.sinceMs) &&
  (filter.mutating === undefined || filter.mutating === isMutating(call.operation));

type Entry = LoggedCall & { outcome?: string; durationMs?: number; trouble?: 'fault' | 'bucket'; applied?: boolean };

/** Keeps the newest calls to the simulated cloud, and counts of all calls. */
export const createCallLog = ({ clock, realNow = Date.now, capacity = 100_000 }: CallLogOptions): CallLog => {
  const ring: Entry[] = [];
  const listeners: CallListener[] = [];
  const counts = new Map<string, number>();
  let mutatingCalls = 0;
  let next = 0;
  return {
    begin: ({ service, operation, caller, input = {} }, invocation) => {
      const entry: Entry = {
        service,
        operation,
        caller: callerName(caller),
        atMs: clock.now(),
        realMs: realNow(),
        ...(invocation && { invocation }),
      };
      ring[next % capacity] = entry;
      next += 1;
      const key = `${service}:${operation}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (isMutating(operation)) mutatingCalls += 1;
      return ({ outcome, trouble, applied, output }) => {
        entry.outcome = outcome;
        entry.applied = applied;
        if (trouble !== undefined) entry.trouble = trouble;
        entry.durationMs = clock.now() - entry.atMs;
        for (const listener of listeners) listener(entry, { input, output });
      };
    },
    observe: (listener) => {
      listeners.push(listener);
    },
    calls: (filter = {}) => {
      const start = next > capacity ? next % capacity : 0;
      return [...ring.slice(start), ...ring.slice(0, start)].filter((call) => matches(call, filter));
    },
    counts: () => Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1))),
    mutatingCalls: () => mutatingCalls,
  };
};
