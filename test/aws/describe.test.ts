import { describe, expect, test } from 'vitest';
import { poolOf } from '../../aws/providers/pool-of.ts';
import type { Group } from '../../core/group/group.ts';
import { autoScalingGroup, ec2Instance, group, groupOfAsgs, nowMs, offering, ours, targetHealth } from './builders.ts';
import { type Answers, failsWith } from './fake-aws.ts';
import { providerOver } from './provider.ts';

type Asked = { readonly Filters: readonly { readonly Name: string }[] };

/** Instances by the tag that a describe filters on. */
const instances =
  (byTag: { readonly tagged?: readonly object[]; readonly grouped?: readonly object[] }) =>
  ({ Filters }: Asked) => ({
    Reservations: [{ Instances: Filters[0]?.Name === 'tag:holdfast:group' ? (byTag.tagged ?? []) : (byTag.grouped ?? []) }],
  });

const look = async (of: Group, answers: Answers) => {
  const { provider, aws, missed } = providerOver(of.holding, answers);
  return { ...(await provider.describe(of)), aws, missed };
};

const attached = (loadBalancers: Group['drain']['loadBalancers'] = 'auto'): Group =>
  group({ holding: { kind: 'attach', asg: 'web' }, drain: { timeoutMs: 1, loadBalancers } });
const listed = group({ drain: { timeoutMs: 1, loadBalancers: ['tg-named'] } });
const inWeb = { 'aws:autoscaling:groupName': 'web' };

