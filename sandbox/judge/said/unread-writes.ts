import { items } from '../../../core/contract.ts';
import type { AttributeMap } from '../../platform/tables/stream.ts';

/**
 * What a write may replace only if its writer knows it: by item, the attributes that hold it. `standFor`: what they are the version of. Two writers that
 * read the same version write the same next one, so its value may stay. The bucket times beside the account budget have no version.
 */
const guarded: readonly { readonly isOf: (item: string) => boolean; readonly attributes: readonly string[]; readonly standFor?: string }[] = [
  { isOf: (item) => item === items.state, attributes: ['version'], standFor: 'state' },
  { isOf: (item) => item === items.budget, attributes: ['version'], standFor: 'budget' },
  { isOf: (item) => item.startsWith(items.claim('')), attributes: ['stamp'], standFor: 'holder' },
  { isOf: (item) => item.startsWith(items.swapPrefix), attributes: ['hooks', 'deadlineMs'] },
];

/** A write that replaced or removed something that its writer had not read. */
export type Overwritten = { readonly group: string; readonly item: string; readonly attribute: string };

type Change = { readonly table: string; readonly before: AttributeMap | undefined; readonly after: AttributeMap | undefined };

const textOf = (item: AttributeMap, name: string): string => String(item[name]?.S);
const textIn = (item: AttributeMap | undefined, attribute: string): string => JSON.stringify(item?.[attribute] ?? null);

/** So many invocations are remembered after their end. */
const mostOver = 100;

/**
 * Compares each write with what its writer has read of the item, or written to it, in this invocation. Every value counts that it has seen, because
 * calls of one invocation overlap.
 */
export const createUnreadWrites = () => {
  const seen = new Map<string, Map<string, Set<string>>>();
  const over: string[] = [];
  const guardOf = (item: string) => guarded.find(({ isOf }) => isOf(item));
  const attributesOf = (item: string): readonly string[] => guardOf(item)?.attributes ?? [];
  const valuesOf = (invocation: string, { table, group, item, attribute }: Overwritten & { readonly table: string }): Set<string> => {
    const known = seen.get(invocation) ?? new Map<string, Set<string>>();
    seen.set(invocation, known);
    const key = [table, group, item, attribute].join(' ');
    const values = known.get(key) ?? new Set<string>();
    known.set(key, values);
    return values;
  };
  const learn = (invocation: string, table: string, found: AttributeMap): void => {
    const [group, item] = [textOf(found, 'group'), textOf(found, 'item')];
    for (const attribute of attributesOf(item)) valuesOf(invocation, { table, group, item, attribute }).add(textIn(found, attribute));
  };
  return {
    /** An invocation has read these items. */
    read: (invocation: string, table: string, found: readonly AttributeMap[]): void => {
      for (const one of found) learn(invocation, table, one);
    },
    /** An invocation writes an item. */
    wrote: (invocation: string, { table, before, after }: Change): readonly Overwritten[] => {
      const known = after ?? before;
      if (known === undefined) return [];
      const [group, item] = [textOf(known, 'group'), textOf(known, 'item')];
      const lost = attributesOf(item).filter(
        (attribute) =>
          before?.[attribute] !== undefined &&
          [attribute, guardOf(item)?.standFor ?? attribute].some((name) => textIn(before, name) !== textIn(after, name)) &&
          !valuesOf(invocation, { table, group, item, attribute }).has(textIn(before, attribute)),
      );
      if (after !== undefined) learn(invocation, table, after);
      return lost.map((attribute) => ({ group, item, attribute }));
    },
    /** An invocation has ended. If it died, calls that were under way then may write afterwards. */
    ended: (invocation: string): void => {
      over.push(invocation);
      if (over.length > mostOver) seen.delete(over.shift() ?? '');
    },
  };
};
