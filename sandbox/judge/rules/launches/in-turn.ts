import { failedBootsOf } from '../../capacity/boots.ts';
import type { Refused } from '../../capacity/refusals.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { Policy, PolicyPool } from '../../policy/policy.ts';
import { usedPools } from '../../policy/tree.ts';
import { times } from '../../times.ts';
import { isHindered, launching, look, ways } from '../../told/hindrance.ts';
import { isInAsgs, lastsInAsgsMs, looksAtShort, type Short } from './lasting-shortage.ts';

type Broken = Omit<Finding, 'rule'>;

/** While everything rests, one pool is requested each minute (docs/architecture.md). */
const turnMs = 60_000;
/** The look of the next tick makes the request at the latest, and the call takes a while. */
const lateMs = times.tickMs + 30_000;
/** The code of EC2 for an offering without capacity. What a full subnet or a quota refuses concerns other pools too. */
const noCapacityCode = 'InsufficientInstanceCapacity';
/** A pool that was last requested longer ago than this may have been left for another reason. */
const refusedWithinMs = 1_800_000;

const isEndless = (limit: number): boolean => limit === Number.POSITIVE_INFINITY;

/** A pool that could give a member at any time, as far as the policy goes. */
const isPlainPool = ({ asg, cap, maxPriceUsdPerHour, typeLimits }: PolicyPool): boolean =>
  asg === undefined && isEndless(cap) && isEndless(maxPriceUsdPerHour) && Object.keys(typeLimits).length === 0;

/** Whether nothing in a policy but refusals keeps launches from its pools. */
const isPlain = ({ breaker, onDemand, maxShare, spare, pools }: Policy): boolean =>
  breaker === undefined && onDemand === undefined && spare === 0 && Object.keys(maxShare).length === 0 && Object.values(pools).every(isPlainPool);

const isIn = (chronicle: Chronicle, { market, zones, instanceTypes }: PolicyPool, { zone, instanceType, market: refused }: Refused): boolean =>
  (market === 'mixed' || market === refused) && zones.includes(zone) && instanceTypes.includes(instanceType) && chronicle.groups.size === 1;

/** Nothing but refusals for lack of capacity tells the group of its pools meanwhile: no warning, no advice, no early end, no fault and no throttle. */
const isUndisturbed = (chronicle: Chronicle, group: string, refused: readonly Refused[], fromMs: number, untilMs: number): boolean =>
  refused.every(({ code, atMs }) => code === noCapacityCode || atMs < fromMs - refusedWithinMs || atMs > untilMs) &&
  chronicle
    .livesIn(group)
    .every(({ warnings, advisedAtMs }) =>
      [...warnings.map(({ atMs }) => atMs), ...advisedAtMs].every((atMs) => atMs > untilMs || atMs < fromMs - times.interruptedRestMs),
    ) &&
  !failedBootsOf(chronicle, group).some(({ diedAtMs }) => diedAtMs <= untilMs && diedAtMs > fromMs - times.longestBootRestMs) &&
  !chronicle.of('called').some(({ launch, outcome, atMs }) => launch !== undefined && outcome !== 'ok' && atMs >= fromMs && atMs <= untilMs) &&
  !isHindered(chronicle, ways(look, launching), fromMs, untilMs);

const leftOut = (chronicle: Chronicle, { group, invocation, endedAtMs, policy }: Short): readonly Broken[] => {
  const pools = usedPools(policy);
  const sinceMs = endedAtMs - pools.length * turnMs - lateMs - 2 * chronicle.times.clockMs;
  const refused = chronicle.of('refused').filter((one) => one.group === group && one.atMs <= endedAtMs);
  if (!isPlain(policy) || !isUndisturbed(chronicle, group, refused, sinceMs, endedAtMs)) return [];
  const requested = new Set(
    chronicle
      .of('called')
      .flatMap(({ launch, askedAtMs }) => (launch?.group === group && askedAtMs > sinceMs && askedAtMs <= endedAtMs ? (launch.pool ?? []) : [])),
  );
  return pools
    .filter(({ name }) => !requested.has(name))
    .filter((pool) => refused.some((one) => isIn(chronicle, pool, one) && one.atMs <= sinceMs && one.atMs > sinceMs - refusedWithinMs))
    .map(({ name }) => ({
      group,
      invocation,
      atMs: endedAtMs,
      detail: `${group} is short, and ${name} was not requested while ${requested.size} others were`,
    }));
};

export const refusedInTurn: Rule = {
  name: 'each refused pool has its turn',
  meaning:
    'While a group is short because EC2 refuses capacity, each pool that EC2 refused is requested again within as many minutes as the policy has pools, and until the tick after that. The rule looks at policies without caps, limits of prices, shares, spares, breakers and members owed on demand, for as long as nothing but refusals for lack of capacity reports their pools.',
  broken: (chronicle) =>
    looksAtShort(
      chronicle,
      (policy) => (policy === undefined ? 0 : usedPools(policy).length * turnMs) + lateMs + (isInAsgs(policy) ? lastsInAsgsMs : 0),
    ).flatMap((short) => leftOut(chronicle, short)),
};
