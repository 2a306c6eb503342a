import { accountPartition, items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Written = Extract<HistoryEvent, { readonly kind: 'item-written' }>;

const dayMs = 24 * 3_600_000;

/** How long each item of the state table is kept (docs/architecture.md, "What is stored, and what it protects"). Any other is kept for good. */
const keptMs: readonly (readonly [prefix: string, ms: number])[] = [
  [items.decisionPrefix, 14 * dayMs],
  [items.past(''), 7 * dayMs],
  [items.request(''), dayMs],
  [items.wake, dayMs],
];

const daysOf = (ms: number | undefined): string => (ms === undefined ? 'for good' : `for ${(ms / dayMs).toFixed(2)} days`);

/** The swap of an instance that is gone is history soon, and a function may die before that. */
const expectedMs = ({ item, swap }: Written): number | undefined =>
  swap?.state === 'gone' ? 7 * dayMs : keptMs.find(([prefix]) => item.startsWith(prefix))?.[1];

/** Clocks of functions are wrong by less, and a write that is repeated or delayed comes within this time. */
const aboutMs = 600_000;

const isRight = ({ atMs, expiresAtMs }: Written, expected: number | undefined): boolean => {
  if (expected === undefined) return expiresAtMs === 'never';
  return typeof expiresAtMs === 'number' && Math.abs(expiresAtMs - atMs - expected) <= aboutMs;
};

export const itemsExpire: Rule = {
  name: 'stored items expire when they are due',
  meaning:
    'DynamoDB removes a stored decision after 14 days, the swap of an instance that is gone and each swap that is history after seven, a stored request and the note of a wake after one. It removes no other item of a group, and none of the groups table. Ten minutes more or less do not count.',
  broken: (chronicle: Chronicle): readonly Broken[] =>
    chronicle.of('item-written').flatMap((write): readonly Broken[] => {
      const { group, item, atMs, by, table, expiresAtMs } = write;
      if (!isFunction(by) || expiresAtMs === undefined || group === accountPartition) return [];
      const expected = table === 'groups' ? undefined : expectedMs(write);
      if (isRight(write, expected)) return [];
      const found = expiresAtMs === 'never' ? undefined : expiresAtMs - atMs;
      return [{ group, atMs, detail: `${item} is kept ${daysOf(found)}, expected ${daysOf(expected)}` }];
    }),
};
