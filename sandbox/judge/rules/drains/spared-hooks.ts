import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { times } from '../../times.ts';
import { draining, isHindered, look, ways } from '../../told/hindrance.ts';
import { endless, type HookWait, type Life, takenByMs } from '../../world/life.ts';
import { wasDisturbed } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

/** The look that is arranged for this may be lost. A tick makes up for it, and the next one for a tick that loses a race. */
const completedWithinMs = times.deadlineMarginMs + 2 * times.tickMs + times.messageAgainMs + times.reactMs;

/** A hook that begins this long before the deadline is one whose drain began before it. */
const beforeMs = 60_000;

/** Whether only that EC2 spared it happened to a member and its group. */
const isPlain = (chronicle: Chronicle, group: string, { warnings, restarts }: Life, sinceMs: number, untilMs: number): boolean => {
  const policies = chronicle.policiesIn(group, sinceMs, untilMs);
  return (
    untilMs <= chronicle.history.endedAtMs &&
    restarts.length === 0 &&
    warnings.length === 1 &&
    policies.length > 0 &&
    policies.every(({ mode }) => mode === 'act') &&
    chronicle.policyAt(group, untilMs) !== undefined &&
    !isHindered(chronicle, { ...ways(look, draining), events: 'needed' }, sinceMs, untilMs) &&
    !wasDisturbed(chronicle, untilMs)
  );
};

const stillWaits = (chronicle: Chronicle, life: Life, { atMs, asg, hook, over }: HookWait): readonly Broken[] => {
  const deadlineMs = Math.max(...life.warnings.map(takenByMs));
  const untilMs = deadlineMs + completedWithinMs + chronicle.times.asgLagMs + 2 * chronicle.times.clockMs;
  const group = chronicle.groupAt(life, atMs);
  const isSpared = life.sparedAtMs.length > 0 && atMs < deadlineMs - beforeMs && (over?.atMs ?? endless) > untilMs;
  if (group === undefined || !isSpared || !isPlain(chronicle, group, life, atMs, untilMs)) return [];
  return [{ group, instance: life.instance, asg, atMs: untilMs, detail: `EC2 did not take ${life.instance}, and ${hook} still holds it` }];
};

export const sparedLeaveTheirHooks: Rule = {
  name: 'who EC2 spares does not wait on a hook',
  meaning:
    'When a member waits on a terminating hook for a minute before the deadline that EC2 announced, and EC2 does not take it, Holdfast completes the hook ten seconds after that deadline, or by the second tick after that. The rule is about members that EC2 warned about once, while nothing hinders looks, drains and events.',
  broken: (chronicle) => chronicle.lives.flatMap((life) => life.hooks.flatMap((wait) => stillWaits(chronicle, life, wait))),
};
