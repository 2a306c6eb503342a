/**
 * Members of one pool, zone and instance type, as a decision counts them: living members and launches in flight alike.
 * A launch in flight is counted under its first offering, which is where the tree placed it. Members without a pool
 * belong to the group's size, but to no child of the tree.
 */
export type Held = {
  readonly pool: string | undefined;
  readonly zone: string;
  readonly instanceType: string;
  readonly count: number;
};
