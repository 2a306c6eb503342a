import { ApiError, type ApiService, type BusEvent, type Emit, type Place } from '../../api.ts';
import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';
import { uuid } from '../uuid.ts';
import { checkPattern, type EventPattern, matchesPattern } from './event-pattern.ts';
import { type TargetInput, targetInput } from './input-transformer.ts';
import { nextFiring } from './schedule.ts';

export type Target = TargetInput & { readonly Id: string; readonly Arn: string };

export type Rule = {
  readonly name: string;
  readonly arn: string;
  readonly bus: string;
  readonly enabled: boolean;
  readonly pattern?: EventPattern;
  readonly schedule?: string;
  readonly targets: readonly Target[];
};

/** The fate of an event of an AWS service: a copy for each delay in milliseconds. Empty: the event is lost. */
export type EventFate = (event: BusEvent) => readonly number[];

export type BusDeps = {
  readonly clock: WorldClock;
  readonly place: Place;
  readonly random: Random;
  /** Brings text to a queue, a function or a state machine. */
  readonly deliver: (targetArn: string, text: string, event: BusEvent) => void;
  /** Best-effort delivery of events of AWS services. Without it, the bus delivers each event once, immediately. */
  readonly fate?: EventFate;
};

/** An event as its sender wrote it; what is missing of the envelope is added. */
export type RawEvent = Omit<Parameters<Emit>[0], 'resources'> & Partial<BusEvent>;

export type EventBus = {
  readonly service: ApiService;
  readonly emit: Emit;
  /** Puts an event as it is, without any fault: the operator's raw event. */
  put(event: RawEvent): void;
  addRule(rule: Rule): void;
  /** Every event that was put on the bus, for observers. */
  observe(listener: (event: BusEvent, matched: readonly string[]) => void): void;
};

/** EventBridge to target: the median of published measurements. */
const deliveryMs = 150;

type PutEntry = {
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
  readonly Resources?: readonly string[];
  readonly EventBusName?: string;
};

/** All entries of one PutEvents together (EventBridge User Guide, calculating event entry size). */
const largestPutBytes = 262_144;

const bytesOf = (text: string | undefined): number => Buffer.byteLength(text ?? '');

const sizeOf = ({ Source, DetailType, Detail, Resources = [] }: PutEntry): number =>
  [Source, DetailType, Detail, ...Resources].reduce((sum, text) => sum + bytesOf(text), 0);

const refusal = (code: string, message: string) => ({ ErrorCode: code, ErrorMessage: message });

const refusalOf = (entry: PutEntry): ReturnType<typeof refusal> | undefined => {
  for (const field of ['Source', 'DetailType', 'Detail'] as const) {
    if (!entry[field]) return refusal('InvalidArgument', `Parameter ${field} is not valid. Reason: ${field} is a required argument.`);
  }
  if (entry.Source?.startsWith('aws.')) return refusal('NotAuthorizedForSourceException', 'Not authorized for the source.');
  try {
    if (typeof JSON.parse(String(entry.Detail)) === 'object') return undefined;
  } catch {
    return refusal('MalformedDetail', 'Detail is malformed.');
  }
  return refusal('MalformedDetail', 'Detail is malformed.');
};

const busName = (nameOrArn: string | undefined): string => (nameOrArn ?? 'default').split('/').at(-1) as string;

