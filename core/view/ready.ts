import type { Group } from '../group/group.ts';
import type { Member } from './view.ts';

/** When a member counts as serving, besides its target groups: each of these must hold. */
export type Ready = {
  /** This long after its launch. */
  readonly afterMs?: number;
  /** Once EC2's status checks have passed. */
  readonly checks?: 'ec2';
  /** A new member that has not served by this age is given up. Absent: {@link givenUpAfterMs}. */
  readonly withinMs?: number;
};

/** The age by which a new member must serve, unless the policy says otherwise. */
const givenUpAfterMs = 600_000;

type Judged = Pick<Group, 'ready'>;

/** The age by which a new member of this group must serve. */
export const readyWithinMs = ({ ready }: Judged): number => ready?.withinMs ?? givenUpAfterMs;

/**
 * The result of EC2's status checks. `waiting`: they have no result yet. `unread`: they could not be read now.
 */
export type StatusCheck = 'passed' | 'failed' | 'waiting' | 'unread';

type Asking = Judged & {
  readonly nowMs: number;
  /** Members that have never served. */
  readonly unserved?: readonly string[];
};

/** Whether a member serves, or may serve: its health could not be read. */
export const mayBeServing = ({ serving, mayServe }: Pick<Member, 'serving' | 'mayServe'>): boolean =>
  serving || mayServe === true;

const ageMs = ({ launchedAtMs }: Member, { nowMs }: Asking): number => nowMs - launchedAtMs;

const isWarm = (member: Member, asking: Asking): boolean => ageMs(member, asking) >= (asking.ready?.afterMs ?? 0);

/**
 * Whether the status checks of this member decide whether it serves. It would serve without them, and it is new or has
 * never served. Other members have passed them long ago.
 */
export const needsStatusChecks = (member: Member, asking: Asking): boolean =>
  asking.ready?.checks === 'ec2' &&
  mayBeServing(member) &&
  isWarm(member, asking) &&
  (ageMs(member, asking) < readyWithinMs(asking) || asking.unserved?.includes(member.instance) === true);

const checked = (member: Member, check: StatusCheck): Member => {
  const { mayServe: _may, ...known } = member;
  switch (check) {
    case 'passed':
      return member;
    case 'unread':
      return { ...known, serving: false, mayServe: true };
    case 'waiting':
      return { ...known, serving: false, unready: 'status-checks' };
    case 'failed':
      return { ...known, serving: false, unready: 'status-checks', unhealthy: true };
  }
};

/**
 * A member as its policy counts it: with `ready`, it serves once it has warmed up, EC2's status checks have passed, and
 * its target groups find it healthy.
 *
 * @param check the result of the status checks. Absent: they were not read for this member.
 */
export const asReady = (member: Member, asking: Asking, check: StatusCheck = 'passed'): Member => {
  const { ready } = asking;
  if (ready?.afterMs === undefined && ready?.checks === undefined) return member;
  const { unchecked: _now, ...judged } = member;
  if (!mayBeServing(judged)) return judged;
  if (isWarm(judged, asking)) return checked(judged, check);
  const { mayServe: _may, ...known } = judged;
  return { ...known, serving: false, unready: 'warm-up' };
};
