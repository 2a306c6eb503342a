import type { WorldClock } from '../clock.ts';
import type { Writer } from './writer.ts';

/**
 * An alarm of CloudWatch on `RequestCountPerTarget`: the requests of a minute, divided by the healthy targets. It is in `ALARM` while each of the last
 * `periods` minutes was above (or below) its threshold.
 */
export type LoadAlarmSpec = {
  readonly name: string;
  readonly targetGroup: string;
  readonly comparison: 'above' | 'below';
  readonly threshold: number;
  readonly periods: number;
};

/** The requests that a target group had until now, and the number of its healthy targets. */
export type LoadReading = { readonly requests: number; readonly healthy: number };

type Surroundings = {
  readonly clock: WorldClock;
  /** Undefined: there is no such target group. */
  readonly read: (targetGroup: string) => LoadReading | undefined;
  readonly emitEvent: (event: {
    readonly source: string;
    readonly 'detail-type': string;
    readonly detail: Readonly<Record<string, unknown>>;
  }) => void;
};

type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

const periodMs = 60_000;

const reasonData = (datapoints: readonly number[], { threshold }: LoadAlarmSpec): string =>
  JSON.stringify({ version: '1.0', statistic: 'Sum', period: periodMs / 1_000, recentDatapoints: datapoints, threshold });

const eventOf = (spec: LoadAlarmSpec, from: State, to: State, datapoints: readonly number[], nowMs: number) => ({
  source: 'aws.cloudwatch',
  'detail-type': 'CloudWatch Alarm State Change',
  detail: {
    alarmName: spec.name,
    state: {
      value: to,
      reason: `Threshold Crossed: ${datapoints.length} datapoints compared with ${spec.threshold}`,
      reasonData: reasonData(datapoints, spec),
      timestamp: new Date(nowMs).toISOString(),
    },
    previousState: { value: from, reason: 'An earlier evaluation', timestamp: new Date(nowMs - periodMs).toISOString() },
    configuration: { metrics: [] },
  },
});

/** What the last minutes mean. Undefined: too few of them are known. CloudWatch then keeps the state. */
const evaluate = (datapoints: readonly number[], { comparison, threshold, periods }: LoadAlarmSpec): State | undefined => {
  const isBreaching = (value: number): boolean => (comparison === 'above' ? value > threshold : value < threshold);
  if (datapoints.some((value) => !isBreaching(value))) return 'OK';
  return datapoints.length < periods ? undefined : 'ALARM';
};

/**
 * Evaluates an alarm each minute until it is stopped, and sends an event when its state changes, as CloudWatch does: none while a state lasts. A minute without
 * a healthy target has no value, and leaves the state as it is.
 */
export const startLoadAlarm = ({ clock, read, emitEvent }: Surroundings, spec: LoadAlarmSpec): Writer => {
  let state: State = 'INSUFFICIENT_DATA';
  let before = read(spec.targetGroup)?.requests ?? 0;
  let datapoints: readonly number[] = [];
  const look = (): void => {
    timer = clock.after(periodMs, look);
    const reading = read(spec.targetGroup);
    if (reading === undefined) return;
    const requests = reading.requests - before;
    before = reading.requests;
    if (reading.healthy === 0) return;
    datapoints = [...datapoints, requests / reading.healthy].slice(-spec.periods);
    const next = evaluate(datapoints, spec);
    if (next === undefined || next === state) return;
    emitEvent(eventOf(spec, state, next, datapoints, clock.now()));
    state = next;
  };
  let timer = clock.after(periodMs, look);
  return { stop: () => timer.cancel() };
};
