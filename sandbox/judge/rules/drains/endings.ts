import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Actor } from '../../history.ts';
import { detachedByUser } from '../../members/detached.ts';
import { wasObserved } from '../../policy/modes.ts';
import { asgsOf } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import { deadlineOf, delayOf, heardAtMs, isFollowedByCalls, takenOutByUs } from '../../told/leaving.ts';
import { endless, goneAtMs, type HookWait, isFunction, isScheduled, type Life, type Service } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Touched = { readonly atMs: number; readonly by: Actor | undefined };

/** An expired hook ended it. Another rule judges that. */
const hookExpired = ({ hooks }: Life): boolean => hooks.some(({ over }) => over?.how === 'expired');

/** When Holdfast let it end: it ended it, or completed the hook that held it. */
const letEndAtMs = (life: Life): number =>
  Math.min(
    isFunction(life.ending?.by) && !hookExpired(life) ? (life.ending?.atMs ?? endless) : endless,
    ...life.hooks.flatMap(({ over }) => (over !== undefined && isFunction(over.by) ? [over.atMs] : [])),
  );

/** The time from which its deadline decides: EC2 takes it then, or calls have to follow before that. */
const pressesAtMs = (life: Life): number => deadlineOf(life) - (isFollowedByCalls(life) ? times.deadlineMarginMs : 0);

const toleranceMs = 2_000;

/** Its Auto Scaling group waits for its connections by itself, before it ends it. */
const endsThroughAsg = ({ stays }: Life): boolean => stays.some(({ how }) => how === 'terminating');

/** Until when connections may be open: all of the delay, as Holdfast sees it; of an Auto Scaling group, until the last has closed. */
export const closedAtMs = (chronicle: Chronicle, life: Life, { targetGroup, untilMs }: Service): number => {
  const delayMs = delayOf(chronicle, [targetGroup]);
  if (!endsThroughAsg(life)) return untilMs + delayMs;
  const empty = life.empties.find((one) => one.targetGroup === targetGroup && one.atMs >= untilMs);
  return Math.min(untilMs + delayMs, empty?.atMs ?? endless);
};

/**
 * Whether EC2 alone may cut its connections: Holdfast knew of the warning when it took the member out of service, and only a hook held the member then.
 * Neither drain.timeout nor the margin for the last calls counts: Holdfast completes the hook when the connections have closed, or when EC2 takes the member.
 */
const isCutByEc2 = (chronicle: Chronicle, life: Life, { untilMs }: Service, endMs: number): boolean =>
  deadlineOf(life) < endless &&
  heardAtMs(chronicle, life, 'warning') <= untilMs &&
  life.hooks.length > 0 &&
  life.hooks.every(({ atMs, over }) => atMs >= untilMs - toleranceMs && (over === undefined || (over.how === 'completed' && over.atMs >= endMs)));

export const connectionsGetTheirTime: Rule = {
  name: 'connections get their time',
  meaning:
    'After Holdfast took a member out of service, it lets this member end when the deregistration delay or drain.timeout is over, or when a deadline comes; never sooner. Holdfast completes no hook of a member that EC2 takes while connections go on, before EC2 takes it.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] => {
      const endMs = letEndAtMs(life);
      if (endMs === endless) return [];
      const outs = life.services.filter((service) => takenOutByUs(service) && service.untilMs <= endMs);
      const group = chronicle.groupAt(life, endMs - 1);
      return outs.flatMap((service) => {
        const { targetGroup, untilMs } = service;
        const timeouts = group === undefined ? [] : chronicle.policiesIn(group, untilMs, endMs).map(({ drainTimeoutMs }) => drainTimeoutMs);
        const closedMs = closedAtMs(chronicle, life, service);
        const [givenMs, pressingMs] = isCutByEc2(chronicle, life, service, endMs)
          ? [closedMs - untilMs, deadlineOf(life)]
          : [Math.min(closedMs - untilMs, ...timeouts), pressesAtMs(life)];
        const dueMs = Math.min(untilMs + givenMs, pressingMs) - toleranceMs - 2 * chronicle.times.clockMs;
        if (timeouts.length === 0 || endMs >= dueMs) return [];
        return [
          {
            ...(group === undefined ? {} : { group }),
            instance: life.instance,
            atMs: endMs,
            detail: `${life.instance} ended ${((endMs - untilMs) / 1_000).toFixed(1)} s after it was taken out of ${targetGroup}; expected ${(givenMs / 1_000).toFixed(1)} s`,
          },
        ];
      });
    }),
};

export const workTakenOffFirst: Rule = {
  name: 'work is taken off before Holdfast ends a member',
  meaning: 'Holdfast ends no member that a target group still sends requests to.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] => {
      const { ending } = life;
      if (ending === undefined || !isFunction(ending.by)) return [];
      return life.services
        .filter(({ untilMs, fromMs, why }) => untilMs === ending.atMs && why === 'ending' && fromMs < ending.atMs)
        .map(({ targetGroup }) => ({
          instance: life.instance,
          atMs: ending.atMs,
          detail: `${life.instance} was ended while ${targetGroup} sent it requests`,
        }));
    }),
};

