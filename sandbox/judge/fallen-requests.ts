import { items } from '../../core/contract.ts';
import type { Chronicle } from './chronicle.ts';
import { isHealthy } from './leaving.ts';
import { isFunction, type Life, tagsAt } from './life.ts';
import type { PolicyPool } from './policy.ts';

const reservationsLaunched = (chronicle: Chronicle, group: string, untilMs: number): ReadonlySet<string> =>
  new Set(
    chronicle
      .livesIn(group)
      .flatMap((life) => (life.launchedAtMs <= untilMs ? (tagsAt(life, Number.POSITIVE_INFINITY)['holdfast:reservation'] ?? []) : [])),
  );

/**
 * How many instances the function that made a launch had stored requests for beside it, in these pools, that had launched nothing because a fault met the
 * function: it died over a call, or before it, and another repeats it later. The function placed the launch as if they came.
 */
export const fallenBeside = (chronicle: Chronicle, { by, launchedAtMs }: Life, group: string, pools: readonly PolicyPool[]): number => {
  if (!isFunction(by) || isHealthy(chronicle, by.invocation)) return 0;
  const launched = reservationsLaunched(chronicle, group, launchedAtMs);
  const fallen = chronicle
    .of('item-written')
    .filter((written) => written.group === group && isFunction(written.by) && written.by.invocation === by.invocation)
    .filter(({ item, request }) => request !== undefined && !launched.has(item.slice(items.request('').length)))
    .filter(({ request }) => pools.some(({ name }) => name === request?.pool));
  return fallen.reduce((sum, { request }) => sum + (request?.count ?? 0), 0);
};
