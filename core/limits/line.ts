import { type BucketName, buckets } from './account-buckets.ts';
import { lookPatienceMs, tokenMs } from './call-pace.ts';
import { type Ahead, aheadOf, type Need, type Waiting } from './need.ts';

/**
 * What waits of a turn that gives fewer instances than wanted. `ahead`: how many groups with a greater need wait for
 * instances too, and what makes it greater.
 */
export type Rest = { readonly turnAtMs: number; readonly ahead: Ahead };

/** Whether a group may launch now. */
export type Turn =
  /** `instances` may be fewer than wanted, and `calls` are for these. The others have their turn later. */
  | {
      readonly kind: 'now';
      readonly instances: number;
      readonly calls: number;
      readonly sinceMs: number;
      readonly rest?: Rest;
    }
  /** `ahead`: how many groups with a greater need wait for the same tokens, and what makes it greater. */
  | { readonly kind: 'later'; readonly turnAtMs: number; readonly sinceMs: number; readonly ahead: Ahead }
  /** Another decision about this group was given tokens a moment ago, and is about to launch. */
  | { readonly kind: 'taken' };

/** A group whose turn comes earlier than the stored time. */
export type Called = { readonly group: string; readonly atMs: number };

/**
 * A group is not called for a turn that is earlier by no more than this. It is woken up to three seconds ahead of its
 * turn, and gets it at once when its tokens are there.
 */
const soonMs = 2_000;
/** When the bucket of instances is low, a call for fewer instances than this is not worth its token. */
const leastInstances = 20;

/**
 * Tokens in the buckets now, and tokens left after the turns of all groups ahead. `owed`: instances that groups ahead
 * get after their first part. They delay the turns behind, and hold up nobody for whom there are instances now.
 */
export type Purse = {
  readonly there: Record<BucketName, number>;
  readonly left: Record<BucketName, number>;
  owed: number;
};

/**
 * A turn begins when so many of its calls have tokens. Its further calls wait for theirs one by one. Looks draw on the
 * buckets all the time, so a turn that waits for a full bucket may never begin.
 */
const enoughCalls = (bucket: Waiting['bucket']): number => buckets[bucket].holds / 2;

/** The calls that some of the wanted instances take. */
const callsFor = ({ calls, leastCalls = calls, instances }: Waiting, some: number): number =>
  some >= instances ? calls : leastCalls + Math.ceil(((calls - leastCalls) * some) / instances);

const spend = (tokens: Record<BucketName, number>, { bucket, calls }: Waiting, instances: number): void => {
  tokens[bucket] -= calls;
  tokens.instances -= instances;
};

/** Calls that launch nothing do not wait for the bucket of launched instances. */
const drawsOn = ({ bucket, instances }: Waiting): readonly BucketName[] =>
  instances > 0 ? [bucket, 'instances'] : [bucket];

/** When a bucket has the tokens that it lacks. */
const thereAtMs = ({ left, owed }: Purse, bucket: BucketName, nowMs: number): number => {
  const tokens = bucket === 'instances' ? left.instances - owed : left[bucket];
  return nowMs + Math.ceil((Math.max(0, -tokens) / buckets[bucket].perSecond) * 1_000);
};

/** Who has been served in order so far. */
export type Line = {
  readonly waiting: Waiting[];
  readonly turns: Map<string, Turn>;
  /** Buckets for which a group waits that has had no part of its turn. */
  readonly awaited: Set<BucketName>;
  /** Undefined where nobody can be called. */
  readonly called: Called[] | undefined;
  /** Instances for groups that wait for calls. Only groups of less urgency may not take them. */
  readonly kept: { urgency: Need['urgency'] | undefined; instances: number };
};

/** Subtracts the instances that more urgent groups wait for from those that are left. */
const keepForUrgent = ({ need: { urgency } }: Waiting, { left }: Purse, { kept }: Line): void => {
  if (kept.urgency === urgency) return;
  left.instances -= kept.instances;
  Object.assign(kept, { urgency, instances: 0 });
};

/**
 * The turn of a waiting group. It is called for a turn that comes earlier than the stored time, unless the difference
 * is small.
 */
const calledAtMs = ({ group, instances, turnAtMs }: Waiting, { called }: Line, atMs: number): number => {
  if (called === undefined || instances === 0 || turnAtMs - atMs <= soonMs) return turnAtMs;
  called.push({ group, atMs });
  return atMs;
};

/** As many of the wanted instances as are left. Groups ahead may wait for more instances than there are. */
const givenOf = ({ instances }: Waiting, { left }: Purse): number =>
  Math.min(instances, Math.max(0, Math.floor(left.instances)));

/** Who waits for instances, also those who were given a part. */
const waitForInstances = ({ waiting }: Line): readonly Waiting[] => waiting.filter(({ instances }) => instances > 0);

/** How many wait ahead for what a group lacks: instances, or calls of its bucket. */
const aheadIn = (line: Line, { need, bucket }: Waiting, lacksInstances: boolean): Ahead => {
  const before = lacksInstances ? waitForInstances(line) : line.waiting.filter((one) => one.bucket === bucket);
  return aheadOf(
    before.map((one) => one.need),
    need,
  );
};

