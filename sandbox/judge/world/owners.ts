import { spansOf } from '../spans.ts';
import type { AsgChange } from './cloud.ts';
import { isFunction, type Span } from './life.ts';

/** What belongs to the owner of an Auto Scaling group. */
export type Owned = { readonly min: number; readonly max: number; readonly suspended: string };

export const ownedOf = ({ min, max, suspended }: AsgChange): Owned => ({ min, max, suspended: [...suspended].sort().join() });

/** The processes in such a text. */
export const listed = (processes: string): readonly string[] => (processes === '' ? [] : processes.split(','));

/** The processes that an owner has suspended after a change of theirs. Each process counts by itself, because Holdfast suspends some too. */
const suspendedBy = (owned: string, before: string, { suspended: has, resumed = [] }: Pick<AsgChange, 'suspended' | 'resumed'>): string => {
  const had = listed(before);
  const added = has.filter((process) => !had.includes(process));
  const taken = [...resumed, ...had.filter((process) => !has.includes(process))];
  return [...new Set([...listed(owned), ...added])]
    .filter((process) => !taken.includes(process))
    .sort()
    .join();
};

/** Whether the owner of an Auto Scaling group suspends its process `Launch`. Holdfast does so too, for a while. */
export const isClosed = ({ suspended }: Pick<Owned, 'suspended'>): boolean => listed(suspended).includes('Launch');

/** Whether processes are suspended beside the one that evens out zones, which is no matter of single members. */
export const isHeldBack = ({ suspended }: Pick<AsgChange, 'suspended'>): boolean => suspended.some((process) => process !== 'AZRebalance');

/** The values that an owner set last, field by field, beside every change. Holdfast's own changes do not count. */
export const ownersWill = (changes: readonly AsgChange[]): readonly { readonly change: AsgChange; readonly owned: Owned }[] => {
  const [first] = changes;
  if (first === undefined) return [];
  let owned = ownedOf(first);
  let before = owned;
  return changes.map((change) => {
    const now = ownedOf(change);
    if (!isFunction(change.by)) {
      owned = {
        min: now.min === before.min ? owned.min : now.min,
        max: now.max === before.max ? owned.max : now.max,
        suspended: suspendedBy(owned.suspended, before.suspended, change),
      };
    }
    before = now;
    return { change, owned };
  });
};

/** The times in which the owner of an Auto Scaling group suspended `Launch`. */
export const timesClosed = (changes: readonly AsgChange[]): readonly Span[] =>
  spansOf(ownersWill(changes).map(({ change, owned }) => ({ atMs: change.atMs, isOn: change.isGone !== true && isClosed(owned) })));

/** Until when an owner suspended `Launch` between two moments. The first of them if nobody did. */
export const closedUntilMs = (changes: readonly AsgChange[], fromMs: number, untilMs: number): number =>
  Math.max(
    fromMs,
    ...timesClosed(changes)
      .filter((span) => span.fromMs < untilMs && span.untilMs > fromMs)
      .map((span) => Math.min(span.untilMs, untilMs)),
  );
