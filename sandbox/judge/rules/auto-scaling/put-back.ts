import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf, type PolicyPool } from '../../policy/policy.ts';
import { times } from '../../times.ts';
import { type AsgChange, unitsOf } from '../../world/cloud.ts';
import { isAlive, isFunction, isProtected, type Life, stayAt } from '../../world/life.ts';
import type { Word } from '../../world/outside.ts';
import { ownedOf, ownersWill } from '../../world/owners.ts';

type Broken = Omit<Finding, 'rule'>;
type Span = { readonly fromMs: number; readonly untilMs: number };
/** Auto Scaling groups that some policy named at some time, with the group that did. */
const heldAsgs = (chronicle: Chronicle): ReadonlyMap<string, string> =>
  new Map(
    [...chronicle.groups.values()].flatMap(({ group, policies }) =>
      policies.flatMap(({ policy }) => (policy === undefined ? [] : asgsOf(policy).map((asg): [string, string] => [asg, group]))),
    ),
  );

/** Whether the present desired capacity is the one that others set last. What joined through Holdfast raised it meanwhile, and Holdfast put it back. */
const isOfOthers = (changes: readonly AsgChange[]): boolean => {
  const others = changes.findLast(({ desired, by }, index) => !isFunction(by) && desired !== changes[index - 1]?.desired);
  return others !== undefined && others.desired === changes.at(-1)?.desired;
};

/** What others set lower than the group can become is theirs: an Auto Scaling group ends no member that it protects (EC2 Auto Scaling User Guide). */
const keepsProtected = (chronicle: Chronicle, asg: string, held: readonly Life[]): boolean => {
  const changes = chronicle.cloud.asgChanges(asg);
  const isKept = held.every((life) => isProtected(life, chronicle.history.endedAtMs));
  const last = changes.at(-1);
  const units = last === undefined ? held.length : held.reduce((sum, { instanceType }) => sum + unitsOf(last, instanceType), 0);
  return isKept && (last?.desired ?? units) < units && isOfOthers(changes);
};

/** The size that others set last, and, where a write of Holdfast's may have replaced it, the one before, which that write put back. */
const meantLast = (words: readonly Word[]): readonly Word[] => words.slice(words.findLastIndex(({ isBetween }) => !isBetween));

/**
 * What others set beyond the maximum of the policy is theirs (docs/policy.md, sizes that others set): Holdfast launches up to this maximum, and the Auto
 * Scaling group launches of the others what EC2 gives it.
 */
const isBeyondPolicy = (chronicle: Chronicle, asg: string, group: string, { desired, held }: { readonly desired: number; readonly held: number }) => {
  const { endedAtMs: atMs } = chronicle.history;
  const policy = chronicle.policyAt(group, atMs);
  if (policy?.asg !== asg || !policy.isSizedOutside) return false;
  return desired > held && held >= policy.size.max && meantLast(chronicle.wordsFor(group, atMs) ?? []).some(({ size }) => size === desired);
};

const heldBy = (chronicle: Chronicle, asg: string, atMs: number): readonly Life[] =>
  chronicle.lives.filter((life) => isAlive(life, atMs) && stayAt(life, atMs)?.asg === asg);

const willAt = (chronicle: Chronicle, asg: string, atMs: number) =>
  ownersWill(chronicle.cloud.asgChanges(asg)).findLast(({ change }) => change.atMs <= atMs);

/** Whether the Auto Scaling group of a pool takes no further member within its owner's maximum: it is full, or no offering of it has capacity. */
const isClosed = (chronicle: Chronicle, { asg, market, zones, instanceTypes }: PolicyPool, atMs: number): boolean => {
  if (asg === undefined) return false;
  const markets = market === 'mixed' ? (['spot', 'on-demand'] as const) : [market];
  const offerings = markets.flatMap((one) => zones.flatMap((zone) => instanceTypes.map((instanceType) => ({ instanceType, zone, market: one }))));
  return (
    heldBy(chronicle, asg, atMs).length >= (willAt(chronicle, asg, atMs)?.owned.max ?? Number.POSITIVE_INFINITY) ||
    offerings.every((offering) => chronicle.cloud.freeAt(offering, atMs) <= 0)
  );
};

/** Whether the group has members beyond the maximum of one of its pools because no pool has room and capacity for them, and no member too many. */
const isOverfull = (chronicle: Chronicle, asg: string, group: string, atMs: number): boolean => {
  const pools = Object.values(chronicle.policyAt(group, atMs)?.pools ?? {});
  const members = chronicle.membersAt(group, atMs).length;
  return (
    pools.some((pool) => pool.asg === asg) &&
    heldBy(chronicle, asg, atMs).length === willAt(chronicle, asg, atMs)?.change.max &&
    chronicle.desiredIn(group, atMs, atMs).some((size) => members <= size) &&
    pools.every((pool) => isClosed(chronicle, pool, atMs))
  );
};

