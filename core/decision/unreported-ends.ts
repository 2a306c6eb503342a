import type { View } from '../view/view.ts';
import type { Decision } from './decision.ts';

/** Instances that one decision names. Describes show an ended instance for about an hour, so decisions repeat it. */
const namedAtMost = 300;

const isShort = ({ placements, unplaced }: Decision): boolean => placements.length > 0 || unplaced > 0;

/**
 * Instances of a group that is short that EC2 shows as ended, although no signal of this look reported their end and no
 * swap accounts for it: their events were lost, come later, or came to an earlier look. What a warm pool has stopped
 * has not ended.
 */
export const unreportedEnds = (
  view: View,
  decided: Decision | undefined,
  heard: readonly string[],
): readonly string[] => {
  if (decided === undefined || !isShort(decided)) return [];
  const accounted = new Set([
    ...heard,
    ...Object.keys(view.state.ended ?? {}),
    ...view.swaps.map(({ instance }) => instance),
    ...(view.aside ?? []),
    ...(view.news?.failedBoots ?? []).flatMap(({ instances }) => instances),
  ]);
  return [...new Set(view.ended)].filter((instance) => !accounted.has(instance)).slice(0, namedAtMost);
};
