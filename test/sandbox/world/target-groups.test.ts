import { describe, expect, it } from 'vitest';
import { createTestWorld, plainSpec, startMs, targetGroup } from './build.ts';

type Health = { TargetHealthDescriptions: { Target: { Id: string }; TargetHealth: { State: string; Reason?: string } }[] };

type Load = { requestsPerSecond: number; requestSeconds: [number, number]; perInstancePerSecond?: number };

const build = (load?: Load, offering: { readonly capacity?: null } = {}) => {
  const test = createTestWorld({
    targetGroups: [targetGroup(load === undefined ? {} : { load })],
    offerings: plainSpec.offerings.map((one) => ({ ...one, ...offering })),
  });
  const TargetGroupArn = test.world.snapshot().targetGroups[0]?.arn ?? '';
  const input = (ids: readonly string[]) => ({ TargetGroupArn, Targets: ids.map((Id) => ({ Id })) });
  return {
    ...test,
    TargetGroupArn,
    register: (ids: readonly string[]) => test.elb('RegisterTargets', input(ids)),
    deregister: (ids: readonly string[]) => test.elb('DeregisterTargets', input(ids)),
    health: (ids: readonly string[] = []) =>
      test
        .elb<Health>('DescribeTargetHealth', ids.length > 0 ? input(ids) : { TargetGroupArn })
        .TargetHealthDescriptions.map(({ TargetHealth }) => TargetHealth.State),
    requests: () => {
      const [group] = test.world.snapshot().targetGroups;
      return { served: group?.served ?? 0, dropped: group?.dropped ?? 0 };
    },
  };
};

describe('a target', () => {
  it('turns healthy after as many checks as its threshold, counted from the end of its boot', async () => {
    const { launch, seconds, register, health, facts } = build();
    const ids = launch(1);
    await seconds(6);
    register(ids);
    expect(health()).toEqual(['initial']);
    await seconds(18);
    expect(health()).toEqual(['initial']);
    await seconds(2);
    expect(health()).toEqual(['healthy']);
    expect(facts.filter(({ kind }) => kind === 'serving')).toMatchObject([{ atMs: startMs + 25_000 }]);
  });

  it('drains until the deregistration delay ends, then is gone', async () => {
    const { launch, seconds, register, deregister, health, facts } = build();
    const ids = launch(1);
    await seconds(20);
    register(ids);
    await seconds(20);
    deregister(ids);
    expect(health()).toEqual(['draining']);
    await seconds(29);
    expect(health()).toEqual(['draining']);
    await seconds(2);
    expect(health()).toEqual([]);
    expect(health(ids)).toEqual(['unused']);
    expect(facts.map(({ kind }) => kind).slice(-2)).toEqual(['draining', 'drained']);
  });

  it('is one of at most 200 in a call, and of at most 1,000 in its target group', async () => {
    const { launch, seconds, register, deregister, refusal, health } = build(undefined, { capacity: null });
    const first = launch(900);
    await seconds(120);
    const ids = [...first, ...launch(101)];
    await seconds(20);
    expect(refusal(() => register(ids.slice(0, 201)))).toMatchObject({ code: 'ValidationError' });
    for (let from = 0; from < 1_000; from += 200) register(ids.slice(from, from + 200));
    register(ids.slice(0, 200));
    expect(refusal(() => register(ids.slice(1_000)))).toMatchObject({ code: 'TooManyTargets' });
    deregister(ids.slice(0, 1));
    expect(refusal(() => register(ids.slice(1_000)))).toMatchObject({ code: 'TooManyTargets' });
    await seconds(31);
    register(ids.slice(1_000));
    expect(health()).toHaveLength(1_000);
  });

  it('must run to be registered; deregistering a stranger is no error', () => {
    const { launch, register, deregister, refusal } = build();
    const ids = launch(1);
    expect(refusal(() => register(ids))).toMatchObject({ code: 'InvalidTarget', message: expect.stringContaining('not in a running state') });
    expect(refusal(() => register(['i-0none'])).code).toBe('InvalidTarget');
    expect(deregister(['i-0none'])).toEqual({});
  });

  it('comes back when it is registered again while it drains', async () => {
    const { launch, seconds, register, deregister, health } = build();
    const ids = launch(1);
    await seconds(20);
    register(ids);
    await seconds(10);
    deregister(ids);
    register(ids);
    await seconds(60);
    expect(health()).toEqual(['healthy']);
  });

  it('becomes unhealthy by its health checks after its instance ended, and not before', async () => {
    const { launch, seconds, register, health, world } = build();
    const [id = ''] = launch(1);
    await seconds(20);
    register([id]);
    await seconds(20);
    world.kill(id);
    expect(health()).toEqual(['healthy']);
    await seconds(11);
    expect(health()).toEqual(['unused']);
  });

  it.each([
    ['before its health checks failed', 4],
    ['after its health checks failed', 30],
  ])('stays registered while its instance is stopped, and is checked anew where it starts %s', async (_, stoppedSeconds) => {
    const { launch, seconds, register, health, world } = build();
    const [id = ''] = launch(1);
    await seconds(20);
    register([id]);
    await seconds(20);
    world.interrupt([id], { noticeMs: 0, action: 'hibernate' });
    await seconds(stoppedSeconds);
    world.restart([id]);
    await seconds(5);
    expect(health()).toEqual(['initial']);
    // It boots in ten seconds, and passes two checks in ten more.
    await seconds(19);
    expect(health()).toEqual(['initial']);
    await seconds(1);
    expect(health()).toEqual(['healthy']);
  });

  it('that drains is not checked again when its instance starts', async () => {
    const { launch, seconds, register, deregister, health, world } = build();
    const [id = ''] = launch(1);
    await seconds(20);
    register([id]);
    await seconds(20);
    deregister([id]);
    world.interrupt([id], { noticeMs: 0, action: 'hibernate' });
    await seconds(4);
    world.restart([id]);
    await seconds(20);
    expect(health()).toEqual(['draining']);
    await seconds(10);
    expect(health()).toEqual([]);
  });
});