describe('a group held by tag', () => {
  test('is what carries its tag, every page read, ended instances apart', async () => {
    const { members, ended, endedUnder, asgs, aws } = await look(group(), {
      DescribeInstances: [
        {
          Reservations: [{ Instances: [ec2Instance('i-1', ours)] }, { Instances: [ec2Instance('i-2', ours, { state: 'pending' })] }],
          NextToken: 'n',
        },
        {
          Reservations: [
            { Instances: ['shutting-down', 'terminated', 'stopping', 'stopped'].map((state) => ec2Instance(`i-${state}`, ours, { state })) },
          ],
        },
      ],
    });
    expect(members.map(({ instance, state, admitted, serving }) => [instance, state, admitted, serving])).toEqual([
      ['i-1', 'running', true, true],
      ['i-2', 'pending', false, false],
    ]);
    expect(members[0]).toEqual({
      instance: 'i-1',
      pool: 'spot-a',
      offering: offering('m7g.large', 'z-a'),
      state: 'running',
      launchedAtMs: nowMs,
      reservation: 'r-1',
      admitted: true,
      unchecked: true,
      serving: true,
      protected: false,
      unhealthy: false,
    });
    expect(ended).toEqual(['i-shutting-down', 'i-terminated', 'i-stopping', 'i-stopped']);
    expect(endedUnder).toEqual({ 'r-1': 4 });
    expect(asgs).toEqual([]);
    expect(aws.inputsOf('DescribeInstances').map(({ NextToken }) => NextToken)).toEqual([undefined, 'n']);
    expect(aws.inputsOf('DescribeInstances')[0]).toMatchObject({
      MaxResults: 1000,
      Filters: [{ Name: 'tag:holdfast:group', Values: ['prod/workers'] }],
    });
  });

  test("shows for which other group a member was launched, if its Auto Scaling group was another group's", async () => {
    const elder = { ...inWeb, 'holdfast:group': 'prod/elders', 'holdfast:reservation': 'r-9' };
    const { members } = await look(attached(), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', elder), ec2Instance('i-2', { ...ours, ...inWeb }), ec2Instance('i-3', inWeb)] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', { 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' })] },
    });
    expect(members.map(({ instance, launchedFor }) => [instance, launchedFor])).toEqual([
      ['i-1', 'elders'],
      ['i-2', undefined],
      ['i-3', undefined],
    ]);
  });

  test('says what its Auto Scaling group has launched lately without a reservation, also what has ended', async () => {
    const from = (id: string, agoMs: number, more: { readonly tags?: object; readonly state?: string } = {}) =>
      ec2Instance(id, { ...inWeb, ...more.tags }, { launchedAtMs: nowMs - agoMs, ...(more.state !== undefined && { state: more.state }) });
    const grouped = [
      from('i-1', 5_000, { state: 'terminated' }),
      from('i-2', 90_000),
      from('i-3', 90_001),
      from('i-4', 0, { tags: ours }),
      from('i-5', 0),
    ];
    const held = Object.fromEntries(['i-1', 'i-2', 'i-3', 'i-4'].map((id) => [id, 'InService']));
    const asked = (names: Readonly<Record<string, string>>) =>
      look(attached(), {
        DescribeInstances: instances({ grouped }),
        DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', { ...names, 'i-5': 'Terminating', 'i-6': 'Pending' })] },
      });
    expect((await asked(held)).asgs[0]?.untagged).toEqual({ 'i-1': nowMs - 5_000, 'i-2': nowMs - 90_000 });
    expect((await asked({ 'i-3': 'InService' })).asgs[0]?.untagged).toBeUndefined();
  });

  test('by tag is returned with its Auto Scaling group, if the group does not name it', async () => {
    const tagged = [ec2Instance('i-1', { ...ours, ...inWeb }), ec2Instance('i-2', ours)];
    const { members, elsewhere } = await look(group(), { DescribeInstances: instances({ tagged }) });
    expect(members.map(({ instance }) => instance)).toEqual(['i-1', 'i-2']);
    expect(elsewhere).toEqual({ 'i-1': 'web' });
  });

  test('is no instance with its tag that a foreign Auto Scaling group holds, if the group holds its members in its own ones', async () => {
    const { members, elsewhere } = await look(attached(), {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', { ...ours, 'aws:autoscaling:groupName': 'before' }), ec2Instance('i-2', ours)] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', {})] },
    });
    expect(members.map(({ instance }) => instance)).toEqual(['i-2']);
    expect(elsewhere).toEqual({ 'i-1': 'before' });
  });

  test("is never another deployment's, nor a group's whose name only begins alike", async () => {
    const foreign = [
      ec2Instance('i-1', { 'holdfast:group': 'staging/workers' }),
      ec2Instance('i-2', { 'holdfast:group': 'prod/workers-2' }),
      ec2Instance('i-3'),
    ];
    const { members, ended } = await look(group(), { DescribeInstances: { Reservations: [{ Instances: foreign }] } });
    expect([members, ended]).toEqual([[], []]);
  });

  test.each([
    ['healthy', undefined, true, true],
    ['initial', 'Elb.RegistrationInProgress', true, false],
    ['unhealthy', 'Target.Timeout', true, false],
    ['unavailable', 'Target.HealthCheckDisabled', true, true],
    ['unused', 'Target.NotInUse', true, true],
    ['unused', 'Target.NotRegistered', false, false],
    ['draining', 'Target.DeregistrationInProgress', false, false],
    ['unhealthy.draining', undefined, false, false],
  ])('serves if its named target groups find it healthy: %s (%s)', async (state, reason, admitted, serving) => {
    const { members } = await look(listed, {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours)] }),
      DescribeTargetHealth: targetHealth({ 'i-1': state }, reason),
    });
    expect(members[0]).toMatchObject({ admitted, serving, unhealthy: false });
  });

  test('an instance that fails its checks is unhealthy only once it has had time to boot', async () => {
    const old = ec2Instance('i-1', ours, { launchedAtMs: nowMs - 300_001 });
    const { members } = await look(listed, {
      DescribeInstances: instances({ tagged: [old] }),
      DescribeTargetHealth: targetHealth({ 'i-1': 'unhealthy' }),
    });
    expect(members[0]?.unhealthy).toBe(true);
  });

  test('shows why EC2 ended an instance, and nothing of those that run or that were only stopped', async () => {
    const why = (id: string, state: string, Code?: string) => ({
      ...ec2Instance(id, ours, { state }),
      ...(Code !== undefined && { StateReason: { Code, Message: `${Code}: no longer` } }),
    });
    const { endings } = await look(group(), {
      DescribeInstances: instances({
        tagged: [
          why('i-taken', 'terminated', 'Server.SpotInstanceTermination'),
          why('i-ending', 'shutting-down', 'Client.UserInitiatedShutdown'),
          why('i-unknown', 'terminated'),
          why('i-runs', 'running', 'Client.Old'),
          why('i-stopped', 'stopped', 'Client.Stop'),
        ],
      }),
    });
    const of = (code: string) => ({ code, message: `${code}: no longer`, offering: offering('m7g.large', 'z-a') });
    expect(endings).toEqual({ 'i-taken': of('Server.SpotInstanceTermination'), 'i-ending': of('Client.UserInitiatedShutdown') });
  });

  test('has no members in Auto Scaling groups, none that its user detached, and none of its running members is stopped', async () => {
    const found = await look(group(), {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours), ec2Instance('i-2', ours, { state: 'stopped' })] }),
    });
    expect(found.members[0]).not.toHaveProperty('asg');
    expect(
      (await look(group(), { DescribeInstances: instances({ tagged: [ec2Instance('i-1', { 'holdfast:group': 'prod/workers' })] }) })).members[0],
    ).not.toHaveProperty('reservation');
    expect(found).not.toHaveProperty('detached');
    expect(found).not.toHaveProperty('elsewhere');
    expect([found.aside, found.stopped]).toEqual([[], ['i-2']]);
  });

  test('serves in none of several target groups but in all of them, and in each with its worst port', async () => {
    const two = group({ drain: { timeoutMs: 1, loadBalancers: ['tg-1', 'tg-2'] } });
    const ports = (...states: string[]) => ({
      TargetHealthDescriptions: states.map((State, index) => ({ Target: { Id: 'i-1', Port: 80 + index }, TargetHealth: { State } })),
    });
    const shown = async (first: object, second: object) => {
      const { members } = await look(two, {
        DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours, { launchedAtMs: nowMs - 300_000 })] }),
        DescribeTargetHealth: ({ TargetGroupArn }: { TargetGroupArn: string }) => (TargetGroupArn === 'tg-1' ? first : second),
      });
      return members.map(({ admitted, serving, unhealthy }) => [admitted, serving, unhealthy])[0];
    };
    expect(await shown(ports('healthy', 'healthy'), ports('healthy'))).toEqual([true, true, false]);
    expect(await shown(ports('healthy'), ports('initial'))).toEqual([true, false, false]);
    expect(await shown(ports('healthy'), ports())).toEqual([false, false, false]);
    for (const states of [
      ['healthy', 'initial'],
      ['initial', 'healthy'],
      ['unhealthy', 'healthy', 'initial'],
    ])
      expect(await shown(ports(...states), ports('healthy'))).toEqual([true, false, false]);
    expect(await shown(ports('healthy', 'draining', 'unhealthy'), ports('healthy'))).toEqual([false, false, false]);
    // A target that is not registered any more is shown for a while: another port of it still counts.
    const unused = { Target: { Id: 'i-1' }, TargetHealth: { State: 'unused', Reason: 'Target.NotRegistered' } };
    expect(await shown({ TargetHealthDescriptions: [unused, ...ports('healthy').TargetHealthDescriptions, unused] }, ports('healthy'))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    ['has had its time to be registered', 120_001, { admitted: true, serving: false, mayServe: true, unhealthy: false }],
    ['has just come is registered again', 120_000, { admitted: false, serving: false, unhealthy: false }],
  ])('of a target group that cannot be read nothing bad is believed: one that %s', async (_, ageMs, expected) => {
    const { members, missed } = await look(listed, {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours, { launchedAtMs: nowMs - ageMs })] }),
      DescribeTargetHealth: failsWith('Throttling'),
    });
    expect(members[0]).toMatchObject(expected);
    expect(missed).toEqual(['target health: Throttling']);
  });

  test('does not wait for a target group that was deleted', async () => {
    const { members } = await look(listed, {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours)] }),
      DescribeTargetHealth: failsWith('TargetGroupNotFoundException'),
    });
    expect(members[0]).toMatchObject({ admitted: true, serving: true });
  });
});

