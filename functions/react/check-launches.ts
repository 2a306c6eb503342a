import { isFromAws } from '../../aws/calls/errors.ts';
import { inParallel } from '../../aws/calls/in-parallel.ts';
import { metrics } from '../../core/contract.ts';
import { modeOf } from '../../core/group/mode.ts';
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
import { putState } from './record/put-state.ts';
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

const hasTime = ({ ports, beganAtMs }: Run, withinMs: number): boolean => ports.clock.now() - beganAtMs <= withinMs;

/** Whether the launches of a group are to be tried: its policy was written, or a day has passed. */
const isWanted = ({ facts, group }: Run, isDue: boolean): boolean =>
  modeOf(group) === 'act' &&
  facts.leaving.length === 0 &&
  (isDue || facts.causes.some(({ code }) => code === 'policy-change'));

/** Whether the account's bucket has room for this many dry runs. Groups that launch come first. */
const hasTurn = async ({ group, id, turns }: Run, calls: number): Promise<boolean> => {
  if (calls === 0) return true;
  turns.done(group.name);
  const need = { urgency: 'look', size: calls } as const;
  const { turn } = await turns.ask({
    group: `${group.name} checks`,
    by: id,
    bucket: 'createFleet',
    calls,
    instances: 0,
    need,
  });
  return turn.kind === 'now';
};

/** Makes as many dry runs as there is time for. */
const tryAll = async (run: Run, trials: readonly Trial[]): Promise<readonly LaunchCheck[]> => {
  const { group, provider } = run;
  const found = await inParallel(trials, trialsAtOnce, async (trial) =>
    hasTime(run, triesWithinMs) ? provider.tryLaunch(group, trial) : untriedCheck(trial),
  );
  return [...found.flatMap((check) => check ?? []), ...untriedIn(group)];
};

const noteDue = async ({ group, ports }: Run, checksDueAtMs: number): Promise<void> => {
  const state = await ports.store.state(group.name);
  // A lost race costs only a repeated check.
  if (state !== undefined) await putState(group.name, { ...state, version: state.version + 1, checksDueAtMs }, ports);
};

const check = async (run: Run): Promise<void> => {
  const { group, ports } = run;
  const trials = trialsOf(group).slice(0, mostTrials);
  if (!(await hasTurn(run, trials.length))) return noteDue(run, ports.clock.now());
  const checks = await tryAll(run, trials);
  const nowMs = ports.clock.now();
  const isOpen = checks.some(({ code }) => code === 'not-tried');
  await ports.store.putChecks(group.name, group.policyVersion, checks, nowMs);
  await noteDue(run, nowMs + (isOpen ? checkAgainMs : checkEveryMs));
};

/**
 * Tries each launch of a group with a dry run, when its policy was written and once a day, and stores what AWS would
 * refuse beside the status of the policy. A look that has little time left leaves it to a later one. A check that fails
 * holds up nothing.
 */
export const checkLaunches = async (run: Run, state: Pick<GroupState, 'checksDueAtMs'>): Promise<void> => {
  const { checksDueAtMs } = state;
  const isDue = checksDueAtMs !== undefined && run.ports.clock.now() >= checksDueAtMs;
  if (!isWanted(run, isDue)) return;
  const isInTime = hasTime(run, startsWithinMs);
  // A check that is already due is found by the next look.
  if (!isInTime && isDue) return;
  const work = isInTime ? check(run) : noteDue(run, run.ports.clock.now());
  await work.catch((error: unknown) => {
    if (!isFromAws(error)) throw error;
    run.ports.telemetry.count(metrics.readsMissed);
    run.ports.telemetry.logger.warn(
      'The launches of a group could not be tried. They are tried with the next policy.',
      {
        group: run.group.name,
        error: error as Error,
      },
    );
  });
};
