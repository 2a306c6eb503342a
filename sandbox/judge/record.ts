import { eventSource, items } from '../../core/contract.ts';
import type { Acting } from '../acting.ts';
import type { CallLog } from '../call-log.ts';
import type { WorldClock } from '../clock.ts';
import type { Faults } from '../faults.ts';
import type { InvocationRecord, InvocationStart } from '../platform/functions/invocation.ts';
import type { Platform } from '../platform/platform.ts';
import type { Execution, ExecutionStatus } from '../platform/states/execution.ts';
import type { ItemChange } from '../platform/tables/memory-store.ts';
import type { AttributeMap } from '../platform/tables/stream.ts';
import type { World } from '../world/world.ts';
import type { FunctionEvent, History, HistoryEvent } from './history.ts';
import { datedAhead } from './said/dated-ahead.ts';
import { datedBehind } from './said/dated-behind.ts';
import { itemEvents, tableNames } from './said/items-told.ts';
import type { Stored } from './said/stored-items.ts';
import { createUnreadWrites } from './said/unread-writes.ts';
import { callEvents } from './told/calls-told.ts';
import { drainOf, givenBack, messagesOf } from './told/told.ts';
import type { Untimed } from './untimed.ts';

/** A running sandbox, as far as the recorder listens to it. */
export type Recorded = {
  readonly clock: WorldClock;
  readonly world: World;
  readonly faults: Faults;
  readonly callLog: CallLog;
  readonly platform: Platform;
  readonly acting: Acting;
  items(table: 'groups' | 'state'): Promise<readonly Record<string, unknown>[]>;
  deadLetters(): number;
};

/** The facts about the run itself in the history. */
export type RunOf = Pick<History, 'name' | 'seed' | 'spec' | 'clockErrorMs'>;

export type Recorder = {
  readonly events: readonly HistoryEvent[];
  /** Records a step of the script and what it is about. */
  step(step: Omit<Extract<HistoryEvent, { kind: 'step' }>, 'kind' | 'atMs'>): void;
  /** Every group serves its first size, and the script begins. */
  markReady(): void;
  /** Nothing more is done to the world, and faults are taken back. */
  markCalm(): void;
  /** The history until now. `restAtMs`: when everything came to rest. */
  history(restAtMs?: number): Promise<History>;
};

const drainStatus: Readonly<Record<ExecutionStatus, Extract<FunctionEvent, { kind: 'drain' }>['status']>> = {
  RUNNING: 'started',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  ABORTED: 'aborted',
  TIMED_OUT: 'timed-out',
};

type Drained = ReadonlyMap<string, ReadonlySet<string>>;

const drainEvent = ({ name, input, status }: Pick<Execution, 'name' | 'input' | 'status'>, drained: Drained): Untimed<HistoryEvent> => {
  const { group = '' } = JSON.parse(input) as { group?: string };
  return { kind: 'drain', drain: name, group, instances: [...(drained.get(name) ?? [])], status: drainStatus[status] };
};

/** Swaps say which drain takes work off their instances; the drain's own order does not. */
const noteDrained = (drained: Map<string, Set<string>>, { after }: ItemChange): void => {
  const [drain, instance, item] = [after?.drain?.S, after?.instance?.S, after?.item?.S];
  if (typeof drain !== 'string' || typeof instance !== 'string' || !String(item).startsWith(items.swapPrefix)) return;
  drained.set(drain, (drained.get(drain) ?? new Set()).add(instance));
};

const endEvent = (record: InvocationRecord): Untimed<HistoryEvent> => {
  const { id, functionName, beganAtMs, timeoutMs, injected, result } = record;
  return {
    kind: 'invocation-ended',
    invocation: id,
    function: functionName,
    startedAtMs: beganAtMs,
    timeoutMs,
    ...(result.kind === 'error' && { error: { type: result.errorType, message: result.errorMessage } }),
    again: givenBack(record, result),
    injected,
    ...drainOf(record),
    ...(result.counted && { counted: result.counted }),
  };
};

const beginEvents = (start: InvocationStart): readonly Untimed<HistoryEvent>[] => {
  const of = { invocation: start.id, function: start.functionName };
  return [
    { kind: 'invocation-began', ...of, ...drainOf(start) },
    ...messagesOf(start).map((message) => ({ kind: 'delivered' as const, ...of, ...message })),
  ];
};

/** The second tick after a policy was written waits two minutes. A message of a function that died comes again after 40 s. */
export const staleMs = 170_000;

const storedIn = async ({ clock, platform, ...sandbox }: Recorded): Promise<Stored> => {
  const table = await sandbox.items('state');
  const isOf = (prefix: string) => (row: Readonly<Record<string, unknown>>) => String(row.item).startsWith(prefix);
  const messages = platform.queues.flatMap((queue) => queue.messages());
  return {
    states: Object.fromEntries(table.filter(({ item }) => item === items.state).map(({ group, state }) => [String(group), state])),
    swaps: table.filter((row) => isOf(items.swapPrefix)(row) || isOf(items.past(''))(row)),
    decisions: table.filter(isOf(items.decisionPrefix)),
    deadLetters: sandbox.deadLetters(),
    staleMessages: messages.filter(({ sentAtMs }) => clock.now() - sentAtMs > staleMs).length,
  };
};

