import { wasLost } from '../../capacity/breaker.ts';
import { type ReturnLaunch, returnLaunches } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince } from '../../members/staying.ts';
import { goneAtMs, isFunction, isProtected, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

const isUnclaimed = ({ claims }: Life, atMs: number): boolean => claims.every((claim) => claim.atMs > atMs);

/** Whether the group wants all the time what it wanted at the launch: its size, no spares, and nobody on demand beside the tree. */
const wantsTheSame = (chronicle: Chronicle, { group, sinceMs }: ReturnLaunch, untilMs: number): boolean => {
  const [policy, ...others] = chronicle.policiesIn(group, sinceMs, untilMs);
  const isPlain = policy?.mode === 'act' && policy.spare === 0 && policy.onDemand === undefined && !policy.isSizedOutside;
  return isPlain && others.length === 0 && new Set(chronicle.desiredIn(group, sinceMs, untilMs)).size === 1;
};

/** Whether more members stay than are wanted, also without the launch: others came, or were there too many before. */
const hasOtherSurplus = (chronicle: Chronicle, { life, group, sinceMs, desired }: ReturnLaunch, beganMs: number, atMs: number): boolean => {
  const { lagMs, asgLagMs } = chronicle.times;
  const others = chronicle.livesIn(group).filter((one) => one !== life && one.launchedAtMs <= atMs && goneAtMs(one) > beganMs - lagMs - asgLagMs);
  const hasCome = others.some(({ launchedAtMs, stays }) => Math.max(launchedAtMs, ...stays.map(({ fromMs }) => fromMs)) > sinceMs - lagMs - asgLagMs);
  return hasCome || others.filter((one) => isUnclaimed(one, beganMs)).length > desired;
};

export const movesAreKept: Rule = {
  name: 'a launch for a move stays while the other member does',
  meaning:
    'Holdfast launches an instance to move a member to a better place. It does not take this instance out of service as a surplus while a member that it may replace stays. The rule does not count where the size or the policy changed since the launch, where the state was lost, where other instances came, or where more members stay than are wanted, also without this one.',
  broken: (chronicle) =>
    returnLaunches(chronicle).flatMap((launch): readonly Broken[] => {
      const { life, group, worse } = launch;
      const [claim] = life.claims;
      if (claim === undefined || claim.reason !== 'scale-in' || !isFunction(claim.by)) return [];
      const { atMs, by } = claim;
      const stays = worse.filter((one) => goneAtMs(one) > atMs && isUnclaimed(one, atMs) && !isProtected(one, atMs));
      if (stays.length === 0 || !wantsTheSame(chronicle, launch, atMs) || wasLost(chronicle, group, life.launchedAtMs, atMs)) return [];
      if (hasOtherSurplus(chronicle, launch, lookedSince(chronicle, by, atMs), atMs)) return [];
      const detail = `${life.instance} was launched for a return and leaves as a surplus, while ${stays.map(({ instance }) => instance).join(', ')} stays`;
      return [{ group, instance: life.instance, atMs, detail }];
    }),
};
