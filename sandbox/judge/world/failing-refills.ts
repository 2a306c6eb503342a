import type { Chronicle } from '../chronicle.ts';
import { times } from '../times.ts';
import { endless, goneAtMs, isFunction, type Life } from './life.ts';

/** Ends by a user or by EC2 (EC2 API Reference, StateReason). They do not count against whoever launched the instance. */
export const otherEnds: ReadonlySet<string> = new Set(['Client.UserInitiatedShutdown', 'Server.SpotInstanceTermination']);

/** When an instance ran. One that shuts itself down at the moment at which it boots has not. */
const ranAtMs = ({ runningAtMs = endless, ending }: Life): number => (runningAtMs < (ending?.atMs ?? endless) ? runningAtMs : endless);

/** Whether an instance ended by itself before it ran. */
const diedEarlyBy = (life: Life, atMs: number): boolean => {
  const { ending, services } = life;
  const isItsOwn = ending?.code !== undefined && !isFunction(ending.by) && !otherEnds.has(ending.code);
  return isItsOwn && goneAtMs(life) <= atMs && ranAtMs(life) === endless && services.length === 0;
};

/** How a row of launches is told. */
type Telling = {
  /** Ends by then count. */
  readonly atMs: number;
  /** An instance that ran by then ends the row. */
  readonly ranByMs: number;
  /** A launch that comes this long after the last end begins a new row. */
  readonly pauseMs: number;
  /** When an end counts. */
  readonly endsAtMs: (life: Life) => number;
  /** Ends that count by then belong to no row. */
  readonly forgottenMs?: number;
};

/** Instances that an Auto Scaling group launched by itself, and that ended before they ran, one after the other. */
type Row = {
  /** When the first of them was launched. */
  readonly sinceMs: number;
  /** When the last of them ended. */
  readonly untilMs: number;
};

/** The last row. Undefined where none has ended so since one of them ran. */
const rowOf = (
  { lives }: Chronicle,
  asg: string,
  { atMs, ranByMs, pauseMs, endsAtMs, forgottenMs = Number.NEGATIVE_INFINITY }: Telling,
): Row | undefined => {
  let row: Row | undefined;
  for (const life of lives.filter(({ by }) => by.kind === 'asg' && by.asg === asg)) {
    if (ranAtMs(life) <= ranByMs) row = undefined;
    if (!diedEarlyBy(life, atMs) || endsAtMs(life) <= forgottenMs) continue;
    const goesOn = row !== undefined && life.launchedAtMs - row.untilMs <= pauseMs;
    row = {
      sinceMs: row !== undefined && goesOn ? row.sinceMs : life.launchedAtMs,
      untilMs: Math.max(row?.untilMs ?? Number.NEGATIVE_INFINITY, endsAtMs(life)),
    };
  }
  return row;
};

/** EC2 reports launch times in whole seconds. */
const wholeSecondMs = 1_000;

/** How far times may be apart that a function compares: launch times of EC2, and the clocks of functions. */
const inexactMs = ({ times: { clockMs } }: Chronicle): number => wholeSecondMs + 2 * clockMs;

/** A row counts for this long after its last end (docs/architecture.md, failed boots). */
const rememberedMs = 900_000;

/** When the policy was written last that the group followed by a moment. What had failed until then is forgotten. */
const rewrittenMs = (chronicle: Chronicle, group: string, byMs: number): number => {
  const { policies = [], written = [] } = chronicle.groups.get(group) ?? {};
  const isFollowed = ({ atMs, version }: (typeof policies)[number]): boolean =>
    written.some((one) => one.atMs >= atMs && one.atMs <= byMs && one.policyVersion === version);
  return policies.findLast((one) => one.atMs <= byMs && isFollowed(one))?.atMs ?? Number.NEGATIVE_INFINITY;
};

type Asking = { readonly group: string; readonly sinceMs: number; readonly atMs: number };

/**
 * Whether its own launches ended early for longer than Holdfast waits for them: then Holdfast launches in place of the group. That is so from the first
 * launch of a row to the last end. Looks find an end late where its event was lost, and the look that asks is one of them. So an end counts, at the latest,
 * when the state of the group was written by an invocation that had to see it.
 */
export const failsForLong = (chronicle: Chronicle, asg: string, { group, sinceMs, atMs }: Asking): boolean => {
  const { lagMs, asgLagMs } = chronicle.times;
  const seenMs = Math.max(lagMs, asgLagMs);
  const written = chronicle.groups.get(group)?.written ?? [];
  const endsAtMs = (life: Life): number => {
    const found = written.find(({ by }) => isFunction(by) && (chronicle.invocations.get(by.invocation)?.beganAtMs ?? 0) >= goneAtMs(life) + seenMs);
    return Math.min(found?.atMs ?? endless, atMs);
  };
  const slackMs = inexactMs(chronicle);
  const forgottenMs = rewrittenMs(chronicle, group, sinceMs);
  const row = rowOf(chronicle, asg, { atMs, ranByMs: sinceMs - seenMs, pauseMs: times.asgRefillMs + slackMs, endsAtMs, forgottenMs });
  if (row === undefined || sinceMs - row.untilMs > rememberedMs + slackMs) return false;
  return row.untilMs - row.sinceMs > times.asgRefillMs - slackMs;
};

/** Since when Holdfast could see that what an Auto Scaling group launches by itself ends early. */
export const seenFailingSinceMs = (chronicle: Chronicle, asg: string, atMs: number): number | undefined =>
  rowOf(chronicle, asg, { atMs, ranByMs: atMs, pauseMs: times.asgRefillMs - inexactMs(chronicle), endsAtMs: goneAtMs })?.sinceMs;
