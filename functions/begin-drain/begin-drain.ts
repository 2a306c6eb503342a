import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import type { DrainStep } from '../../core/contract.ts';
import type { BeginReason } from '../../core/drain/begin.ts';
import { drainEndsByMs } from '../../core/drain/drain.ts';
import { nextHeartbeatMs } from '../../core/drain/heartbeat.ts';
import { asksAgain } from '../../core/drain/late.ts';
import { nextDrainLook } from '../../core/drain/look.ts';
import type { Group } from '../../core/group/group.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { staysUntilReleased } from '../../core/swap/kept-in-service.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { commonMarkFrom } from '../../core/times/again.ts';
import { gatherBatch, hasBegun, isLeft } from '../runtime/drain/batch.ts';
import { keepHooksAlive } from '../runtime/drain/heartbeats.ts';
import { askAgain } from '../runtime/drain/late.ts';
import type { KnownDelay } from '../runtime/drain/order.ts';
import { checkStep, endStep, stepAt } from '../runtime/drain/step.ts';
import { callOff, noteUnreleased, releasesAgainAtMs } from './held-back.ts';
import { judge, longestDelay } from './judge.ts';
import type { BeginDrainPorts } from './ports.ts';
import { keepProtected } from './protected.ts';
import { type Release, releaseLeaving } from './release.ts';
import { looksAtMs, releasesAtMs } from './turn.ts';

/** The result of an attempt to begin. `because` is absent while the drain waits for replacements. */
export type BeginOutcome = {
  readonly step: DrainStep;
  readonly because?: BeginReason;
  readonly begun: number;
  readonly failed: Release['failed'];
};

type BeginStep = ReturnType<typeof stepAt<'begin'>>;

const nothing = (step: DrainStep): BeginOutcome => ({ step, begun: 0, failed: [] });

/**
 * The step after a release. While there is time, a release that was put off is tried again. The last step tries it at
 * the end of that time, so no try is made right before that. After that the batch waits for its connections, if any.
 * For members that stay until they are out of service, later drains try again: this one makes no last try, and none
 * after AWS refused for good.
 */
const stepAfter = (
  timeoutMs: number,
  { open, alive, failed }: Release,
  putOff: readonly Swap[],
  { nowMs, sentMs }: Readonly<Record<'nowMs' | 'sentMs', number>>,
): DrainStep => {
  const refused = new Set(failed.flatMap(({ instance, retry }) => (retry === 'never' ? [instance] : [])));
  const endsByMs = (swap: Swap): number => drainEndsByMs(swap, timeoutMs);
  const againMs = releasesAgainAtMs(putOff, timeoutMs, nowMs);
  const inTime = putOff.filter((swap) =>
    staysUntilReleased(swap) ? !refused.has(swap.instance) && endsByMs(swap) > againMs : endsByMs(swap) > nowMs,
  );
  if (inTime.length > 0) {
    const overMs = Math.min(...inTime.map(endsByMs));
    return stepAt(
      againMs < overMs ? 'begin' : 'check',
      Math.min(againMs, overMs, nextHeartbeatMs(alive, nowMs, sentMs)),
    );
  }
  return checkStep(nextDrainLook(open, { timeoutMs, nowMs, sentMs, alive }), putOff.length > 0 ? nowMs : undefined);
};

/**
 * The next step of a batch in which some members are compared again later: that time, or an earlier try to release
 * others.
 */
const sooner = (again: BeginStep, other: DrainStep): DrainStep =>
  other.next === 'begin' && other.untilIso < again.untilIso ? other : again;

/** A look, and the calls that follow from it. */
const looksWithinMs = 5_000;

/**
 * Members that are only deregistered are ended by the looks at their group. Nothing else causes a look before the tick
 * of the minute, which may come after their deadline. In a storm one look serves the groups of several drains.
 */
const wakeForUnended = async (
  { wakes, clock }: BeginDrainPorts,
  { name, drain: { timeoutMs } }: Group,
  unended: readonly Swap[],
): Promise<void> => {
  if (unended.length === 0) return;
  const againMs = releasesAgainAtMs(unended, timeoutMs, clock.now());
  const markMs = commonMarkFrom(againMs);
  const isInTime = unended.every(({ deadlineMs = Number.POSITIVE_INFINITY }) => markMs <= deadlineMs - looksWithinMs);
  await unlessTroubled(wakes.wake([name], isInTime ? markMs : againMs, 'together'));
};

