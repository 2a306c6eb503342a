import { howHeld } from '../group/holding.ts';
import type { View } from './view.ts';

/**
 * Whether no member can join: members are attached to an Auto Scaling group that no describe shows, so its owner has
 * deleted it.
 */
export const cannotJoin = ({ group, asgs }: Pick<View, 'group' | 'asgs'>): boolean => {
  const { joins } = howHeld(group);
  return joins !== undefined && !asgs.some(({ name }) => name === joins);
};

/** How many members the group can have now: its desired size, or none while no member can join. */
export const sizeNow = (view: Pick<View, 'group' | 'asgs' | 'state'>): number =>
  cannotJoin(view) ? 0 : view.state.desired;
