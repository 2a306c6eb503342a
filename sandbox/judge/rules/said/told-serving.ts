import { items } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { inEveryGroup } from '../../every-group.ts';
import type { Finding, Rule } from '../../finding.ts';
import { ownLaunches } from '../../members/staying.ts';
import { remarksSaid } from '../../said/remarks.ts';
import { times } from '../../times.ts';
import { health, isHindered, look, ways } from '../../told/hindrance.ts';
import { isHealthy } from '../../told/leaving.ts';
import { endless, isFunction, type Life } from '../../world/life.ts';
import { isLostByRestore } from '../../world/restores.ts';
import { isAnswered } from '../memory/counted.ts';

type Broken = Omit<Finding, 'rule'>;

/** In this time a tick and one more find a member in service, and store that. */
const readWithinMs = 150_000;
/** While EC2 warns, a look over many groups reads the target health of so many in one minute. */
const groupsReadAtOnce = 3;

const foundWithinMs = ({ groups }: Chronicle): number => readWithinMs + (Math.ceil(groups.size / groupsReadAtOnce) - 1) * times.tickMs;
const looking = ways(look, health);

/** The instances that any stored decision of a group remarks with a code. */
const remarkedIn = ({ history }: Chronicle, group: string, code: string): ReadonlySet<string> =>
  new Set(
    remarksSaid(history).flatMap((said) =>
      said.group === group ? said.remarks.flatMap((remark) => (remark.code === code ? remark.instances : [])) : [],
    ),
  );

/** Since when a member has been ready by the policy of its group in each of its target groups, without an end until it is surely found. */
const servesSinceMs = (chronicle: Chronicle, group: string, life: Life): number | undefined => {
  const { ready } = chronicle.policyAt(group, life.launchedAtMs) ?? {};
  const targets = chronicle.targetsOf(life, life.launchedAtMs + foundWithinMs(chronicle));
  if (ready === undefined || life.services.length === 0 || targets.length === 0) return undefined;
  const firsts = targets.map((target) => life.services.find((service) => service.targetGroup === target));
  const sinceMs = Math.max(
    life.launchedAtMs + ready.afterMs,
    ready.isChecked ? (life.passedAtMs ?? endless) : 0,
    ...firsts.map((service) => service?.fromMs ?? endless),
  );
  return firsts.every((service) => (service?.untilMs ?? 0) > sinceMs + foundWithinMs(chronicle)) ? sinceMs : undefined;
};

/** Whether one policy that acts was in force all the time, and the state was not lost. */
const isSteady = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean => {
  const policies = chronicle.policiesIn(group, fromMs, untilMs);
  const isHeld = chronicle.policyAt(group, fromMs) !== undefined && chronicle.policyAt(group, untilMs) !== undefined;
  return isHeld && policies.every(({ mode }) => mode === 'act') && policies.length === 1 && !wasLost(chronicle, group, fromMs, untilMs);
};

/** Whether a restored table lost a decision that was stored in a time. It may be the one that says so. */
const isDecisionLost = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  chronicle
    .of('item-written')
    .some(
      ({ group: of, item, atMs }) =>
        of === group &&
        item.startsWith(items.decisionPrefix) &&
        atMs >= fromMs &&
        atMs <= untilMs &&
        isLostByRestore(chronicle, atMs, chronicle.history.endedAtMs),
    );

const untoldIn = (chronicle: Chronicle, group: string): readonly Broken[] => {
  const told = remarkedIn(chronicle, group, 'serves');
  return ownLaunches(chronicle).flatMap(({ life, group: of }): readonly Broken[] => {
    const { instance, by, launchedAtMs } = life;
    if (of !== group || told.has(instance) || !isFunction(by)) return [];
    if (!isHealthy(chronicle, by.invocation) || !isAnswered(chronicle, by.invocation)) return [];
    const sinceMs = servesSinceMs(chronicle, group, life);
    if (sinceMs === undefined) return [];
    const atMs = sinceMs + foundWithinMs(chronicle);
    const isLeaving = life.claims.some((claim) => claim.atMs <= atMs);
    if (atMs > chronicle.history.endedAtMs || isLeaving || !isSteady(chronicle, group, launchedAtMs, atMs)) return [];
    if (isHindered(chronicle, looking, launchedAtMs, atMs) || isDecisionLost(chronicle, group, sinceMs, atMs)) return [];
    return [{ group, instance, atMs, detail: `${instance} has come to serve, and no decision says so` }];
  });
};

export const whoServesIsTold: Rule = {
  name: 'who comes to serve is told',
  meaning:
    'When an instance that Holdfast launched comes to serve, a stored decision says so within two ticks and half a minute, and one tick more for every three other groups of the account. The rule is about instances that EC2 gave to a function that no fault met, in a group that acts under one policy meanwhile. It does not count where a restored state table lost a decision of that time.',
  broken: inEveryGroup(untoldIn),
};
