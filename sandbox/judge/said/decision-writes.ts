import { items } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import type { HistoryEvent } from '../history.ts';
import { remembered } from '../remembered.ts';

export type DecisionWrite = Extract<HistoryEvent, { readonly kind: 'item-written' }>;

/** The writes of each decision, by its group and its item. */
const allWrites = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, readonly DecisionWrite[]> =>
    Map.groupBy(
      chronicle.of('item-written').filter(({ item }) => item.startsWith(items.decisionPrefix)),
      ({ group, item }) => `${group} ${item}`,
    ),
);

/** The last write of a decision. By then it was carried out, if it was. */
export const decisionWrite = (chronicle: Chronicle, group: string, id: string): DecisionWrite | undefined =>
  allWrites(chronicle)
    .get(`${group} ${items.decision(id)}`)
    ?.at(-1);

/**
 * When the function of a decision looked, at the latest. Its clock may be ahead. The decision is stored after the look and before its launches, and for
 * the last time with its outcome.
 *
 * @param saidMs when it looked, by its clock
 */
export const lookedByMs = (chronicle: Chronicle, group: string, id: string, saidMs: number): number => {
  const writes = allWrites(chronicle).get(`${group} ${items.decision(id)}`) ?? [];
  return Math.min(saidMs, (writes.at(-2) ?? writes.at(-1))?.atMs ?? saidMs);
};
