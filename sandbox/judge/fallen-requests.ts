import { items } from '../../core/contract.ts';
import type { Chronicle } from './chronicle.ts';
import type { HistoryEvent } from './history.ts';
import { isFunction, type Life } from './life.ts';
import type { PolicyPool } from './policy.ts';
import { reservationOf } from './staying.ts';

type Stored = Extract<HistoryEvent, { readonly kind: 'item-written' }>;

/** A request without a response counts for this long (core/launch/reservation-life.ts). */
const believedMs = 180_000;

const reservationsLaunched = (chronicle: Chronicle, group: string, untilMs: number): ReadonlySet<string> =>
  new Set(chronicle.livesIn(group).flatMap((life) => (life.launchedAtMs <= untilMs ? (reservationOf(life) ?? []) : [])));

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

/**
 * How many instances in these pools were requested, and launched nothing yet, because a fault met the function that had stored the request. It died
 * during a call or before it, and another function repeats the request later. The launch was placed as if these instances came: its own function had
 * stored the request, or an earlier one had made it binding.
 */
export const fallenBeside = (chronicle: Chronicle, { by, launchedAtMs }: Life, group: string, pools: readonly PolicyPool[]): number => {
  if (!isFunction(by)) return 0;
  const names = new Set(pools.map(({ name }) => name));
  const mayCount = (stored: Stored): boolean => {
    if (stored.group !== group || !isFunction(stored.by) || !metFault(chronicle, stored.by.invocation)) return false;
    if (stored.by.invocation === by.invocation) return true;
    return stored.atMs <= launchedAtMs && stored.atMs > launchedAtMs - believedMs && isBinding(chronicle, stored, launchedAtMs);
  };
  const launched = reservationsLaunched(chronicle, group, launchedAtMs);
  return chronicle
    .of('item-written')
    .filter((stored) => stored.request !== undefined && names.has(stored.request.pool) && mayCount(stored))
    .filter(({ item }) => !launched.has(item.slice(items.request('').length)))
    .reduce((sum, { request }) => sum + (request?.count ?? 0), 0);
};
