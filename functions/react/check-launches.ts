import { isFromAws } from '../../aws/calls/errors.ts';
import { inParallel } from '../../aws/calls/in-parallel.ts';
import { metrics } from '../../core/contract.ts';
import { modeOf } from '../../core/group/mode.ts';
import { writesOf } from '../../core/group-state/restored.ts';
import {
  checkAgainMs,
  checkEveryMs,
  type LaunchCheck,
  mostTrials,
  type Trial,
  trialsOf,
  untriedCheck,
  untriedIn,
} from '../../core/launch/launch-checks.ts';
import { reactTimeoutMs } from '../../core/times/times.ts';
import type { GroupState } from '../../core/view/view.ts';
import { mostConflicts, putState } from './record/put-state.ts';
import type { Run } from './run.ts';

/** Dry runs under way at once. */
const trialsAtOnce = 4;
/**
 * No check starts later than this in an invocation. A dry run waits for its token for seconds, and other looks of the
 * invocation may follow.
 */
const startsWithinMs = reactTimeoutMs / 6;
/** No dry run begins later than this in an invocation. */
const triesWithinMs = reactTimeoutMs / 4;

/** What the state item says about checks of launches. */
type Checked = Pick<GroupState, 'checksOf' | 'checksDueAtMs'>;

const hasTime = ({ ports, beganAtMs }: Run, withinMs: number): boolean => ports.clock.now() - beganAtMs <= withinMs;

/** Makes as many dry runs as there is time for. */
const tryAll = async (run: Run, trials: readonly Trial[]): Promise<readonly LaunchCheck[]> => {
  const { group, provider } = run;
  const found = await inParallel(trials, trialsAtOnce, async (trial) =>
    hasTime(run, triesWithinMs) ? provider.tryLaunch(group, trial) : untriedCheck(trial),
  );
  return [...found.flatMap((check) => check ?? []), ...untriedIn(group)];
};

/**
 * Writes when the launches of a group are tried next. False where that cannot be written, or where another look has
 * begun to try them since `seen` was read: then that look tries them. A state item that was restored meanwhile is left
 * to the next look. This write would bring its number of writes up to the one that is known, and hide the restore.
 */
const note = async ({ group, ports }: Run, checksDueAtMs: number, seen?: Checked): Promise<boolean> => {
  const checksOf = group.policyVersion;
  for (let attempt = 0; attempt < mostConflicts; attempt += 1) {
    const stored = await ports.store.state(group.name);
    if (stored === undefined || stored.policyVersion > checksOf) return false;
    const state = ports.believed(group.name, stored);
    if (writesOf(state) !== writesOf(stored)) return false;
    const isTried = state.checksOf === checksOf && state.checksDueAtMs !== seen?.checksDueAtMs;
    if (seen !== undefined && isTried) return false;
    const next = { ...state, version: state.version + 1, checksOf, checksDueAtMs };
    if ((await putState(group.name, next, ports)) !== 'conflict') return true;
  }
  return false;
};

const check = async (run: Run, seen: Checked): Promise<void> => {
  const { group, id, ports, turns } = run;
  const trials = trialsOf(group).slice(0, mostTrials);
  const calls = trials.length;
  if (calls > 0) {
    turns.done(group.name);
    const asked = { group: `${group.name} checks`, by: id, bucket: 'createFleet', calls, instances: 0 } as const;
    const { turn } = await turns.ask({ ...asked, need: { urgency: 'look', size: calls } });
    // Groups that launch come first.
    if (turn.kind !== 'now') return void (await note(run, ports.clock.now()));
  }
  // Looks at one moment try the launches once. Where this one ends early, they are tried again within an hour.
  if (!(await note(run, ports.clock.now() + checkAgainMs, seen))) return;
  const checks = await tryAll(run, trials);
  const nowMs = ports.clock.now();
  const isOpen = checks.some(({ code }) => code === 'not-tried');
  await ports.store.putChecks(group.name, group.policyVersion, checks, nowMs);
  await note(run, nowMs + (isOpen ? checkAgainMs : checkEveryMs));
};

/**
 * Tries each launch of a group with a dry run, when its policy was written and once a day, and stores what AWS would
 * refuse beside the status of the policy. A look that has little time left, or members to replace, leaves it to a later
 * one. A check that fails holds up nothing.
 */
export const checkLaunches = async (run: Run, seen: Checked): Promise<void> => {
  const { facts, group, ports } = run;
  // They were never tried for this version, or their time has come.
  const isDue = seen.checksOf !== group.policyVersion || ports.clock.now() >= (seen.checksDueAtMs ?? 0);
  if (modeOf(group) !== 'act' || !(isDue || facts.causes.some(({ code }) => code === 'policy-change'))) return;
  const mayTry = facts.leaving.length === 0 && hasTime(run, startsWithinMs);
  // A check that is already due is found by the next look.
  if (!mayTry && isDue) return;
  const work = mayTry ? check(run, seen) : note(run, ports.clock.now());
  await work.catch((error: unknown) => {
    if (!isFromAws(error)) throw error;
    ports.telemetry.count(metrics.readsMissed);
    ports.telemetry.logger.warn('Launches could not be tried.', { group: group.name, error });
  });
};
