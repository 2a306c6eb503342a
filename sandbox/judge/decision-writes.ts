import { items } from '../../core/contract.ts';
import type { Chronicle } from './chronicle.ts';
import type { HistoryEvent } from './history.ts';
import { remembered } from './remembered.ts';

export type DecisionWrite = Extract<HistoryEvent, { readonly kind: 'item-written' }>;

/** The last write of each decision, by its group and its item. */
const lastWrites = remembered(
  (chronicle: Chronicle): ReadonlyMap<string, DecisionWrite> =>
    new Map(
      chronicle
        .of('item-written')
        .filter(({ item }) => item.startsWith(items.decisionPrefix))
        .map((write) => [`${write.group} ${write.item}`, write]),
    ),
);

/** The last write of a decision. By then it was carried out, if it was. */
export const decisionWrite = (chronicle: Chronicle, group: string, id: string): DecisionWrite | undefined =>
  lastWrites(chronicle).get(`${group} ${items.decision(id)}`);
