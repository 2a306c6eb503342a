import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { wasObserved } from '../../policy/modes.ts';
import { type SaidSwap, swapsOf } from '../../said/stored.ts';
import { times } from '../../times.ts';
import { draining, isHindered, look, ways } from '../../told/hindrance.ts';
import { endless, goneAtMs, isFunction, type Life, launchTimeOf, type Span } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** EC2 reports launch times, and events their times, in whole seconds. */
const wholeSecondMs = 1_000;
/** A swap is written a moment after its time, and the clock of its function may be wrong. */
const slackOf = ({ times: { clockMs } }: Chronicle): number => 3_000 + 2 * clockMs;

/** An event of AWS Health is about several instances, so its message is not among those of one. */
const toldMs = ({ deliveries, scheduled }: Life): readonly number[] => [
  ...deliveries.map(({ happenedAtMs }) => happenedAtMs),
  ...scheduled.map(({ atMs }) => atMs),
];

/** When a function wrote a swap of it, and took it out of a target group or had its Auto Scaling group end it. */
const writtenMs = ({ claims }: Life): readonly number[] => claims.map(({ atMs }) => atMs);
const outMs = (chronicle: Chronicle, { instance, services, stays }: Life): readonly number[] => [
  // A member that never served is taken out of service as well.
  ...chronicle.of('called').flatMap(({ takesOut, askedAtMs }) => (takesOut?.includes(instance) ? [askedAtMs] : [])),
  ...services.flatMap(({ why, by, untilMs }) => (why === 'deregistered' && isFunction(by) ? [untilMs] : [])),
  ...stays.flatMap(({ how, by, untilMs }) => (how === 'terminating' && isFunction(by) ? [untilMs] : [])),
];

/** Whether one of these spans goes on then, or went on until shortly before. */
const isWithin = (spans: readonly Span[], atMs: number, slackMs: number): boolean =>
  spans.some(({ fromMs, untilMs }) => fromMs <= atMs && untilMs >= atMs - slackMs);

/**
 * Whether it was in service then, or until shortly before. Of a member that its user put into standby, a drain takes nothing off. Where no target
 * group shows whether it serves, its stays in its Auto Scaling group do. Where it should serve no target group and EC2 takes it, its drain calls nobody.
 */
const isAtWork = (chronicle: Chronicle, life: Life, { reason, claimedAtMs, drainStartedAtMs: atMs }: SaidSwap): boolean => {
  const { services, stays } = life;
  const slackMs = slackOf(chronicle);
  if (atMs === undefined) return false;
  if (services.length > 0) return isWithin(services, atMs, slackMs);
  const hasTargets = [claimedAtMs, atMs].some((momentMs) => chronicle.targetsOf(life, momentMs).length > 0);
  if (reason === 'interruption' && !hasTargets) return false;
  return !stays.some(({ how, untilMs }) => how === 'standby' && untilMs <= atMs) || isWithin(stays, atMs, slackMs);
};

const isNear = (said: number | undefined, all: readonly number[], beforeMs: number, afterMs: number): boolean =>
  said === undefined || all.length === 0 || all.some((atMs) => atMs >= said - beforeMs && atMs <= said + afterMs);

/** A call is repeated within its function while it fails for now. */
const callsWithinMs = times.reactMs;

/**
 * Where no message told a hook, a look finds it and claims the instance. A group in mode `observe` claims nobody: its look stores what it found in
 * the state, and a later look claims by that.
 */
const isFoundHook = (chronicle: Chronicle, life: Life, { reason, group, warnedAtMs: saidMs }: SaidSwap): boolean => {
  if (reason !== 'hook' || saidMs === undefined) return false;
  const [beforeMs, afterMs] = [slackOf(chronicle), callsWithinMs + slackOf(chronicle)];
  if (isNear(saidMs, writtenMs(life), beforeMs, afterMs)) return true;
  const isHeld = life.hooks.some(({ atMs, over }) => atMs <= saidMs + beforeMs && (over?.atMs ?? endless) >= saidMs - beforeMs);
  const looks = (chronicle.groups.get(group)?.written ?? []).filter(({ by }) => isFunction(by)).map(({ atMs }) => atMs);
  return (
    isHeld && wasObserved(chronicle, group, saidMs - beforeMs, saidMs + beforeMs) && looks.length > 0 && isNear(saidMs, looks, beforeMs, afterMs)
  );
};

