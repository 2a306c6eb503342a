import { isMutating } from '../../sandbox/call-log.ts';
import { endedByAsg, isLost, replacedByAsg, surprises, unseenEndMs } from './allowances.ts';
import type { Evidence } from './evidence.ts';
import { everythingExplained } from './explained.ts';
import { placedByTree } from './placed.ts';
import { keptByMinimum, leastOf } from './rest.ts';
import { noStormOfCalls } from './storm-of-calls.ts';
import { enoughServe, maximumHeld } from './throughout.ts';
import type { Life } from './watch.ts';

/** A rule that does not hold, and what shows it. */
export type Violation = { readonly invariant: string; readonly detail: readonly string[] };

/** What breaks a rule; nothing when it holds. */
type Rule = (evidence: Evidence) => readonly string[];

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const eachGroup = (evidence: Evidence, look: (group: string, lives: readonly Life[]) => readonly string[]): readonly string[] =>
  Object.keys(evidence.situation.asked).flatMap((group) =>
    look(
      group,
      evidence.lives.filter((life) => life.group === group),
    ),
  );

/** Every launch answers a need: the starting size, an increase that was asked for, a member that was lost. Removed again is launched all the same. */
const launchedOnce: Rule = (evidence) =>
  eachGroup(evidence, (group, lives) => {
    const { size, more = 0 } = evidence.situation.asked[group] ?? { size: 0 };
    const lost = lives.filter(isLost).length + replacedByAsg(evidence, group, lives) + endedByAsg(lives) + surprises(evidence);
    // What a group launches to even out its zones replaces nobody: it ends another by itself.
    const launched = lives.filter(({ ownAccord }) => ownAccord !== 'zones').length;
    return launched <= size + more + lost ? [] : [`${group}: ${launched} launched for ${size} at the start, ${more} more and ${lost} lost`];
  });

const removedAsAsked: Rule = (evidence) =>
  eachGroup(evidence, (group, lives) => {
    // Where a group that evens out its zones ends one that leaves anyway and is replaced already, one too many stays.
    const ownChoice = lives.filter((life) => life.retiredAtMs !== undefined && isLost(life)).length;
    const fewer = (evidence.situation.asked[group]?.fewer ?? 0) + ownChoice + replacedByAsg(evidence, group, lives) + surprises(evidence);
    const removed = evidence.swaps.filter((swap) => swap.group === group && (swap.reason === 'scale-in' || swap.reason === 'unwanted'));
    return removed.length <= fewer
      ? []
      : [`${group}: ${removed.map(({ instance, reason }) => `${instance} (${reason})`).join(', ')}; ${fewer} were asked for`];
  });

/** An instance that ends has a reason that the world or the record knows. */
const endedForAReason: Rule = (evidence) =>
  eachGroup(evidence, (group, lives) => {
    const claimed = new Set(evidence.swaps.map(({ instance }) => instance));
    const without = lives.filter(
      (life) => life.goneAtMs !== undefined && life.retiredAtMs === undefined && !isLost(life) && !claimed.has(life.instance),
    );
    return without.map(({ instance }) => `${group}: ${instance} ended and nobody knows why`);
  });

const sizeIsHeld: Rule = (evidence) =>
  eachGroup(evidence, (group) => {
    const state = evidence.states.get(group);
    const asked = evidence.situation.asked[group]?.endsAt ?? state?.desired;
    const kept = keptByMinimum(evidence.swaps, evidence.snapshot, evidence.operated).size;
    const wanted = asked && Math.max(asked, leastOf(evidence.situation, evidence.snapshot, group)) + kept;
    const alive = evidence.snapshot.instances.filter(
      ({ id, state: now }) => now === 'running' && evidence.lives.some((life) => life.instance === id && life.group === group),
    );
    const serving = evidence.serving[group];
    return serving === wanted && alive.length === wanted && state?.desired === asked
      ? []
      : [`${group}: ${serving} serve, ${alive.length} run, desired is ${state?.desired}, wanted ${wanted}`];
  });