/**
 * Whether a group was let go while its Auto Scaling group wanted and held more than its owner's maximum: replacements had joined, and the members that they
 * replace had not left (docs/operations.md, letting a group go). EC2 Auto Scaling takes no maximum below the desired capacity.
 */
const isLeftLarger = (chronicle: Chronicle, asg: string, group: string, atMs: number): boolean => {
  const { change, owned } = willAt(chronicle, asg, atMs) ?? {};
  if (change === undefined || owned === undefined || chronicle.policyAt(group, atMs) !== undefined) return false;
  return change.desired > owned.max && change.max === change.desired && heldBy(chronicle, asg, atMs).length === change.desired;
};

/**
 * Whether the size of a group has outgrown the maximum that the owner of its Auto Scaling group set. Its members have to fit (docs/policy.md, ways to
 * hold a group), so the maximum stays raised, to that size and no further. Where each pool is an Auto Scaling group, the members beyond all maxima that
 * have capacity have to fit.
 */
export const isOutgrown = (chronicle: Chronicle, asg: string, group: string, atMs: number): boolean => {
  const last = willAt(chronicle, asg, atMs);
  if (last === undefined) return false;
  if (isLeftLarger(chronicle, asg, group, atMs)) return true;
  if (chronicle.policyAt(group, atMs)?.asg !== asg) return isOverfull(chronicle, asg, group, atMs);
  return chronicle.desiredIn(group, atMs, atMs).some((size) => size > last.owned.max && size === last.change.max);
};

/** Whether it holds its desired capacity. With weights it may hold more than that: then it could end no member without missing it. */
const isAtSize = (change: AsgChange, least: number, members: readonly Life[], atMs: number): boolean => {
  const counts = members.map((life) => ({ weight: unitsOf(change, life.instanceType), isKept: isProtected(life, atMs) }));
  const over =
    Math.max(
      counts.reduce((sum, { weight }) => sum + weight, 0),
      least,
    ) - change.desired;
  return over === 0 || (over > 0 && change.weights !== undefined && counts.every(({ weight, isKept }) => isKept || weight > over));
};

const atTheEnd = (chronicle: Chronicle, asg: string, group: string): readonly Broken[] => {
  const last = ownersWill(chronicle.cloud.asgChanges(asg)).at(-1);
  if (last === undefined) return [];
  const { change, owned } = last;
  const atMs = chronicle.history.endedAtMs;
  const members = heldBy(chronicle, asg, atMs);
  const held = members.length;
  const now = ownedOf(change);
  const wrong = [
    ...(now.max === owned.max || isOutgrown(chronicle, asg, group, atMs) ? [] : [`its maximum is ${now.max}, its owner set ${owned.max}`]),
    ...(now.min === owned.min ? [] : [`its minimum is ${now.min}, its owner set ${owned.min}`]),
    ...(now.suspended === owned.suspended
      ? []
      : [`its suspended processes are ${now.suspended || 'none'}, its owner set ${owned.suspended || 'none'}`]),
    ...(isAtSize(change, owned.min, members, atMs) ||
    chronicle.policyAt(group, atMs) === undefined ||
    keepsProtected(chronicle, asg, members) ||
    isBeyondPolicy(chronicle, asg, group, { desired: change.desired, held })
      ? []
      : [`its desired capacity is ${change.desired}, and it holds ${held}`]),
  ];
  return wrong.map((what) => ({ group, asg, atMs, detail: `${asg}: ${what}` }));
};

export const asgsPutBack: Rule = {
  name: 'Auto Scaling groups are left as their owners set them',
  meaning:
    'At rest, the minimum, the maximum and the suspended processes of an Auto Scaling group are what its owner set last. If the desired size of the group that attaches its members is larger than this maximum, the maximum is that size. Where each pool is an Auto Scaling group and none with capacity has room, the maximum of one that holds more is what it holds. Its desired capacity is the number of instances that it holds. Where its instance types have weights it counts these, and may hold more than it wants, by less than any of its members counts. It is less where others set it so and every instance is protected from scale-in. It is more where others set it beyond the maximum of the policy, and the group holds as many as this maximum. If that write fell between a look of Holdfast and the write that follows from it, the size before it counts as well. Where a group was let go while its Auto Scaling group wanted and held more than its maximum, the maximum is what it holds.',
  broken: (chronicle) => [...heldAsgs(chronicle)].flatMap(([asg, group]) => atTheEnd(chronicle, asg, group)),
};

