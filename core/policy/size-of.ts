import type { Size } from '../group/group.ts';
import type { Policy } from './schema.ts';

/** The bounds of a policy's size, and the size that it begins with. */
export const sizeOf = ({ size }: Pick<Policy, 'size'>): Size =>
  typeof size === 'number'
    ? { min: size, max: size, desired: size }
    : {
        min: size.min,
        max: size.max,
        desired: size.desired ?? size.min,
        ...(size.from !== undefined && { from: size.from }),
      };

/** Whether others set the size. */
export const isSizedOutside = (policy: Pick<Policy, 'size'>): boolean => sizeOf(policy).from === 'asg';
