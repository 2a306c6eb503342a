import { describe, expect, it } from 'vitest';
import { asg, createTestWorld, plainSpec, targetGroup } from './build.ts';

const named = { AutoScalingGroupName: 'workers' };
type Change = Parameters<typeof asg>[0];

const build = async (change: Change = {}, spec: Partial<typeof plainSpec> = {}) => {
  const world = createTestWorld({ autoScalingGroups: [asg({ rebalancesCapacity: true, ...change })], targetGroups: [targetGroup()], ...spec });
  await world.seconds(60);
  return world;
};
type TestWorld = Awaited<ReturnType<typeof build>>;

const first = ({ inService }: TestWorld): string => inService()[0] ?? '';
const statesOf = ({ group }: TestWorld): readonly string[] =>
  group()
    .instances.map(({ lifecycleState }) => lifecycleState)
    .sort();
const held = (world: TestWorld): number => statesOf(world).filter((state) => state === 'InService' || state.startsWith('Pending')).length;
const hook = { name: 'drain', transition: 'terminating', heartbeatSeconds: 60, defaultResult: 'CONTINUE' } as const;

/** The largest number of members that count, second by second. */
const mostHeld = async (world: TestWorld, seconds: number): Promise<number> => {
  let most = 0;
  for (let second = 0; second < seconds; second += 1) {
    await world.seconds(1);
    most = Math.max(most, held(world));
  }
  return most;
};

describe('a group with Capacity Rebalancing, when EC2 advises to replace a member', () => {
  it('launches on spot, ends the member once the new one is in service, and the facts name the reason', async () => {
    const world = await build({ desired: 2, hooks: [hook] });
    const id = first(world);
    world.world.recommendRebalance([id]);
    await world.seconds(12);
    expect(statesOf(world)).toEqual(['InService', 'InService', 'Pending']);
    await world.seconds(20);
    expect(statesOf(world)).toEqual(['InService', 'InService', 'Terminating:Wait']);
    expect(world.group().instances.find(({ lifecycleState }) => lifecycleState === 'Terminating:Wait')?.id).toBe(id);
    world.autoScaling('CompleteLifecycleAction', { ...named, LifecycleHookName: 'drain', InstanceId: id, LifecycleActionResult: 'CONTINUE' });
    await world.seconds(60);
    expect(statesOf(world)).toEqual(['InService', 'InService']);
    const byRisk = { kind: 'asg', asg: 'workers', why: 'risk' };
    expect(world.history.filter((event) => event.kind === 'launched').map(({ market, by }) => [market, by])).toContainEqual(['spot', byRisk]);
    expect(world.history.filter((event) => event.kind === 'left')).toMatchObject([{ instance: id, by: byRisk }]);
  });

  it('waits for launch hooks, and for the target group where that decides about health', async () => {
    const launching = { name: 'boot', transition: 'launching', heartbeatSeconds: 600, defaultResult: 'ABANDON' } as const;
    const world = await build({ desired: 1, targetGroups: ['web'], healthChecks: 'ELB' });
    await world.seconds(60);
    const id = first(world);
    world.autoScaling('PutLifecycleHook', {
      ...named,
      LifecycleHookName: launching.name,
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING',
      HeartbeatTimeout: 600,
    });
    world.world.recommendRebalance([id]);
    await world.seconds(60);
    expect(statesOf(world)).toEqual(['InService', 'Pending:Wait']);
    const made = world.group().instances.find(({ lifecycleState }) => lifecycleState === 'Pending:Wait')?.id ?? '';
    world.autoScaling('CompleteLifecycleAction', { ...named, LifecycleHookName: 'boot', InstanceId: made, LifecycleActionResult: 'CONTINUE' });
    await world.seconds(1);
    expect(world.instance(made).targets).toEqual({ web: 'initial' });
    expect(statesOf(world)).toEqual(['InService', 'InService']);
    await world.seconds(60);
    expect(world.inService()).toEqual([made]);
  });

  it('exceeds its maximum by 10 percent of the desired capacity, or by one, and no more', async () => {
    const most = async (size: number) => {
      const world = await build({ desired: size, max: size });
      world.world.recommendRebalance(world.inService().slice(0, 4));
      const reached = await mostHeld(world, 300);
      return [reached, held(world)];
    };
    expect(await most(4)).toEqual([5, 4]);
    expect(await most(20)).toEqual([22, 20]);
  });

  it('keeps the member while spot gives nothing, and tries again: never on demand', async () => {
    const world = await build({ desired: 1 });
    const id = first(world);
    const setSpot = (capacity: number): void => {
      for (const { instanceType, zone, market } of plainSpec.offerings)
        if (market === 'spot') world.world.setOffering({ instanceType, zone, market }, { capacity });
    };
    setSpot(0);
    world.world.recommendRebalance([id]);
    await world.seconds(120);
    expect(world.inService()).toEqual([id]);
    expect(world.eventsOf('EC2 Instance Launch Unsuccessful').length).toBeGreaterThan(3);
    setSpot(5);
    await world.seconds(60);
    expect(world.inService()).toHaveLength(1);
    expect(world.inService()).not.toContain(id);
    expect(world.instance(first(world)).market).toBe('spot');
  });

  it('replaces a replacement that fails, and keeps the member until one is healthy', async () => {
    const world = await build({ desired: 1 });
    const id = first(world);
    world.world.recommendRebalance([id]);
    await world.seconds(12);
    const [made = ''] = world
      .group()
      .instances.map((one) => one.id)
      .filter((one) => one !== id);
    world.world.kill(made);
    await world.seconds(8);
    expect(world.inService()).toEqual([id]);
    await world.seconds(60);
    expect(world.inService()).toHaveLength(1);
    expect(world.inService()).not.toContain(id);
  });

  it('scales out first, where it is below its desired capacity', async () => {
    const empty = plainSpec.offerings.map((offering) => ({ ...offering, capacity: offering.instanceType === 'm7g.large' ? 1 : 0 }));
    const world = await build({ desired: 4 }, { offerings: empty });
    expect(world.inService()).toHaveLength(3);
    const id = first(world);
    world.world.recommendRebalance([id]);
    await world.seconds(60);
    expect(world.inService()).toHaveLength(3);
    expect(world.history.filter((event) => event.kind === 'launched' && event.by.kind === 'asg' && event.by.why === 'risk')).toEqual([]);
    world.world.setOffering({ instanceType: 'm6g.large', zone: 'us-east-1a', market: 'spot' }, { capacity: 1 });
    await world.seconds(60);
    expect(world.inService()).toHaveLength(4);
    expect(world.inService()).toContain(id);
  });

  it('launches nothing while Launch is suspended, and ends nobody while Terminate is', async () => {
    const world = await build({ desired: 2 });
    world.autoScaling('SuspendProcesses', { ...named, ScalingProcesses: ['Launch'] });
    world.world.recommendRebalance([first(world)]);
    expect(await mostHeld(world, 60)).toBe(2);
    world.autoScaling('SuspendProcesses', { ...named, ScalingProcesses: ['Terminate'] });
    world.autoScaling('ResumeProcesses', { ...named, ScalingProcesses: ['Launch'] });
    await world.seconds(60);
    expect(statesOf(world)).toEqual(['InService', 'InService', 'InService']);
    world.autoScaling('ResumeProcesses', { ...named });
    await world.seconds(60);
    expect(statesOf(world)).toEqual(['InService', 'InService']);
  });

  it('does so from the moment when it is turned on, and until it is turned off; a recommendation of before means nothing', async () => {
    const world = await build({ desired: 2, rebalancesCapacity: false });
    const shown = () => world.autoScaling<{ AutoScalingGroups: { CapacityRebalance: boolean }[] }>('DescribeAutoScalingGroups').AutoScalingGroups[0];
    const before = world.inService();
    world.world.recommendRebalance(before);
    world.autoScaling('UpdateAutoScalingGroup', { ...named, CapacityRebalance: true });
    expect(shown()?.CapacityRebalance).toBe(true);
    expect(await mostHeld(world, 60)).toBe(2);
    world.world.recommendRebalance(before.slice(0, 1));
    expect(await mostHeld(world, 60)).toBe(3);
    world.autoScaling('UpdateAutoScalingGroup', { ...named, CapacityRebalance: false });
    world.world.recommendRebalance(world.inService());
    expect(await mostHeld(world, 60)).toBe(2);
  });
});