/** The tick puts a raised maximum back. It needs two looks without a fault. */
const putBackWithinMs = 2 * times.tickMs + times.messageAgainMs + times.leaseMs;

/** When the group held more than its owner's maximum. */
const heldAbove = (stays: readonly Span[], ownMax: number): readonly Span[] => {
  const held = (atMs: number): number => stays.filter((stay) => stay.fromMs <= atMs && atMs < stay.untilMs).length;
  const moments = [...new Set(stays.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]))].toSorted((a, b) => a - b);
  return moments.flatMap((fromMs, index) => (held(fromMs) > ownMax ? [{ fromMs, untilMs: moments[index + 1] ?? fromMs }] : []));
};

/**
 * When the raised maximum was needed: the group holds more than its owner's maximum, is to refill itself up to more, or somebody joins. What it does
 * not refill in its time is taken over, and the desired capacity is to follow.
 */
const needsOf = (chronicle: Chronicle, asg: string, ownMax: number): readonly Span[] => {
  const changes = chronicle.cloud.asgChanges(asg);
  const stays = chronicle.lives.flatMap((life) => life.stays.filter((stay) => stay.asg === asg));
  const above = changes.flatMap(({ desired, atMs }, index) =>
    desired > ownMax ? [{ fromMs: atMs, untilMs: Math.min(changes[index + 1]?.atMs ?? atMs + times.asgRefillMs, atMs + times.asgRefillMs) }] : [],
  );
  const held = heldAbove(stays, ownMax).map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + times.asgRefillMs }));
  return [...above, ...held, ...stays.map(({ fromMs }) => ({ fromMs, untilMs: fromMs }))].toSorted((a, b) => a.fromMs - b.fromMs);
};

/** The longest times within a span in which nothing needed the raised maximum. */
const unneeded = (needs: readonly Span[], { fromMs, untilMs }: Span): readonly Span[] => {
  let sinceMs = fromMs;
  const idle = needs.flatMap((need) => {
    if (need.untilMs < fromMs || need.fromMs >= untilMs) return [];
    const gap = { fromMs: sinceMs, untilMs: need.fromMs };
    sinceMs = Math.max(sinceMs, need.untilMs);
    return [gap];
  });
  return [...idle, { fromMs: sinceMs, untilMs }];
};

/** Whether a member that Holdfast launched has joined no Auto Scaling group yet: it takes room as soon as it can be attached. */
const comingInto = (chronicle: Chronicle, group: string, atMs: number): boolean =>
  chronicle.membersAt(group, atMs).some((life) => isFunction(life.by) && life.stays.every(({ fromMs }) => fromMs > atMs));

const raisesOf = (chronicle: Chronicle, asg: string, group: string): readonly Broken[] => {
  const will = ownersWill(chronicle.cloud.asgChanges(asg));
  return will.flatMap(({ change, owned }, index) => {
    if (change.max <= owned.max || !isFunction(change.by)) return [];
    const over = will.slice(index + 1).find((later) => later.change.max <= later.owned.max);
    const untilMs = over?.change.atMs ?? chronicle.history.endedAtMs;
    const idle = unneeded(needsOf(chronicle, asg, owned.max), { fromMs: change.atMs, untilMs }).find(
      (span) =>
        span.untilMs - span.fromMs > putBackWithinMs &&
        !comingInto(chronicle, group, span.fromMs + 1) &&
        !comingInto(chronicle, group, span.untilMs - 1),
    );
    if (idle === undefined) return [];
    const seconds = Math.round((idle.untilMs - idle.fromMs) / 1_000);
    return [
      {
        group,
        asg,
        atMs: idle.fromMs + putBackWithinMs,
        detail: `the maximum of ${asg} was ${change.max} for ${seconds} s after it was needed; its owner set ${owned.max}`,
      },
    ];
  });
};

export const raisesEndSoon: Rule = {
  name: 'a raised maximum is put back soon',
  meaning: 'When nothing needs a maximum that Holdfast raised any more, Holdfast sets it back to its owner’s value within two ticks and a repeat.',
  broken: (chronicle) => [...heldAsgs(chronicle)].flatMap(([asg, group]) => raisesOf(chronicle, asg, group)),
};

export const strangeAsgs: Rule = {
  name: 'Auto Scaling groups that no policy ever named are untouched',
  meaning: 'Holdfast changes nothing of an Auto Scaling group that no policy ever named.',
  broken: (chronicle) => {
    const held = heldAsgs(chronicle);
    return chronicle
      .of('asg-changed')
      .filter(({ asg, by }) => isFunction(by) && !held.has(asg))
      .map(({ asg, atMs }): Broken => ({ asg, atMs, detail: `${asg} was changed, and no policy names it` }));
  },
};
