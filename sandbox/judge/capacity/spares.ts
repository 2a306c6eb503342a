import type { Chronicle } from '../chronicle.ts';
import { missingBeside } from '../members/missing-requests.ts';
import type { Policy } from '../policy/policy.ts';
import { refillNow } from '../told/refill.ts';
import { type Delivery, goneAtMs, isFunction, type Life, stayAt } from '../world/life.ts';
import { overShares } from './limits.ts';

type Launch = { readonly life: Life; readonly group: string; readonly sinceMs: number };

/**
 * How many spares may be among those that stay with a launch. On demand nothing is launched above the size, but beside spot of
 * the same function, and for a member that moves.
 */
export const sparesWith = (life: Life, policies: readonly Policy[], known: readonly Life[], isMove = false): number => {
  const most = Math.max(0, ...policies.map(({ spare }) => spare));
  if (life.market === 'spot') return most;
  if (isMove) return Math.min(most, known.filter(({ market }) => market === 'spot').length);
  const { by } = life;
  const beside = known.filter((one) => one.market === 'spot' && isFunction(one.by) && isFunction(by) && one.by.invocation === by.invocation);
  return Math.min(most, beside.length);
};

/** What tells that a member leaves, or is gone. */
const tellsEnd = ({ told }: Delivery): boolean =>
  told.about === 'warning' || told.about === 'hook' || (told.about === 'state' && told.state !== 'pending' && told.state !== 'running');

/** Whether the function of a launch surely knew that a member leaves: it was claimed or told before, or describes had long shown its end. */
const isKnownToLeave = ({ invocations, times }: Chronicle, one: Life, { life, sinceMs }: Launch): boolean => {
  const isHeard = (delivery: Delivery): boolean => {
    if (!tellsEnd(delivery)) return false;
    if (isFunction(life.by) && delivery.invocation === life.by.invocation) return true;
    const ended = invocations.get(delivery.invocation)?.ended;
    return ended !== undefined && ended.error === undefined && !ended.again.includes(delivery.message) && ended.atMs <= sinceMs;
  };
  return (
    goneAtMs(one) + Math.max(times.lagMs, times.asgLagMs) <= sinceMs ||
    one.claims.some(({ atMs, state }) => state !== 'waiting' && atMs <= sinceMs) ||
    one.deliveries.some(isHeard)
  );
};

/** A request of a group without a response may still count. */
const unansweredForMs = 240_000;

const mayBeOpen = (chronicle: Chronicle, { life }: Launch): boolean =>
  chronicle
    .of('called')
    .some(
      ({ launch, outcome, askedAtMs }) =>
        launch !== undefined && outcome !== 'ok' && askedAtMs <= life.launchedAtMs && askedAtMs > life.launchedAtMs - unansweredForMs,
    );

/** Ended members that an Auto Scaling group still holds. It replaces each at its next check. */
const goneAndHeld = (chronicle: Chronicle, group: string, atMs: number): number =>
  chronicle.livesIn(group).filter((one) => goneAtMs(one) <= atMs && stayAt(one, atMs) !== undefined).length;

const isBeside = (one: Life, { life }: Launch): boolean => isFunction(one.by) && isFunction(life.by) && one.by.invocation === life.by.invocation;

/**
 * Whether a launch may be above the size, with what the same function requested beside it, also where EC2 refused that later: everybody counts whom it did not
 * surely know to leave.
 */
const mayBeAboveSize = (chronicle: Chronicle, { pools }: Policy, launch: Launch): boolean => {
  const { life, group, sinceMs } = launch;
  const counted = chronicle
    .livesIn(group)
    .filter((one) => (one.launchedAtMs <= life.launchedAtMs || isBeside(one, launch)) && !isKnownToLeave(chronicle, one, launch)).length;
  const refused = missingBeside(chronicle, life, group, Object.values(pools));
  const coming = Math.max(...[sinceMs, life.launchedAtMs].map((atMs) => refillNow(chronicle, group, atMs) + goneAndHeld(chronicle, group, atMs)));
  return counted + refused + coming > Math.min(...chronicle.desiredIn(group, sinceMs, life.launchedAtMs)) || mayBeOpen(chronicle, launch);
};

/** Whether a launch may be a spare, for which nothing on demand is a choice: it is on spot, and the group may have had its size without it. */
export const mayBeSpare = (chronicle: Chronicle, policy: Policy, launch: Launch): boolean =>
  policy.spare > 0 && launch.life.market === 'spot' && mayBeAboveSize(chronicle, policy, launch);

/** Whether the last that a target group found of it is that it fails its checks. */
const failsChecks = ({ services }: Life, atMs: number): boolean => services.findLast(({ fromMs }) => fromMs <= atMs)?.why === 'unhealthy';

/**
 * How many members above the size stay where one on spot is chosen to leave: it would be launched again as a spare, also where those above the size are on
 * demand. One on demand is no spare, and neither is one in a share that holds more than its limit. One that fails its checks leaves before others, and stays
 * only as one of the spares on spot.
 */
export const sparesKept = (
  policies: readonly Policy[],
  { life, atMs }: { readonly life: Life; readonly atMs: number },
  members: readonly Life[],
  desired: number,
): number => {
  if (life.market !== 'spot' || policies.some((policy) => overShares(policy, life, members, desired).length > 0)) return 0;
  const wanted = Math.min(...policies.map(({ spare, mostInAsg }) => Math.max(0, Math.min(spare, mostInAsg - desired))));
  if (policies.length === 0) return 0;
  return failsChecks(life, atMs) ? Math.min(wanted, members.filter(({ market }) => market === 'spot').length) : wanted;
};
