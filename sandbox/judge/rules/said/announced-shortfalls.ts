import { announcements } from '../../../../core/contract.ts';
import type { Chronicle, Invocation } from '../../chronicle.ts';
import type { Finding } from '../../finding.ts';
import type { History } from '../../history.ts';
import { holdsPlace } from '../../members/holds-place.ts';
import { headcountAt, surgeOf } from '../../members/staying.ts';
import { asgsOf } from '../../policy/policy.ts';
import { mapsOf, numberOf, textOf } from '../../read-json.ts';
import { remembered } from '../../remembered.ts';
import { times } from '../../times.ts';
import { isDeniedStill } from '../../world/denied.ts';
import { isFunction } from '../../world/life.ts';
import { brokeOff, refusedCode, stayedInService } from './said.ts';

type Broken = Omit<Finding, 'rule'>;

/** A look sends its events at its end, or a moment later. */
const toldWithinMs = 6_000;

const announced = (chronicle: Chronicle, detailType: string) => chronicle.of('announced').filter((event) => event.detailType === detailType);
const idsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The end of a drain may be repeated before its event is sent. */
const failureToldWithinMs = 60_000;

/** When the drain was over in which EC2 refused to end an instance: others of the same drain may need longer. */
const drainOverMs = (chronicle: Chronicle, instance: string, refusedMs: number): number => {
  const drains = chronicle.of('drain');
  const own = drains.findLast(({ status, instances, atMs }) => status === 'started' && atMs <= refusedMs && instances.includes(instance));
  return drains.find(({ drain, status, atMs }) => drain === own?.drain && status !== 'started' && atMs >= refusedMs)?.atMs ?? refusedMs;
};

type Fallen = { readonly code?: unknown; readonly awsCode?: unknown; readonly instances?: unknown };

/** Whether a call to take it out of service, or its drain, failed in this way. */
const isStay = (chronicle: Chronicle, instance: string, code: string, atMs: number): boolean => {
  const life = chronicle.life(instance);
  return stayedInService(chronicle, instance, code, atMs) || (life !== undefined && brokeOff(chronicle, life));
};

/** A swap is reported as failed when its drain ended and its instance serves on, because no call took it out of service. */
export const staysTold = (chronicle: Chronicle): readonly Broken[] => {
  const failed = announced(chronicle, announcements.swapFailed).filter(({ detail }) => detail.code === 'still-in-service');
  const invented = failed.flatMap(({ detail, atMs }) =>
    idsIn(detail.instances)
      .filter((instance) => !isStay(chronicle, instance, String(detail.awsCode), atMs))
      .map((instance) => ({
        instance,
        atMs,
        detail: `an event reported that ${instance} could not be taken out of service, and no such call failed`,
      })),
  );
  const missing = announced(chronicle, announcements.drainFinished).flatMap(({ detail, atMs }) => {
    const fallen = (Array.isArray(detail.shortfalls) ? detail.shortfalls : []) as readonly Fallen[];
    const stays = fallen.filter(({ code }) => code === 'still-in-service').flatMap(({ instances }) => idsIn(instances));
    return stays
      .filter((instance) => !failed.some((one) => one.detail.drain === detail.drain && idsIn(one.detail.instances).includes(instance)))
      .map((instance) => ({ instance, atMs, detail: `${instance} could not be taken out of service, and no event reported its swap as failed` }));
  });
  return [...invented, ...missing];
};

/** A swap is reported as failed when EC2 refused to end its instance, with the reason of EC2. */
export const failuresTold = (chronicle: Chronicle): readonly Broken[] => {
  const failed = announced(chronicle, announcements.swapFailed).map(({ detail, atMs }) => ({
    code: detail.awsCode,
    ids: idsIn(detail.instances),
    atMs,
  }));
  const refusals = chronicle.of('end-refused').filter(({ by }) => isFunction(by));
  const isTold = (instance: string, refusedMs: number): boolean =>
    failed.some(
      ({ ids, atMs }) => ids.includes(instance) && atMs >= refusedMs && atMs <= drainOverMs(chronicle, instance, refusedMs) + failureToldWithinMs,
    );
  const invented = failed.flatMap(({ code, ids, atMs }) =>
    ids
      .filter((instance) => code === refusedCode && !refusals.some((refused) => refused.instance === instance && refused.atMs <= atMs))
      .map((instance) => ({ instance, atMs, detail: `an event reported the swap of ${instance} as failed, and EC2 did not refuse to terminate it` })),
  );
  const missing = refusals
    .filter(({ instance, atMs }) => !isTold(instance, atMs))
    .map(({ instance, atMs }) => ({ instance, atMs, detail: `EC2 refused to terminate ${instance}, and no event reported its swap as failed` }));
  return [...missing, ...invented];
};