const putBack: Rule = ({ snapshot, situation, operated }) =>
  snapshot.autoScalingGroups.flatMap((asg) => {
    const spec = situation.spec.autoScalingGroups.find(({ name }) => name === asg.name);
    if (spec === undefined) return [`${asg.name} is new`];
    const before = { ...spec, ...operated.bounds.get(asg.name) };
    const differs = [
      ...(asg.max === before.max ? [] : [`maximum ${asg.max}, was ${before.max}`]),
      ...(asg.min === before.min ? [] : [`minimum ${asg.min}, was ${before.min}`]),
      ...(asg.suspended.join() === (before.suspended ?? []).join() ? [] : [`suspended ${asg.suspended.join()}`]),
      ...(asg.desired <= before.max ? [] : [`desired ${asg.desired} above the maximum ${before.max}`]),
      ...asg.instances.filter(({ lifecycleState }) => lifecycleState !== 'InService').map(({ id, lifecycleState }) => `${id} is ${lifecycleState}`),
    ];
    return differs.map((what) => `${asg.name}: ${what}`);
  });

/** Two ticks after its time a reservation is forgotten, or it never will be. */
const believedTooLongMs = 120_000;

const nothingOpen: Rule = (evidence) => {
  const kept = keptByMinimum(evidence.swaps, evidence.snapshot, evidence.operated);
  const alive = new Set(evidence.snapshot.instances.filter(({ state }) => state === 'running' || state === 'pending').map(({ id }) => id));
  return [
    ...[...evidence.states].flatMap(([group, { reservations, raised }]) => [
      ...reservations.filter(({ instances }) => instances === undefined).map(({ id }) => `${group}: reservation ${id} is open`),
      ...reservations
        .filter(({ forgetAtMs }) => forgetAtMs + believedTooLongMs < evidence.snapshot.nowMs)
        .map(({ id }) => `${group}: reservation ${id} is believed for ever`),
      ...raised.map(({ asg, fromMax, toMax }) => `${group}: ${asg} is still noted as raised from ${fromMax} to ${toMax}`),
    ]),
    ...evidence.swaps
      .filter(({ state, instance }) => state !== 'gone' && !kept.has(instance))
      .map(({ instance, state, reason }) => `${instance}: its swap (${reason}) stays ${state}`),
    ...evidence.swaps
      .filter(({ instance, state }) => state === 'gone' && alive.has(instance))
      .map(({ instance }) => `${instance} lives on, its swap is gone`),
    ...evidence.executions
      .filter(({ name, status }) => status !== 'SUCCEEDED' && !evidence.operated.stopped.has(name))
      .map(({ name, status }) => `drain ${name}: ${status}`),
    ...(evidence.staleMessages === 0 ? [] : [`${evidence.staleMessages} messages stay on a queue`]),
    ...(evidence.deadLetters === 0 ? [] : [`${evidence.deadLetters} dead letters`]),
  ];
};

/** Every warned instance is taken off its work once, in time, or the record says why not. What nobody heard of cannot be drained. */
const drainedOnce: Rule = (evidence) => {
  const swaps = new Map(evidence.swaps.map((swap) => [swap.instance, swap]));
  return evidence.lives
    .filter(({ group, goneAtMs }) => group !== undefined && goneAtMs !== undefined)
    .flatMap((life) => {
      const swap = swaps.get(life.instance);
      if (life.drains > 1) return [`${life.instance} was drained ${life.drains} times`];
      if (swap === undefined)
        return evidence.situation.deaf || life.endedByScript || life.retiredAtMs !== undefined ? [] : [`${life.instance} left, and no swap says so`];
      // One that never took work has none to be taken off; one that had ended before anybody heard could not be.
      // What ends as its drain begins is shown as alive by describes that lag.
      const { drainStartedAtMs = swap.claimedAtMs } = swap;
      if ((life.goneAtMs ?? 0) < drainStartedAtMs && drainStartedAtMs < (life.goneAtMs ?? 0) + unseenEndMs) return [];
      if ((life.goneAtMs ?? 0) < swap.claimedAtMs) return [];
      if (swap.shortfall !== undefined || life.endedByScript || life.servingAtMs === undefined) return [];
      // What the world saw comes first: the clock of the function that wrote it down may have been wrong.
      const drainedAtMs = life.drainedAtMs ?? swap.drainedAtMs;
      if (drainedAtMs === undefined) return [`${life.instance} (${swap.reason}) left undrained, and nothing says why`];
      return swap.deadlineMs !== undefined && drainedAtMs > swap.deadlineMs
        ? [`${life.instance} was drained ${seconds(drainedAtMs - swap.deadlineMs)} late`]
        : [];
    });
};

