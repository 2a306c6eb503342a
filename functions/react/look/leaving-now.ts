import type { Group } from '../../../core/group/group.ts';
import { asgsOf } from '../../../core/group/holders.ts';
import { modeOf } from '../../../core/group/mode.ts';
import { claimsLeft } from '../../../core/limits/advice-budget.ts';
import { heardBefore, newlyWarned } from '../../../core/observe/heard.ts';
import { offeringKey } from '../../../core/pool/offering.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { LeavingFact } from '../../../core/swap/claim.ts';
import { toBeMoved } from '../../../core/swap/moved-members.ts';
import type { Warned } from '../../../core/swap/swap.ts';
import { isStray } from '../../../core/view/headcount.ts';
import { toBeGivenUp } from '../../../core/view/unserved.ts';
import type { Facts } from '../messages/facts.ts';
import type { Gathered } from './gather.ts';

/**
 * Facts belong to the instance. An instance that has left our Auto Scaling groups, and has no tag of ours, is no longer
 * ours.
 */
const isOurs = ({ owner }: LeavingFact, group: Group, asgs: ReadonlySet<string>): boolean =>
  owner === undefined || owner.group === group.name || (owner.asg !== undefined && asgs.has(owner.asg));

/** Members that signals reported, and whose leaving the policy acts on. */
export const reportedIn = ({ leaving }: Facts, group: Group, asgs: ReadonlySet<string>): readonly LeavingFact[] =>
  leaving.filter((fact) => isOurs(fact, group, asgs) && (!traitsOf(fact).isAdvice || group.rebalance.act));

/** Members at a place where the policy no longer holds any, except those that leave already. */
const moved = (
  { group, swaps, holdings: { members, asgs } }: Gathered,
  heard: readonly LeavingFact[],
  nowMs: number,
): readonly LeavingFact[] => {
  const leaving = new Set(heard.map(({ instance }) => instance));
  const staying = members.filter(({ instance }) => !leaving.has(instance));
  return toBeMoved({ group, members: staying, swaps, asgs }).map(({ instance }) => ({
    instance,
    reason: 'moved',
    atMs: nowMs,
  }));
};

/** Members that never served and are given up, except those that leave already. */
const givenUp = (
  { group, swaps, state, holdings: { members, asgs } }: Gathered,
  leaving: readonly LeavingFact[],
  nowMs: number,
): readonly LeavingFact[] => {
  const known = new Set(leaving.map(({ instance }) => instance));
  return toBeGivenUp({ group, members, swaps, asgs, unserved: state.unserved ?? {}, nowMs })
    .filter(({ instance }) => !known.has(instance))
    .map(({ instance }) => ({ instance, reason: 'never-served', atMs: nowMs }));
};

/** Members that leave the group, or should leave it, as one look finds. */
export type HeardNow = {
  /** Members that signals reported. */
  readonly told: readonly LeavingFact[];
  /**
   * Members from five sources: signals now, warnings that an earlier holder received, signals while the group was only
   * observed, members at a place that the policy no longer uses, and members that never served.
   */
  readonly leaving: readonly LeavingFact[];
};

/** The reported members, without those whose advice is beyond the policy's budget. */
const withinBudget = (
  reported: readonly LeavingFact[],
  { group, state, swaps }: Gathered,
  nowMs: number,
): readonly LeavingFact[] => {
  const known = new Set(swaps.map(({ instance }) => instance));
  let left = claimsLeft({ group, state, swaps, nowMs });
  return reported.filter((fact) => {
    if (!traitsOf(fact).isAdvice || known.has(fact.instance)) return true;
    known.add(fact.instance);
    left -= 1;
    return left >= 0;
  });
};

export const heardIn = (facts: Facts, gathered: Gathered, nowMs: number): HeardNow => {
  const { group, holdings, inherited } = gathered;
  const asgs = new Set(asgsOf(group));
  const detached = new Set(holdings.detached);
  const members = new Set(holdings.members.map(({ instance }) => instance));
  const strays = holdings.members.filter((member) => isStray(group, member)).map(({ instance }) => instance);
  // A stray is not counted, so nothing replaces it.
  const counts = (fact: LeavingFact): boolean => !traitsOf(fact).waitsForSurge || !strays.includes(fact.instance);
  const reported = reportedIn(facts, group, asgs).filter((fact) => !detached.has(fact.instance) && counts(fact));
  const told = withinBudget(reported, gathered, nowMs);
  const earlier = modeOf(group) === 'observe' ? [] : heardBefore(gathered.state, nowMs);
  const heard = [
    ...told,
    ...[...inherited, ...earlier].filter(
      (one) => traitsOf(one).endedBy === 'auto-scaling' || members.has(one.instance),
    ),
  ];
  const leaving = [...heard, ...moved(gathered, heard, nowMs)];
  return { told, leaving: [...leaving, ...givenUp(gathered, leaving, nowMs)].filter(counts) };
};

/** Offerings of members that EC2 warned about since the last look at an observed group. */
export const warnedIfActed = ({ state, holdings: { members } }: Gathered, { leaving }: HeardNow): readonly Warned[] => {
  const warned = new Map(newlyWarned(state, leaving).map(({ instance, atMs }) => [instance, atMs]));
  return members.flatMap(({ instance, offering }) => {
    const warnedAtMs = warned.get(instance);
    return warnedAtMs === undefined ? [] : [{ instance, offering: offeringKey(offering), warnedAtMs }];
  });
};

const isTaken = (fact: LeavingFact): boolean => traitsOf(fact).endedBy !== 'holdfast';

/**
 * The members that are claimed: all in a group that acts, none in an observed one, those that AWS takes in a paused
 * one.
 */
export const claimable = (group: Pick<Group, 'mode'>, heard: HeardNow): HeardNow => {
  switch (modeOf(group)) {
    case 'act':
      return heard;
    case 'observe':
      return { told: [], leaving: [] };
    case 'pause':
      return { told: heard.told.filter(isTaken), leaving: heard.leaving.filter(isTaken) };
  }
};
