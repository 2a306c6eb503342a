import { items, keys, ttlAttribute } from '../../core/contract.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { Swap, SwapState } from '../../core/swap/swap.ts';
import { isForward } from '../../core/swap/transitions.ts';
import { expiresAt } from './expires.ts';
import type { Item } from './query-all.ts';
import { stateSchema } from './state-schema.ts';

type Named = Pick<Swap, 'group' | 'instance'>;

/** The key of the swap item of an instance. */
export const keyOf = ({ group, instance }: Named) => ({
  [keys.group]: group,
  [keys.item]: items.swap(instance),
});

/** The key of its history. */
export const pastKeyOf = ({ group, instance }: Named) => ({
  [keys.group]: group,
  [keys.item]: items.past(instance),
});

const keptForSeconds = 7 * 24 * 3600;

/** A swap whose instance is gone expires after seven days. */
export const expiry = (state: SwapState | undefined, nowMs: number): Item =>
  state === 'gone' ? { [ttlAttribute]: expiresAt(nowMs, keptForSeconds) } : {};

/** States from which a change may start without going backwards. */
export const forward = ({ from, set }: SwapChange): readonly SwapState[] => {
  const to = set.state;
  return to === undefined ? from : from.filter((state) => isForward(state, to));
};

/** An item of an earlier version has its one hook in a field of its own, and no list. */
const hooksAsSeen = (count: number): string =>
  count === 0 ? 'attribute_not_exists(#hooks)' : '(attribute_not_exists(#hooks) OR size(#hooks) = :hooks)';

/** The update that changes a stored swap, on the conditions of the change. */
export const updateOf = (table: string, key: Item, change: SwapChange, nowMs: number) => {
  const fields = Object.entries({ ...change.set, schema: stateSchema, ...expiry(change.set.state, nowMs) }).filter(
    ([, value]) => value !== undefined,
  );
  const { clear = [] } = change;
  const from = forward(change);
  const conditions = [
    `#state IN (${from.map((_, index) => `:from${index}`).join(', ')})`,
    ...(change.drain ? ['#drain = :drain'] : []),
    ...(change.hooksSeen === undefined ? [] : [hooksAsSeen(change.hooksSeen)]),
    ...(change.unasked ? ['attribute_not_exists(releaseAskedAtMs)'] : []),
  ];
  return {
    TableName: table,
    Key: key,
    UpdateExpression: [
      `SET ${fields.map((_, index) => `#set${index} = :set${index}`).join(', ')}`,
      ...(clear.length === 0 ? [] : [`REMOVE ${clear.map((_, index) => `#clear${index}`).join(', ')}`]),
    ].join(' '),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: {
      '#state': 'state',
      ...(change.drain && { '#drain': 'drain' }),
      ...(change.hooksSeen !== undefined && { '#hooks': 'hooks' }),
      ...Object.fromEntries(fields.map(([name], index) => [`#set${index}`, name])),
      ...Object.fromEntries(clear.map((name, index) => [`#clear${index}`, name])),
    },
    ExpressionAttributeValues: {
      ...(change.drain && { ':drain': change.drain }),
      ...(change.hooksSeen && { ':hooks': change.hooksSeen }),
      ...Object.fromEntries(from.map((state, index) => [`:from${index}`, state])),
      ...Object.fromEntries(fields.map(([, value], index) => [`:set${index}`, value])),
    },
  };
};
