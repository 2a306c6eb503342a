import type { Chronicle } from '../chronicle.ts';
import type { Rule } from '../finding.ts';
import { priceBeliefMs } from '../giving.ts';
import { isHealthy } from '../leaving.ts';
import { isFunction, isProtected, type Life, lastRefusalMs, stayAt } from '../life.ts';
import type { Policy } from '../policy.ts';
import { poolOf } from '../pools.ts';
import { headcountAt } from '../staying.ts';
import { times } from '../times.ts';
import { type Choice, choicesOf } from './needless-removal.ts';

/** A span of what was paid for a member, as far as Holdfast may have known. */
type Paid = { readonly least: number; readonly most: number };

/** Prices that differ by less than a tenth count as one (docs/policy.md, Removal). */
const alike = 0.9;
/** Launch times have whole seconds. */
const launchedTogetherMs = 2_000;

const isSpot = ({ market }: Life): boolean => market === 'spot';

/** Whether this policy makes Holdfast read spot prices (docs/policy.md, Prices). */
const readsPrices = ({ capacity, pools, mode }: Policy): boolean =>
  mode === 'observe' ||
  JSON.stringify(capacity).includes('"cheapest"') ||
  Object.values(pools).some(
    ({ market, maxPriceUsdPerHour, typeLimits }) =>
      market === 'spot' && (maxPriceUsdPerHour < Number.POSITIVE_INFINITY || Object.keys(typeLimits).length > 0),
  );

/**
 * Since when the spot prices may stand that a function compared. Undefined where they may be unknown: a read of the last minutes failed, or there was
 * none. Each group reads for itself, and calls do not say for which.
 */
const readSince = (chronicle: Chronicle, { lookedSinceMs, chosenAtMs }: Choice): number | undefined => {
  const believedSinceMs = lookedSinceMs - priceBeliefMs;
  const reads = chronicle
    .of('called')
    .filter((call) => call.operation === 'DescribeSpotPriceHistory' && call.askedAtMs >= believedSinceMs && call.atMs <= chosenAtMs);
  if (reads.some(({ outcome }) => outcome !== 'ok')) return undefined;
  const last = reads.findLast(({ atMs }) => atMs <= lookedSinceMs) ?? reads[0];
  return last && (chronicle.groups.size === 1 ? last.askedAtMs : believedSinceMs);
};

/** What is paid for a member. Undefined where Holdfast may not know. */
const paidFor = (chronicle: Chronicle, life: Life, policy: Policy, choice: Choice): Paid | undefined => {
  const factor = policy.pools[poolOf(life, policy, choice.chosenAtMs) ?? '']?.priceFactor ?? 1;
  const stated = policy.onDemandPrices[life.instanceType];
  if (!isSpot(life)) return stated === undefined ? undefined : { least: stated * factor, most: stated * factor };
  const sinceMs = readsPrices(policy) ? readSince(chronicle, choice) : undefined;
  if (sinceMs === undefined) return undefined;
  const known = chronicle.cloud.pricesIn(life, sinceMs, choice.chosenAtMs).map((price) => price * factor);
  return known.length === 0 ? undefined : { least: Math.min(...known), most: Math.max(...known) };
};

/** Whether one is surely dearer than the other: by price, or, while a price on demand is not known, because it is on demand. */
const isDearer = (chronicle: Chronicle, one: Life, other: Life, policy: Policy, choice: Choice): boolean => {
  if (isSpot(one) && !isSpot(other)) return false;
  const [first, second] = [paidFor(chronicle, one, policy, choice), paidFor(chronicle, other, policy, choice)];
  if (!isSpot(one) && isSpot(other) && first === undefined) return true;
  return first !== undefined && second !== undefined && first.least * alike > second.most;
};

/** Whether the order of removal surely names one before the other. */
const goesBefore = (chronicle: Chronicle, one: Life, other: Life, policy: Policy, choice: Choice): boolean => {
  switch (policy.removalOrder) {
    case 'oldest-first':
      return one.launchedAtMs + launchedTogetherMs < other.launchedAtMs;
    case 'newest-first':
      return one.launchedAtMs > other.launchedAtMs + launchedTogetherMs;
    case 'dearest-first':
      return isDearer(chronicle, one, other, policy, choice);
    case 'same-order':
      return false;
  }
};