/** Gives a group its turn. Where few instances are left, it may be given fewer than it requested. */
const give = (one: Waiting, purse: Purse, line: Line, nowMs: number): void => {
  const { left, there } = purse;
  const given = givenOf(one, purse);
  const calls = callsFor(one, given);
  for (const tokens of [left, there]) spend(tokens, { ...one, calls }, given);
  const rest = one.instances - given;
  const next = Math.min(rest, leastInstances);
  left.instances -= next;
  const turn = { kind: 'now', instances: given, calls, sinceMs: one.sinceMs } as const;
  if (rest === 0) {
    line.turns.set(one.group, turn);
    return;
  }
  const turnAtMs = thereAtMs(purse, 'instances', nowMs);
  purse.owed += rest - next;
  line.turns.set(one.group, { ...turn, rest: { turnAtMs, ahead: aheadIn(line, one, true) } });
  const { dueAtMs: _, ...later } = one;
  line.waiting.push({ ...later, calls: callsFor(one, rest), instances: rest, turnAtMs });
};

/**
 * Whether a requesting group does not wait as long as its turn takes. It makes its calls at once, and keeps no place.
 */
const goesAnyway = ({ untilMs = Number.POSITIVE_INFINITY }: Waiting, isHere: boolean, turnAtMs: number): boolean =>
  isHere && turnAtMs > untilMs;

/** Looks may put off the first group in line for so long. */
const putOffMs = 10_000;

/** The tokens of a bucket that looks in line for it have taken before they came. */
const takenByLooks = (bucket: Waiting['bucket']): number => lookPatienceMs / tokenMs(bucket);

/**
 * The tokens that a turn may take before they come. In a storm of signals, looks take each token as it comes, and stand
 * in line for the next ones, so the group would never have its turn. A group whose first turn has come takes as many in
 * advance as the looks in line. The first group in line takes all that it needs when looks have put it off for long.
 * Its calls wait for their tokens one by one, and they wait for longer than looks do. A look of a drain goes on
 * waiting.
 */
const inAdvance = ({ bucket, need, dueAtMs }: Waiting, { awaited }: Line, nowMs: number): number => {
  if (bucket !== 'autoScaling' || need.urgency === 'look' || dueAtMs === undefined || nowMs < dueAtMs) return 0;
  return nowMs >= dueAtMs + putOffMs && !awaited.has(bucket) ? Number.POSITIVE_INFINITY : takenByLooks(bucket);
};

/** The place of a group that learns its turn now. */
const announced = (one: Waiting, turnAtMs: number): Waiting => ({ ...one, turnAtMs, dueAtMs: one.dueAtMs ?? turnAtMs });

/** Whether there are tokens for so many calls and instances. */
const areThere = (one: Waiting, calls: number, instances: number, left: Purse['left']): boolean =>
  drawsOn(one).every((name) => left[name] >= (name === 'instances' ? instances : calls));

/** Serves the next one in order of need: a turn if it requests now and its tokens are there, otherwise a place. */
export const serve = (one: Waiting, isHere: boolean, purse: Purse, line: Line, nowMs: number): void => {
  keepForUrgent(one, purse, line);
  const { left } = purse;
  const calls = Math.min(callsFor(one, givenOf(one, purse)), enoughCalls(one.bucket));
  const instances = Math.min(one.instances, leastInstances);
  const isThere = areThere(one, calls - inAdvance(one, line, nowMs), instances, left);
  if (isHere && isThere) {
    give(one, purse, line, nowMs);
    return;
  }
  // Its calls are refilled long before the instances that it lacks, so others may make theirs until then.
  const lacksInstances = instances > 0 && left.instances < instances;
  // Until its calls are there, groups of the same urgency whose calls are there may launch. They take the same
  // instances earlier, and the next ones come to the first group in line.
  const lacksCallsAlone = !lacksInstances && left[one.bucket] < calls;
  if (lacksCallsAlone) line.kept.instances += instances;
  spend(left, { ...one, calls: lacksInstances ? 0 : calls }, lacksCallsAlone ? 0 : instances);
  const turnAtMs = Math.max(...drawsOn(one).map((name) => thereAtMs(purse, name, nowMs)));
  if (lacksInstances) purse.owed += one.instances - instances;
  const ahead = aheadIn(line, one, lacksInstances);
  if (isHere) line.turns.set(one.group, { kind: 'later', turnAtMs, sinceMs: one.sinceMs, ahead });
  if (goesAnyway(one, isHere, turnAtMs)) return;
  const isNext = line.waiting.length === 0;
  const earliestMs = isThere ? nowMs : isNext ? turnAtMs : one.turnAtMs;
  line.waiting.push(isHere ? announced(one, turnAtMs) : { ...one, turnAtMs: calledAtMs(one, line, earliestMs) });
  line.awaited.add(one.bucket);
};
