import { items } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import { remembered } from '../remembered.ts';
import { ownLaunches, reservationOf } from './staying.ts';

const callsByToken = remembered((chronicle: Chronicle) => Map.groupBy(chronicle.of('called'), ({ launch }) => launch?.token));

/** When Holdfast received the response to a request, or the last of its calls ended. Undefined where no call was made. */
const settledAtMs = (chronicle: Chronicle, reservation: string): number | undefined => {
  const calls = callsByToken(chronicle).get(reservation) ?? [];
  return (calls.find(({ outcome }) => outcome === 'ok') ?? calls.at(-1))?.atMs;
};

/**
 * How many instances a group had requested by a moment that had not been launched, while the requests had no response yet. Looks count them with the
 * members. A request that was stored and never made does not count.
 */
export const inFlightAt = (chronicle: Chronicle, group: string, atMs: number): number =>
  chronicle
    .of('item-written')
    .filter((one) => one.group === group && one.atMs <= atMs)
    .reduce((sum, { item, request }) => {
      const reservation = item.slice(items.request('').length);
      const untilMs = request === undefined ? undefined : settledAtMs(chronicle, reservation);
      if (request === undefined || untilMs === undefined || untilMs <= atMs) return sum;
      const launched = ownLaunches(chronicle).filter(({ life }) => reservationOf(life) === reservation && life.launchedAtMs <= atMs).length;
      return sum + Math.max(0, request.count - launched);
    }, 0);
