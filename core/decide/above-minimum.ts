import type { AsgView, Member } from '../view/view.ts';
import type { Account } from './releasable.ts';

/** Members that may leave their Auto Scaling groups, in all and one by one. */
export type AboveMinimum = Account & { readonly total: number };

/**
 * How many of these members can leave without taking an Auto Scaling group below its minimum size. The minimum belongs
 * to the user and is never lowered.
 */
export const aboveMinimum = (asgs: readonly AsgView[], members: readonly Member[]): AboveMinimum => {
  const ids = new Set(members.map(({ instance }) => instance));
  const roomOf = new Map<string, { left: number }>();
  let total = members.length;
  for (const { holds, min } of asgs) {
    const held = holds.filter((instance) => ids.has(instance));
    const room = { left: Math.max(0, held.length - min) };
    total -= held.length - room.left;
    for (const instance of held) roomOf.set(instance, room);
  }
  return {
    total,
    allows: (instance) => (roomOf.get(instance)?.left ?? 1) > 0,
    take: (instance) => {
      const room = roomOf.get(instance);
      if (room !== undefined) room.left -= 1;
    },
  };
};
