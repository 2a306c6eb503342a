import { expect, test } from 'vitest';
import { randomSituation } from './random-situation.ts';
import type { Situation } from './situation.ts';

/** The script of a world in the order of time, with its faults behind it. */
const textOf = ({ steps, faults = [] }: Situation): string =>
  `${steps
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ what }) => what)
    .join('; ')} # ${JSON.stringify(faults)}`;

const drawn = Array.from({ length: 300 }, (_, index) => randomSituation(12_350_001 + index, { profile: 'edits' }));

test.each([
  ['EC2 warns while there is no policy', /the policy is deleted; EC2 takes \d spot instances in 120 s; the policy is written again/],
  ['a policy drops a target group', /the policy drops a target group/],
  ['a policy is deleted while a hook holds members', /a terminating hook .*through their Auto Scaling group; the policy is deleted/],
  ['messages about a hook are lost', /a terminating hook .*"kind":"drop".*Lifecycle Action/],
  ['a policy changes while the event bus takes nothing', /the policy gets other tags.*"operation":"PutEvents"/],
  ['a user stops drains', /stops? .*drain/],
  ['there is no room for spot when EC2 takes members', /spot .*EC2 takes/],
  ['target health cannot be read while members join', /"operation":"DescribeTargetHealth"/],
  ['Auto Scaling takes long to end members', /"kind":"delay".*"operation":"TerminateInstanceInAutoScalingGroup"/],
])('%s in some of 300 worlds', (_, met) => {
  expect(drawn.filter((world) => met.test(textOf(world))).length).toBeGreaterThanOrEqual(2);
});
