import { items } from '../../core/contract.ts';
import type { GroupState } from '../../core/view/view.ts';
import type { Item } from './query-all.ts';
import { readState } from './state-schema.ts';
import type { TellUnreadable } from './unreadable.ts';

/** The state in a state item. Undefined where there is none. */
export const toState = (group: string, item: Item | undefined, tell: TellUnreadable): GroupState | undefined => {
  if (item === undefined) return undefined;
  const { state, lost } = readState(item.state, item.version);
  if (lost.length > 0) tell({ group, item: items.state, problems: lost });
  return state;
};