describe('target groups', () => {
  it('are created, found by ARN and name, changed and deleted', () => {
    const { elb, refusal } = build();
    const { TargetGroups } = elb<{ TargetGroups: { TargetGroupArn: string }[] }>('CreateTargetGroup', { Name: 'api', Port: 8080 });
    const arn = TargetGroups[0]?.TargetGroupArn ?? '';
    expect(elb('DescribeTargetGroups', { TargetGroupArns: [arn] })).toMatchObject({ TargetGroups: [{ TargetGroupName: 'api', Port: 8080 }] });
    expect(elb('DescribeTargetGroups', { Names: ['web'] })).toMatchObject({ TargetGroups: [{ TargetGroupName: 'web' }] });
    const attributes = [{ Key: 'deregistration_delay.timeout_seconds', Value: '60' }];
    elb('ModifyTargetGroupAttributes', { TargetGroupArn: arn, Attributes: attributes });
    expect(elb('DescribeTargetGroupAttributes', { TargetGroupArn: arn })).toMatchObject({ Attributes: expect.arrayContaining(attributes) });
    expect(refusal(() => elb('CreateTargetGroup', { Name: 'api' })).code).toBe('DuplicateTargetGroupName');
    elb('DeleteTargetGroup', { TargetGroupArn: arn });
    expect(refusal(() => elb('DescribeTargetGroups', { Names: ['api'] })).code).toBe('TargetGroupNotFound');
  });
});

describe('a target group that a client creates', () => {
  const create = () => {
    const test = createTestWorld({ targetGroups: [targetGroup()] });
    const { elb } = test;
    const made = elb<{ TargetGroups: { TargetGroupArn: string; LoadBalancerArns: string[] }[] }>('CreateTargetGroup', {
      Name: 'api',
      HealthCheckIntervalSeconds: 10,
      HealthyThresholdCount: 2,
    }).TargetGroups[0];
    const TargetGroupArn = made?.TargetGroupArn ?? '';
    const forward = (LoadBalancerArn: string, Port = 80) =>
      elb('CreateListener', { LoadBalancerArn, Protocol: 'HTTP', Port, DefaultActions: [{ Type: 'forward', TargetGroupArn }] });
    const balancer = (Name: string) =>
      elb<{ LoadBalancers: { LoadBalancerArn: string }[] }>('CreateLoadBalancer', { Name, Subnets: ['subnet-a'] }).LoadBalancers[0]
        ?.LoadBalancerArn ?? '';
    const health = () => elb<Health>('DescribeTargetHealth', { TargetGroupArn }).TargetHealthDescriptions.map(({ TargetHealth }) => TargetHealth);
    const targetsOf = (ids: readonly string[]) => ({ TargetGroupArn, Targets: ids.map((Id) => ({ Id })) });
    return { ...test, made, TargetGroupArn, forward, balancer, health, targetsOf };
  };

  it('has unused targets while no listener forwards to it, and lets them go at once', async () => {
    const { made, elb, launch, seconds, health, targetsOf } = create();
    expect(made?.LoadBalancerArns).toEqual([]);
    const ids = launch(1);
    await seconds(60);
    elb('RegisterTargets', targetsOf(ids));
    await seconds(60);
    expect(health()).toMatchObject([{ State: 'unused', Reason: 'Target.NotInUse' }]);
    elb('DeregisterTargets', targetsOf(ids));
    await seconds(1);
    expect(health()).toEqual([]);
  });

  it('has its targets checked from when a listener forwards to it', async () => {
    const { elb, launch, seconds, health, targetsOf, balancer, forward, TargetGroupArn } = create();
    const ids = launch(1);
    await seconds(60);
    elb('RegisterTargets', targetsOf(ids));
    await seconds(60);
    const LoadBalancerArn = balancer('front');
    forward(LoadBalancerArn);
    expect(health()).toMatchObject([{ State: 'initial' }]);
    await seconds(21);
    expect(health()).toMatchObject([{ State: 'healthy' }]);
    expect(elb('DescribeTargetGroups', { LoadBalancerArn })).toMatchObject({
      TargetGroups: [{ TargetGroupArn, LoadBalancerArns: [LoadBalancerArn] }],
    });
    expect(elb('DescribeListeners', { LoadBalancerArn })).toMatchObject({ Listeners: [{ Port: 80, DefaultActions: [{ TargetGroupArn }] }] });
    expect(elb('DescribeLoadBalancers', {})).toMatchObject({ LoadBalancers: [{ LoadBalancerName: 'sandbox' }, { LoadBalancerName: 'front' }] });
  });

  it('serves one load balancer, whose port takes one listener', () => {
    const { forward, balancer, refusal, TargetGroupArn } = create();
    const front = balancer('front');
    forward(front);
    expect(refusal(() => forward(balancer('second'))).code).toBe('TargetGroupAssociationLimit');
    expect(refusal(() => forward(front)).code).toBe('DuplicateListener');
    expect(refusal(() => balancer('front')).code).toBe('DuplicateLoadBalancerName');
    expect(refusal(() => forward(TargetGroupArn, 81)).code).toBe('LoadBalancerNotFound');
  });
});