const strangersUntouched: Rule = ({ strangers, snapshot }) => {
  const running = new Set(snapshot.instances.filter(({ state }) => state === 'running').map(({ id }) => id));
  return strangers.filter((id) => !running.has(id)).map((id) => `${id} is nobody's of ours, and ended`);
};

const convergedInTime: Rule = ({ restAtMs, situation }) =>
  restAtMs === undefined ? [`not at rest ${seconds(situation.restWithinMs)} after the last trouble`] : [];

/** Auto Scaling allows hooks no less than this (PutLifecycleHook). */
const shortestHookMs = 30_000;

/** A hook is kept alive by a heartbeat each half of its time-out, for as long as its instance drains. */
const heartbeatsDue = ({ swaps, snapshot: { nowMs } }: Evidence): number =>
  swaps.reduce((sum, { hook, claimedAtMs, goneAtMs = nowMs }) => {
    if (hook === undefined) return sum;
    // Two functions wrote these down, and the clock of either may have been wrong.
    return sum + Math.ceil(Math.max(0, goneAtMs - claimedAtMs) / ((hook.timeoutMs ?? shortestHookMs) / 2));
  }, 0);

/**
 * Mutating calls to what costs request tokens: a few for each instance that came or went, and the heartbeats of its hook. Calls that failed count too,
 * unless faults made them fail: a call that is refused over and over is a storm as well.
 */
const callsAreBounded: Rule = (evidence) => {
  const { calls, lives, readyAtMs, situation } = evidence;
  const touched = lives.filter(
    ({ group, launchedAtMs, goneAtMs }) => group !== undefined && (launchedAtMs >= readyAtMs || goneAtMs !== undefined),
  ).length;
  const mutating = calls.filter(
    ({ service, operation, outcome }) =>
      ['ec2', 'autoscaling', 'elasticloadbalancing'].includes(service) &&
      isMutating(operation) &&
      (outcome === 'ok' || (situation.faults ?? []).length === 0),
  );
  const most = 12 + 4 * touched + heartbeatsDue(evidence);
  return mutating.length <= most ? [] : [`${mutating.length} mutating calls for ${touched} instances that came or went; at most ${most}`];
};

const rightsSuffice: Rule = ({ calls }) =>
  calls
    .filter(({ outcome }) => /AccessDenied|Unauthorized|InternalFailure|InternalError/.test(outcome ?? ''))
    .map(({ caller, service, operation, outcome }) => `${caller}: ${service}:${operation} ${outcome}`);

/** A function fails because it was killed, or because its trouble was injected; never by itself. */
const functionsAnswer: Rule = ({ invocations, situation }) =>
  invocations
    .flatMap(({ functionName, result }) => (result.kind === 'error' ? [{ functionName, ...result }] : []))
    .filter(({ errorType }) => errorType !== 'Runtime.ExitError' && (situation.faults ?? []).length === 0)
    .map(({ functionName, errorType, errorMessage }) => `${functionName}: ${errorType} ${errorMessage.slice(0, 200)}`);

/** By name, so that a report, a replay and a mutant can say which one it was. */
export const invariants: Readonly<Record<string, Rule>> = {
  'launched once for each need': launchedOnce,
  'removed no more than asked': removedAsAsked,
  'ended for a reason': endedForAReason,
  'size held at rest': sizeIsHeld,
  'Auto Scaling groups put back': putBack,
  'nothing left open': nothingOpen,
  'drained once, in time or said why not': drainedOnce,
  'strangers untouched': strangersUntouched,
  'converged in time': convergedInTime,
  'maximum never exceeded': maximumHeld,
  'enough serve': enoughServe,
  'placed as the tree says': placedByTree,
  'everything explained': everythingExplained,
  'calls bounded': callsAreBounded,
  'no storm of calls': noStormOfCalls,
  'rights suffice': rightsSuffice,
  'functions answer': functionsAnswer,
};

export const checkInvariants = (evidence: Evidence): readonly Violation[] =>
  Object.entries(invariants).flatMap(([invariant, rule]) => {
    const detail = rule(evidence);
    return detail.length === 0 ? [] : [{ invariant, detail }];
  });