type Span = { readonly fault: History['faults'][number]['fault']; readonly fromMs: number; untilMs: number };

/** Records when each fault was in force: within its own times, and until it was removed. */
const recordFaults = ({ faults, clock }: Recorded): ReadonlyMap<number, Span> => {
  const spans = new Map<number, Span>();
  const enter = ({ id, fault, setAtMs }: ReturnType<Faults['list']>[number]): void => {
    const { fromMs = 0, untilMs = Number.POSITIVE_INFINITY } = fault;
    spans.set(id, { fault, fromMs: setAtMs + fromMs, untilMs: setAtMs + untilMs });
  };
  faults.list().forEach(enter);
  faults.observe(({ entry, isSet }) => {
    const span = spans.get(entry.id);
    if (isSet) enter(entry);
    else if (span !== undefined) span.untilMs = Math.min(span.untilMs, clock.now());
  });
  return spans;
};

/** The items in the response of a read. */
const itemsRead = (output: unknown): readonly AttributeMap[] => {
  const { Item, Items = [] } = (output ?? {}) as { readonly Item?: AttributeMap; readonly Items?: readonly AttributeMap[] };
  return Item === undefined ? Items : [Item];
};

type Tell = (...events: readonly (Untimed<HistoryEvent> | undefined)[]) => void;

const listen = ({ world, callLog, platform, acting, clock }: Recorded, push: (event: HistoryEvent) => void, tell: Tell): void => {
  const tableOf = tableNames(platform.functions.specs);
  world.follow(push);
  const writes = createUnreadWrites();
  callLog.observe((call, content) => {
    tell(...callEvents(call, content));
    const table = tableOf.get(String((content.input as { readonly TableName?: unknown }).TableName));
    if (call.invocation !== undefined && table !== undefined) writes.read(call.invocation.id, table, itemsRead(content.output));
  });
  platform.functions.observe(
    (record) => {
      tell(endEvent(record));
      writes.ended(record.id);
    },
    (start) => tell(...beginEvents(start)),
  );
  const drained = new Map<string, Set<string>>();
  platform.machines.observe((execution) => tell(drainEvent(execution, drained)));
  platform.bus.observe(({ source, 'detail-type': detailType, detail }) => {
    const { by } = acting.current();
    const sender = by.kind === 'function' && { invocation: by.invocation };
    if (source === eventSource) tell({ kind: 'announced', detailType, detail, ...sender });
  });
  platform.tables.observe((change) => {
    const table = tableOf.get(change.table);
    if (table === 'state') noteDrained(drained, change);
    if (table === undefined) return;
    const { by } = acting.current();
    tell(...itemEvents({ ...change, table, by }));
    if (by.kind !== 'function') return;
    tell(...writes.wrote(by.invocation, { ...change, table }).map((lost) => ({ kind: 'overwrote' as const, ...lost, by })));
    if (table === 'state') tell(datedAhead(change.after, by, clock.now()), datedBehind(change, by, clock.now()));
  });
};

/** Records a sandbox from its beginning: all events of the world, and of Holdfast's own records only the stored items. */
export const record = (sandbox: Recorded, run: RunOf): Recorder => {
  const { clock } = sandbox;
  const events: HistoryEvent[] = [];
  const beganAtMs = clock.now();
  const faults = recordFaults(sandbox);
  const moments: { readyAtMs?: number; calmAtMs?: number } = {};
  const tell: Tell = (...untimed) => {
    for (const event of untimed) if (event !== undefined) events.push({ ...event, atMs: clock.now() } as HistoryEvent);
  };
  listen(sandbox, (event) => events.push(event), tell);
  return {
    events,
    step: (step) => tell({ kind: 'step', ...step }),
    markReady: () => {
      moments.readyAtMs = clock.now();
    },
    markCalm: () => {
      moments.calmAtMs = clock.now();
    },
    history: async (restAtMs) => {
      const endedAtMs = clock.now();
      const { readyAtMs = endedAtMs, calmAtMs = endedAtMs } = moments;
      return {
        ...run,
        faults: [...faults.values()]
          .filter(({ fromMs, untilMs }) => fromMs < Math.min(untilMs, endedAtMs))
          .map(({ fault, fromMs, untilMs }) => ({ fault, fromMs, untilMs: Math.min(untilMs, endedAtMs) })),
        beganAtMs,
        readyAtMs,
        calmAtMs,
        ...(restAtMs !== undefined && { restAtMs }),
        endedAtMs,
        events: [...events],
        stored: await storedIn(sandbox),
      };
    },
  };
};
