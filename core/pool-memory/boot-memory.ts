import { type Offering, type OfferingKey, offeringKey } from '../pool/offering.ts';
import type { Pool } from '../pool/pool.ts';

/** An instance that was launched and is not in service yet. */
export type Newcomer = {
  readonly pool: string;
  /**
   * What EC2 granted. A warning may come before a describe shows the instance. Absent in notes of earlier versions.
   */
  readonly offering?: OfferingKey;
  /** When EC2 granted it. */
  readonly atMs: number;
  /** EC2 reported that it runs, and a running member needs nothing more. */
  readonly hasRun?: true;
};

/** The end of an instance by EC2. */
export type Ending = {
  /** The code of its `StateReason`, for example `Client.InternalError`. */
  readonly code: string;
  readonly message: string;
  readonly offering: Offering;
};

/** A pool whose instances ended before they served. */
export type FailedBoots = {
  /** The launch template that the pool named then. Absent for a pool that is an Auto Scaling group. */
  readonly template?: string;
  /** The reason that EC2 gave for the last of them. */
  readonly code: string;
  readonly message: string;
  readonly atMs: number;
  /** When the last of its members that never served was launched. Absent for ends, and in notes of earlier versions. */
  readonly launchedAtMs?: number;
  /** The pool rests until this time. */
  readonly restsUntilMs: number;
  /**
   * The number of failed launches in a row, without one that served in between. Launches under way together count once.
   */
  readonly streak: number;
};

/** How many instances ended before they served, and when that was seen. */
export type Deaths = { readonly atMs: number; readonly count: number };

/** What a group's state remembers about boots. */
export type BootMemory = {
  readonly newcomers?: Readonly<Record<string, Newcomer>>;
  /** By pool. */
  readonly failedBoots?: Readonly<Record<string, FailedBoots>>;
  /** Of the last {@link budgetMs}, without those before the launch of an instance that came up. */
  readonly deaths?: readonly Deaths[];
};

/** The most new members that are remembered. These show enough about their pools. */
const mostNewcomers = 100;

/**
 * For one missing member, at most this many instances may end before they serve, within this time. The count begins
 * anew when an instance comes up that was launched after them.
 */
const mostDeathsPerNeed = 10;

export const budgetMs = 600_000;

/** The code of a lesson about members that run and never served. Its message gives the cause. */
export const neverServedCode = 'Holdfast.NeverServed';

/** The lesson that lets a pool rest. A lesson about another launch template does not count. */
export const restOfBoots = (
  failed: BootMemory['failedBoots'],
  pool: Pick<Pool, 'name' | 'launchTemplate'>,
  nowMs: number,
): FailedBoots | undefined => {
  const lesson = failed?.[pool.name];
  return lesson !== undefined && lesson.template === pool.launchTemplate && nowMs < lesson.restsUntilMs
    ? lesson
    : undefined;
};

/** Lessons of pools whose instances ended early. */
export const diedOnly = (failed: BootMemory['failedBoots'] = {}): NonNullable<BootMemory['failedBoots']> =>
  Object.fromEntries(Object.entries(failed).filter(([, { code }]) => code !== neverServedCode));

/** Memory after a user wrote the policy: without failures that were learned until then. */
export const withoutFailures = <T extends BootMemory>({ failedBoots, deaths, ...memory }: T, writtenAtMs: number) => {
  const failed = Object.entries(failedBoots ?? {}).filter(([, { atMs }]) => atMs > writtenAtMs);
  const died = (deaths ?? []).filter(({ atMs }) => atMs > writtenAtMs);
  return {
    ...memory,
    ...(failed.length > 0 && { failedBoots: Object.fromEntries(failed) }),
    ...(died.length > 0 && { deaths: died }),
  };
};

/** Memory after EC2 granted these instances. */
export const rememberNewcomers = (
  memory: BootMemory,
  launched: readonly { readonly instance: string; readonly pool: string; readonly offering: Offering }[],
  nowMs: number,
): BootMemory['newcomers'] => {
  const fresh = launched.map(
    ({ instance, pool, offering }) => [instance, { pool, offering: offeringKey(offering), atMs: nowMs }] as const,
  );
  const all = [...Object.entries(memory.newcomers ?? {}), ...fresh].slice(-mostNewcomers);
  return all.length === 0 ? undefined : Object.fromEntries(all);
};

/** New members without those that are put into service now. */
export const withoutAdmitted = (memory: BootMemory, admissions: readonly string[]): BootMemory['newcomers'] => {
  const admitted = new Set(admissions);
  const left = Object.entries(memory.newcomers ?? {}).filter(([instance]) => !admitted.has(instance));
  return left.length === 0 ? undefined : Object.fromEntries(left);
};

/**
 * Memory with a note that these new members ran. So the look that comes later does not take their ends for failed
 * boots.
 */
export const withRun = <T extends BootMemory>(memory: T, ran: readonly string[]): T => {
  const { newcomers = {} } = memory;
  const fresh = ran.flatMap((instance) => {
    const newcomer = newcomers[instance];
    return newcomer === undefined || newcomer.hasRun ? [] : [[instance, { ...newcomer, hasRun: true }] as const];
  });
  return fresh.length === 0 ? memory : { ...memory, newcomers: { ...newcomers, ...Object.fromEntries(fresh) } };
};

type Asking = { readonly nowMs: number; readonly ended: readonly string[] };

/**
 * How many instances ended early in the last ten minutes. A new member that has ended, and of which EC2 does not show
 * the reason yet, may be one of them.
 */
const diedLately = ({ deaths = [], newcomers = {} }: BootMemory, { nowMs, ended }: Asking) => {
  const known = deaths.filter(({ atMs }) => nowMs - atMs < budgetMs).reduce((sum, { count }) => sum + count, 0);
  const unexplained = known === 0 ? 0 : ended.filter((instance) => newcomers[instance] !== undefined).length;
  return { known, unexplained };
};

/** How many of these missing members may be launched, so that no more than ten die for each of them in ten minutes. */
export const launchable = (memory: BootMemory, missing: number, asking: Asking): number => {
  const { known, unexplained } = diedLately(memory, asking);
  if (known === 0) return missing;
  return Math.max(0, Math.min(missing, mostDeathsPerNeed * missing - known - unexplained));
};

/**
 * How many members may move now, as far as failed boots bound it. `maxSurge` and `return.atMost` bound every move too.
 * Nobody is missing for their launches, so all of them share the bound of one need.
 */
export const movable = (memory: BootMemory, asking: Asking): number => {
  const { known, unexplained } = diedLately(memory, asking);
  return known === 0 ? Number.POSITIVE_INFINITY : Math.max(0, mostDeathsPerNeed - known - unexplained);
};