/** Seconds, as EventBridge writes times. */
const isoSeconds = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19)}Z`;

export const createEventBus = ({ clock, place, random, deliver, fate = () => [0] }: BusDeps): EventBus => {
  const rules: Rule[] = [];
  const listeners: ((event: BusEvent, matched: readonly string[]) => void)[] = [];

  const envelope = (event: Parameters<Emit>[0]): BusEvent => ({
    version: '0',
    id: uuid(random),
    'detail-type': event['detail-type'],
    source: event.source,
    account: place.accountId,
    time: isoSeconds(clock.now()),
    region: place.region,
    resources: event.resources,
    detail: event.detail,
  });
  const fire = (rule: Rule, event: BusEvent): void => {
    for (const target of rule.targets) {
      const text = targetInput(target, event, rule.arn);
      clock.after(deliveryMs, () => deliver(target.Arn, text, event));
    }
  };
  const publish = (event: BusEvent, bus = 'default'): void => {
    const matched = rules.filter((rule) => rule.enabled && rule.bus === bus && rule.pattern !== undefined && matchesPattern(rule.pattern, event));
    for (const listener of listeners) {
      listener(
        event,
        matched.map(({ name }) => name),
      );
    }
    for (const rule of matched) fire(rule, event);
  };
  const startSchedule = (rule: Rule, expression: string): void => {
    const startedMs = clock.now();
    const plan = (): void => {
      const nextMs = nextFiring(expression, startedMs, clock.now());
      if (nextMs === undefined) return;
      clock.at(nextMs, () => {
        fire(rule, envelope({ 'detail-type': 'Scheduled Event', source: 'aws.events', resources: [rule.arn], detail: {} }));
        plan();
      });
    };
    plan();
  };
  const putEntry = (entry: PutEntry): Record<string, string> => {
    const refused = refusalOf(entry);
    if (refused !== undefined) return refused;
    const detail = JSON.parse(String(entry.Detail)) as Record<string, unknown>;
    const event = envelope({ 'detail-type': String(entry.DetailType), source: String(entry.Source), resources: entry.Resources ?? [], detail });
    publish(event, busName(entry.EventBusName));
    return { EventId: event.id };
  };
  const putEvents = ({ Entries = [] }: { Entries?: readonly PutEntry[] }) => {
    if (Entries.length < 1 || Entries.length > 10) {
      throw new ApiError('ValidationException', `1 validation error detected: 'entries' must hold 1 to 10 members, not ${Entries.length}.`);
    }
    if (Entries.reduce((sum, entry) => sum + sizeOf(entry), 0) > largestPutBytes) {
      throw new ApiError('ValidationException', 'Total size of the entries in the request is over the limit.');
    }
    const results = Entries.map(putEntry);
    return { FailedEntryCount: results.filter(({ ErrorCode }) => ErrorCode !== undefined).length, Entries: results };
  };
  const testPattern = ({ EventPattern: pattern, Event: event }: Record<string, unknown>) => {
    try {
      const parsed = JSON.parse(String(pattern)) as EventPattern;
      checkPattern(parsed);
      return { Result: matchesPattern(parsed, JSON.parse(String(event)) as Record<string, unknown>) };
    } catch (error) {
      throw new ApiError('InvalidEventPatternException', (error as Error).message);
    }
  };
  const listRules = () => ({
    Rules: rules.map(({ name, arn, bus, enabled, pattern, schedule }) => ({
      Name: name,
      Arn: arn,
      EventBusName: bus,
      State: enabled ? 'ENABLED' : 'DISABLED',
      EventPattern: pattern && JSON.stringify(pattern),
      ScheduleExpression: schedule,
    })),
  });
  const targetsOf = ({ Rule: name }: Record<string, unknown>) => {
    const rule = rules.find((candidate) => candidate.name === name);
    if (rule === undefined) throw new ApiError('ResourceNotFoundException', `Rule ${name} does not exist.`);
    return { Targets: rule.targets };
  };
  return {
    service: {
      service: 'events',
      operations: { PutEvents: putEvents, TestEventPattern: testPattern, ListRules: listRules, ListTargetsByRule: targetsOf },
    },
    emit: (parts) => {
      const event = envelope(parts);
      for (const delayMs of fate(event)) {
        if (delayMs <= 0) publish(event);
        else clock.after(delayMs, () => publish(event));
      }
    },
    put: (event) => publish({ ...envelope({ resources: [], ...event }), ...event }),
    addRule: (rule) => {
      if (rule.pattern !== undefined) checkPattern(rule.pattern);
      rules.push(rule);
      if (rule.enabled && rule.schedule !== undefined) startSchedule(rule, rule.schedule);
    },
    observe: (listener) => {
      listeners.push(listener);
    },
  };
};