describe('a group with Capacity Rebalancing, when EC2 takes a member', () => {
  it('begins its end with the hook and launches another one at once', async () => {
    const world = await build({ desired: 2, hooks: [hook] });
    const id = first(world);
    world.world.interrupt([id], { noticeMs: 120_000 });
    expect(statesOf(world)).toEqual(['InService', 'Pending', 'Terminating:Wait']);
    await world.seconds(70);
    expect(world.instance(id).state).toBe('terminated');
    expect(statesOf(world)).toEqual(['InService', 'InService']);
  });

  it('launches nothing more for one that it replaced before', async () => {
    const world = await build({ desired: 2 });
    const id = first(world);
    world.world.recommendRebalance([id]);
    await world.seconds(12);
    expect(held(world)).toBe(3);
    world.world.interrupt([id], { noticeMs: 120_000 });
    expect(await mostHeld(world, 60)).toBe(2);
  });

  it('keeps it while Terminate is suspended; without the setting it waits for the end', async () => {
    const suspended = await build({ desired: 1, suspended: ['Terminate'] });
    suspended.world.interrupt([first(suspended)], { noticeMs: 120_000 });
    expect(statesOf(suspended)).toEqual(['InService']);
    const plain = await build({ desired: 1, rebalancesCapacity: false });
    plain.world.interrupt([first(plain)], { noticeMs: 30_000 });
    await plain.seconds(29);
    expect(statesOf(plain)).toEqual(['InService']);
  });
});
