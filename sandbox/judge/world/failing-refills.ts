import type { Chronicle } from '../chronicle.ts';
import { times } from '../times.ts';
import { endless, goneAtMs, isFunction, type Life } from './life.ts';

/** Ends by a user or by EC2 (EC2 API Reference, StateReason). They do not count against whoever launched the instance. */
export const otherEnds: ReadonlySet<string> = new Set(['Client.UserInitiatedShutdown', 'Server.SpotInstanceTermination']);

/** Whether an instance ended by itself before it ran. */
const diedEarlyBy = (life: Life, atMs: number): boolean => {
  const { ending, runningAtMs, services } = life;
  const isItsOwn = ending?.code !== undefined && !isFunction(ending.by) && !otherEnds.has(ending.code);
  return isItsOwn && goneAtMs(life) <= atMs && runningAtMs === undefined && services.length === 0;
};

/** How a row of launches is told. */
type Telling = {
  /** An instance that ran by then ends the row. */
  readonly ranByMs: number;
  /** The row ends where nothing was launched for so long after an end. */
  readonly pauseMs: number;
};

/**
 * When the first instance was launched of a row that an Auto Scaling group launched by itself, and that all ended before they ran. Undefined where none of
 * its launches has ended so since one of them ran.
 */
const rowSinceMs = ({ lives }: Chronicle, asg: string, atMs: number, { ranByMs, pauseMs }: Telling): number | undefined => {
  let sinceMs: number | undefined;
  let endedMs = Number.NEGATIVE_INFINITY;
  for (const life of lives.filter(({ by }) => by.kind === 'asg' && by.asg === asg)) {
    if (life.launchedAtMs - endedMs > pauseMs || (life.runningAtMs ?? endless) <= ranByMs) sinceMs = undefined;
    if (!diedEarlyBy(life, atMs)) continue;
    sinceMs ??= life.launchedAtMs;
    endedMs = Math.max(endedMs, goneAtMs(life));
  }
  return sinceMs;
};

/** EC2 reports launch times in whole seconds. */
const wholeSecondMs = 1_000;

/** Whether its own launches have failed for as long as Holdfast waits for them: then Holdfast launches in place of the group. */
export const failsForLong = (chronicle: Chronicle, asg: string, atMs: number): boolean => {
  const { lagMs, asgLagMs, clockMs } = chronicle.times;
  const sinceMs = rowSinceMs(chronicle, asg, atMs, { ranByMs: atMs - Math.max(lagMs, asgLagMs), pauseMs: endless });
  return sinceMs !== undefined && atMs - sinceMs > times.asgRefillMs - wholeSecondMs - 2 * clockMs;
};

/** Within this time after an end, the next one belongs to the same row (core/pool-memory/failing-refills.ts, with some time to spare). */
const sameRowMs = 600_000;

/** Since when Holdfast could see that what an Auto Scaling group launches by itself ends early. */
export const seenFailingSinceMs = (chronicle: Chronicle, asg: string, atMs: number): number | undefined =>
  rowSinceMs(chronicle, asg, atMs, { ranByMs: atMs, pauseMs: sameRowMs });