export const leftToEc2: Rule = {
  name: 'what EC2 takes is left to EC2',
  meaning:
    'Holdfast does not end a warned member before EC2 does, unless its drain had begun for another reason before a function that no fault met received the warning.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] => {
      const { ending } = life;
      const takenMs = deadlineOf(life);
      const warnedMs = life.warnings[0]?.atMs ?? endless;
      if (ending === undefined || !isFunction(ending.by) || ending.atMs >= takenMs || warnedMs > ending.atMs || endsThroughAsg(life)) return [];
      const toldMs = heardAtMs(chronicle, life, 'warning');
      // Its drain was ordered for another reason before the warning was known, so Holdfast ends it.
      if (life.drains.some(({ atMs }) => atMs <= toldMs) || life.advisedAtMs.some((atMs) => atMs <= warnedMs) || isScheduled(life, warnedMs))
        return [];
      return [
        {
          instance: life.instance,
          atMs: ending.atMs,
          detail: `${life.instance} was ended ${((takenMs - ending.atMs) / 1_000).toFixed(1)} s before EC2 would have`,
        },
      ];
    }),
};

const isOurs = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  const group = chronicle.groupAt(life, atMs);
  return group !== undefined && chronicle.policyAt(group, atMs) !== undefined;
};

/** When Holdfast took an instance out of service, out of an Auto Scaling group, or ended it, and who did. */
const touchedIn = (life: Life): readonly Touched[] => [
  ...life.services.filter(takenOutByUs).map(({ untilMs, by }) => ({ atMs: untilMs, by })),
  ...(isFunction(life.ending?.by) ? [{ atMs: goneAtMs(life), by: life.ending.by }] : []),
  ...life.stays.filter(({ by }) => isFunction(by)).map(({ untilMs, by }) => ({ atMs: untilMs, by })),
];

/** Whether its user had detached it from the Auto Scaling group that every policy named since, and no swap of it had been written before that. */
const wasDetached = (chronicle: Chronicle, life: Life, { atMs, by }: Touched): boolean => {
  const stay = detachedByUser(chronicle, life, by, atMs);
  if (stay === undefined || life.claims.some((claim) => claim.atMs <= stay.untilMs)) return false;
  const group = chronicle.groupAt(life, stay.untilMs - 1) ?? '';
  const policies = [chronicle.policyAt(group, atMs), ...chronicle.policiesIn(group, stay.untilMs, atMs)];
  return policies.every((policy) => policy !== undefined && asgsOf(policy).includes(stay.asg));
};

export const strangersUntouched: Rule = {
  name: 'strangers are untouched',
  meaning:
    'Holdfast takes out of service, ends and detaches only instances of its own groups. An instance that its user detached from the Auto Scaling group of the policy is not one of them, unless its swap was written before. This holds once describes show that, and the tag of the instance says that it had joined.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] => {
      const named = chronicle.lives.includes(life) && [...chronicle.groups.keys()].some((group) => chronicle.livesIn(group).includes(life));
      const { instance } = life;
      const touched = touchedIn(life);
      return named
        ? touched
            .filter((one) => wasDetached(chronicle, life, one))
            .map(({ atMs }) => ({ instance, atMs, detail: `${instance} was changed, and its user had detached it` }))
        : touched.map(({ atMs }) => ({ instance, atMs, detail: `${instance} belongs to no group, and Holdfast changed it` }));
    }),
};

/** Drains that were under way come to their end by themselves. */
export const letGoIsLeft: Rule = {
  name: 'a group that was let go is left alone',
  meaning:
    'After a group is let go, Holdfast takes none of its instances out of service and ends none, except instances whose drain had begun before.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] => {
      const { ending } = life;
      if (ending === undefined || !isFunction(ending.by)) return [];
      const group = chronicle.groupAt(life, ending.atMs - 1);
      const sinceMs = chronicle.invocations.get(ending.by.invocation)?.beganAtMs ?? ending.atMs;
      if (group === undefined || isOurs(chronicle, life, ending.atMs) || isOurs(chronicle, life, sinceMs)) return [];
      if (life.drains.some(({ atMs }) => isOurs(chronicle, life, atMs) || isOurs(chronicle, life, atMs - times.reactMs))) return [];
      return [{ group, instance: life.instance, atMs: ending.atMs, detail: `${life.instance} was ended after its group was let go` }];
    }),
};

const faultOf = ({ instance, ended }: Life, { hook, over }: HookWait): string | undefined => {
  if (over === undefined) return ended === undefined ? `${hook} of ${instance} stays open` : undefined;
  if (over.how === 'expired') return `${hook} of ${instance} expired`;
  const isOurs = over.how === 'completed' && isFunction(over.by);
  return isOurs && over.result !== 'CONTINUE' ? `${hook} of ${instance} was completed with ${over.result ?? 'nothing'}` : undefined;
};

/** Holdfast neither completes the hooks of an observed group nor sends heartbeats for them. Any other outcome is judged. */
const isUnheld = (chronicle: Chronicle, life: Life, { atMs, over }: HookWait): boolean => {
  const overMs = over?.atMs ?? chronicle.history.endedAtMs;
  const group = chronicle.groupAt(life, atMs) ?? '';
  return over?.how !== 'completed' && wasObserved(chronicle, group, Math.max(atMs, overMs - times.takesUpMs), overMs);
};

export const hooksAreHeld: Rule = {
  name: 'terminating hooks are completed',
  meaning: 'Holdfast completes every terminating hook of a group in force with CONTINUE. No hook expires, is abandoned or stays open.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] =>
      life.hooks.flatMap((wait) => {
        const detail = isOurs(chronicle, life, wait.atMs) && !isUnheld(chronicle, life, wait) ? faultOf(life, wait) : undefined;
        return detail === undefined ? [] : [{ instance: life.instance, asg: wait.asg, atMs: wait.over?.atMs ?? wait.atMs, detail }];
      }),
    ),
};