/** Whether the look that compares late members with the others comes before all that is taken out of service. */
const isLookedAt = (alive: readonly Swap[], nowMs: number): boolean =>
  alive.every((swap) => swap.state !== 'leaving' || asksAgain(swap, nowMs));

/** When the last of these members was ordered to leave. */
const orderedByMs = (own: readonly Swap[]): number =>
  Math.max(...own.map(({ drainOrderedAtMs, claimedAtMs }) => drainOrderedAtMs ?? claimedAtMs));

/** The known delay. It is read again when members joined the batch since. */
const delayNow = async (
  ports: Parameters<typeof longestDelay>[0],
  ours: Omit<Parameters<typeof longestDelay>[1], 'knownDelayMs'>,
  before: KnownDelay | undefined,
): Promise<number | undefined> => {
  const isOld = before?.ofMs !== undefined && orderedByMs(ours.batch.own) > before.ofMs;
  return isOld ? longestDelay(ports, { ...ours, knownDelayMs: undefined }) : before?.delayMs;
};

/**
 * Begins the drain of a batch: waits until enough members serve (at most until the latest start), then takes the batch
 * out of service and records it as draining. Idempotent: steps that a crash interrupted are done again, and recorded
 * steps are not repeated.
 *
 * @param before the longest deregistration delay of the batch, from an earlier step.
 */
export const beginDrain = async (
  ports: BeginDrainPorts,
  order: DrainOrder,
  before?: KnownDelay,
): Promise<BeginOutcome> => {
  const { store, clock } = ports;
  const batch = await gatherBatch(store, order);
  const { group, isLetGo } = batch;
  const own = batch.own.filter((swap) => !isLeft(batch, swap));
  if (group === undefined || own.length === 0) return nothing(endStep);
  // Members that have begun to drain come to their end. No other member is taken out of service.
  if (isLetGo || (own.length < batch.own.length && own.every(hasBegun))) return nothing(stepAt('check', clock.now()));
  const here = { store, clock, provider: ports.providerFor(group.holding), missed: ports.missed };
  const ours = { group, batch: { ...batch, own } };
  const knownDelayMs = await delayNow(here, ours, before);
  const mayGrow = before?.mayGrow === true;
  const verdict = await judge(here, { ...ours, knownDelayMs, mayGrow });
  const sentMs = clock.now();
  const alive = await keepHooksAlive(ports, own, order.drain, group.drain.timeoutMs);
  const heartbeatMs = (): number => nextHeartbeatMs(alive, clock.now(), sentMs);
  if (verdict.kind === 'later') {
    return nothing({
      ...stepAt('begin', Math.min(verdict.lookAtMs, heartbeatMs())),
      ...(verdict.delayMs !== undefined && {
        deregistrationDelayMs: verdict.delayMs,
        delayOfMs: orderedByMs(own),
        ...(verdict.mayGrow && { delayMayGrow: true }),
      }),
    });
  }
  const turnAtMs = alive.some(({ state }) => state === 'leaving')
    ? await releasesAtMs(ports, group, alive, verdict.because === 'enough-serving' || isLookedAt(alive, clock.now()))
    : undefined;
  if (turnAtMs !== undefined) return nothing(stepAt('begin', Math.min(turnAtMs, heartbeatMs())));
  const look = (late: readonly Swap[]): Promise<number | undefined> => looksAtMs(ports, group, late, 'later');
  const asked = await askAgain(here, order, { group, batch, turnAtMs: look }, alive);
  const { goes, againAtMs } = asked;
  if (goes.length === 0) return nothing(againAtMs === undefined ? endStep : stepAt('begin', againAtMs));
  const { leaving, failed } = await keepProtected(here, order, group, goes);
  const release = await releaseLeaving(here, order, { group, state: batch.state }, leaving);
  const putOff = await callOff(store, { group, drain: order.drain }, release, clock.now());
  await noteUnreleased(store, order.drain, putOff, release.failed);
  await wakeForUnended(ports, group, release.unended);
  const step = stepAfter(group.drain.timeoutMs, release, putOff, { nowMs: clock.now(), sentMs });
  return {
    step: againAtMs === undefined ? step : sooner(stepAt('begin', againAtMs), step),
    because: verdict.because,
    begun: release.begun,
    failed: [...failed, ...release.failed],
  };
};
