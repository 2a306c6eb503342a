import { unlessTroubled } from '../../aws/calls/unless-troubled.ts';
import {
  type BeginReason,
  beginsRegardless,
  bootsUntilMs,
  latestStartOf,
  nextServingLookMs,
  orderedAtMs,
  servingCount,
} from '../../core/drain/begin.ts';
import type { Group } from '../../core/group/group.ts';
import { withFormer } from '../../core/group/holders.ts';
import { desiredNow } from '../../core/group/outside-size.ts';
import { drainAgainAtMs } from '../../core/times/again.ts';
import { changesIn } from '../../core/view/changes.ts';
import { mayBeServing } from '../../core/view/ready.ts';
import type { Batch } from '../runtime/drain/batch.ts';
import type { ReleasePorts } from './release.ts';
import { looksAtMs } from './turn.ts';

/** Whether the delay may grow: some members were in no target group when it was read, and may come to serve. */
type Growing = { readonly mayGrow: boolean };

/**
 * Whether a drain begins now, or when to look again. `delayMs`: the longest deregistration delay of the batch, when it
 * is known.
 */
export type Verdict =
  | { readonly kind: 'begin'; readonly because: BeginReason }
  | ({ readonly kind: 'later'; readonly lookAtMs: number; readonly delayMs: number | undefined } & Growing);

type Case = Growing & { readonly group: Group; readonly batch: Batch; readonly knownDelayMs: number | undefined };

/** The longest deregistration delay of these instances. Undefined when it could not be read. */
export const longestDelay = async (
  { provider }: ReleasePorts,
  { group, batch, knownDelayMs }: Pick<Case, 'group' | 'batch' | 'knownDelayMs'>,
): Promise<number | undefined> => {
  if (knownDelayMs !== undefined) return knownDelayMs;
  const progress = await unlessTroubled(provider.inspectDrain(group, batch.own));
  if (progress === undefined || progress.length < batch.own.length) return undefined;
  const delays = progress.map(({ drained, deregistrationDelayMs }) => (drained ? 0 : deregistrationDelayMs));
  return delays.includes(undefined) ? undefined : Math.max(0, ...delays.map((delayMs) => delayMs ?? 0));
};

/** A delay that may grow, read again. */
const delayAgain = (ports: ReleasePorts, one: Case): Promise<number | undefined> =>
  longestDelay(ports, { ...one, knownDelayMs: undefined });

/** A look that could not be made. It is made again soon, and no longer matters at the latest start. */
const laterOf = ({ batch, knownDelayMs, mayGrow }: Case, latestStartMs: number, nowMs: number): Verdict => ({
  kind: 'later',
  delayMs: knownDelayMs,
  mayGrow,
  lookAtMs: Math.min(
    latestStartMs,
    drainAgainAtMs(nowMs, { sinceMs: orderedAtMs(batch.own), endsByMs: latestStartMs }),
  ),
});

/**
 * Waits for replacements that boot. Unknown delays are read anyway, because they may leave no time to wait. Delays that
 * were known when the policy was accepted are read with the first look.
 */
const whileBooting = async (ports: ReleasePorts, one: Case, bootsMs: number): Promise<Verdict> => {
  const { group, batch, knownDelayMs } = one;
  const acceptedMs = group.drain.deregistrationDelayMs;
  const delayMs = acceptedMs === undefined ? await longestDelay(ports, one) : knownDelayMs;
  const nowMs = ports.clock.now();
  const latestStartMs = latestStartOf(group, batch.own, delayMs ?? acceptedMs) ?? nowMs;
  if (latestStartMs <= nowMs) return { kind: 'begin', because: 'latest-start' };
  const lookAtMs = Math.min(latestStartMs, Math.max(nowMs, bootsMs));
  return { kind: 'later', delayMs, mayGrow: delayMs === 0, lookAtMs };
};

