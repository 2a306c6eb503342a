import { parseOfferingKey } from '../../core/pool/offering.ts';
import { endsItself } from '../../core/swap/swap.ts';
import type { History } from '../judge/history.ts';
import { judge } from '../judge/judge.ts';
import { asgsPutBack, raisesEndSoon } from '../judge/rules/auto-scaling/put-back.ts';
import { idleWritesNothing } from '../judge/rules/calls.ts';
import { cameToRest, nothingOpen, sizeIsHeld } from '../judge/rules/rest.ts';
import { timesAreTrue } from '../judge/rules/said/swap-ends.ts';
import { rules } from '../judge/rules.ts';
import { adviceIn } from './advise.ts';
import { checkInvariants } from './invariants.ts';
import { availability, type InstanceLife, lowestServing, type Observation } from './observe.ts';
import { observedIn } from './observed.ts';
import type { GroupRow, InterruptionRow, Invariant, Report } from './report.ts';
import { asgTag, desiredOf, type GroupOf, type Policy, policiesOf, poolTag } from './scenario-groups.ts';
import type { Scenario } from './scenario-schema.ts';
import type { Stage } from './stage.ts';
import { readStored, type Stored } from './stored.ts';
import { toWorldSpec } from './to-world-spec.ts';

const rowOf = (life: InstanceLife, observation: Observation, stored: Stored): InterruptionRow => {
  const swap = stored.swaps.get(life.instance);
  const replacement = stored.replacements.get(life.instance);
  const newcomer = replacement && observation.lives.get(replacement.instance);
  return {
    instance: life.instance,
    group: life.group ?? 'unknown',
    zone: life.zone ?? parseOfferingKey(swap?.offering ?? '')?.zone ?? 'unknown',
    warnedAtMs: life.warnedAtMs ?? 0,
    ...(replacement === undefined ? {} : { replacement: replacement.instance }),
    ...optional('replacementRequestedAtMs', newcomer?.launchedAtMs),
    ...optional('replacementServingAtMs', newcomer?.servingAtMs),
    ...optional('drainStartedAtMs', life.drainingAtMs ?? swap?.drainStartedAtMs),
    // A swap with a shortfall has the time at which its drain was given up.
    ...optional('drainedAtMs', life.drainedAtMs ?? (swap?.shortfall === undefined ? swap?.drainedAtMs : undefined)),
    ...optional('goneAtMs', life.goneAtMs),
    ...(swap?.shortfall === undefined ? {} : { shortfall: swap.shortfall }),
  };
};

const optional = <Key extends string>(key: Key, value: number | undefined): Partial<Record<Key, number>> =>
  (value === undefined ? {} : { [key]: value }) as Partial<Record<Key, number>>;

const groupRow = (stage: Stage, policy: Policy, observation: Observation, stored: Stored, groupOf: GroupOf): GroupRow => {
  const members = stage.world.snapshot().instances.filter(({ id, state }) => state === 'running' && groupOf(id) === policy.group);
  const spans = observation.serving.get(policy.group) ?? [];
  const desired = stored.states.get(policy.group)?.desired ?? desiredOf(policy);
  return {
    group: policy.group,
    desired,
    serving: observation.servingNow(policy.group),
    lowestServing: spans.length === 0 ? 0 : lowestServing(spans),
    byPool: Object.fromEntries(
      [...Map.groupBy(members, ({ tags }) => tags[poolTag] ?? tags[asgTag] ?? 'unknown')].map(([pool, list]) => [pool, list.length]),
    ),
    availabilityPercent: 100 * availability(spans, Math.min(desired, desiredOf(policy)), stage.clock.now()),
    servingOverTime: spans,
  };
};

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** What the functions and the observer stored while the scenario played. */
export type Played = {
  readonly observation: Observation;
  readonly startedAtMs: number;
  /** Wall milliseconds that the scenario took. */
  readonly wallMs: number;
  readonly costAtReady: { readonly usd: number; readonly onDemandUsd: number };
  readonly strangers: readonly string[];
  readonly history: History;
};

/** A scenario ends while swaps and reservations are still remembered, so the rules about rest are left out. */
const notAtTheEnd = new Set([
  cameToRest.name,
  nothingOpen.name,
  timesAreTrue.name,
  idleWritesNothing.name,
  raisesEndSoon.name,
  asgsPutBack.name,
  sizeIsHeld.name,
]);

