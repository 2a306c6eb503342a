import type { InstanceSnapshot } from '../world/world.ts';
import { advise } from './advise.ts';
import type { MemberFilter, OfferingFilter } from './fields.ts';
import type { Action } from './scenario-schema.ts';
import type { Stage } from './stage.ts';

type Offering = { readonly instanceType: string; readonly zone: string; readonly market: string };

const matches = (filter: OfferingFilter, { instanceType, zone, market }: Offering): boolean =>
  (filter.instanceType ?? instanceType) === instanceType && (filter.zone ?? zone) === zone && (filter.market ?? market) === market;

const membersOf = (stage: Stage, filter: MemberFilter, groupOf: (instance: string) => string | undefined): readonly string[] =>
  stage.world
    .snapshot()
    .instances.filter(({ state, takenAtMs }: InstanceSnapshot) => (state === 'running' || state === 'pending') && takenAtMs === undefined)
    .filter(({ id, zone, market }) => groupOf(id) === filter.group && (filter.zone ?? zone) === zone && (filter.market ?? market) === market)
    .sort((a, b) => a.launchedAtMs - b.launchedAtMs)
    .slice(0, filter.count)
    .map(({ id }) => id);

const change = (stage: Stage, { offerings, capacity, priceUsdPerHour, reclaim }: Extract<Action, { change: unknown }>['change']): void => {
  for (const offering of stage.world.snapshot().offerings.filter((one) => matches(offerings, one))) {
    stage.world.setOffering(offering, {
      ...(capacity === undefined ? {} : { capacity }),
      ...(priceUsdPerHour === undefined ? {} : { priceUsdPerHour }),
      ...(reclaim === undefined ? {} : { reclaim: { noticeMs: reclaim } }),
    });
  }
};

const given = <T extends object>(filter: T) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));

const setBoots = (stage: Stage, { launches, fate, reason }: Extract<Action, { boots: unknown }>['boots']): void =>
  stage.world.setBoots(given(launches), fate, reason);

/** What CloudWatch evaluated: the scenario says how far its latest value is from its threshold. */
const evaluated = (fromThreshold: number | undefined): object => {
  if (fromThreshold === undefined) return {};
  const threshold = 50;
  return {
    reasonData: JSON.stringify({ version: '1.0', statistic: 'Average', period: 60, recentDatapoints: [threshold + fromThreshold], threshold }),
  };
};

const alarmEvent = (alarmName: string, atMs: number, value: 'ALARM' | 'OK', suppressed: boolean, fromThreshold?: number) => ({
  source: 'aws.cloudwatch',
  'detail-type': 'CloudWatch Alarm State Change',
  detail: {
    alarmName,
    state: {
      value,
      reason: 'Threshold Crossed',
      timestamp: new Date(atMs).toISOString(),
      ...evaluated(fromThreshold),
      ...(suppressed && { actionsSuppressedBy: 'Alarm', actionsSuppressedReason: 'Actions suppressed by another alarm' }),
    },
    previousState: { value: value === 'OK' ? 'ALARM' : 'OK', reason: 'Within bounds', timestamp: new Date(atMs - 60_000).toISOString() },
    configuration: { metrics: [] },
  },
});

/** The alarm goes into ALARM, and back later. CloudWatch sends nothing in between. */
const soundAlarm = ({ emitEvent, clock }: Stage, { name, lasts, suppressed, fromThreshold }: Extract<Action, { alarm: unknown }>['alarm']): void => {
  emitEvent(alarmEvent(name, clock.now(), 'ALARM', suppressed, fromThreshold));
  clock.after(lasts, () => emitEvent(alarmEvent(name, clock.now(), 'OK', false)));
};

/** Replaces `${targetGroup:NAME}` in a document by the ARN that the world gave that target group. */
export const withArns = (stage: Stage, document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const arns = new Map(stage.world.snapshot().targetGroups.map(({ name, arn }) => [name, arn]));
  const text = JSON.stringify(document).replaceAll(/\$\{targetGroup:([^}]+)\}/g, (placeholder, name: string) => arns.get(name) ?? placeholder);
  return JSON.parse(text);
};

/** Carries out one step of a timeline. */
export const perform = async (stage: Stage, action: Action, groupOf: (instance: string) => string | undefined): Promise<void> => {
  if ('change' in action) change(stage, action.change);
  else if ('boots' in action) setBoots(stage, action.boots);
  else if ('interrupt' in action) {
    const { notice, silent, ...filter } = action.interrupt;
    stage.world.interrupt(membersOf(stage, filter, groupOf), { noticeMs: notice, silent });
  } else if ('rebalance' in action) stage.world.recommendRebalance(membersOf(stage, action.rebalance, groupOf));
  else if ('advise' in action) advise(stage, action.advise, groupOf);
  else if ('kill' in action) for (const instance of membersOf(stage, action.kill, groupOf)) stage.world.kill(instance);
  else if ('alarm' in action) soundAlarm(stage, action.alarm);
  else if ('load' in action) stage.world.setLoad(action.load.targetGroup, action.load.requestsPerSecond);
  else if ('event' in action) stage.emitEvent(action.event as never);
  else if ('faults' in action) stage.setFaults(action.faults);
  else await stage.putPolicy(withArns(stage, action.policy));
};