/** What a swap says of its times, each with whether the world knows of it. */
const untrue = (chronicle: Chronicle, life: Life, swap: SaidSwap): readonly string[] => {
  const slackMs = slackOf(chronicle);
  const { launchedAtMs, warnedAtMs, claimedAtMs, drainStartedAtMs, goneAtMs: saidGoneMs, drainedAtMs } = swap;
  const endedMs = goneAtMs(life);
  return [
    ...(launchedAtMs !== undefined && Math.abs(launchedAtMs - launchTimeOf(life)) > wholeSecondMs + slackMs ? ['was launched'] : []),
    ...(isNear(warnedAtMs, toldMs(life), wholeSecondMs, wholeSecondMs) || isFoundHook(chronicle, life, swap) ? [] : ['was warned']),
    ...(isNear(claimedAtMs, writtenMs(life), slackMs, callsWithinMs + slackMs) ? [] : ['was claimed']),
    ...(isAtWork(chronicle, life, swap) && !isNear(drainStartedAtMs, outMs(chronicle, life), slackMs, callsWithinMs + slackMs)
      ? ['began to drain']
      : []),
    ...(drainedAtMs !== undefined && drainedAtMs < (drainStartedAtMs ?? claimedAtMs) - slackMs ? ['had drained'] : []),
    ...(saidGoneMs !== undefined && saidGoneMs < endedMs - slackMs ? ['was gone'] : []),
  ];
};

const seeing = ways(look, draining);

/** In this time a tick, or a message that comes again, finds that an instance has ended. */
const foundWithinMs = 2 * times.tickMs + times.messageAgainMs;

/**
 * From when on a swap can say that its instance is gone: since it ended. Where nobody had chosen it, and the first message that it leaves came after
 * its end, since that message.
 */
const sayableMs = ({ claims, deliveries }: Life, endedMs: number): number => {
  const heard = deliveries.filter(({ told }) => told.about === 'warning' || told.about === 'advice');
  const firstMs = heard[0]?.atMs ?? endedMs;
  return claims.some(({ atMs }) => atMs <= endedMs) ? endedMs : Math.max(endedMs, firstMs);
};

/** When a swap says that its instance was gone, if that is long after a look had to find it. One that stopped is there until somebody ends it. */
const foundLate = (chronicle: Chronicle, life: Life, { goneAtMs: saidMs, group }: SaidSwap): readonly string[] => {
  const endedMs = goneAtMs(life);
  if (saidMs === undefined || endedMs === endless || life.ended?.state === 'stopped' || life.hooks.length > 0) return [];
  const fromMs = sayableMs(life, endedMs);
  const untilMs = fromMs + foundWithinMs + slackOf(chronicle);
  const isHeld =
    [fromMs, untilMs].every((atMs) => chronicle.policyAt(group, atMs) !== undefined) && chronicle.policiesIn(group, fromMs, untilMs).length === 1;
  return saidMs > untilMs && isHeld && !isHindered(chronicle, seeing, fromMs - times.tickMs, untilMs) ? ['was found gone'] : [];
};

const falseIn = (chronicle: Chronicle, swap: SaidSwap): readonly Broken[] => {
  const { instance, group, claimedAtMs } = swap;
  const life = chronicle.life(instance);
  if (life === undefined || life.restarts.length > 0 || wasLost(chronicle, group, Number.NEGATIVE_INFINITY, endless)) return [];
  return [...untrue(chronicle, life, swap), ...foundLate(chronicle, life, swap)].map((what) => ({
    group,
    instance,
    atMs: claimedAtMs,
    detail: `the swap of ${instance} is wrong about when it ${what}`,
  }));
};

export const swapTimesAreTrue: Rule = {
  name: 'the times in a swap are true',
  meaning:
    'A swap names the launch of its instance, a message about it (or the look that found a hook, also while its group was observed), a time just before it was written, and a time just before its work was taken off. It says neither that the instance had drained before its drain began, nor that it was gone before it had ended, nor more than two ticks and a repeat after that. Where the first message that it leaves came after its end, these count from that message.',
  broken: (chronicle) => swapsOf(chronicle.history).flatMap((swap) => falseIn(chronicle, swap)),
};
