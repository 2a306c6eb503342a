import type { Chronicle, GroupTimeline, Written } from '../chronicle.ts';
import { lookedSince } from '../members/staying.ts';
import { isFunction } from '../world/life.ts';

/** Whether a function wrote that began to look before somebody restored the state item. */
export const lookedBefore = (chronicle: Chronicle, restored: Written, { by, atMs }: Written): boolean =>
  lookedSince(chronicle, by, atMs) < restored.atMs;

const isSameItem = (restored: Written, { desired, policyVersion, lastReservation }: Written): boolean =>
  desired === restored.desired && policyVersion === restored.policyVersion && lastReservation === restored.lastReservation;

/**
 * Whether a function that began to look before somebody restored the state item adds to the restored item what its calls came to, and nothing else:
 * it looks at the group no more, so whoever looks next finds that the item is an older one.
 */
export const keepsRestored = (chronicle: Chronicle, restored: Written, written: Written): boolean =>
  isFunction(written.by) && lookedBefore(chronicle, restored, written) && isSameItem(restored, written);

/** The state item as somebody restored it, where nobody has looked at it before this write. */
export const restoredBefore = (chronicle: Chronicle, { written }: GroupTimeline, index: number): Written | undefined => {
  const last = written.slice(0, index).findLastIndex(({ by }) => !isFunction(by));
  const restored = written[last];
  return restored && written.slice(last + 1, index).every((one) => keepsRestored(chronicle, restored, one)) ? restored : undefined;
};

/**
 * Whether a function writes a lost or restored item with the size that it had itself written before: it still waited for EC2's responses, and adds them to
 * the state that it knows.
 */
export const keepsItsOwn = ({ written: all }: GroupTimeline, index: number): boolean => {
  const written = all[index];
  const isOwn = ({ by }: Written): boolean =>
    isFunction(by) && written !== undefined && isFunction(written.by) && by.invocation === written.by.invocation;
  return all.slice(0, index).findLast(isOwn)?.desired === written?.desired;
};