describe('requests', () => {
  const load = { requestsPerSecond: 20, requestSeconds: [2, 4] as [number, number] };
  const serving = async (change = {}) => {
    const test = build({ ...load, ...change });
    const ids = test.launch(2);
    await test.seconds(20);
    test.register(ids);
    await test.seconds(10);
    return { ...test, ids };
  };

  it('begin with the first healthy target and are served evenly', async () => {
    const { seconds, requests, ids, instance } = await serving();
    await seconds(10);
    expect(requests().dropped).toBe(0);
    expect(requests().served).toBeGreaterThan(100);
    const [first, second] = ids.map((id) => instance(id).inFlight);
    expect(first).toBe(second);
    expect(first).toBeGreaterThanOrEqual(30);
  });

  it('finish on a draining target, which gets no new ones', async () => {
    const { seconds, requests, deregister, ids, instance, facts, clock } = await serving();
    await seconds(10);
    const begunMs = clock.now();
    deregister(ids.slice(0, 1));
    await seconds(1);
    expect(instance(ids[0] ?? '').inFlight).toBeGreaterThan(0);
    await seconds(60);
    expect(requests().dropped).toBe(0);
    expect(instance(ids[0] ?? '').inFlight).toBe(0);
    const drained = facts.find(({ kind }) => kind === 'drained');
    expect((drained?.atMs ?? 0) - begunMs).toBeGreaterThan(2000);
    expect((drained?.atMs ?? 0) - begunMs).toBeLessThanOrEqual(4000);
  });

  it('are dropped with the instance that they are on, and on the ended instance until its checks fail', async () => {
    const { seconds, requests, ids, world, instance } = await serving();
    await seconds(10);
    const inFlight = instance(ids[0] ?? '').inFlight;
    world.kill(ids[0] ?? '');
    expect(requests().dropped).toBe(inFlight);
    await seconds(60);
    expect(requests().dropped).toBe(inFlight + 9 * 10);
  });

  it('are dropped without a healthy target', async () => {
    const { seconds, requests, deregister, ids } = await serving();
    deregister(ids);
    const before = requests().dropped;
    await seconds(5);
    expect(requests().dropped - before).toBe(100);
  });

  it('are dropped beyond what an instance takes', async () => {
    const { seconds, requests } = await serving({ perInstancePerSecond: 8 });
    await seconds(10);
    expect(requests().dropped).toBe(4 * 10);
  });

  it('are reported in batches, one a second', async () => {
    const { seconds, facts } = await serving();
    await seconds(10);
    const served = facts.filter((fact) => fact.kind === 'served');
    expect(served.length).toBeLessThanOrEqual(10);
    expect(served.every((fact) => 'count' in fact && fact.count > 1)).toBe(true);
  });

  it('can be changed', async () => {
    const { seconds, requests, world } = await serving();
    expect(world.setLoad('web', 0)).toBe(true);
    await seconds(10);
    const { served } = requests();
    await seconds(60);
    expect(requests().served).toBe(served);
    expect(world.setLoad('none', 1)).toBe(false);
  });
});
