import type { Offering } from '../pool/offering.ts';

/** Finds the group of an instance. Instances without our tag and without a known Auto Scaling group belong to none. */
export type Owners = {
  /** The owners by instance id. An instance that no describe shows is missing from the map. */
  ownersOf(instances: readonly string[]): Promise<ReadonlyMap<string, Owner>>;
};

export type Owner = {
  readonly group?: string;
  readonly asg?: string;
  readonly pool?: string;
  /** The id of the launch request that it came from. It begins with the id of the decision. */
  readonly reservation?: string;
  /** Absent where only a note of the launch by an earlier version is known, and no describe has shown the instance. */
  readonly offering?: Offering;
  readonly state: string;
  /** When it was last started. */
  readonly launchedAtMs?: number;
};
