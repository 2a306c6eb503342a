import { type OfferingKey, offeringKey, parseOfferingKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import type { Refusal } from '../ports/launches.ts';
import { doublingMs } from './back-off.ts';

/** Why an offering rests. A throttle does not count as a refusal, because it is no statement about capacity. */
type Setback = 'refused' | 'interrupted' | 'advised';

/** What we learned about one offering. */
export type Lesson = {
  /**
   * `refused`: not eligible while it rests. `interrupted`: the last of its tier while it rests, used when nothing
   * better of the tier is eligible. `advised` (a rebalance recommendation that was acted on): the same, used before
   * interrupted ones.
   */
  readonly kind: Setback;
  /** The code that EC2 returned, for example `InsufficientInstanceCapacity`. */
  readonly code: string;
  readonly atMs: number;
  /** The offering rests until this time. */
  readonly coolingUntilMs: number;
  /** Refusals in a row without a success between them. Each one doubles the rest, up to a bound. */
  readonly streak: number;
  /** The first warning that still counts about an instance within {@link atOnceMs} of its launch. */
  readonly takenAtOnceMs?: number;
  /** When EC2 last warned about an instance of an offering that it refuses. The warning outlives the refusal. */
  readonly interruptedAtMs?: number;
};

/** Key of what was learned about a subnet, independent of type and market. */
type SubnetKey = `subnet/${string}`;
const subnetKey = (subnet: string): SubnetKey => `subnet/${subnet}`;

/** What we learned about offerings, and about subnets without free addresses. It expires with time. */
export type PoolMemory = Readonly<Record<OfferingKey | SubnetKey, Lesson>>;

/** Rest after a first refusal. EC2's own fleets request again after minutes, not seconds. */
export const refusedRestMs = 3 * 60_000;

/** The longest rest after repeated refusals, so that capacity that returns is found within half an hour. */
export const longestRestMs = 30 * 60_000;

/**
 * Rest of an instance type that a zone does not offer at all. Policies outlive such facts, so it is requested again
 * once a day.
 */
export const notSoldRestMs = 24 * 3_600_000;

/**
 * Rest after an interruption warning: long enough that the replacement does not land on the offering that EC2 takes
 * instances from.
 */
export const interruptedRestMs = 3 * 60_000;

/** An instance that is warned sooner than this after its launch was of no use. The time is that of a spot notice. */
export const atOnceMs = 2 * 60_000;

/** Two launches that EC2 takes at once within this time show that it gives nothing now. */
const atOnceWithinMs = 3 * 60_000;

/** The code of a lesson about an offering that EC2 grants and takes back at once. No code of AWS. */
export const takenAtOnceCode = 'Holdfast.TakenAtOnce';

/** Whether a lesson still restricts its offering. */
export const isResting = (lesson: Lesson | undefined, nowMs: number): lesson is Lesson =>
  lesson !== undefined && nowMs < lesson.coolingUntilMs;

type Warning = Lesson & { readonly kind: Exclude<Setback, 'refused'> };
const isWarning = (lesson: Lesson): lesson is Warning => lesson.kind !== 'refused';

/** What is left of a lesson when EC2 gives again: a warning stays, because EC2 may still take what it sells. */
export const withoutRefusal = (lesson: Lesson | undefined): Warning | undefined => {
  if (lesson === undefined || isWarning(lesson)) return lesson;
  const { interruptedAtMs: atMs } = lesson;
  return atMs === undefined
    ? undefined
    : { kind: 'interrupted', code: 'interruption', atMs, coolingUntilMs: atMs + interruptedRestMs, streak: 0 };
};

/** Memory without these refusals. Their warnings stay. */
export const withoutRefusals = (memory: PoolMemory, isOver: (key: string, refusal: Lesson) => boolean): PoolMemory =>
  Object.fromEntries(
    Object.entries(memory).flatMap(([key, lesson]: [string, Lesson]) => {
      const left = isOver(key, lesson) ? withoutRefusal(lesson) : lesson;
      return left === undefined ? [] : [[key, left]];
    }),
  );

/** The warning that a refusal must keep, because it still counts. */
const keptBy = (lesson: Lesson | undefined, nowMs: number): Pick<Lesson, 'interruptedAtMs'> => {
  const warning = withoutRefusal(lesson);
  return warning?.kind === 'interrupted' && isResting(warning, nowMs) ? { interruptedAtMs: warning.atMs } : {};
};

/** Only the refusals, without lessons that make an offering come last. */
export const refusalsIn = (memory: PoolMemory): PoolMemory =>
  Object.fromEntries(Object.entries(memory).filter(([, { kind }]: [string, Lesson]) => kind === 'refused'));

/** Memory after a user wrote the policy: what EC2 refused until then may be requested. Warnings and advice stay. */
export const forgetRefusals = (memory: PoolMemory, writtenAtMs: number): PoolMemory =>
  withoutRefusals(memory, (_, { atMs }) => atMs <= writtenAtMs);

/** The lesson that still restricts a subnet. */
export const restOfSubnet = (memory: PoolMemory, subnet: string, nowMs: number): Lesson | undefined => {
  const lesson = memory[subnetKey(subnet)];
  return isResting(lesson, nowMs) ? lesson : undefined;
};

const restAfter = (scope: Refusal['scope'], streak: number): number =>
  scope === 'zone-permanent' ? notSoldRestMs : doublingMs(refusedRestMs, streak, longestRestMs);

/** A refusal during the rest of another one does not raise the streak: refusals of launches under way count as one. */
const streakAfter = (previous: Lesson | undefined, nowMs: number): number => {
  if (previous === undefined) return 1;
  const isRefused = previous.kind === 'refused' && previous.code !== takenAtOnceCode;
  return isRefused && isResting(previous, nowMs) ? previous.streak : previous.streak + 1;
};

const reachOf = (refusal: Refusal, pools: Readonly<Record<string, Pool>>): readonly (OfferingKey | SubnetKey)[] => {
  if (refusal.scope === 'subnet' && refusal.subnet !== undefined) return [subnetKey(refusal.subnet)];
  const own = offeringKey(refusal.offering);
  if (refusal.scope !== 'market') return [own];
  const below = Object.values(pools).flatMap(offeringsOf);
  return [own, ...below.filter(({ market }) => market === refusal.offering.market).map(offeringKey)];
};

/**
 * Memory after EC2 refused. A first refusal rests {@link refusedRestMs}, each further one twice as long, up to {@link
 * longestRestMs}. Scope `subnet` restricts the subnet alone, or the offering if the subnet is not known. This rest does
 * not grow, because addresses come back with every instance that ends. Scope `market` (an account quota) restricts
 * every offering of that market in `pools`; `zone-permanent` rests {@link notSoldRestMs}. Call this after {@link
 * rememberSuccess} for the same response: EC2 may grant some of an offering and refuse the rest.
 */
export const rememberRefusals = (
  memory: PoolMemory,
  refusals: readonly Refusal[],
  pools: Readonly<Record<string, Pool>>,
  nowMs: number,
): PoolMemory => {
  const next: Record<OfferingKey | SubnetKey, Lesson> = { ...memory };
  for (const refusal of refusals) {
    for (const key of new Set(reachOf(refusal, pools))) {
      const streak = refusal.scope === 'subnet' ? 1 : streakAfter(memory[key], nowMs);
      const coolingUntilMs = Math.max(
        nowMs + restAfter(refusal.scope, streak),
        next[key]?.kind === 'refused' ? next[key].coolingUntilMs : 0,
      );
      const kept = keptBy(next[key], nowMs);
      next[key] = { kind: 'refused', code: refusal.code, atMs: nowMs, coolingUntilMs, streak, ...kept };
    }
  }
  return next;
};

/** A member that EC2 warned about, and when it was launched, where that is known. */
export type Interrupted = { readonly offering: OfferingKey; readonly launchedAtMs?: number };

/** Whether another offering of the market was taken back at once a moment ago. Then one launch is enough evidence. */
const isTakenAround = (memory: PoolMemory, key: OfferingKey, nowMs: number): boolean =>
  Object.entries(memory).some(
    ([other, lesson]: [string, Lesson]) =>
      lesson.code === takenAtOnceCode &&
      isResting(lesson, nowMs) &&
      parseOfferingKey(other)?.market === parseOfferingKey(key)?.market,
  );

/**
 * The lesson of a warning. If EC2 takes a second launch of an offering at once, made after the warning of the first,
 * the offering counts as refused, because its instances never do work.
 */
const lessonOfWarning = (
  memory: PoolMemory,
  { offering, launchedAtMs = Number.NEGATIVE_INFINITY }: Interrupted,
  nowMs: number,
): Lesson => {
  const { streak = 0, takenAtOnceMs = Number.NEGATIVE_INFINITY } = memory[offering] ?? {};
  const isAtOnce = nowMs - launchedAtMs < atOnceMs;
  const isRecent = nowMs - takenAtOnceMs < atOnceWithinMs;
  if (isAtOnce && ((isRecent && launchedAtMs >= takenAtOnceMs) || isTakenAround(memory, offering, nowMs)))
    return { kind: 'refused', code: takenAtOnceCode, atMs: nowMs, coolingUntilMs: nowMs + refusedRestMs, streak };
  const sinceMs = isRecent ? takenAtOnceMs : isAtOnce ? nowMs : undefined;
  return {
    kind: 'interrupted',
    code: 'interruption',
    atMs: nowMs,
    coolingUntilMs: nowMs + interruptedRestMs,
    streak,
    ...(sinceMs !== undefined && { takenAtOnceMs: sinceMs }),
  };
};

/**
 * Memory after warnings for members of these offerings. A refusal that still rests takes precedence and stays, with the
 * time of the warning.
 */
export const rememberInterruptions = (
  memory: PoolMemory,
  interrupted: readonly Interrupted[],
  nowMs: number,
): PoolMemory => {
  const next: Record<OfferingKey, Lesson> = { ...memory };
  for (const one of interrupted) {
    const { offering: key } = one;
    const previous = next[key];
    if (parseOfferingKey(key) === undefined) continue;
    const isRefused = previous?.kind === 'refused' && isResting(previous, nowMs);
    next[key] = isRefused ? { ...previous, interruptedAtMs: nowMs } : lessonOfWarning(next, one, nowMs);
  }
  return next;
};

/** Memory as if offerings that EC2 takes back at once were only interrupted: they come last, and may be used. */
export const withTakenAtOnce = (memory: PoolMemory): PoolMemory =>
  Object.fromEntries(
    Object.entries(memory).map(([key, lesson]: [string, Lesson]) => [
      key,
      lesson.code === takenAtOnceCode ? { ...lesson, kind: 'interrupted' as const } : lesson,
    ]),
  );

/** An offering that EC2 gave, and when its request was first made. */
export type Success = { readonly offering: OfferingKey; readonly askedAtMs: number };

/**
 * Memory after launches succeeded: refusals of these offerings are forgotten. A refusal that came after the request was
 * made stays: the response to a repeat names what EC2 launched at the first attempt, which may be before that refusal.
 * A warning stays, because EC2 may still take instances of an offering that it sells.
 */
export const rememberSuccess = (memory: PoolMemory, successes: readonly Success[]): PoolMemory => {
  const isNews = (key: string, lesson: Lesson): boolean =>
    successes.some((one) => one.offering === key && (isWarning(lesson) || lesson.atMs <= one.askedAtMs));
  const left = withoutRefusals(memory, (key, lesson) => isNews(key, lesson) && lesson.code !== takenAtOnceCode);
  const anew = (key: string, lesson: Lesson): Lesson => (isNews(key, lesson) ? { ...lesson, streak: 0 } : lesson);
  return Object.fromEntries(Object.entries(left).map(([key, lesson]: [string, Lesson]) => [key, anew(key, lesson)]));
};

/**
 * Memory without lessons that are over. A streak outlives its rest by {@link longestRestMs}, so that an offering that
 * keeps refusing rests longer each time.
 *
 * @param neededMs how long a lesson is needed after it was learned, even if its rest is over
 */
export const forgetExpired = (memory: PoolMemory, nowMs: number, neededMs = 0): PoolMemory =>
  Object.fromEntries(
    Object.entries(memory).filter(
      ([, { atMs, coolingUntilMs }]: [string, Lesson]) =>
        nowMs < Math.max(coolingUntilMs + longestRestMs, atMs + neededMs),
    ),
  );
