import { type Comparing, readSince } from '../../capacity/paid.ts';
import { movedBy } from '../../capacity/returning.ts';
import type { Chronicle } from '../../chronicle.ts';
import { type Choice, choicesOf } from '../../members/choices.ts';
import { headcountAt } from '../../members/staying.ts';
import type { Policy } from '../../policy/policy.ts';
import { remembered } from '../../remembered.ts';
import { times } from '../../times.ts';
import { isHealthy } from '../../told/leaving.ts';
import { nameOf } from '../../world/cloud.ts';
import { goneAtMs, isFunction, isProtected, type Life, lastRefusalMs, stayAt } from '../../world/life.ts';
import { isHeldBack } from '../../world/owners.ts';

/** The policy that orders the removal, where nobody sets the size outside. */
const orderingPolicy = (chronicle: Chronicle, { group, lookedSinceMs, chosenAtMs }: Choice): Policy | undefined => {
  const [policy, ...others] = chronicle.policiesIn(group, lookedSinceMs, chosenAtMs);
  return policy === undefined || others.length > 0 || policy.isSizedOutside ? undefined : policy;
};

/**
 * Whether nothing but the order of removal and the tree decides between two members. A floor and spares count members by their market, and shares by their
 * offering. These come before the order.
 */
const isRival = ({ onDemand, maxShare, spare }: Policy, one: Life, other: Life): boolean => {
  if (Object.keys(maxShare).length > 0) return nameOf(one) === nameOf(other);
  return (onDemand === undefined && spare === 0) || one.market === other.market;
};

/** The invocation that chose a member because its group shrinks, where no fault was injected into it. */
const authorOf = (chronicle: Chronicle, { life, chosenAtMs }: Choice): string | undefined => {
  const { by, reason } = life.claims.findLast(({ atMs }) => atMs <= chosenAtMs) ?? {};
  return reason === 'scale-in' && isFunction(by) && isHealthy(chronicle, by.invocation) ? by.invocation : undefined;
};

const servedThroughout = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): boolean =>
  life.services.length === 0
    ? chronicle.servesAt(life, fromMs) && chronicle.servesAt(life, untilMs)
    : life.services.some((service) => service.fromMs <= fromMs && service.untilMs >= untilMs);

/** How many members of an Auto Scaling group leave by this look or an earlier one, as far as a describe may still show them there. */
const leavingFrom = (chronicle: Chronicle, asg: string, { group, lookedSinceMs, chosenAtMs }: Choice, leaving: ReadonlySet<Life>): number => {
  const shownMs = lookedSinceMs - chronicle.times.asgLagMs;
  return chronicle
    .livesIn(group)
    .filter((life) => leaving.has(life) || life.claims.some(({ atMs }) => atMs <= chosenAtMs))
    .filter(({ stays }) => stays.some((stay) => stay.asg === asg && stay.untilMs > shownMs)).length;
};

/** Whether the Auto Scaling group of a member surely let it go: its desired capacity was above its minimum by more than leave there. */
const isLetGo = (chronicle: Chronicle, asg: string, { lookedSinceMs, chosenAtMs }: Choice, leaving: number): boolean =>
  [lookedSinceMs - chronicle.times.asgLagMs, lookedSinceMs, chosenAtMs].every((atMs) => {
    const known = chronicle.cloud.asgAt(asg, atMs);
    return known !== undefined && !isHeldBack(known) && known.desired - known.min > leaving;
  });

/** Whether it may have been launched to move a member that stays: then this one leaves, and not the launch. */
const isForMove = (chronicle: Chronicle, one: Life, atMs: number): boolean =>
  movedBy(chronicle)
    .get(one)
    ?.some((other) => goneAtMs(other) > atMs && other.claims.every((claim) => claim.atMs > atMs)) === true;

/** Members that stayed although Holdfast could have let them go in its place. */
const couldHaveGone = (chronicle: Chronicle, { choice, policy, leaving, shownSinceMs }: Omit<ScaleIn, 'others'>): readonly Life[] => {
  const { life, group, chosenAtMs } = choice;
  const asg = stayAt(life, chosenAtMs)?.asg;
  const { staying } = headcountAt(chronicle, group, chosenAtMs);
  const asgsOf = (one: Life) => [chosenAtMs, shownSinceMs].map((atMs) => stayAt(one, atMs)?.asg);
  const keepsMore = (name: string): boolean =>
    staying.filter((one) => !leaving.has(one) && asgsOf(one).every((shown) => shown === name)).length >
    (chronicle.cloud.asgAt(name, chosenAtMs)?.min ?? 0);
  const isFree = (name: string): boolean => keepsMore(name) && isLetGo(chronicle, name, choice, leavingFrom(chronicle, name, choice, leaving));
  return staying.filter((one) => {
    const [own, before] = asgsOf(one);
    return (
      !leaving.has(one) &&
      isRival(policy, life, one) &&
      one.launchedAtMs < shownSinceMs &&
      chronicle.groupAt(one, shownSinceMs) === group &&
      own === before &&
      (own === asg || (own !== undefined && asg !== undefined && isFree(own))) &&
      !isProtected(one, chosenAtMs) &&
      !isProtected(one, shownSinceMs) &&
      chosenAtMs - lastRefusalMs(one, chosenAtMs) >= times.keptForMs + chronicle.times.clockMs &&
      !one.claims.some((claim) => claim.atMs <= chosenAtMs) &&
      !isForMove(chronicle, one, chosenAtMs)
    );
  });
};

/** A member that leaves because its group shrinks, where the order of removal and the tree alone decide who. */
export type ScaleIn = Comparing & {
  /** Those that one look chose, this one among them. */
  readonly leaving: ReadonlySet<Life>;
  /** What was so at this time is surely shown to the look. */
  readonly shownSinceMs: number;
  /** Members that stayed although Holdfast could have let them go in its place. */
  readonly others: readonly Life[];
};

const scaleInOf = (chronicle: Chronicle, choice: Choice): readonly ScaleIn[] => {
  const { life, group, chosenAtMs, lookedSinceMs, isAdvised, isMoved } = choice;
  const author = isAdvised || isMoved ? undefined : authorOf(chronicle, choice);
  const policy = author === undefined ? undefined : orderingPolicy(chronicle, choice);
  if (policy === undefined) return [];
  const shownSinceMs = lookedSinceMs - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  // By any clock, and with a launch time in whole seconds.
  const surelyReadyMs = shownSinceMs - 2 * chronicle.times.clockMs - 1_000;
  if (!servedThroughout(chronicle, life, shownSinceMs, chosenAtMs) || !chronicle.isReadyAt(life, surelyReadyMs)) return [];
  const isByAuthor = ({ claims }: Life): boolean => claims.some(({ by }) => isFunction(by) && by.invocation === author);
  const leaving = new Set(chronicle.livesIn(group).filter(isByAuthor));
  const found = { choice, policy, pricesSinceMs: readSince(chronicle, policy, choice), leaving, shownSinceMs };
  return [{ ...found, others: couldHaveGone(chronicle, found) }];
};

/** Members that leave because their group shrinks, where the order of removal and the tree alone decide who. */
export const scaleInsOf = remembered((chronicle: Chronicle): readonly ScaleIn[] =>
  choicesOf(chronicle).flatMap((choice) => scaleInOf(chronicle, choice)),
);
