import { expect, it } from 'vitest';
import type { WorldSnapshot } from '../../sandbox/world/world.ts';
import { groupFinder } from './stage.ts';

/** An instance in web-asg, which this group tagged, and how many web-asg holds. */
const finderOver = (world: { held: number }) =>
  groupFinder({
    world: {
      tagsOf: () => ({ 'aws:autoscaling:groupName': 'web-asg', 'holdfast:group': 'holdfast/web' }),
      snapshot: () => ({ autoScalingGroups: [{ name: 'web-asg', instances: Array.from({ length: world.held }) }] }) as unknown as WorldSnapshot,
    },
  });

it('an Auto Scaling group belongs to another group once its own names it no longer and has nobody in it, or is let go', () => {
  const ownerOf = ({ held, letGo = false }: { readonly held: number; readonly letGo?: boolean }) => {
    const { learn, forget, groupOf } = finderOver({ held });
    learn({ group: 'web', asg: 'web-asg', pools: {} });
    learn({ group: 'web', asg: 'other-asg', pools: {} });
    if (letGo) forget('web');
    learn({ group: 'renamed', asg: 'web-asg', pools: {} });
    return groupOf('i-1');
  };
  expect(ownerOf({ held: 0 })).toBe('renamed');
  expect(ownerOf({ held: 1 })).toBe('web');
  expect(ownerOf({ held: 1, letGo: true })).toBe('renamed');
});

it('an Auto Scaling group that a policy in force names belongs to its group, whatever the user wrote before', () => {
  const { learn, settle, groupOf } = finderOver({ held: 1 });
  learn({ group: 'web', asg: 'web-asg', pools: {} });
  // This one is written while the other one still holds its Auto Scaling group.
  learn({ group: 'renamed', asg: 'web-asg', pools: {} });
  expect(groupOf('i-1')).toBe('web');
  settle(new Map([['renamed', { asg: 'web-asg', pools: {} }]]));
  expect(groupOf('i-1')).toBe('renamed');
  settle(new Map([['web', { pools: { a: { asg: 'web-asg' } } }]]));
  expect(groupOf('i-1')).toBe('web');
});

it('an Auto Scaling group whose group is let go belongs to the group that waits for it, also if that one names another since', () => {
  const { learn, forget, groupOf } = finderOver({ held: 1 });
  learn({ group: 'web', asg: 'web-asg', pools: {} });
  learn({ group: 'api', asg: 'api-asg', pools: {} });
  // This one is written while the other one still holds its Auto Scaling group, and accepted after that one was deleted.
  learn({ group: 'renamed', asg: 'web-asg', pools: {} });
  forget('api');
  expect(groupOf('i-1')).toBe('web');
  forget('web');
  expect(groupOf('i-1')).toBe('renamed');
  learn({ group: 'renamed', asg: 'other-asg', pools: {} });
  expect(groupOf('i-1')).toBe('renamed');
});
