import type { Group } from '../group/group.ts';
import { howHeld } from '../group/holding.ts';
import { addedStill, attachedMeanwhile, isBeyondMaximum, takenDownAgain } from '../group/outside-size.ts';
import { repeatAfterMs } from '../launch/reservation-life.ts';
import { buckets } from '../limits/account-buckets.ts';
import { isClosedByOwner } from '../view/suspension.ts';
import type { Member, View } from '../view/view.ts';
import type { Draft, Rule, Situation } from './rule.ts';

/** Members of a batch wait for each other. They no longer wait for a member that has been coming for this long. */
const batchPatienceMs = 20_000;
/** Ids that one AttachInstances call takes (EC2 Auto Scaling quotas). */
export const attachedPerCall = 20;
/**
 * No limit is published. Elastic Load Balancing rejects larger lists at times (kubernetes#101592); this many were
 * agreed upon with the service (aws-load-balancer-controller#1342).
 */
export const registeredPerCall = 200;

/** Members that join by one decision: their calls fit into a full bucket, so they need no time to refill it. */
const joinedAtOnce = (group: Group): number =>
  howHeld(group).joins === undefined ? 5 * registeredPerCall : buckets.autoScaling.holds * attachedPerCall;
/** The buckets are full again after this. Then the next look goes on with the other members. */
const joinAgainMs = 4_000;

const isReady = (member: Member): boolean => member.state === 'running' && !member.admitted;

type Look = Pick<Situation, 'view' | 'headcount'>;

const readyToJoin = ({ view, headcount }: Look, { removals }: Pick<Draft, 'removals'>): readonly string[] => {
  const others = new Set([...removals.map(({ instance }) => instance), ...attachedMeanwhile(view)]);
  const ready = headcount.staying.filter((member) => isReady(member) && !others.has(member.instance));
  const stillComing = headcount.inFlightCount + headcount.staying.filter(({ state }) => state === 'pending').length;
  const impatient = ready.some(({ launchedAtMs }) => view.nowMs - launchedAtMs >= batchPatienceMs);
  const ids = ready.map(({ instance }) => instance).sort();
  if (stillComing === 0 || impatient) return ids;
  return howHeld(view.group).joins !== undefined
    ? ids.slice(0, Math.floor(ids.length / attachedPerCall) * attachedPerCall)
    : [];
};

const joined = ({ group, nowMs }: View, ready: readonly string[]): ReturnType<Rule['propose']> => {
  const now = ready.slice(0, joinedAtOnce(group));
  return { admissions: now, ...(now.length < ready.length && { wakeAtMs: nowMs + joinAgainMs }) };
};

/** Whether the Auto Scaling group that members join takes nobody in now. They join once its owner resumes `Launch`. */
const isClosed = ({ group, state, asgs, nowMs }: View): boolean => {
  const asg = asgs.find(({ name }) => name === howHeld(group).joins);
  return asg !== undefined && isClosedByOwner(asg, state.suspended ?? [], nowMs);
};

/**
 * Running members to attach or register now. They are admitted together where that costs no time, so that calls grow
 * with batches and not with instances. They wait for each other until all have come, or until one of them has been
 * coming for too long. A member that this decision removes does not join, nor one that another decision attaches.
 *
 * Where others set the size, no member joins until two things are done: the desired capacity is without what earlier
 * members added, and it is within its maximum.
 */
export const joiningNow = (look: Look, { removals }: Pick<Draft, 'removals'>): ReturnType<Rule['propose']> => {
  const { state, asgs, nowMs } = look.view;
  if (isClosed(look.view)) return {};
  const takeDown = addedStill(look.view);
  const ready = readyToJoin(look, { removals });
  if (ready.length === 0 || (takeDown.length === 0 && !asgs.some((asg) => isBeyondMaximum(state, asg))))
    return joined(look.view, ready);
  return takeDown.length > 0 ? takenDownAgain(takeDown, nowMs) : { wakeAtMs: nowMs + repeatAfterMs };
};

export const admissions: Rule = { name: 'admissions', propose: joiningNow };
