import { items } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import { hasShares } from '../../capacity/limits.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { lookedSince, ownLaunches, reservationOf } from '../../members/staying.ts';
import { poolOf } from '../../policy/pools.ts';
import { type Json, mapsOf, numberOf, textOf } from '../../read-json.ts';
import { type Reasoned, reasoned, type SaidReasoning } from '../../said/reasons.ts';
import { times } from '../../times.ts';
import { endless, goneAtMs, isFunction, type Life, staysAgainAtMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** A request without a response counts for this long (docs/architecture.md, launch requests). */
const believedMs = 180_000;

/** The zone, the type or the whole of an offering, as a share counts it. */
const partOf: Readonly<Record<string, (offering: readonly string[]) => string>> = {
  'instance-type': ([type = '']) => type,
  zone: ([, zone = '']) => zone,
  offering: (offering) => offering.join('/'),
};
const partsOf = ({ instanceType, zone, market }: Life): readonly string[] => [instanceType, zone, market];

/** Whether a member did not count any more: its swap said so before its function began, or this very function wrote that it waits, and ever since. */
const isOut = (life: Life, states: readonly string[], beganMs: number, { by, atMs: writtenMs }: Reasoned['write']): boolean => {
  const claims = life.claims.filter(({ atMs }) => atMs <= writtenMs);
  const isOwn = (claim: Life['claims'][number]): boolean =>
    claim.state === 'waiting' && isFunction(by) && isFunction(claim.by) && claim.by.invocation === by.invocation;
  const last = claims.findLastIndex((claim) => claim.atMs <= beganMs || isOwn(claim));
  const sinceMs = claims[last]?.atMs ?? beganMs;
  const isBack = staysAgainAtMs(life).some((atMs) => atMs >= sinceMs);
  return last >= 0 && !isBack && claims.slice(last).every(({ state }) => states.includes(state));
};

const leaving = ['leaving', 'draining'];

/** Members that a look may have counted, without those that were out by their swaps. */
const countedIn = (chronicle: Chronicle, { group, write }: Reasoned, out: readonly string[]): readonly Life[] => {
  const beganMs = lookedSince(chronicle, write.by, write.atMs);
  const shownMs = beganMs - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs) - times.messageAgainMs;
  return chronicle.livesIn(group).filter((life) => life.launchedAtMs <= write.atMs && goneAtMs(life) > shownMs && !isOut(life, out, beganMs, write));
};

/** When the function that launched an instance into an Auto Scaling group stored the response, which names it. Endless: it never did. */
const namedAtMs = (chronicle: Chronicle, { by, launchedAtMs }: Life, asg: string): number => {
  if (!isFunction(by)) return launchedAtMs;
  const answered = chronicle
    .of('called')
    .find(({ invocation, launch, atMs }) => invocation === by.invocation && launch?.asg === asg && atMs >= launchedAtMs);
  const stored = chronicle
    .of('state-written')
    .find((one) => isFunction(one.by) && one.by.invocation === by.invocation && one.atMs >= (answered?.atMs ?? endless));
  return stored?.atMs ?? endless;
};

/**
 * Whether a launch counts for its own request no longer. Caps and shares count it twice until the response of LaunchInstances is stored: nothing tells it
 * from what its Auto Scaling group launched by itself (docs/architecture.md).
 */
const isCountedOnce = (chronicle: Chronicle, { policy, write }: Reasoned, life: Life, requestedIn: string | undefined): boolean => {
  const { asg, cap = Number.POSITIVE_INFINITY } = policy.pools[requestedIn ?? ''] ?? {};
  if (asg === undefined || (cap === Number.POSITIVE_INFINITY && !hasShares(policy))) return true;
  return namedAtMs(chronicle, life, asg) <= lookedSince(chronicle, write.by, write.atMs);
};

/** What others had requested for a group a short time before, in one pool or in all, and what was not launched by then. A look may count it. */
const requestedFor = (chronicle: Chronicle, decision: Reasoned, pool?: string): number => {
  const { id, group, write } = decision;
  const prefix = items.request('');
  return chronicle
    .of('item-written')
    .filter((one) => one.group === group && one.item.startsWith(prefix) && !one.item.startsWith(`${prefix}${id}-`))
    .filter(({ atMs, request }) => atMs <= write.atMs && atMs > write.atMs - believedMs && (pool === undefined || request?.pool === pool))
    .reduce((sum, { item, request }) => {
      const launched = ownLaunches(chronicle).filter(
        ({ life }) =>
          life.launchedAtMs <= write.atMs &&
          reservationOf(life) === item.slice(prefix.length) &&
          isCountedOnce(chronicle, decision, life, request?.pool),
      );
      return sum + Math.max(0, (request?.count ?? 0) - launched.length);
    }, 0);
};

const placedIn = ({ placements }: SaidReasoning, pool?: string): number =>
  placements.filter((one) => pool === undefined || one.pool === pool).reduce((sum, { count }) => sum + numberOf(count), 0);

/** The most that may be there of what a decision says is full. */
const mostIn = (chronicle: Chronicle, decision: Reasoned, round: SaidReasoning, { code, pool: name, of, offering }: Json): number => {
  const { policy, write } = decision;
  if (code !== 'at-share') {
    const pool = textOf(name);
    const held = countedIn(chronicle, decision, leaving).filter((life) => poolOf(life, policy, write.atMs) === pool);
    return held.length + requestedFor(chronicle, decision, pool) + placedIn(round, pool);
  }
  const part = partOf[textOf(of)];
  const held = countedIn(chronicle, decision, ['waiting', ...leaving]).filter(
    (life) => part?.(partsOf(life)) === part?.(textOf(offering).split('/')),
  );
  return held.length + requestedFor(chronicle, decision) + placedIn(round);
};

const falseIn = (chronicle: Chronicle, decision: Reasoned): readonly Broken[] => {
  const { id, group, rounds, write } = decision;
  if (wasLost(chronicle, group, Number.NEGATIVE_INFINITY, write.atMs)) return [];
  const wrong = rounds.flatMap((round) =>
    mapsOf(round.rejected)
      .filter(({ code }) => code === 'at-cap' || code === 'at-maximum' || code === 'at-share')
      .flatMap((one) => {
        const most = mostIn(chronicle, decision, round, one);
        return numberOf(one.held) <= most ? [] : [`${textOf(one.pool)} ${textOf(one.code)} with ${numberOf(one.held)}, and ${most} may be there`];
      }),
  );
  return [...new Set(wrong)].map((what) => ({ group, atMs: write.atMs, detail: `decision ${id} says ${what}` }));
};

export const fullnessIsTrue: Rule = {
  name: 'what is full holds as many',
  meaning:
    'Where a stored decision passes a pool over at its cap or at the maximum of its Auto Scaling group, or an offering at its share, so many may have counted there: members that the look may have shown, what others had requested for the group in the three minutes before, and what the decision places. At caps and shares, a launch of LaunchInstances whose response was not stored before the look may count twice. A member whose swap said before that it leaves does not count. In a share, neither does one that waits to be replaced, by a swap from before or of the same function.',
  broken: (chronicle) => reasoned(chronicle).flatMap((decision) => falseIn(chronicle, decision)),
};
