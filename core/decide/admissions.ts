import { howHeld } from '../group/holding.ts';
import { isBeyondMaximum } from '../group/outside-size.ts';
import { repeatAfterMs } from '../launch/reservation-life.ts';
import type { Member } from '../view/view.ts';
import type { Draft, Rule, Situation } from './rule.ts';

/** Once a member has been coming for this long, the others of its batch no longer wait for it. */
const batchPatienceMs = 20_000;
/** Ids that one AttachInstances call takes (EC2 Auto Scaling quotas). */
export const attachedPerCall = 20;

const isReady = (member: Member): boolean => member.state === 'running' && !member.admitted;

const readyToJoin = ({ view, headcount }: Situation, { removals }: Pick<Draft, 'removals'>): readonly string[] => {
  const leaving = new Set(removals.map(({ instance }) => instance));
  const ready = headcount.staying.filter((member) => isReady(member) && !leaving.has(member.instance));
  const stillComing = headcount.inFlightCount + headcount.staying.filter(({ state }) => state === 'pending').length;
  const impatient = ready.some(({ launchedAtMs }) => view.nowMs - launchedAtMs >= batchPatienceMs);
  const ids = ready.map(({ instance }) => instance).sort();
  if (stillComing === 0 || impatient) return ids;
  return howHeld(view.group).joins !== undefined
    ? ids.slice(0, Math.floor(ids.length / attachedPerCall) * attachedPerCall)
    : [];
};

/**
 * Running members to attach or register now. They are admitted together where that costs no time, so that calls grow
 * with batches and not with instances. They wait for each other until all have come, or until one of them has been
 * coming for too long. Nobody joins who leaves by the same decision. None joins a group whose size others set before
 * what earlier ones added to it is taken down, and before its maximum holds again.
 */
export const admissions: Rule = {
  name: 'admissions',
  propose: (situation, { takeDown = [], removals }) => {
    const { state, asgs, nowMs } = situation.view;
    const ready = readyToJoin(situation, { removals });
    if (ready.length === 0 || (takeDown.length === 0 && !asgs.some((asg) => isBeyondMaximum(state, asg))))
      return { admissions: ready };
    return { wakeAtMs: nowMs + repeatAfterMs };
  },
};
