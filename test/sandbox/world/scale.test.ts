import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, fleetInput, plainSpec, targetGroup, timing } from './build.ts';

const vast = plainSpec.offerings.map((offering) => ({ ...offering, capacity: null }));
const uneven = { ...timing, pendingSeconds: [3, 9] as const, bootSeconds: [5, 40] as const, lagSeconds: [0, 4] as const };

const play = async (seed: number) => {
  const test = createTestWorld({ timing: uneven, autoScalingGroups: [asg({ desired: 5 })], targetGroups: [targetGroup()] }, seed);
  await test.seconds(30);
  test.launch(3, { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: 'b' }] }] });
  test.world.interrupt(test.inService().slice(0, 2), { noticeMs: 120_000 });
  await test.seconds(300);
  return { facts: test.facts, events: test.events, snapshot: test.world.snapshot() };
};

describe('a world', () => {
  it('plays the same from the same seed, and another from another', async () => {
    const first = await play(1);
    expect(await play(1)).toEqual(first);
    expect((await play(2)).facts).not.toEqual(first.facts);
  });

  it('passes a quiet day', async () => {
    const { seconds, inService } = createTestWorld({ autoScalingGroups: [asg({ desired: 4 })], targetGroups: [targetGroup()] });
    await seconds(24 * 3600);
    expect(inService()).toHaveLength(4);
  });

  it('bears 200 requests a second for ten minutes', async () => {
    const load = { requestsPerSecond: 200, requestSeconds: [0.1, 2] as const };
    const { seconds, world } = createTestWorld({
      autoScalingGroups: [asg({ desired: 10, targetGroups: ['web'] })],
      targetGroups: [targetGroup({ load })],
    });
    await seconds(600);
    const [group] = world.snapshot().targetGroups;
    expect(group?.dropped).toBe(0);
    expect(group?.served).toBeGreaterThan(200 * 560);
  });

  it('bears an Auto Scaling group of a thousand whose members are all ended at once', async () => {
    const subnets = plainSpec.subnets.map((subnet) => ({ ...subnet, freeAddresses: 2000 }));
    const groups = [asg({ desired: 1000, max: 2000, targetGroups: ['web'] })];
    const { autoScaling, seconds, inService, world } = createTestWorld({
      offerings: vast,
      subnets,
      autoScalingGroups: groups,
      targetGroups: [targetGroup()],
    });
    await seconds(60);
    const ids = inService();
    for (let from = 0; from < ids.length; from += 100) {
      const InstanceIds = ids.slice(from, from + 100);
      autoScaling('TerminateInstanceInAutoScalingGroup', { AutoScalingGroupName: 'workers', InstanceIds, ShouldDecrementDesiredCapacity: true });
    }
    await seconds(60);
    expect(ids).toHaveLength(1000);
    expect(inService()).toEqual([]);
    expect(world.snapshot().instances.every(({ state }) => state === 'terminated')).toBe(true);
  });

  it('bears ten thousand instances, described by tag in pages', async () => {
    const { ec2, seconds, world } = createTestWorld({ offerings: vast, subnets: [{ id: 'subnet-a', zone: 'us-east-1a', freeAddresses: 20_000 }] });
    for (let batch = 0; batch < 10; batch += 1) {
      ec2('CreateFleet', fleetInput(1000, { TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'batch', Value: String(batch) }] }] }));
      await seconds(600);
    }
    expect(world.snapshot().instances).toHaveLength(10_000);
    const found = ec2<{ Reservations: object[] }>('DescribeInstances', { Filters: [{ Name: 'tag:batch', Values: ['3'] }], MaxResults: 1000 });
    expect(found.Reservations).toHaveLength(1000);
  });
});