describe('a group attached to an Auto Scaling group', () => {
  test('counts an instance once that both its tag and its group show', async () => {
    const both = ec2Instance('i-1', { ...ours, ...inWeb });
    const { members, asgs } = await look(attached(), {
      DescribeInstances: instances({ tagged: [both, ec2Instance('i-3', ours)], grouped: [both, ec2Instance('i-2', inWeb, { market: 'on-demand' })] }),
      DescribeAutoScalingGroups: {
        AutoScalingGroups: [
          autoScalingGroup('web', { 'i-1': 'InService', 'i-2': 'InService' }, { min: 1, max: 4, suspended: ['AZRebalance'], protected: ['i-2'] }),
        ],
      },
    });
    expect(members.map(({ instance, pool, admitted, serving, protected: kept }) => [instance, pool, admitted, serving, kept])).toEqual([
      ['i-1', 'spot-a', true, true, false],
      ['i-3', 'spot-a', false, false, false],
      ['i-2', 'od', true, true, true],
    ]);
    expect(asgs).toEqual([
      {
        ...{ name: 'web', min: 1, max: 4, desired: 2, held: 2, holds: ['i-1', 'i-2'], inside: 2, suspended: ['AZRebalance'] },
        untagged: { 'i-2': nowMs },
      },
    ]);
  });

  test.each([
    [{ CapacityRebalance: true }, ['capacity-rebalancing']],
    [{ WarmPoolConfiguration: {} }, ['warm-pool']],
    [{ MixedInstancesPolicy: { LaunchTemplate: { Overrides: [{ InstanceType: 'a', WeightedCapacity: '2' }] } } }, ['weights']],
    [{ MixedInstancesPolicy: { LaunchTemplate: { Overrides: [{ InstanceType: 'a', WeightedCapacity: '1' }] } } }, undefined],
    [{ DesiredCapacityType: 'vcpu', CapacityRebalance: true }, ['capacity-rebalancing', 'vcpu']],
    [{ CapacityRebalance: false, DesiredCapacityType: 'units' }, undefined],
  ] as const)('shows settings with which its policy would be refused: %j', async (settings, unfit) => {
    const { asgs } = await look(attached(), {
      DescribeInstances: instances({ tagged: [], grouped: [] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [{ ...autoScalingGroup('web', {}), ...settings }] },
    });
    expect(asgs[0]?.unfit).toEqual(unfit);
  });

  test('shows what instances and types count, also a type that is left out of the policy', async () => {
    const Overrides = [
      { InstanceType: 'a', WeightedCapacity: '1' },
      { InstanceType: 'b', WeightedCapacity: '2' },
    ];
    const group = autoScalingGroup('web', { 'i-1': 'InService', 'i-2': 'InService' });
    const Instances = [
      { InstanceId: 'i-1', InstanceType: 'a', LifecycleState: 'InService', WeightedCapacity: '1' },
      { InstanceId: 'i-2', InstanceType: 'c', LifecycleState: 'InService', WeightedCapacity: '4' },
    ];
    const shown = async (overrides: readonly object[]) => {
      const { asgs } = await look(attached(), {
        DescribeInstances: instances({ tagged: [], grouped: [] }),
        DescribeAutoScalingGroups: {
          AutoScalingGroups: [{ ...group, Instances, MixedInstancesPolicy: { LaunchTemplate: { Overrides: overrides } } }],
        },
      });
      const { unfit, units, weights } = asgs[0] ?? {};
      return { unfit, units, weights };
    };
    expect(await shown(Overrides)).toEqual({ unfit: ['weights'], units: { 'i-2': 4 }, weights: { b: 2, c: 4 } });
    expect(await shown(Overrides.slice(0, 1))).toEqual({ unfit: ['weights'], units: { 'i-2': 4 }, weights: { c: 4 } });
  });

  test.each([
    ['Pending', true, false],
    ['Pending:Wait', true, false],
    ['InService', true, true],
  ])('%s holds a place', async (lifecycle, admitted, serving) => {
    const { members } = await look(attached(), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', inWeb)] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', { 'i-1': lifecycle })] },
    });
    expect(members[0]).toMatchObject({ admitted, serving });
  });

  test.each([
    ['Terminating', undefined],
    ['Terminating:Wait', undefined],
    ['Terminating:Retained', undefined],
    ['Detaching', undefined],
    ['Standby', ['i-1']],
    ['EnteringStandby', ['i-1']],
    ['Warmed:Running', ['i-1']],
  ])('%s holds none, and is still there', async (lifecycle, kept) => {
    const { members, aside, standby, ended, asgs } = await look(attached(), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', inWeb)] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', { 'i-1': lifecycle })] },
    });
    expect([members, aside, standby, ended]).toEqual([[], ['i-1'], kept, []]);
    expect(asgs[0]?.held).toBe(0);
  });

  test.each([
    ['Warmed:Stopped', ['i-1'], ['i-1']],
    ['InService', [], ['i-1']],
    // Its Auto Scaling group has just taken it out of its warm pool.
    ['Pending', [], []],
    ['Pending:Wait', [], []],
  ])('%s and stopped by EC2, it holds no place', async (lifecycle, expected, over) => {
    const { members, aside, stopped, ended } = await look(attached(), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', inWeb, { state: 'stopped' })] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', { 'i-1': lifecycle })] },
    });
    expect([members, aside, stopped, ended]).toEqual([[], expected, ['i-1'], over]);
  });

  test("serves once the Auto Scaling group's own target groups say so too, and is admitted before", async () => {
    const { members } = await look(attached(['tg-named']), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', inWeb), ec2Instance('i-2', inWeb), ec2Instance('i-3', inWeb)] }),
      DescribeAutoScalingGroups: {
        AutoScalingGroups: [
          autoScalingGroup('web', { 'i-1': 'InService', 'i-2': 'InService', 'i-3': 'InService' }, { targetGroups: ['tg-own'], unhealthy: ['i-3'] }),
        ],
      },
      DescribeTargetHealth: ({ TargetGroupArn }: { TargetGroupArn: string }) =>
        TargetGroupArn === 'tg-own' ? targetHealth({ 'i-1': 'healthy', 'i-2': 'initial' }) : targetHealth({ 'i-1': 'healthy', 'i-2': 'healthy' }),
    });
    expect(members.map(({ admitted, serving, unhealthy }) => [admitted, serving, unhealthy])).toEqual([
      [true, true, false],
      [true, false, false],
      [false, false, true],
    ]);
  });

  test('serves before it has joined where it takes work of all target groups: the policy held it in another way', async () => {
    const working = async (own: Readonly<Record<string, string>>, state = 'running') => {
      const { members } = await look(attached(['tg-named']), {
        DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours, { state })] }),
        DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', {}, { targetGroups: ['tg-own'] })] },
        DescribeTargetHealth: ({ TargetGroupArn }: { TargetGroupArn: string }) =>
          targetHealth(TargetGroupArn === 'tg-own' ? own : { 'i-1': 'healthy' }),
      });
      return members.map(({ admitted, serving }) => [admitted, serving]);
    };
    expect(await working({ 'i-1': 'healthy' })).toEqual([[false, true]]);
    expect(await working({})).toEqual([[false, false]]);
    expect(await working({ 'i-1': 'initial' })).toEqual([[false, false]]);
    expect(await working({ 'i-1': 'healthy' }, 'pending')).toEqual([[false, false]]);
  });

  describe('a member that an earlier policy left outside of the Auto Scaling groups', () => {
    const inAsgs = (more: Partial<Group> = {}): Group => ({ ...groupOfAsgs(), ...more });
    const former = { formerTargetGroups: ['tg-former'] };
    const outside = async (of: Group, health: Readonly<Record<string, Record<string, string>>>, own = ['tg-own'], tags = {}) => {
      const { members, aws } = await look(of, {
        DescribeInstances: instances({ tagged: [ec2Instance('i-1', { ...ours, ...tags })] }),
        DescribeAutoScalingGroups: {
          AutoScalingGroups: [autoScalingGroup('asg-a', {}, { targetGroups: own }), autoScalingGroup('asg-z', {}, { targetGroups: [] })],
        },
        DescribeTargetHealth: ({ TargetGroupArn }: { TargetGroupArn: string }) => targetHealth(health[TargetGroupArn] ?? {}),
      });
      return [members[0]?.serving, aws.inputsOf('DescribeTargetHealth').map(({ TargetGroupArn }) => TargetGroupArn)];
    };
    const both = ['tg-own', 'tg-former'];

    test('serves where one of its target groups finds it healthy, and not where none knows it', async () => {
      expect(await outside(inAsgs(former), { 'tg-former': { 'i-1': 'healthy' } })).toEqual([true, both]);
      expect(await outside(inAsgs(former), { 'tg-own': { 'i-1': 'healthy' } })).toEqual([true, both]);
      expect(await outside(inAsgs(former), {})).toEqual([false, both]);
      for (const state of ['initial', 'unhealthy', 'draining'])
        expect(await outside(inAsgs(former), { 'tg-former': { 'i-1': state }, 'tg-own': { 'i-1': 'healthy' } })).toEqual([false, both]);
    });
    test('is found by the target groups of a former Auto Scaling group', async () => {
      expect(await outside(inAsgs({ former: ['asg-z'] }), {})).toEqual([false, ['tg-own']]);
      expect(await outside(inAsgs({ former: ['asg-z'] }), { 'tg-own': { 'i-1': 'healthy' } })).toEqual([true, ['tg-own']]);
    });
    test('serves where nothing checks it, or nothing is known of an earlier policy', async () => {
      expect(await outside(inAsgs({ former: ['asg-z'] }), {}, [])).toEqual([true, []]);
      expect(await outside(inAsgs(), {})).toEqual([true, ['tg-own']]);
    });
    test('is none that an Auto Scaling group launched and does not show yet', async () => {
      expect(await outside(inAsgs(former), {}, ['tg-own'], { 'aws:autoscaling:groupName': 'asg-a' })).toEqual([false, ['tg-own']]);
    });
    test('counts as outside 45 s after its launch, if neither EC2 nor Auto Scaling shows it in a group', async () => {
      const found = async (of: Group, { ageMs = 45_000, tags = {}, holds = {} } = {}) => {
        const { members } = await look(of, {
          DescribeInstances: instances({ tagged: [ec2Instance('i-1', { ...ours, ...tags }, { launchedAtMs: nowMs - ageMs })] }),
          DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('asg-a', holds), autoScalingGroup('asg-z', {})] },
        });
        return members[0]?.isOutside;
      };
      expect(await found(inAsgs())).toBe(true);
      expect(await found(inAsgs(), { ageMs: 44_999 })).toBeUndefined();
      expect(await found(inAsgs(), { tags: { 'aws:autoscaling:groupName': 'asg-a' } })).toBeUndefined();
      expect(await found(inAsgs(), { holds: { 'i-1': 'InService' } })).toBeUndefined();
      expect(await found(attached())).toBeUndefined();
    });
  });

  test('counts no member as serving that has not joined, unless a target group shows it healthy', async () => {
    const { members } = await look(attached([]), {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', ours)] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', {})] },
    });
    expect(members.map(({ admitted, serving }) => [admitted, serving])).toEqual([[false, false]]);
  });

  test('is not joined by an instance that EC2 shows in it: its describe is older, or its user detached it a moment ago', async () => {
    const found = async (more: Record<string, string>, state?: string) => {
      const { members } = await look(attached(), {
        DescribeInstances: instances({ tagged: [ec2Instance('i-1', { ...ours, ...more })] }),
        DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', {}, { targetGroups: state === undefined ? [] : ['tg-own'] })] },
        DescribeTargetHealth: targetHealth({ 'i-1': state ?? '' }),
      });
      return members.map(({ admitted, serving }) => [admitted, serving]);
    };
    expect(await found({})).toEqual([[false, false]]);
    expect(await found(inWeb)).toEqual([[true, false]]);
    expect(await found(inWeb, 'healthy')).toEqual([[true, true]]);
    expect(await found(inWeb, 'initial')).toEqual([[true, false]]);
  });

  test('does not count what a lifecycle policy retains: it is on its way out, and no hook waits', async () => {
    const { asgs } = await look(attached(), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', inWeb), ec2Instance('i-2', inWeb)] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', { 'i-1': 'InService', 'i-2': 'Terminating:Retained' })] },
    });
    expect(asgs.map(({ held, holds }) => [held, holds])).toEqual([[1, ['i-1']]]);
  });

  test('does not wait for registrations that the user has suspended', async () => {
    const { members, aws } = await look(attached(), {
      DescribeInstances: instances({ grouped: [ec2Instance('i-1', inWeb)] }),
      DescribeAutoScalingGroups: {
        AutoScalingGroups: [autoScalingGroup('web', { 'i-1': 'InService' }, { targetGroups: ['tg'], suspended: ['AddToLoadBalancer'] })],
      },
    });
    expect(members[0]?.serving).toBe(true);
    expect(aws.inputsOf('DescribeTargetHealth')).toEqual([]);
  });

  test('releases a member that had joined and is no longer in it, once describes have had time to show it there', async () => {
    const joined = (agoMs: number, more = {}) => ec2Instance(`i-${agoMs}`, { ...ours, 'holdfast:joined': `web ${nowMs - agoMs}`, ...more });
    const answers = {
      DescribeInstances: instances({
        // Where EC2 still shows the tag of the group, the two disagree, and it takes longer.
        tagged: [joined(45_000), joined(45_001), joined(180_000, inWeb), joined(180_001, inWeb), ec2Instance('i-new', ours)],
      }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', {})] },
    };
    const { members, detached, stillTagged, ended } = await look(attached(), answers);
    expect([detached, stillTagged]).toEqual([['i-45001', 'i-180001'], ['i-180001']]);
    expect(ended).toEqual([]);
    // The new member is to be attached. Who has just joined is not attached again, and is not believed to serve before its group shows it.
    expect(members.map(({ instance, admitted, serving, unshown }) => [instance, admitted, serving, unshown])).toEqual([
      ['i-45000', true, false, true],
      ['i-180000', true, false, true],
      ['i-new', false, false, undefined],
    ]);
    expect((await look(group(), answers)).members).toHaveLength(5);
  });

  test('attaches nobody that its Auto Scaling group launched by itself, and whom describes of that group do not show yet', async () => {
    const own = ec2Instance('i-own', inWeb);
    const found = async (shown: readonly string[]) =>
      (
        await look(attached(), {
          DescribeInstances: instances({ tagged: [ec2Instance('i-new', ours)], grouped: [own] }),
          DescribeAutoScalingGroups: { AutoScalingGroups: shown.map((name) => autoScalingGroup(name, {})) },
        })
      ).members.map(({ instance, admitted, serving, unshown }) => [instance, admitted, serving, unshown]);
    const isNew = ['i-new', false, false, undefined];
    expect(await found(['web'])).toEqual([isNew, ['i-own', true, false, true]]);
    // Its group was deleted.
    expect(await found([])).toEqual([isNew, ['i-own', false, false, undefined]]);
  });

  test('finds members in it without the tag that they joined, once tags have had time to be shown', async () => {
    const old = (id: string, more: Record<string, string> = {}, agoMs = 180_001) => ({
      ...ec2Instance(id, { ...ours, ...inWeb, ...more }),
      LaunchTime: new Date(nowMs - agoMs),
    });
    const noted = old('i-noted', { 'holdfast:joined': `web ${nowMs - 170_000}` });
    const launchedByIt = { ...ec2Instance('i-own', inWeb), LaunchTime: new Date(0) };
    const { members } = await look(attached(), {
      DescribeInstances: instances({ tagged: [old('i-unnoted'), old('i-young', {}, 180_000), noted], grouped: [launchedByIt] }),
      DescribeAutoScalingGroups: {
        AutoScalingGroups: [
          autoScalingGroup('web', { 'i-unnoted': 'InService', 'i-young': 'InService', 'i-noted': 'InService', 'i-own': 'InService' }),
        ],
      },
    });
    expect(members.flatMap(({ instance, unnoted }) => (unnoted === 'long' ? [instance] : []))).toEqual(['i-unnoted']);
  });

  test('finds target groups that are attached as traffic sources', async () => {
    const tg = 'arn:aws:elasticloadbalancing:eu-west-1:1:targetgroup/web/1';
    const asg = {
      ...autoScalingGroup('web', { 'i-1': 'InService' }, { targetGroups: [tg] }),
      TrafficSources: [{ Identifier: tg }, { Identifier: `${tg}2` }],
    };
    const { aws } = await look(attached(), {
      DescribeInstances: instances({}),
      DescribeAutoScalingGroups: { AutoScalingGroups: [asg] },
      DescribeTargetHealth: {},
    });
    expect(aws.inputsOf('DescribeTargetHealth').map(({ TargetGroupArn }) => TargetGroupArn)).toEqual([tg, `${tg}2`]);
  });

  test('reads target groups that it saw last beside the rest, and no longer counts those that its Auto Scaling group left', async () => {
    const withGroups = (targetGroups: readonly string[]) => ({
      AutoScalingGroups: [autoScalingGroup('web', { 'i-1': 'InService' }, { targetGroups: [...targetGroups] })],
    });
    const { provider, aws } = providerOver(attached().holding, {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', { ...ours, ...inWeb })] }),
      DescribeAutoScalingGroups: [withGroups(['tg-1', 'tg-2']), withGroups(['tg-2', 'tg-3'])],
      DescribeTargetHealth: ({ TargetGroupArn }) => (TargetGroupArn === 'tg-1' ? {} : targetHealth({ 'i-1': 'healthy' })),
    });
    const asked = () => aws.inputsOf('DescribeTargetHealth').map(({ TargetGroupArn }) => TargetGroupArn);
    expect((await provider.describe(attached())).members).toMatchObject([{ serving: false }]);
    expect(asked()).toEqual(['tg-1', 'tg-2']);
    expect((await provider.describe(attached())).members).toMatchObject([{ serving: true }]);
    expect(asked().slice(2)).toEqual(['tg-1', 'tg-2', 'tg-3']);
  });

  test('leaves alone what carries its tag but belongs to another Auto Scaling group', async () => {
    const { members } = await look(attached(), {
      DescribeInstances: instances({ tagged: [ec2Instance('i-1', { ...ours, 'aws:autoscaling:groupName': 'other' })] }),
      DescribeAutoScalingGroups: { AutoScalingGroups: [autoScalingGroup('web', {})] },
    });
    expect(members).toEqual([]);
  });
});