/** Looks at the group: whether enough members serve. */
const atALook = async (ports: ReleasePorts, one: Case, estimateMs: number): Promise<Verdict> => {
  const { group, batch } = one;
  const { state } = batch;
  const nowMs = ports.clock.now();
  const look = ports.provider.describe(withFormer(group, state), changesIn(state, { swaps: batch.all }));
  const holdings = await unlessTroubled(look);
  if (holdings === undefined) return laterOf(one, estimateMs, nowMs);
  if (servingCount(holdings, batch.all) >= desiredNow(group, state, holdings, nowMs))
    return { kind: 'begin', because: 'enough-serving' };
  const own = new Set(batch.own.map(({ instance }) => instance));
  const shown = holdings.members.filter(({ instance }) => own.has(instance));
  const hasGrown = one.mayGrow && shown.some(mayBeServing);
  const delayMs = await (hasGrown ? delayAgain(ports, one) : longestDelay(ports, one));
  const latestStartMs = latestStartOf(group, batch.own, delayMs ?? group.drain.deregistrationDelayMs) ?? nowMs;
  if (latestStartMs <= nowMs) return { kind: 'begin', because: 'latest-start' };
  const seen = { holdings, swaps: batch.all, orderedAtMs: orderedAtMs(batch.own), nowMs };
  const mayGrow = delayMs === 0 && shown.some(({ serving }) => !serving);
  return { kind: 'later', delayMs, mayGrow, lookAtMs: nextServingLookMs(latestStartMs, seen) };
};

/** Until when a look would show nothing, or has no turn at the account's buckets. Undefined: it may be made now. */
const waitsUntilMs = async (
  ports: ReleasePorts,
  { group, batch, knownDelayMs }: Case,
  bootsMs: number | undefined,
): Promise<number | undefined> => {
  const isDelayKnown = (knownDelayMs ?? group.drain.deregistrationDelayMs) !== undefined;
  if (isDelayKnown && bootsMs !== undefined && ports.clock.now() < bootsMs) return undefined;
  const afterLaunches = isDelayKnown && bootsMs === undefined;
  return looksAtMs(ports, group, batch.own, knownDelayMs === undefined ? 'first' : 'later', afterLaunches);
};

/** Waits for the turn of the next look. Nothing shows meanwhile whether members have come to serve. */
const untilTurn = async (ports: ReleasePorts, one: Case, turnAtMs: number): Promise<Verdict> => {
  const { group, batch, knownDelayMs, mayGrow } = one;
  const delayMs = mayGrow ? await delayAgain(ports, one) : knownDelayMs;
  const nowMs = ports.clock.now();
  const latestStartMs = latestStartOf(group, batch.own, delayMs ?? group.drain.deregistrationDelayMs) ?? nowMs;
  if (latestStartMs <= nowMs) return { kind: 'begin', because: 'latest-start' };
  return { kind: 'later', delayMs, mayGrow, lookAtMs: Math.min(latestStartMs, turnAtMs) };
};

/**
 * Decides about a batch. Reads the group only when the result depends on it (never when time is up), and the
 * deregistration delays only once.
 */
export const judge = async (ports: ReleasePorts, one: Case): Promise<Verdict> => {
  const { group, batch, knownDelayMs } = one;
  const nowMs = ports.clock.now();
  const likelyDelayMs = knownDelayMs ?? group.drain.deregistrationDelayMs;
  const estimateMs = latestStartOf(group, batch.own, likelyDelayMs);
  const regardless = beginsRegardless(estimateMs, batch.own, nowMs);
  if (estimateMs === undefined || regardless) return { kind: 'begin', because: regardless ?? 'at-once' };
  const bootsMs = bootsUntilMs(batch.state?.reservations ?? [], batch.own);
  const turnAtMs = await waitsUntilMs(ports, one, bootsMs);
  if (turnAtMs !== undefined) return untilTurn(ports, one, turnAtMs);
  // The result of a look is known, and in a storm launches need the account's buckets.
  if (bootsMs !== undefined && nowMs < bootsMs) return whileBooting(ports, one, bootsMs);
  return atALook(ports, one, estimateMs);
};
