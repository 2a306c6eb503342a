import { isHard, type Swap } from '../swap/swap.ts';
import type { Group } from './group.ts';

/**
 * What Holdfast does for a group. `observe`: it changes nothing outside its own tables, and records what it would have
 * done. `pause`: it launches and removes nothing; members that EC2 or Auto Scaling takes are still drained.
 */
export type Mode = 'act' | 'observe' | 'pause';

export const modeOf = ({ mode }: Pick<Group, 'mode'>): Mode => mode ?? 'act';

/** Whether the drain of a swap may begin. A drain that has begun goes on in every mode. */
export const mayBegin = (mode: Mode, swap: Swap): boolean => {
  switch (mode) {
    case 'act':
      return true;
    case 'pause':
      return isHard(swap);
    case 'observe':
      return false;
  }
};

/**
 * Whether a drain that broke off, or left its instance running, is taken over. In a group that does not act, only
 * drains that had begun are brought to their end. An instance that EC2 did not take, or that could not leave its Auto
 * Scaling group, stays.
 */
export const mayTakeOver = (mode: Mode, swap: Swap): boolean =>
  mode === 'act' ||
  swap.state === 'draining' ||
  (swap.state === 'drained' ? !isHard(swap) && swap.shortfall?.code !== 'not-released' : mayBegin(mode, swap));
