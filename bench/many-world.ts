import type { LambdaSpec, TimingSpec, WorldSpec } from '../sandbox/world/spec.ts';
import { type HoldingName, holdings, letters, type PlacedGroup, policyOf, stormTiming, worldOf } from './storm-world.ts';

/** The storm of every group: EC2 warns the members of one zone, or all members. Spot is refused in that zone in both cases. */
export const manyCases = ['zone', 'all'] as const;
export type ManyCase = (typeof manyCases)[number];

/** One storm over many groups. */
export type ManyStorm = {
  readonly groups: number;
  readonly members: number;
  readonly case: ManyCase;
  /** `mixed`: the ways to hold a group in turns. */
  readonly held: HoldingName | 'mixed';
  /** Calls of functions that the account allows at once. */
  readonly concurrency: number;
  readonly seed: number;
};

/** A group outside the storm, in the zones with capacity. If it waits, it waits because of the others. */
export const bystander: PlacedGroup = { name: 'bystander', holding: 'tag', size: 2 };
export const bystanderZones = letters.slice(1);

export const groupsOf = ({ groups, members, held }: Pick<ManyStorm, 'groups' | 'members' | 'held'>): readonly PlacedGroup[] =>
  Array.from({ length: groups }, (_, index) => ({
    name: `group-${index + 1}`,
    holding: held === 'mixed' ? (holdings[index % holdings.length] ?? 'tag') : held,
    size: members,
  }));

/** A page of 1,000 instances costs half a CPU second to read. */
const timing: TimingSpec = { ...stormTiming, latencyPerInstanceMs: { 'ec2:DescribeInstances': 0.5 } };

/** Lambda's pollers compete here, as they do on AWS. */
export const manyWorld = (storm: ManyStorm): WorldSpec => {
  const lambda: LambdaSpec = { pollers: 'ramp', concurrency: storm.concurrency };
  return { ...worldOf([...groupsOf(storm), bystander], timing), lambda };
};

export const policiesOf = (storm: ManyStorm, arnOf: (group: string) => string): readonly Readonly<Record<string, unknown>>[] => [
  policyOf(bystander, arnOf(bystander.name), bystanderZones),
  ...groupsOf(storm).map((group) => policyOf(group, arnOf(group.name))),
];