/** The findings of the judge. On the wall clock, times depend on this machine, and are not judged. */
const judgedOf = ({ mode }: Stage, history: History): readonly Invariant[] => {
  if (mode === 'live') return [];
  const broken = judge(history).broken.filter(({ rule }) => !notAtTheEnd.has(rule));
  if (broken.length === 0)
    return [{ name: 'everything holds that must hold in every run', ok: true, detail: `${rules.length - notAtTheEnd.size} rules` }];
  return [...Map.groupBy(broken, ({ rule }) => rule)].map(([name, findings]) => ({
    name,
    ok: false,
    detail: findings
      .slice(0, 5)
      .map(({ detail }) => detail)
      .join('; '),
  }));
};

const outside = new Set(['ec2', 'autoscaling', 'elasticloadbalancing']);

/** Calls of functions that change something outside of Holdfast's own tables, queue and bus. */
const changesIn = ({ events }: History): readonly string[] =>
  events.flatMap((event) =>
    event.kind === 'called' && event.isMutating && outside.has(event.service) ? [`${event.function}: ${event.service}:${event.operation}`] : [],
  );

/** The report on a scenario that has come to rest. */
export const reportOn = async (stage: Stage, scenario: Scenario, played: Played, groupOf: GroupOf): Promise<Report> => {
  const { observation } = played;
  const table = await stage.items('state');
  const stored = readStored(table);
  const snapshot = stage.world.snapshot();
  const groups = policiesOf(scenario).map((policy) => groupRow(stage, policy, observation, stored, groupOf));
  const zones = new Map(snapshot.instances.map(({ id, zone }) => [id, zone]));
  const interruptions = [...observation.lives.values()]
    .filter(({ warnedAtMs, group }) => warnedAtMs !== undefined && group !== undefined)
    .map((life) => rowOf({ ...life, ...(zones.has(life.instance) ? { zone: zones.get(life.instance) ?? '' } : {}) }, observation, stored));
  const requests = {
    served: sum([...observation.requests.values()].map(({ served }) => served)),
    dropped: sum([...observation.requests.values()].map(({ dropped }) => dropped)),
  };
  const total = stage.world.cost();
  const costUsd = total.usd - played.costAtReady.usd;
  const onDemandCostUsd = total.onDemandUsd - played.costAtReady.onDemandUsd;
  const executions = stage.executions();
  const invariants = checkInvariants({
    expect: scenario.expect,
    spec: toWorldSpec(scenario.world),
    snapshot,
    groups,
    spares: new Map(policiesOf(scenario).map(({ group, spare = 0 }) => [group, spare])),
    interruptions,
    states: stored.states,
    swaps: [...stored.swaps.values()].filter((swap) => swap.state !== 'withdrawn' && (swap.state !== 'gone' || !endsItself(swap))),
    groupOf,
    strangersLost: played.strangers.filter((id) => !snapshot.instances.some((instance) => instance.id === id && instance.state === 'running')),
    requests,
    unfinishedDrains: executions.filter(({ status }) => status === 'RUNNING').map(({ name }) => name),
    failedDrains: executions.filter(({ status }) => status !== 'RUNNING' && status !== 'SUCCEEDED').map(({ name, status }) => `${name} (${status})`),
    deadLetters: stage.deadLetters(),
    deniedCalls: stage.callLog
      .calls()
      .filter(({ outcome, trouble }) => trouble === undefined && /AccessDenied|UnauthorizedOperation/.test(outcome ?? ''))
      .map(({ service, operation, caller }) => `${caller}: ${service}:${operation}`),
    changes: changesIn(played.history),
    costPercent: (100 * costUsd) / (onDemandCostUsd || 1),
  });
  const judged = [...invariants, ...judgedOf(stage, played.history)];
  const readyAtMs = observation.readyAtMs();
  const endedAtMs = stage.clock.now();
  return {
    scenario: scenario.name,
    mode: stage.mode,
    seed: scenario.seed,
    ok: judged.every(({ ok }) => ok),
    invariants: judged,
    groups,
    interruptions,
    observed: observedIn(table),
    advice: adviceIn(stage, played.history),
    requests,
    calls: stage.callLog.counts(),
    mutatingCalls: stage.callLog.mutatingCalls(),
    costUsd,
    onDemandCostUsd,
    startedAtMs: played.startedAtMs,
    ...(readyAtMs === undefined ? {} : { readyAtMs }),
    endedAtMs,
    ...(stage.mode === 'live' && { reachedSpeed: Math.round((10 * (endedAtMs - played.startedAtMs)) / played.wallMs) / 10 }),
    notes: scenario.notes,
  };
};
