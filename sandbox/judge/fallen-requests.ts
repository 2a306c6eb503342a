import { items } from '../../core/contract.ts';
import type { Chronicle } from './chronicle.ts';
import { isFunction, type Life } from './life.ts';
import type { PolicyPool } from './policy.ts';
import { reservationOf } from './staying.ts';

const reservationsLaunched = (chronicle: Chronicle, group: string, untilMs: number): ReadonlySet<string> =>
  new Set(chronicle.livesIn(group).flatMap((life) => (life.launchedAtMs <= untilMs ? (reservationOf(life) ?? []) : [])));

/** Whether a fault met a function: it was injected into it, or the run ended first. */
const metFault = ({ invocations }: Chronicle, invocation: string): boolean => invocations.get(invocation)?.ended?.injected !== false;

/**
 * How many instances in these pools the function of a launch had stored further requests for that launched nothing, because a fault met it. It died
 * during a call or before it, and another function repeats the request later. The function placed the launch as if these instances came.
 */
export const fallenBeside = (chronicle: Chronicle, { by, launchedAtMs }: Life, group: string, pools: readonly PolicyPool[]): number => {
  if (!isFunction(by) || !metFault(chronicle, by.invocation)) return 0;
  const names = new Set(pools.map(({ name }) => name));
  const stored = chronicle
    .of('item-written')
    .filter((written) => written.group === group && isFunction(written.by) && written.by.invocation === by.invocation);
  const launched = reservationsLaunched(chronicle, group, launchedAtMs);
  return stored
    .filter(({ item, request }) => request !== undefined && names.has(request.pool) && !launched.has(item.slice(items.request('').length)))
    .reduce((sum, { request }) => sum + (request?.count ?? 0), 0);
};
