import type { OfferingKey } from '../pool/offering.ts';

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
  /** The first warning that still counts about an instance within `atOnceMs` of its launch (`interruptions.ts`). */
  readonly takenAtOnceMs?: number;
  /** When EC2 last warned about an instance of an offering that it refuses. The warning outlives the refusal. */
  readonly interruptedAtMs?: number;
};

/** Key of what was learned about a subnet, independent of type and market. */
export type SubnetKey = `subnet/${string}`;
export const subnetKey = (subnet: string): SubnetKey => `subnet/${subnet}`;

/** What we learned about offerings, and about subnets without free addresses. It expires with time. */
export type PoolMemory = Readonly<Record<OfferingKey | SubnetKey, Lesson>>;

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

/** The code of a lesson about an offering that EC2 grants and takes back at once. No code of AWS. */
export const takenAtOnceCode = 'Holdfast.TakenAtOnce';

/** Whether a lesson still restricts its offering. */
export const isResting = (lesson: Lesson | undefined, nowMs: number): lesson is Lesson =>
  lesson !== undefined && nowMs < lesson.coolingUntilMs;

type Warning = Lesson & { readonly kind: Exclude<Setback, 'refused'> };
export const isWarning = (lesson: Lesson): lesson is Warning => lesson.kind !== 'refused';

/** What is left of a lesson when EC2 gives again: a warning stays, because EC2 may still take what it sells. */
export const withoutRefusal = (lesson: Lesson | undefined): Warning | undefined => {
  if (lesson === undefined || isWarning(lesson)) return lesson;
  const { interruptedAtMs: atMs } = lesson;
  return atMs === undefined
    ? undefined
    : { kind: 'interrupted', code: 'interruption', atMs, coolingUntilMs: atMs + interruptedRestMs, streak: 0 };
};

/** What still restricts an offering: its lesson while it rests, then the warning that a refusal has kept. */
export const restingOf = (lesson: Lesson | undefined, nowMs: number): Lesson | undefined =>
  [lesson, withoutRefusal(lesson)].find((one) => isResting(one, nowMs));

/** Memory without these refusals. Their warnings stay. */
export const withoutRefusals = (memory: PoolMemory, isOver: (key: string, refusal: Lesson) => boolean): PoolMemory =>
  Object.fromEntries(
    Object.entries(memory).flatMap(([key, lesson]: [string, Lesson]) => {
      const left = isOver(key, lesson) ? withoutRefusal(lesson) : lesson;
      return left === undefined ? [] : [[key, left]];
    }),
  );

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
