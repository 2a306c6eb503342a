import { describeLagMs, refillGraceMs } from '../times/times.ts';
import type { AsgView } from '../view/view.ts';
import { endedForOthers, inService, type Shown } from './failed-boots.ts';

/** An instance that an Auto Scaling group launched by itself, and that has not come up yet. */
export type Refill = {
  readonly asg: string;
  /** When EC2 launched it. */
  readonly atMs: number;
};

/** An Auto Scaling group whose own launches end before they come up, one after the other. */
export type Failing = {
  /** When the first of them was launched. */
  readonly sinceMs: number;
  /** When a look found the last of them ended. */
  readonly atMs: number;
};

/** What a group's state remembers about what its Auto Scaling groups launch by themselves. */
export type RefillMemory = {
  /** By instance. */
  readonly refills?: Readonly<Record<string, Refill>>;
  /** By Auto Scaling group. */
  readonly failing?: Readonly<Record<string, Failing>>;
  /** When the latest launch was made that a look found, by Auto Scaling group. */
  readonly latestRefill?: Readonly<Record<string, number>>;
};

/** A group that launched nothing that ended early for so long is given its time again. */
const forgottenAfterMs = 900_000;

/** The most launches that are remembered. These show enough about their groups. */
const mostRefills = 100;

/** The launches that a look shows, beside those that are known. `ours`: launched by Holdfast. */
const known = (
  { refills = {} }: RefillMemory,
  asgs: readonly AsgView[],
  ours: ReadonlySet<string>,
): readonly (readonly [string, Refill])[] => {
  const shown = asgs.flatMap(({ name, untagged = {} }) =>
    Object.entries(untagged).map(([instance, atMs]) => [instance, { asg: name, atMs }] as const),
  );
  const all = Object.entries({ ...refills, ...Object.fromEntries(shown) });
  return all.filter(([instance]) => !ours.has(instance)).slice(-mostRefills);
};

type Fates = {
  readonly up: readonly Refill[];
  readonly died: readonly Refill[];
  readonly waiting: readonly (readonly [string, Refill])[];
};

/**
 * What became of these launches. A group holds what has ended until it notices, so later looks find the same end again,
 * also of what had come up. An end counts once: an earlier look had noted that the launch was coming, or found neither
 * it nor a later one.
 */
const fatesOf = (
  launches: readonly (readonly [string, Refill])[],
  { refills = {}, latestRefill = {} }: RefillMemory,
  shown: Shown,
): Fates => {
  const { endings = {} } = shown;
  const cameUp = inService(shown);
  const rest = launches.filter(([instance]) => !cameUp.has(instance));
  const died = rest.filter(([instance]) => endings[instance] !== undefined && !endedForOthers(endings[instance]));
  const isNew = (instance: string, { asg, atMs }: Refill): boolean =>
    refills[instance] !== undefined || atMs > (latestRefill[asg] ?? Number.NEGATIVE_INFINITY);
  return {
    up: launches.filter(([instance]) => cameUp.has(instance)).map(([, refill]) => refill),
    died: died.flatMap(([instance, refill]) => (isNew(instance, refill) ? [refill] : [])),
    waiting: rest.filter(([instance]) => endings[instance] === undefined),
  };
};

/**
 * The row of one Auto Scaling group. Launches that came up end it, and ends of what was launched before them count no
 * more.
 */
const rowAfter = (
  before: Failing | undefined,
  { up, died }: Fates,
  asg: string,
  nowMs: number,
): Failing | undefined => {
  const workedMs = Math.max(Number.NEGATIVE_INFINITY, ...up.flatMap((one) => (one.asg === asg ? [one.atMs] : [])));
  const row = before !== undefined && before.sinceMs > workedMs ? before : undefined;
  const ends = died.flatMap((one) => (one.asg === asg && one.atMs > workedMs ? [one.atMs] : []));
  if (ends.length === 0) return row;
  const firstMs = Math.min(...ends);
  // A group that had nothing to launch for a while begins a new row.
  const goesOn = row !== undefined && firstMs - row.atMs <= refillGraceMs;
  return { sinceMs: goesOn ? row.sinceMs : firstMs, atMs: nowMs };
};

/**
 * Memory after a look at what Auto Scaling groups launched by themselves. An instance that came up ends the row of
 * those that ended before. One that a user ended, or that EC2 took, changes nothing.
 *
 * @param ours instances that Holdfast launched. Describes need not show their tags yet
 */
export const learnRefills = (
  memory: RefillMemory,
  shown: Shown & { readonly asgs: readonly AsgView[] },
  ours: ReadonlySet<string>,
  nowMs: number,
): RefillMemory => {
  const launches = known(memory, shown.asgs, ours);
  const fates = fatesOf(launches, memory, shown);
  const failing = shown.asgs.flatMap(({ name }) => {
    const row = rowAfter(memory.failing?.[name], fates, name, nowMs);
    return row === undefined || nowMs - row.atMs >= forgottenAfterMs ? [] : [[name, row] as const];
  });
  const waiting = fates.waiting.filter(([, { atMs }]) => nowMs - atMs < describeLagMs);
  const latest = shown.asgs.flatMap(({ name }) => {
    const found = launches.flatMap(([, { asg, atMs }]) => (asg === name ? [atMs] : []));
    const latestMs = Math.max(memory.latestRefill?.[name] ?? Number.NEGATIVE_INFINITY, ...found);
    return Number.isFinite(latestMs) ? [[name, latestMs] as const] : [];
  });
  return {
    ...(waiting.length > 0 && { refills: Object.fromEntries(waiting) }),
    ...(failing.length > 0 && { failing: Object.fromEntries(failing) }),
    ...(latest.length > 0 && { latestRefill: Object.fromEntries(latest) }),
  };
};

/** Memory after a user wrote the policy: without groups that had failed until then. */
export const withoutFailing = <T extends RefillMemory>({ failing = {}, ...memory }: T, writtenAtMs: number) => {
  const left = Object.entries(failing).filter(([, { atMs }]) => atMs > writtenAtMs);
  return { ...memory, ...(left.length > 0 && { failing: Object.fromEntries(left) }) };
};

/** Whether the launches of a group kept ending early, for longer than it may take to refill itself. */
export const failsForLong = ({ failing }: RefillMemory, asg: string): boolean => {
  const row = failing?.[asg];
  return row !== undefined && row.atMs - row.sinceMs > refillGraceMs;
};
