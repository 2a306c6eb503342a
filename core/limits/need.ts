import type { OfferingKey } from '../pool/offering.ts';
import { mayBeServing } from '../view/ready.ts';
import { replacedIn } from '../view/replaced.ts';
import type { View } from '../view/view.ts';
import type { BucketName } from './account-buckets.ts';

/** The most urgent first. */
export const urgencies = ['empty', 'warned', 'missing', 'spare', 'look'] as const;

/**
 * How much a group needs a bucket. `empty`: no member serves. `warned`: EC2 takes members. `missing`: it lacks members.
 * `spare`: it has its size, and lacks spares. `look`: a drain checks whether it can begin, and begins without the check
 * when its time is up.
 */
export type Need = {
  readonly urgency: (typeof urgencies)[number];
  /** The earliest deadline of a member that EC2 takes and that has no replacement. */
  readonly deadlineMs?: number;
  /** The size of the group. */
  readonly size: number;
};

/** What a decision would launch, or the calls of a look. */
export type Ask = {
  readonly group: string;
  /** Id of the decision. */
  readonly by: string;
  readonly bucket: Exclude<BucketName, 'instances'>;
  /** The calls for all of `instances`. */
  readonly calls: number;
  /** The calls for a single one of them and for few: one a placement. Absent: as many as for all. */
  readonly leastCalls?: number;
  readonly instances: number;
  readonly need: Need;
  /** The offerings of each placement, best first. Absent: the calls launch nothing. */
  readonly offerings?: readonly (readonly OfferingKey[])[];
  /**
   * When the look began that chose the members of these calls. It does not show what a turn was given for since then.
   * Absent: the state item guards what the turn is for.
   */
  readonly lookedAtMs?: number;
  /** The latest turn that is waited for. For a later one, the calls are made at once. Absent: every turn. */
  readonly untilMs?: number;
};

/** A group that waits for its turn. */
export type Waiting = Omit<Ask, 'by' | 'lookedAtMs' | 'offerings'> & {
  readonly sinceMs: number;
  readonly turnAtMs: number;
  /** The first turn that it was given. Looks that draw on its bucket meanwhile put off the next ones. */
  readonly dueAtMs?: number;
  /** The time of the common look that is arranged for this group. */
  readonly lookAtMs?: number;
};

/**
 * The need of a group as it is now. What it told was of the time of its last look. EC2 has taken its warned members
 * since, so it misses them. A group that was looked at since then must not come after it for that reason.
 */
export const asOfNow = (one: Waiting, nowMs: number): Waiting => {
  const { urgency, deadlineMs = Number.POSITIVE_INFINITY, size } = one.need;
  return urgency === 'warned' && deadlineMs <= nowMs ? { ...one, need: { urgency: 'missing', size } } : one;
};

/** Members that serve now, with warned ones, and the earliest deadline of a warned member without a replacement. */
export const warnedAmong = ({
  members,
  swaps,
  state,
}: View): { readonly serving: number; readonly deadlineMs: number | undefined } => {
  const out = new Set(
    swaps.filter(({ state: of }) => !(of === 'waiting' || of === 'leaving')).map(({ instance }) => instance),
  );
  const replaced = replacedIn(state);
  const deadlines = swaps.flatMap(({ instance, deadlineMs, state: of }) =>
    deadlineMs === undefined || of === 'gone' || replaced.has(instance) ? [] : [deadlineMs],
  );
  const inService = members.filter(({ instance }) => !out.has(instance));
  return {
    serving: inService.filter(mayBeServing).length,
    deadlineMs: deadlines.length === 0 ? undefined : Math.min(...deadlines),
  };
};

/**
 * Why one group comes before another: it is more urgent, in this way; both are as urgent, and it is smaller; or its
 * deadline is earlier or it has waited longer.
 */
export type Precedence = Need['urgency'] | 'smaller' | 'earlier';
export const precedences = [...urgencies, 'smaller', 'earlier'] as const satisfies readonly Precedence[];

const precedenceOf = (ahead: Need, { urgency, size }: Need): Precedence => {
  if (ahead.urgency !== urgency) return ahead.urgency;
  return ahead.size < size ? 'smaller' : 'earlier';
};

/** How many groups come before another, by the reason. */
export type Ahead = Readonly<Partial<Record<Precedence, number>>>;

export const aheadOf = (ahead: readonly Need[], need: Need): Ahead =>
  Object.fromEntries(
    [...Map.groupBy(ahead, (one) => precedenceOf(one, need))].map(([why, { length }]) => [why, length]),
  );

const deadlineOf = ({ deadlineMs = Number.POSITIVE_INFINITY }: Need): number => deadlineMs;

/**
 * The order of need. First come groups without a serving member, then groups whose members EC2 takes, then groups that
 * lack members. Small groups come before large ones: one member is a larger part of them, and they need fewer tokens,
 * so more groups are whole soon. Deadlines decide between groups of one size. Before the size they would hold up a
 * small group that can be served at once, for the sake of deadlines that the bucket cannot meet anyway. Of two groups
 * without a deadline, the difference is NaN, and the next line decides.
 */
export const byNeed = (a: Waiting, b: Waiting): number =>
  urgencies.indexOf(a.need.urgency) - urgencies.indexOf(b.need.urgency) ||
  a.need.size - b.need.size ||
  deadlineOf(a.need) - deadlineOf(b.need) ||
  a.sinceMs - b.sinceMs ||
  (a.group < b.group ? -1 : 1);
