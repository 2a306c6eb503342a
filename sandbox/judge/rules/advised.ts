import type { Chronicle } from '../chronicle.ts';
import { inEveryGroup } from '../every-group.ts';
import type { Finding, Rule } from '../finding.ts';
import { isHealthy, isTooYoung, isUnshown } from '../leaving.ts';
import { type Delivery, isAlive, isProtected, type Life, leavesAtMs, stayAt } from '../life.ts';
import { times } from '../times.ts';

type Broken = Omit<Finding, 'rule'>;

/** Whether this message had to make its instance leave: it is young, its member serves and stays, and a policy in force acts on advice without a budget. */
const counts = (chronicle: Chronicle, group: string, life: Life, told: Delivery, untilMs: number): boolean => {
  const policies = chronicle.policiesIn(group, told.atMs - times.reactMs, untilMs);
  const { atMs } = told;
  return (
    policies.length === 1 &&
    [atMs, untilMs].every((oneMs) => chronicle.policyAt(group, oneMs) !== undefined) &&
    policies.every(({ mode, actsOnAdvice, advicePerHour }) => mode === 'act' && actsOnAdvice && advicePerHour === Number.POSITIVE_INFINITY) &&
    atMs - told.happenedAtMs < times.tickMs &&
    chronicle.groupAt(life, atMs) === group &&
    isAlive(life, untilMs) &&
    leavesAtMs(life, atMs) > untilMs &&
    !isProtected(life, atMs) &&
    chronicle.servesAt(life, atMs) &&
    life.stays.every(({ how }) => how !== 'standby' && how !== 'detached') &&
    life.refusedAtMs.length === 0 &&
    !isTooYoung(chronicle, life, told) &&
    !isUnshown(chronicle, life, told)
  );
};

export const advisedAreClaimed: Rule = {
  name: 'who EC2 advises to replace is claimed',
  meaning:
    'When a function that no fault met receives a rebalance recommendation for a member that serves, and a policy is in force that acts on such advice without a budget, the swap of this member is written by the end of that function.',
  broken: inEveryGroup((chronicle, group) =>
    chronicle.livesIn(group).flatMap((life): readonly Broken[] =>
      life.deliveries
        .filter(({ told }) => told.about === 'advice')
        .flatMap((told): readonly Broken[] => {
          const ended = chronicle.invocations.get(told.invocation)?.ended;
          if (ended === undefined || !isHealthy(chronicle, told.invocation) || ended.again.includes(told.message)) return [];
          const { atMs: untilMs } = ended;
          const isClaimed = life.claims.some(({ atMs }) => atMs <= untilMs);
          if (isClaimed || stayAt(life, told.atMs)?.how !== undefined || !counts(chronicle, group, life, told, untilMs)) return [];
          return [{ group, instance: life.instance, atMs: untilMs, detail: `EC2 advised to replace ${life.instance}, and it is not claimed` }];
        })
        .slice(0, 1),
    ),
  ),
};