/** The policy that orders the removal, where nothing else decides who leaves: no floor, no shares, no spares, and nobody who sets the size outside. */
const orderingPolicy = (chronicle: Chronicle, { group, lookedSinceMs, chosenAtMs }: Choice): Policy | undefined => {
  const [policy, ...others] = chronicle.policiesIn(group, lookedSinceMs, chosenAtMs);
  if (policy === undefined || others.length > 0) return undefined;
  const isOrderAlone = policy.onDemand === undefined && Object.keys(policy.maxShare).length === 0 && policy.spare === 0 && !policy.isSizedOutside;
  return isOrderAlone ? policy : undefined;
};

const isScaleIn = (chronicle: Chronicle, { life, chosenAtMs }: Choice): boolean =>
  chronicle.of('item-written').findLast(({ item, atMs }) => item === `swap#${life.instance}` && atMs <= chosenAtMs)?.swap?.reason === 'scale-in';

/** The invocation that chose it, where no fault was injected into it. */
const healthyAuthor = (chronicle: Chronicle, { life, chosenAtMs }: Choice): string | undefined => {
  const by = life.claims.findLast(({ atMs }) => atMs <= chosenAtMs)?.by;
  return isFunction(by) && isHealthy(chronicle, by.invocation) ? by.invocation : undefined;
};

const servedThroughout = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): boolean =>
  life.services.length === 0
    ? chronicle.servesAt(life, fromMs) && chronicle.servesAt(life, untilMs)
    : life.services.some((service) => service.fromMs <= fromMs && service.untilMs >= untilMs);

/** Members that stayed although Holdfast could have let them go in its place. */
const couldHaveGone = (chronicle: Chronicle, choice: Choice, author: string): readonly Life[] => {
  const { life, group, chosenAtMs, lookedSinceMs } = choice;
  const shownSinceMs = lookedSinceMs - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  const asg = stayAt(life, chosenAtMs)?.asg;
  return headcountAt(chronicle, group, chosenAtMs).staying.filter(
    (one) =>
      one !== life &&
      one.launchedAtMs < shownSinceMs &&
      chronicle.groupAt(one, shownSinceMs) === group &&
      stayAt(one, chosenAtMs)?.asg === asg &&
      stayAt(one, shownSinceMs)?.asg === asg &&
      !isProtected(one, chosenAtMs) &&
      !isProtected(one, shownSinceMs) &&
      chosenAtMs - lastRefusalMs(one, chosenAtMs) >= times.keptForMs + chronicle.times.clockMs &&
      !one.claims.some((claim) => claim.atMs <= chosenAtMs || (isFunction(claim.by) && claim.by.invocation === author)),
  );
};

const outOfOrder = (chronicle: Chronicle, choice: Choice): string | undefined => {
  const { life, chosenAtMs, lookedSinceMs, isAdvised, isMoved } = choice;
  if (isAdvised || isMoved || !isScaleIn(chronicle, choice)) return undefined;
  const policy = orderingPolicy(chronicle, choice);
  const author = healthyAuthor(chronicle, choice);
  if (policy === undefined || author === undefined) return undefined;
  const knownSinceMs = lookedSinceMs - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);
  if (!servedThroughout(chronicle, life, knownSinceMs, chosenAtMs) || !chronicle.isReadyAt(life, knownSinceMs)) return undefined;
  const first = couldHaveGone(chronicle, choice, author).find((one) => goesBefore(chronicle, one, life, policy, choice));
  return first && `${life.instance} is removed, and ${first.instance} stays, which goes before it by ${policy.removalOrder}`;
};

export const removalInOrder: Rule = {
  name: 'members leave in the order of removal',
  meaning:
    'When a group shrinks, no member that serves and is ready leaves before one of the same Auto Scaling group (or of none) that the order of the policy names first: the older or newer one, or the dearer one by stated prices and by spot prices where the policy has them read; without a stated price, on-demand goes before spot. Floors, shares and spares go before the order.',
  broken: (chronicle) =>
    choicesOf(chronicle).flatMap((choice) => {
      const detail = outOfOrder(chronicle, choice);
      return detail === undefined ? [] : [{ group: choice.group, instance: choice.life.instance, atMs: choice.chosenAtMs, detail }];
    }),
};
