import { tags } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { isHindered, type Way } from '../../told/hindrance.ts';
import { isHealthy } from '../../told/leaving.ts';
import { endless, goneAtMs, isFunction, isOnItsWay, type Life, staysAgainAtMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** Whether it leaves by a swap that was written before the invocation began, or that the invocation itself wrote. */
const leavesBy = (life: Life, invocation: string, beganMs: number, atMs: number): boolean => {
  const { claims } = life;
  const last = claims.findLast((claim) => claim.atMs <= beganMs);
  const isBack = staysAgainAtMs(life).some((backMs) => last !== undefined && backMs >= last.atMs && backMs <= atMs);
  const isOld = last !== undefined && isOnItsWay(last.state) && !isBack;
  const isOwn = claims.some((claim) => isFunction(claim.by) && claim.by.invocation === invocation && claim.atMs > beganMs && isOnItsWay(claim.state));
  return isOld || (isOwn && claims.every((claim) => claim.atMs > beganMs));
};

export const leavingDoNotJoin: Rule = {
  name: 'who leaves does not join',
  meaning:
    'Holdfast attaches no member to an Auto Scaling group that leaves: by a swap that was written before its function began, or by one that the same function writes.',
  broken: (chronicle: Chronicle) =>
    chronicle.of('joined').flatMap(({ instance, asg, by, atMs }): readonly Broken[] => {
      const life = chronicle.life(instance);
      const beganMs = isFunction(by) ? chronicle.invocations.get(by.invocation)?.beganAtMs : undefined;
      if (life === undefined || !isFunction(by) || beganMs === undefined || !leavesBy(life, by.invocation, beganMs, atMs)) return [];
      const group = chronicle.groupAt(life, atMs);
      if (wasLost(chronicle, group ?? '', life.launchedAtMs, atMs)) return [];
      return [{ ...(group !== undefined && { group }), instance, asg, atMs, detail: `${instance} joins ${asg}, and it leaves` }];
    }),
};

export const joiningMembersRun: Rule = {
  name: 'who joins runs',
  meaning:
    'Holdfast calls no Auto Scaling group and no target group to take in an instance before this instance runs: AWS would refuse it, and others with it.',
  broken: (chronicle: Chronicle) =>
    chronicle
      .of('called')
      .flatMap(({ putsIn = [], invocation, operation, askedAtMs }): readonly Broken[] =>
        putsIn
          .filter((instance) => (chronicle.life(instance)?.runningAtMs ?? endless) > askedAtMs)
          .map((instance) => ({ instance, invocation, atMs: askedAtMs, detail: `${operation} names ${instance}, and it does not run yet` })),
      ),
};

const taggedWithinMs = 60_000;
const noting: Way = { calls: { ec2: ['CreateTags'], autoscaling: ['AttachInstances'] } };

/** Whether the policy of its group was deleted in that time: Holdfast leaves a member alone then. */
const wasLetGo = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): boolean =>
  (chronicle.groups.get(chronicle.groupAt(life, fromMs) ?? '')?.policies ?? []).some(
    ({ policy, atMs }) => policy === undefined && atMs >= fromMs && atMs <= untilMs,
  );

export const joinedAreNoted: Rule = {
  name: 'who joins carries a tag that says so',
  meaning:
    'A member that Holdfast attached to an Auto Scaling group carries the tag that names this group within a minute. Without it, an instance that its user detaches later is attached again. The rule does not count where faults meet these calls, where the instance is gone by then, or where its group is let go in this minute: the call may wait for others that join.',
  broken: (chronicle) =>
    chronicle.of('joined').flatMap(({ instance, asg, by, atMs }): readonly Broken[] => {
      const life = chronicle.life(instance);
      const untilMs = atMs + taggedWithinMs;
      if (life === undefined || !isFunction(by) || !isHealthy(chronicle, by.invocation) || goneAtMs(life) <= untilMs) return [];
      if (untilMs > chronicle.history.endedAtMs || isHindered(chronicle, noting, atMs, untilMs)) return [];
      if (wasLetGo(chronicle, life, atMs, untilMs)) return [];
      const isNoted = life.tags.some((one) => one.atMs <= untilMs && one.tags[tags.joined]?.split(' ')[0] === asg);
      return isNoted ? [] : [{ instance, asg, atMs: untilMs, detail: `${instance} joined ${asg}, and no tag says so` }];
    }),
};