describe('a group over several Auto Scaling groups', () => {
  test('names them all in one describe and reads every page', async () => {
    const { members, asgs, aws } = await look(groupOfAsgs(), {
      DescribeInstances: instances({
        grouped: [
          ec2Instance('i-1', { 'aws:autoscaling:groupName': 'asg-a' }),
          ec2Instance('i-2', { 'aws:autoscaling:groupName': 'asg-b' }, { market: 'on-demand', zone: 'z-b' }),
        ],
      }),
      DescribeAutoScalingGroups: [
        { AutoScalingGroups: [autoScalingGroup('asg-a', { 'i-1': 'InService' })], NextToken: 'n' },
        { AutoScalingGroups: [autoScalingGroup('asg-b', { 'i-2': 'InService' })] },
      ],
    });
    expect(members.map(({ instance, pool }) => [instance, pool])).toEqual([
      ['i-1', 'a'],
      ['i-2', 'b'],
    ]);
    expect(asgs.map(({ name }) => name)).toEqual(['asg-a', 'asg-b']);
    expect(aws.inputsOf('DescribeAutoScalingGroups')[0]?.AutoScalingGroupNames).toEqual(['asg-a', 'asg-b']);
    expect(aws.inputsOf('DescribeAutoScalingGroups')[1]?.NextToken).toBe('n');
  });
});