/** A policy is reported as accepted when it is, with its own version. */
export const acceptancesAreTrue = (chronicle: Chronicle): readonly Broken[] =>
  announced(chronicle, announcements.policyAccepted).flatMap(({ detail, atMs }): readonly Broken[] => {
    const group = String(detail.group);
    const isSo = (chronicle.groups.get(group)?.policies ?? []).some((one) => one.version === detail.version && one.atMs <= atMs);
    return isSo
      ? []
      : [{ group, atMs, detail: `an event reported version ${String(detail.version)} of ${group} as accepted, and it is not in force` }];
  });

/** A look without a fault or a throttle, while no launch of another look was under way. It may have been refused. */
const isPlainLook = (chronicle: Chronicle, { id, beganAtMs }: Invocation, endedAtMs: number): boolean =>
  chronicle
    .of('called')
    .every(
      (call) =>
        call.launch === undefined ||
        call.askedAtMs > endedAtMs ||
        call.askedAtMs < beganAtMs - 180_000 ||
        (call.invocation === id ? call.trouble === undefined : call.outcome === 'ok' && call.askedAtMs < beganAtMs - toldWithinMs),
    );

/**
 * A look ends within half of its time limit. One that took more than a third of that may have had no time for another round as long as the one before
 * and for what follows: then another look goes on at once.
 */
const cutAfterMs = times.reactMs / 6;
const goesOnWithinMs = times.reactMs / 2;

const lastRefusalMs = (chronicle: Chronicle, { id }: Invocation): number =>
  Math.max(...chronicle.of('refused').flatMap(({ invocation, atMs }) => (invocation === id ? [atMs] : [])));

/** How much later than its end the findings of a look may be sent, because its rounds ran out of time. */
const handsOnMs = ({ beganAtMs, ended }: Invocation): number => (ended !== undefined && ended.atMs - beganAtMs > cutAfterMs ? goesOnWithinMs : 0);

const hadBegun = (chronicle: Chronicle, id: string, atMs: number): boolean => (chronicle.invocations.get(id)?.beganAtMs ?? atMs) < atMs;

/** Whether another look went on where this one was cut, or was overtaken by one that had begun: it requested launches, and is judged itself. */
const isGoneOnWith = (chronicle: Chronicle, look: Invocation, endedAtMs: number): boolean =>
  chronicle
    .of('called')
    .some(
      ({ launch, invocation, askedAtMs }) =>
        launch !== undefined &&
        invocation !== look.id &&
        askedAtMs > endedAtMs &&
        askedAtMs < endedAtMs + (hadBegun(chronicle, invocation, endedAtMs) ? goesOnWithinMs : handsOnMs(look)),
    );

/** How many members a look could count at a moment. With drain-first, one that leaves on advice is not missing before it has gone. */
const countedAt = (chronicle: Chronicle, group: string, atMs: number): number => {
  const { staying, waiting } = headcountAt(chronicle, group, atMs);
  const holding = chronicle.membersAt(group, atMs).filter((life) => holdsPlace(chronicle, life, atMs, atMs));
  return new Set([...staying, ...waiting, ...holding]).size;
};

/**
 * Groups kept by tag that a look was refused capacity for, and that are held and short when it ends. Where its rounds ran out of time, another look goes on,
 * and has no shortage to report if the size fell meanwhile.
 */
