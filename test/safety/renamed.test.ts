import { describe, expect, test } from 'vitest';
import { type Fleet, type Item, withFleet } from './fleet.ts';

const asg = (fleet: Fleet) => fleet.sandbox.world.snapshot().autoScalingGroups.find(({ name }) => name === 'web-asg');
const items = async (fleet: Fleet, group: string): Promise<readonly Item[]> =>
  (await fleet.sandbox.items('state')).filter((item) => item.group === group);
const swapOf = async (fleet: Fleet, group: string, instance: string) => (await items(fleet, group)).find((item) => item.instance === instance);
const stateOf = async (fleet: Fleet, group: string) => (await items(fleet, group)).find(({ item }) => item === 'state')?.state as Item | undefined;

const status = async (fleet: Fleet, group: string): Promise<unknown> =>
  (await fleet.sandbox.items('groups')).find((item) => item.group === group && item.item === 'status')?.status;

const letGo = async (fleet: Fleet): Promise<void> => {
  await fleet.deletePolicy();
  await fleet.until('the group is let go', async () => (await status(fleet, 'web')) === 'let-go');
};

/** The same group under another name. */
const rename = async (fleet: Fleet): Promise<void> => {
  await letGo(fleet);
  await fleet.put({ group: 'api' });
  await fleet.until('the new name is in force', async () => (await status(fleet, 'api')) === 'accepted');
};

/** Members that Holdfast launched, and so tagged with the name of the group: spot instances first. */
const taggedMembers = async (fleet: Fleet): Promise<readonly string[]> => {
  fleet.warn(3);
  await fleet.settles(6);
  const tagged = fleet.sandbox.world
    .snapshot()
    .instances.filter(({ state, tags }) => state === 'running' && tags['holdfast:group'] === 'holdfast/web');
  return tagged.toSorted((a, b) => b.market.localeCompare(a.market)).map(({ id }) => id);
};

const endThroughAsg = (fleet: Fleet, instance: string): Promise<unknown> =>
  fleet.operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', { InstanceId: instance, ShouldDecrementDesiredCapacity: true });

const isGone = (fleet: Fleet, instance: string): boolean =>
  fleet.sandbox.world.snapshot().instances.find(({ id }) => id === instance)?.state === 'terminated';

const onSpotAlone = { capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] } };
const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 3_600, defaultResult: 'CONTINUE' }] as const;

describe('a group that gets another name', () => {
  test('receives warnings and hooks of members that have the old one', () =>
    withFleet({ holding: 'attach', spot: 12, hooks, policy: onSpotAlone }, async (fleet) => {
      const tagged = await taggedMembers(fleet);
      const [warned, ended] = [tagged[0], tagged.at(-1)];
      await rename(fleet);
      fleet.sandbox.world.interrupt([warned as string], { noticeMs: 120_000 });
      await endThroughAsg(fleet, ended as string);
      await fleet.until('the hook is answered', () => isGone(fleet, ended as string), 10);
      await fleet.settles(6);
      expect(await swapOf(fleet, 'api', warned as string)).toMatchObject({ reason: 'interruption', drainStartedAtMs: expect.any(Number) });
      expect(await swapOf(fleet, 'api', ended as string)).toMatchObject({ reason: 'hook', state: 'gone' });
      expect(asg(fleet)).toMatchObject({ max: 6, desired: 6 });
    }));
});

test('a new name that is written before the old one is deleted comes into force by itself', () =>
  withFleet({ holding: 'attach', spot: 12, policy: onSpotAlone }, async (fleet) => {
    await fleet.put({ group: 'api' });
    await fleet.until('the new name is rejected', async () => (await status(fleet, 'api')) === 'rejected');
    await letGo(fleet);
    await fleet.until('the new name is in force', async () => (await status(fleet, 'api')) === 'accepted', 1);
    fleet.warn(2);
    await fleet.settles(6);
  }));

test('a hook of a member of a deleted group is completed', () =>
  withFleet({ holding: 'attach', spot: 12, hooks, policy: onSpotAlone }, async (fleet) => {
    const [ended] = await taggedMembers(fleet);
    await letGo(fleet);
    await endThroughAsg(fleet, ended as string);
    await fleet.until('the hook is answered', () => isGone(fleet, ended as string), 5);
    expect(await stateOf(fleet, 'web')).toMatchObject({ policySize: '', raised: [] });
  }));

describe('a maximum that is raised while its group gets another name', () => {
  const raisedThenRenamed = (script: (fleet: Fleet) => Promise<void>) =>
    withFleet({ holding: 'attach', spot: 12, policy: onSpotAlone }, async (fleet) => {
      fleet.warn(2);
      await fleet.until('its maximum is raised', () => asg(fleet)?.max === 8);
      await rename(fleet);
      await script(fleet);
    });

  test('is put back to what its owner gave it', () =>
    raisedThenRenamed(async (fleet) => {
      await fleet.settles(6, 30);
      await fleet.minutes(16);
      expect([asg(fleet)?.max, await stateOf(fleet, 'api'), await stateOf(fleet, 'web')]).toMatchObject([6, { raised: [] }, { raised: [] }]);
    }));

  test('also where the new name has to raise it once more', () =>
    raisedThenRenamed(async (fleet) => {
      fleet.warn(2);
      await fleet.until('it is raised once more', () => (asg(fleet)?.max ?? 0) > 8);
      await fleet.settles(6, 30);
      expect([asg(fleet)?.max, await stateOf(fleet, 'api')]).toMatchObject([6, { raised: [] }]);
    }));
});

test('a member that was warned before its group got another name is replaced and drained under the new one', () =>
  withFleet({ holding: 'attach', spot: 12, policy: onSpotAlone }, async (fleet) => {
    const [warned] = fleet.members('web', { market: 'spot' });
    fleet.warn(1);
    await fleet.minutes(0.1);
    await rename(fleet);
    await fleet.until('it is gone', () => isGone(fleet, warned?.id as string));
    await fleet.minutes(3);
    expect(await swapOf(fleet, 'api', warned?.id as string)).toMatchObject({ reason: 'interruption', state: 'gone' });
    expect(asg(fleet)?.instances.filter(({ lifecycleState }) => lifecycleState === 'InService')).toHaveLength(6);
  }));
