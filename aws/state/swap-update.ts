import { items, keys, ttlAttribute } from '../../core/contract.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { LifecycleHook, Swap, SwapState } from '../../core/swap/swap.ts';
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

/** What changes in a hook once a swap has it. The rest says which lifecycle action it is. */
const changing = ['expiresAtMs', 'timeoutMs', 'overAtMs'] as const satisfies readonly (keyof LifecycleHook)[];

/**
 * The condition that an item has the hooks that its writer read. It names only fields that change, because an item of a
 * later version may have others. An item of an earlier version has its one hook in a field of its own, and no list.
 */
const hooksAsSeen = (hooks: readonly LifecycleHook[]) => {
  const fields = hooks.flatMap((hook, index) =>
    changing.map((field) => ({ path: `#hooks[${index}].${field}`, name: `:${field}${index}`, value: hook[field] })),
  );
  const same = fields.map(({ path, name, value }) =>
    value === undefined ? `attribute_not_exists(${path})` : `${path} = ${name}`,
  );
  const known = fields.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return {
    condition:
      hooks.length === 0
        ? 'attribute_not_exists(#hooks)'
        : `(attribute_not_exists(#hooks) OR (size(#hooks) = :hooks AND ${same.join(' AND ')}))`,
    values: hooks.length === 0 ? {} : { ':hooks': hooks.length, ...Object.fromEntries(known) },
  };
};

/** The update that changes a stored swap, on the conditions of the change. */
export const updateOf = (table: string, key: Item, change: SwapChange, nowMs: number) => {
  const fields = Object.entries({ ...change.set, schema: stateSchema, ...expiry(change.set.state, nowMs) }).filter(
    ([, value]) => value !== undefined,
  );
  const { clear = [] } = change;
  const from = forward(change);
  const seen = change.hooksSeen && hooksAsSeen(change.hooksSeen);
  const conditions = [
    `#state IN (${from.map((_, index) => `:from${index}`).join(', ')})`,
    ...(change.drain ? ['#drain = :drain'] : []),
    ...(seen ? [seen.condition] : []),
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
      ...(seen && { '#hooks': 'hooks' }),
      ...Object.fromEntries(fields.map(([name], index) => [`#set${index}`, name])),
      ...Object.fromEntries(clear.map((name, index) => [`#clear${index}`, name])),
    },
    ExpressionAttributeValues: {
      ...(change.drain && { ':drain': change.drain }),
      ...seen?.values,
      ...Object.fromEntries(from.map((state, index) => [`:from${index}`, state])),
      ...Object.fromEntries(fields.map(([, value], index) => [`:set${index}`, value])),
    },
  };
};