describe('the pool of an instance', () => {
  const m7a = offering('m7g.large', 'z-a');
  test.each([
    [{ tagged: 'od', offering: m7a }, 'od'],
    [{ tagged: 'removed', offering: m7a }, 'spot-a'],
    [{ offering: offering('m6g.large', 'z-b') }, 'spot-a'],
    [{ offering: offering('m7g.large', 'z-a', 'on-demand') }, 'od'],
    [{ offering: offering('c7g.large', 'z-a') }, undefined],
    [{ offering: offering('m7g.large', 'z-c') }, undefined],
  ])('is the one its tag names, or the one that could have given it', (origin, pool) => {
    expect(poolOf(group(), origin)).toBe(pool);
  });

  test('that is an Auto Scaling group holds just its members, whatever their type', () => {
    expect(poolOf(groupOfAsgs(), { asg: 'asg-a', offering: offering('c7g.large', 'z-a') })).toBe('a');
    expect(poolOf(groupOfAsgs(), { asg: 'asg-c', offering: m7a })).toBeUndefined();
  });
});

describe('status checks', () => {
  const checked = group({ ready: { checks: 'ec2' } });
  const status = (InstanceId: string, own: string, system = 'ok') => ({
    InstanceId,
    InstanceStatus: { Status: own },
    SystemStatus: { Status: system },
  });
  const young = (id: string) => ec2Instance(id, ours, { launchedAtMs: nowMs - 60_000 });

  test('are read for new members, a hundred a call, and decide which of them serve', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `i-${index}`);
    const { members, aws } = await look(checked, {
      DescribeInstances: instances({ tagged: [...ids.map(young), ec2Instance('i-old', ours, { launchedAtMs: nowMs - 3_600_000 })] }),
      DescribeInstanceStatus: [
        { InstanceStatuses: [status('i-0', 'ok'), status('i-1', 'impaired'), status('i-2', 'initializing'), status('i-3', 'ok', 'initializing')] },
        { InstanceStatuses: [] },
      ],
    });
    expect(aws.inputsOf('DescribeInstanceStatus').map(({ InstanceIds }) => (InstanceIds as readonly string[]).length)).toEqual([100, 50]);
    const of = (id: string) => members.find(({ instance }) => instance === id);
    expect(of('i-old')).toMatchObject({ serving: true });
    expect(of('i-0')).toMatchObject({ serving: true });
    expect(of('i-1')).toMatchObject({ serving: false, unready: 'status-checks', unhealthy: true });
    for (const id of ['i-2', 'i-3', 'i-4']) expect(of(id)).toMatchObject({ serving: false, unready: 'status-checks', unhealthy: false });
  });

  test('that have passed are not read again, and at rest none are', async () => {
    const { provider, aws } = providerOver(checked.holding, {
      DescribeInstances: instances({ tagged: [young('i-1')] }),
      DescribeInstanceStatus: [{ InstanceStatuses: [status('i-1', 'initializing')] }, { InstanceStatuses: [status('i-1', 'ok')] }],
    });
    for (const serving of [false, true, true]) expect((await provider.describe(checked)).members).toMatchObject([{ serving }]);
    expect(aws.inputsOf('DescribeInstanceStatus')).toHaveLength(2);
  });

  test('are read once more without the instances that EC2 does not know, and no further', async () => {
    const asked = async (...results: readonly unknown[]) => {
      const { members, missed, aws } = await look(checked, {
        DescribeInstances: instances({ tagged: ['i-1', 'i-2', 'i-3'].map(young) }),
        DescribeInstanceStatus: results,
      } as Parameters<typeof look>[1]);
      const ids = aws.inputsOf('DescribeInstanceStatus').map(({ InstanceIds }) => InstanceIds);
      return { ids, serving: members.filter(({ serving }) => serving).length, missed: missed.length };
    };
    const unknown = (id: string) => failsWith('InvalidInstanceID.NotFound', `The instance ID '${id}' does not exist`);
    const both = ['i-2', 'i-3'];
    const answer = { InstanceStatuses: both.map((id) => status(id, 'ok')) };
    expect(await asked(unknown('i-1'), answer)).toEqual({ ids: [['i-1', ...both], both], serving: 2, missed: 0 });
    expect(await asked(unknown('i-1'), unknown('i-2'), answer)).toEqual({ ids: [['i-1', ...both], both], serving: 0, missed: 1 });
    expect(await asked(failsWith('RequestLimitExceeded', 'i-1'), answer)).toMatchObject({ serving: 0, missed: 1 });
  });

  test('that cannot be read leave it open whether a member serves', async () => {
    const { members, missed } = await look(checked, {
      DescribeInstances: instances({ tagged: [young('i-1')] }),
      DescribeInstanceStatus: failsWith('InvalidInstanceID.NotFound'),
    });
    expect(members).toMatchObject([{ serving: false, mayServe: true, unhealthy: false }]);
    expect(missed).toHaveLength(1);
  });
});
