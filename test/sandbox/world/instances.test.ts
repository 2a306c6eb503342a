import { describe, expect, it } from 'vitest';
import { createTestWorld, fleetInput, startMs } from './build.ts';

const spotA = { instanceType: 'm7g.large', zone: 'us-east-1a', market: 'spot' } as const;

describe('an instance', () => {
  it('goes from pending to running to terminated, with an event for each', async () => {
    const { ec2, launch, seconds, eventsOf, facts } = createTestWorld();
    const [id = ''] = launch(1);
    await seconds(20);
    ec2('TerminateInstances', { InstanceIds: [id] });
    await seconds(10);
    const events = eventsOf('EC2 Instance State-change Notification');
    expect(events.map(({ detail }) => detail.state)).toEqual(['pending', 'running', 'shutting-down', 'terminated']);
    expect(events[0]).toEqual({
      'detail-type': 'EC2 Instance State-change Notification',
      source: 'aws.ec2',
      resources: [`arn:aws:ec2:us-east-1:123456789012:instance/${id}`],
      detail: { 'instance-id': id, state: 'pending' },
    });
    expect(facts.map(({ kind, atMs }) => [kind, atMs - startMs])).toEqual([
      ['launched', 0],
      ['running', 5000],
      ['serving', 15_000],
      ['shutting-down', 20_000],
      ['terminated', 24_000],
    ]);
  });

  it('costs from running to its end, at the price of each moment, beside the on-demand price', async () => {
    const { ec2, launch, seconds, world } = createTestWorld();
    const ids = launch(2);
    await seconds(5);
    await seconds(3600);
    world.setOffering(spotA, { priceUsdPerHour: 0.06 });
    await seconds(1800);
    expect(world.cost().usd).toBeCloseTo(2 * (0.03 + 0.03), 9);
    expect(world.cost().onDemandUsd).toBeCloseTo(2 * 0.15, 9);
    ec2('TerminateInstances', { InstanceIds: ids });
    await seconds(3600);
    expect(world.cost().usd).toBeCloseTo(0.12, 9);
  });

  it('may die while pending, and never runs then', async () => {
    const { launch, seconds, world, instance, eventsOf } = createTestWorld();
    const [id = ''] = launch(1);
    expect(world.kill(id)).toBe(true);
    await seconds(30);
    expect(instance(id).state).toBe('terminated');
    expect(eventsOf('EC2 Instance State-change Notification').map(({ detail }) => detail.state)).toEqual(['pending', 'shutting-down', 'terminated']);
    expect(world.kill(id)).toBe(false);
    expect(world.cost().usd).toBe(0);
  });
});

describe('EC2 takes spot instances', () => {
  it('warns first, in the shape of the real event: zone in the region slot, no account', async () => {
    const { launch, seconds, world, instance, eventsOf } = createTestWorld();
    const [id = ''] = launch(1);
    await seconds(10);
    expect(world.interrupt([id, 'i-0none'], { noticeMs: 120_000 })).toEqual({ unknown: ['i-0none'] });
    expect(eventsOf('EC2 Spot Instance Interruption Warning')).toEqual([
      {
        'detail-type': 'EC2 Spot Instance Interruption Warning',
        source: 'aws.ec2',
        resources: [`arn:aws:ec2:us-east-1a:instance/${id}`],
        detail: { 'instance-id': id, 'instance-action': 'terminate' },
      },
    ]);
    await seconds(119);
    expect(instance(id)).toMatchObject({ state: 'running', takenAtMs: startMs + 130_000 });
    await seconds(2);
    expect(instance(id).state).toBe('shutting-down');
  });

  it('interrupts neither pending nor on-demand instances', async () => {
    const { launch, seconds, world } = createTestWorld();
    const onDemand = launch(1, { TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' } });
    await seconds(10);
    const pending = launch(1);
    expect(world.interrupt([...onDemand, ...pending], { noticeMs: 0 }).unknown).toEqual([...onDemand, ...pending]);
  });

  it('takes instances on demand where the owner of their capacity reservation takes it back, with the time of the end', async () => {
    const { launch, seconds, world, instance, eventsOf } = createTestWorld();
    const [id = ''] = launch(1, { TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' } });
    await seconds(10);
    expect(world.interrupt([id], { noticeMs: 120_000 })).toEqual({ unknown: [id] });
    expect(world.interrupt([id], { noticeMs: 120_000, reserved: true })).toEqual({ unknown: [] });
    const takenAtMs = instance(id).takenAtMs ?? 0;
    expect(eventsOf('EC2 Capacity Reservation Instance Interruption Warning').map(({ detail }) => detail)).toEqual([
      { 'instance-id': id, 'instance-termination-time': new Date(takenAtMs).toISOString() },
    ]);
    await seconds(121);
    expect(instance(id).state).not.toBe('running');
  });

  it('may give no warning, may stop instead, and keeps the earliest deadline of two warnings', async () => {
    const { launch, seconds, world, instance, eventsOf } = createTestWorld();
    const [silent = '', stopped = '', twice = ''] = launch(3);
    await seconds(10);
    world.interrupt([silent], { noticeMs: 1000, silent: true });
    world.interrupt([stopped], { noticeMs: 1000, action: 'stop' });
    world.interrupt([twice], { noticeMs: 10_000 });
    world.interrupt([twice], { noticeMs: 120_000 });
    await seconds(12);
    expect([silent, stopped, twice].map((id) => instance(id).state)).toEqual(['terminated', 'stopped', 'shutting-down']);
    expect(eventsOf('EC2 Spot Instance Interruption Warning').map(({ detail }) => detail['instance-action'])).toEqual([
      'stop',
      'terminate',
      'terminate',
    ]);
  });

  it('recommends to rebalance without taking anything', async () => {
    const { launch, seconds, world, instance, eventsOf } = createTestWorld();
    const [id = ''] = launch(1);
    await seconds(10);
    world.recommendRebalance([id]);
    expect(eventsOf('EC2 Instance Rebalance Recommendation')).toMatchObject([{ detail: { 'instance-id': id } }]);
    await seconds(600);
    expect(instance(id).state).toBe('running');
  });

  it('reclaims the youngest of a surplus, and gives nothing until there is room again', async () => {
    const { launch, seconds, world, instance, ec2 } = createTestWorld();
    const old = launch(2);
    await seconds(10);
    const young = launch(2);
    await seconds(10);
    expect(world.setOffering(spotA, { capacity: 1, reclaim: { noticeMs: 120_000 } })).toBe(true);
    expect(young.concat(old).map((id) => instance(id).takenAtMs !== undefined)).toEqual([true, true, false, true]);
    expect(ec2<{ Instances: object[] }>('CreateFleet', fleetInput(1)).Instances).toEqual([]);
    await seconds(130);
    world.setOffering(spotA, { capacity: 2 });
    expect(ec2<{ Instances: object[] }>('CreateFleet', fleetInput(1)).Instances).toHaveLength(1);
    expect(world.setOffering({ ...spotA, instanceType: 'x.large' }, { capacity: 1 })).toBe(false);
  });
});
