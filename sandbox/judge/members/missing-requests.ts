import { items } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import type { PolicyPool } from '../policy/policy.ts';
import { isFunction, type Life } from '../world/life.ts';
import { reservationOf } from './staying.ts';

type Stored = Extract<HistoryEvent, { readonly kind: 'item-written' }>;

/** A request without a response counts for this long (core/launch/reservation-life.ts). */
const believedMs = 180_000;

/** Whether a fault met a function: it was injected into it, or the run ended first. */
const metFault = ({ invocations }: Chronicle, invocation: string): boolean => invocations.get(invocation)?.ended?.injected !== false;

/** Whether a decision with this request was made binding: the state item of its group was written after it, by the same function. */
const isBinding = (chronicle: Chronicle, { group, by, atMs }: Stored, untilMs: number): boolean =>
  chronicle
    .of('state-written')
    .some(
      (state) =>
        state.group === group &&
        isFunction(by) &&
        isFunction(state.by) &&
        state.by.invocation === by.invocation &&
        state.atMs >= atMs &&
        state.atMs <= untilMs,
    );

const withoutResponse = new Set(['lost', 'crashed']);

/** When the last response to a stored request came, whatever it said. Undefined: none came. */
const answeredAtMs = (chronicle: Chronicle, { by, atMs, item, request }: Stored, asg: string | undefined): number | undefined =>
  chronicle
    .of('called')
    .findLast(
      ({ invocation, launch, outcome, askedAtMs }) =>
        isFunction(by) &&
        invocation === by.invocation &&
        !withoutResponse.has(outcome) &&
        askedAtMs >= atMs &&
        launch !== undefined &&
        launch.count === request?.count &&
        (launch.token === undefined || launch.token === item.slice(items.request('').length)) &&
        (launch.asg === undefined ? launch.pool === request?.pool : launch.asg === asg),
    )?.atMs;

/**
 * How many instances a launch was placed beside that did not come, in these pools. There are two kinds.
 *
 * A fault met the function that had stored a request, so it launched nothing yet. It died during a call or before it, and another function repeats the
 * request later. The launch was placed as if these instances came: its own function had stored the request, or an earlier one had made it binding.
 *
 * Or AWS launched fewer than the same function had requested, or throttled the call, and the response came only after this launch was requested.
 */
export const missingBeside = (chronicle: Chronicle, { by, askedAtMs, launchedAtMs }: Life, group: string, pools: readonly PolicyPool[]): number => {
  if (!isFunction(by)) return 0;
  const asgOf = new Map(pools.map(({ name, asg }) => [name, asg]));
  const mayCount = (stored: Stored): boolean => {
    if (!isFunction(stored.by) || !metFault(chronicle, stored.by.invocation)) return false;
    if (stored.by.invocation === by.invocation) return true;
    return stored.atMs <= launchedAtMs && stored.atMs > launchedAtMs - believedMs && isBinding(chronicle, stored, launchedAtMs);
  };
  const isAnsweredLater = (stored: Stored): boolean =>
    askedAtMs !== undefined &&
    isFunction(stored.by) &&
    stored.by.invocation === by.invocation &&
    stored.atMs <= askedAtMs &&
    (answeredAtMs(chronicle, stored, asgOf.get(stored.request?.pool ?? '')) ?? 0) > askedAtMs;
  const launched = Map.groupBy(chronicle.livesIn(group), reservationOf);
  return chronicle
    .of('item-written')
    .filter((stored) => stored.group === group && stored.request !== undefined && asgOf.has(stored.request.pool))
    .reduce((sum, stored) => {
      const requested = stored.request?.count ?? 0;
      const lives = launched.get(stored.item.slice(items.request('').length)) ?? [];
      if (isAnsweredLater(stored)) return sum + Math.max(0, requested - lives.length);
      return lives.some((life) => life.launchedAtMs <= launchedAtMs) || !mayCount(stored) ? sum : sum + requested;
    }, 0);
};