const shortAfter = (chronicle: Chronicle, look: Invocation): readonly string[] => {
  const { ended } = look;
  if (ended === undefined || ended.injected || ended.error !== undefined || !isPlainLook(chronicle, look, ended.atMs)) return [];
  const refused = chronicle.of('refused').filter(({ invocation }) => invocation === look.id);
  const lastMs = lastRefusalMs(chronicle, look);
  const launchedLater = chronicle.lives.some(({ by, launchedAtMs }) => isFunction(by) && by.invocation === look.id && launchedAtMs >= lastMs);
  const groups = [...new Set(refused.flatMap(({ group }) => group ?? []))];
  return groups.filter((group) => {
    const policies = chronicle.policiesIn(group, look.beganAtMs, ended.atMs);
    const isByTag = policies.length === 1 && policies.every((policy) => asgsOf(policy).length === 0);
    const isHeld = chronicle.policyAt(group, ended.atMs) !== undefined;
    const most = Math.max(...[look.beganAtMs, ended.atMs].map((atMs) => countedAt(chronicle, group, atMs)));
    const desired = Math.min(...chronicle.desiredIn(group, look.beganAtMs, ended.atMs + handsOnMs(look)));
    return isHeld && isByTag && !launchedLater && most < desired;
  });
};

export const shortUntold = 'was refused capacity and is short, and that was not sent to the bus';

/** A look that was refused and leaves its group short sends an event that capacity is exhausted. */
export const shortagesTold = (chronicle: Chronicle): readonly Broken[] => {
  const told = announced(chronicle, announcements.exhausted);
  return [...new Set(chronicle.of('refused').map(({ invocation }) => invocation))].flatMap((id) => {
    const look = chronicle.invocations.get(id);
    if (look === undefined) return [];
    const endedAtMs = look.ended?.atMs ?? look.beganAtMs;
    const isTold = (group: string): boolean =>
      told.some(({ detail, atMs }) => detail.group === group && atMs >= look.beganAtMs && atMs <= endedAtMs + toldWithinMs + handsOnMs(look));
    if (isGoneOnWith(chronicle, look, endedAtMs)) return [];
    return shortAfter(chronicle, look)
      .filter((group) => !isTold(group))
      .map((group) => ({
        group,
        invocation: id,
        atMs: endedAtMs,
        detail: `${group} ${shortUntold}`,
      }));
  });
};

/**
 * How many a group can lack at most at a look that ended now: members that stay, and that were there when it began, lack nobody. A look that launched
 * may lack fewer than that.
 */
const mostLacking = (chronicle: Chronicle, group: string, atMs: number): number => {
  const sinceMs = atMs - times.reactMs - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  const headcount = headcountAt(chronicle, group, atMs, { sinceMs });
  const there = [...headcount.staying, ...headcount.waiting].filter(({ launchedAtMs }) => launchedAtMs < sinceMs);
  const surge = surgeOf(chronicle.policiesIn(group, sinceMs, atMs), headcount, isDeniedStill(chronicle, group, atMs));
  return Math.max(0, ...chronicle.desiredIn(group, sinceMs, atMs)) + surge - there.length;
};

/** How many members the last round of each stored decision could not place. Absent where its rounds did not fit into the item. */
const unplacedBy = remembered(
  ({ stored }: History): ReadonlyMap<string, number> =>
    new Map(
      mapsOf(stored.decisions).flatMap(({ id, rounds }) => {
        const unplaced = numberOf(mapsOf(rounds).at(-1)?.unplaced);
        return Number.isNaN(unplaced) ? [] : [[textOf(id), unplaced]];
      }),
    ),
);

/** A shortage on the bus is the one that its decision found last: each round after a refusal finds another one. */
export const shortagesMiscounted = (chronicle: Chronicle): readonly Broken[] =>
  announced(chronicle, announcements.exhausted).flatMap(({ detail, atMs }) => {
    const unplaced = unplacedBy(chronicle.history).get(String(detail.decision));
    return unplaced === undefined || unplaced === detail.unplaced
      ? []
      : [
          {
            group: String(detail.group),
            atMs,
            detail: `an event reported exhausted capacity for ${String(detail.unplaced)} members, and its decision found ${unplaced} in the end`,
          },
        ];
  });

/** A shortage on the bus is no larger than the number of members that the group can lack. */
export const shortagesOverstated = (chronicle: Chronicle): readonly Broken[] =>
  announced(chronicle, announcements.exhausted).flatMap(({ detail, atMs }) => {
    const group = String(detail.group);
    const most = mostLacking(chronicle, group, atMs);
    return Number(detail.unplaced) <= most
      ? []
      : [{ group, atMs, detail: `an event reported exhausted capacity for ${String(detail.unplaced)} members, and at most ${most} were missing` }];
  });
