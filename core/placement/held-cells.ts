import type { Cell } from '../selector/tree.ts';
import type { Member } from '../view/view.ts';
import type { Placement } from './placement.ts';

/**
 * Members of one pool, zone and instance type, as a decision counts them: living members and launches in flight alike.
 * Members without a pool belong to the group's size, but to no child of the tree.
 */
export type Held = Cell & { readonly count: number };

/** Where a member counts. */
export const cellOf = ({ pool, offering }: Pick<Member, 'pool' | 'offering'>): Cell => ({
  pool,
  zone: offering.zone,
  instanceType: offering.instanceType,
});

/** Where a launch counts until it is shown: under its first offering, which is where the tree placed it. */
export const cellOfLaunch = ({ pool, offerings }: Pick<Placement, 'pool' | 'offerings'>): Cell => ({
  pool,
  zone: offerings[0]?.zone ?? '',
  instanceType: offerings[0]?.instanceType ?? '',
});
