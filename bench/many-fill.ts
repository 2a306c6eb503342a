import { groupTagValue, tags } from '../core/contract.ts';
import type { Sandbox } from '../sandbox/door.ts';
import { letters, type PlacedGroup } from './storm-world.ts';

type Call = readonly [service: 'ec2' | 'autoscaling', operation: string, input: Readonly<Record<string, unknown>>];

/** How many of a group are in each of these zones, spread evenly. */
const evenly = (size: number, zones: readonly string[]): readonly (readonly [letter: string, count: number])[] =>
  zones.map((letter, index) => [letter, Math.floor((size + zones.length - 1 - index) / zones.length)]);

/** Half of the bucket of launched instances. */
const mostPerCall = 500;
const inParts = (count: number): readonly number[] =>
  Array.from({ length: Math.ceil(count / mostPerCall) }, (_, index) => Math.min(mostPerCall, count - index * mostPerCall));

/** Launches spot members of a group that is kept by tag. */
export const tagged = ({ name }: Pick<PlacedGroup, 'name'>, letter: string, count: number): Call => {
  const Tags = [
    { Key: 'Name', Value: name },
    { Key: tags.group, Value: groupTagValue('holdfast', name) },
    { Key: tags.pool, Value: `spot-${letter}` },
  ];
  const input = {
    ...{ MinCount: count, MaxCount: count, SubnetId: `subnet-${letter}`, InstanceType: 'm7g.large' },
    LaunchTemplate: { LaunchTemplateName: 'storm' },
    InstanceMarketOptions: { MarketType: 'spot' },
    TagSpecifications: [{ ResourceType: 'instance', Tags }],
  };
  return ['ec2', 'RunInstances', input];
};

/** Launches members into the Auto Scaling group of their zone, 100 at the most. The token is a new one for each call. */
export const joining = ({ name }: Pick<PlacedGroup, 'name'>, letter: string, count: number, token: string): Call => [
  'autoscaling',
  'LaunchInstances',
  { AutoScalingGroupName: `${name}-spot-${letter}`, RequestedCapacity: count, ClientToken: token, RetryStrategy: 'none' },
];

const sized = (asg: string, count: number): Call => [
  'autoscaling',
  'SetDesiredCapacity',
  { AutoScalingGroupName: asg, DesiredCapacity: count, HonorCooldown: false },
];

/** What brings a group to its size before anybody manages it: all of it on spot. */
const fillingCalls = (group: PlacedGroup, zones: readonly string[] = letters): readonly Call[] => {
  if (group.holding === 'attach') return [sized(group.name, group.size)];
  const placed = evenly(group.size, zones).filter(([, count]) => count > 0);
  if (group.holding !== 'tag') return placed.map(([letter, count]) => sized(`${group.name}-spot-${letter}`, count));
  return placed.flatMap(([letter, count]) => inParts(count).map((part) => tagged(group, letter, part)));
};

/** RunInstances takes two calls a second. */
const betweenMs = 600;

/** Brings groups to their sizes before their policies come. */
export const fill = async ({ cloud, world, clock }: Sandbox, groups: readonly PlacedGroup[], zones?: readonly string[]): Promise<void> => {
  for (const [service, operation, input] of groups.flatMap((group) => fillingCalls(group, zones))) {
    world.restLaunches();
    await cloud.call({ service, operation, input, caller: { kind: 'operator' } });
    await clock.sleep(betweenMs);
  }
};
