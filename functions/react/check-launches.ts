import { isFromAws } from '../../aws/calls/errors.ts';
import { inParallel } from '../../aws/calls/in-parallel.ts';
import { metrics } from '../../core/contract.ts';
import { modeOf } from '../../core/group/mode.ts';
import {
  checkAgainMs,
  checkEveryMs,
  type LaunchCheck,
  mostTrials,
  trialsOf,
  untriedIn,
} from '../../core/launch/launch-checks.ts';
import type { GroupState } from '../../core/view/view.ts';
import { putState } from './record/put-state.ts';
import type { Run } from './run.ts';

/** Dry runs under way at once. */
const trialsAtOnce = 4;
/** By then an invocation has done what was urgent, or it has no time for this. */
const startsWithinMs = 10_000;

/** Whether the launches of a group are to be tried now: its policy was written, or a day has passed. */
const isDue = (
  { facts, group, ports, beganAtMs }: Run,
  { checksDueAtMs }: Pick<GroupState, 'checksDueAtMs'>,
): boolean => {
  if (modeOf(group) !== 'act' || facts.leaving.length > 0) return false;
  const nowMs = ports.clock.now();
  if (nowMs - beganAtMs > startsWithinMs) return false;
  return (
    facts.causes.some(({ code }) => code === 'policy-change') || (checksDueAtMs !== undefined && nowMs >= checksDueAtMs)
  );
};

/** Whether the account's bucket has room for so many dry runs: groups that launch come first. */
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

const tryAll = async ({ group, provider }: Run): Promise<readonly LaunchCheck[]> => {
  const trials = trialsOf(group).slice(0, mostTrials);
  const found = await inParallel(trials, trialsAtOnce, (trial) => provider.tryLaunch(group, trial));
  return [...found.flatMap((check) => check ?? []), ...untriedIn(group)];
};

const noteDue = async ({ group, ports }: Run, checksDueAtMs: number): Promise<void> => {
  const state = await ports.store.state(group.name);
  // Losing this race costs a check that is made once more.
  if (state !== undefined) await putState(group.name, { ...state, version: state.version + 1, checksDueAtMs }, ports);
};

const check = async (run: Run): Promise<void> => {
  const { group, ports } = run;
  if (!(await hasTurn(run, Math.min(mostTrials, trialsOf(group).length)))) return noteDue(run, ports.clock.now());
  const checks = await tryAll(run);
  const nowMs = ports.clock.now();
  const isOpen = checks.some(({ code }) => code === 'not-tried');
  await ports.store.putChecks(group.name, group.policyVersion, checks, nowMs);
  await noteDue(run, nowMs + (isOpen ? checkAgainMs : checkEveryMs));
};

/**
 * Tries each launch of a group with a dry run, when its policy was written and once a day, and stores what AWS would
 * refuse beside the status of the policy. A check that fails holds up nothing.
 */
export const checkLaunches = async (run: Run, state: Pick<GroupState, 'checksDueAtMs'>): Promise<void> => {
  if (!isDue(run, state)) return;
  await check(run).catch((error: unknown) => {
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
