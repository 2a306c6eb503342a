import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import { servesAgainMsIn } from '../members/serves-again.ts';
import { headcountAt } from '../members/staying.ts';
import type { Policy, ReturnRule } from '../policy/policy.ts';
import { offeringsOf } from '../policy/pools.ts';
import { poolsOf } from '../policy/tree.ts';
import { isAlwaysOpen, openingsIn } from '../policy/windows.ts';
import { times } from '../times.ts';
import { mayBeUndone, paysAfterMs } from '../told/losses.ts';
import { deathsMayBound } from './boots.ts';
import { breakerMayCover, lossesOfMemory, slackOf } from './breaker.ts';
import { limitMayBound } from './launch-limit.ts';

/** A request without a response counts for this long (docs/architecture.md, rules that hold). */
const believedMs = 180_000;

/** Signals against an offering, and changes of the size or the policy. For a while after them, no member moves. */
const isHeard = ({ kind }: HistoryEvent): boolean =>
  ['offering', 'quota', 'addresses', 'refused', 'warned', 'advised', 'policy-written', 'policy-in-force', 'state-deleted', 'step'].includes(kind);

/** What happens to members and functions while something is under way. */
const isBusy = (event: HistoryEvent): boolean => {
  switch (event.kind) {
    case 'launched':
    case 'running':
    case 'booted':
    case 'answering':
    case 'in-service':
    case 'out-of-service':
    case 'hook-waits':
    case 'hook-over':
    case 'ending':
    case 'ended':
    case 'end-refused':
    case 'joined':
    case 'left':
    case 'protection':
    case 'asg-changed':
    case 'size-written':
    case 'drain':
      return true;
    case 'called':
      return event.trouble !== undefined;
    case 'invocation-ended':
      return event.injected || event.error !== undefined;
    default:
      return false;
  }
};

/** When the desired size changed. */
const resized = (chronicle: Chronicle, group: string): readonly number[] => {
  const { written = [] } = chronicle.groups.get(group) ?? {};
  return written.filter(({ desired }, index) => desired !== written[index - 1]?.desired).map(({ atMs }) => atMs);
};

const hourMs = 3_600_000;

/** Whether EC2 took three members within an hour before their moves had paid: then no member moves. */
const isStopped = (chronicle: Chronicle, group: string, atMs: number): boolean =>
  chronicle
    .livesIn(group)
    .filter(({ launchedAtMs, warnings }) =>
      warnings.some(
        (warning) => warning.atMs <= atMs && warning.atMs > atMs - hourMs && warning.atMs - launchedAtMs < paysAfterMs + slackOf(chronicle),
      ),
    ).length >= 3;

/** When the first of these losses is an hour old, so that members may move again. */
const stopEnds = (chronicle: Chronicle, group: string): readonly number[] =>
  chronicle
    .livesIn(group)
    .flatMap(({ warnings }) => warnings.map((warning) => warning.atMs + hourMs))
    .filter((atMs) => isStopped(chronicle, group, atMs - 1) && !isStopped(chronicle, group, atMs));

/** Within this time after it is free to, a group looks, although a look lost a race. */
const lookMs = 2 * times.tickMs;

/** Moments at which a group has been quiet for long enough that every member with a better place on spot must have begun to move. */
export const dueMoments = (chronicle: Chronicle, group: string, rule: ReturnRule, refusedMs: number): readonly number[] => {
  const { events, readyAtMs, endedAtMs } = chronicle.history;
  const quietMs = ({ kind }: HistoryEvent): number => (kind === 'refused' ? Math.max(rule.afterMs, refusedMs) : rule.afterMs);
  const stepMs = rule.everyMs + servesAgainMsIn(chronicle, group) + believedMs;
  const ends = [
    ...events.flatMap((event) => (isHeard(event) ? [{ atMs: event.atMs, untilMs: event.atMs + quietMs(event) }] : [])),
    ...resized(chronicle, group).map((atMs) => ({ atMs, untilMs: atMs + rule.afterMs })),
    // What moved before is forgotten then, and may count for the budget.
    ...lossesOfMemory(chronicle, group).map((atMs) => ({ atMs, untilMs: atMs + rule.everyMs })),
    ...[...openingsIn(rule, readyAtMs, endedAtMs), ...stopEnds(chronicle, group)].map((atMs) => ({ atMs, untilMs: atMs })),
    ...events.flatMap((event) => (isBusy(event) ? [{ atMs: event.atMs, untilMs: event.atMs + stepMs }] : [])),
  ].toSorted((one, other) => one.atMs - other.atMs);
  let untilMs = 0;
  return ends.flatMap((end, index) => {
    untilMs = Math.max(untilMs, end.untilMs);
    const dueMs = untilMs + lookMs + slackOf(chronicle);
    return dueMs < (ends[index + 1]?.atMs ?? endedAtMs) ? [dueMs] : [];
  });
};

/** Whether nothing but the place of members is left to be done. */
export const isWhole = (chronicle: Chronicle, policy: Policy, atMs: number): boolean => {
  const { group } = policy;
  const { staying, waiting } = headcountAt(chronicle, group, atMs);
  const [desired, ...others] = chronicle.desiredIn(group, atMs, atMs);
  if (desired === undefined || others.length > 0 || waiting.length > 0) return false;
  return (
    staying.length >= desired &&
    staying.length <= desired + policy.spare &&
    staying.every((life) => chronicle.isReadyAt(life, atMs)) &&
    chronicle.membersAt(group, atMs).length === staying.length
  );
};

/** Whether no signal that Holdfast received may still prevent moves. */
export const isFree = (chronicle: Chronicle, policy: Policy, atMs: number): boolean => {
  const { group } = policy;
  const offerings = poolsOf(policy, policy.capacity).flatMap(offeringsOf);
  return (
    !deathsMayBound(chronicle, group, atMs) &&
    !limitMayBound(chronicle, group, atMs) &&
    !mayBeUndone(chronicle, group, atMs) &&
    !isStopped(chronicle, group, atMs) &&
    !offerings.some((offering) => breakerMayCover(chronicle, group, offering, atMs, atMs))
  );
};

/** The policy of a group, where it lets members move at a moment, and did so while it looked before. */
export const movingPolicy = (chronicle: Chronicle, group: string, atMs: number): (Policy & { readonly returning: ReturnRule }) | undefined => {
  const policy = chronicle.policyAt(group, atMs);
  if (policy?.returning === undefined || policy.mode !== 'act') return undefined;
  const sinceMs = atMs - lookMs - slackOf(chronicle);
  return isAlwaysOpen(policy.returning, sinceMs, atMs) ? { ...policy, returning: policy.returning } : undefined;
};
