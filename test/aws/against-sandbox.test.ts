import { describe, expect, test } from 'vitest';
import { createAutoScalingClient, createEc2Client, createElbClient } from '../../aws/calls/clients.ts';
import { createCapacityProvider } from '../../aws/capacity-provider.ts';
import { createOwners } from '../../aws/owners.ts';
import { createPolicyResolver } from '../../aws/policy/policy-resolver.ts';
import { createPrices } from '../../aws/prices.ts';
import { statusChecksOf } from '../../aws/providers/status-checks.ts';
import type { Group } from '../../core/group/group.ts';
import { createCloud } from '../../sandbox/cloud.ts';
import { createDirectHandler } from '../../sandbox/direct-handler.ts';
import { createActivity } from '../../sandbox/platform/functions/activity.ts';
import { createRandom } from '../../sandbox/random.ts';
import type { WorldSpec } from '../../sandbox/world/spec.ts';
import { asg, createTestWorld, targetGroup } from '../sandbox/world/build.ts';
import { group, offering, reservation, swap } from './builders.ts';
import { launchNow } from './provider.ts';

/** The adapters over real clients, whose transport is the sandbox's world in virtual time. */
const inWorld = (of: Group, spec: Partial<WorldSpec>) => {
  const { world, clock, call } = createTestWorld(spec);
  const cloud = createCloud({ services: world.services, clock, random: createRandom(1), latencyMs: { '*': [20, 20] } });
  const handler = createDirectHandler(cloud, 'test');
  // What a client looks for in files at its first call takes wall time, in which the world must stand still.
  const { begin, end, inWorld: waitInWorld } = createActivity(clock);
  const config = {
    requestHandler: { ...handler, handle: (...request: Parameters<typeof handler.handle>) => waitInWorld(handler.handle(...request)) },
    pauses: { sleep: (ms: number) => waitInWorld(clock.sleep(ms)), random: createRandom(2) },
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    endpoint: 'http://127.0.0.1',
  };
  const ec2 = createEc2Client(config);
  const notes: unknown[] = [];
  const provider = createCapacityProvider(of.holding, {
    ec2,
    autoScaling: createAutoScalingClient(config),
    elb: createElbClient(config),
    deployment: 'prod',
    now: () => clock.now(),
    sleep: (ms) => clock.sleep(ms),
    note: (what, detail) => notes.push({ what, detail }),
    missed: (read, code) => notes.push({ read, code }),
  });
  const drive = <T>(work: Promise<T>): Promise<T> => {
    begin();
    return clock.drive(work.finally(end));
  };
  const seconds = (count: number) => clock.run({ untilMs: clock.now() + count * 1000 });
  const owners = createOwners({ client: ec2, deployment: 'prod' });
  const prices = createPrices({ client: ec2, now: () => clock.now(), missed: (read, code) => notes.push({ read, code }) });
  const resolver = createPolicyResolver({ ec2, autoScaling: createAutoScalingClient(config), elb: createElbClient(config) });
  return { world, clock, call, ec2, provider, drive, seconds, owners, prices, notes, resolver };
};

const zone = 'us-east-1a';
const spot = offering('m7g.large', zone);
const pools: Group['pools'] = {
  'spot-a': { name: 'spot-a', market: 'spot', launchTemplate: 'web', subnets: [{ id: 'subnet-a', zone }], instanceTypes: ['m7g.large'] },
};
const idsOf = (result: { kind: string; instances?: readonly { readonly instance: string }[] } | undefined) =>
  (result?.instances ?? []).map(({ instance }) => instance);
const serving = (members: readonly { readonly instance: string; readonly serving: boolean }[]) =>
  members
    .filter((member) => member.serving)
    .map(({ instance }) => instance)
    .toSorted();
const arnOf = ({ world }: ReturnType<typeof inWorld>) => world.snapshot().targetGroups[0]?.arn ?? '';

describe('a group held by tag', () => {
  const launchTwo = async () => {
    const of = inWorld(group({ pools }), { targetGroups: [targetGroup()] });
    const policy = group({ pools, drain: { timeoutMs: 300_000, loadBalancers: [arnOf(of)] } });
    const [result] = await of.drive(launchNow(of.provider, policy, [reservation('spot-a', 2, [spot])]));
    return { ...of, policy, ids: idsOf(result) };
  };

  test('is launched once, even if the request is repeated', async () => {
    const { provider, policy, drive, ids, owners } = await launchTwo();
    expect(ids).toHaveLength(2);
    const [again] = await drive(launchNow(provider, policy, [reservation('spot-a', 2, [spot])]));
    expect(idsOf(again)).toEqual(ids);
    const known = await drive(owners.ownersOf(ids));
    const owner = { group: 'workers', pool: 'spot-a', reservation: 'r-1', offering: spot, state: 'pending', launchedAtMs: expect.any(Number) };
    expect(known.get(ids[0] ?? '')).toEqual(owner);
  });

  test('has its status checks read, also beside instances that EC2 does not know', async () => {
    const { ec2, drive, seconds, ids, notes } = await launchTwo();
    await seconds(200);
    const missed = (read: string, code: string): void => void notes.push({ read, code });
    const read = (...asked: readonly string[]) => drive(statusChecksOf({ ec2, missed }, asked));
    const [unknown, other] = ['i-0123456789abcdef0', 'i-0123456789abcdef1'];
    expect([...(await read(unknown))]).toEqual([[unknown, 'unread']]);
    const found = await read(...ids, unknown, other);
    expect(Object.fromEntries(found)).toEqual({ [ids[0] ?? '']: 'passed', [ids[1] ?? '']: 'passed', [unknown]: 'unread', [other]: 'unread' });
    expect(notes).toEqual([]);
  });

  test('is admitted when running, serves when healthy, drains, and ends', async () => {
    const { provider, policy, drive, seconds, ids } = await launchTwo();
    expect((await drive(provider.describe(policy))).members.map(({ state }) => state)).toEqual(['pending', 'pending']);
    await seconds(10);
    expect(await drive(provider.admit(policy, ids))).toEqual({ done: ids, failed: [] });
    await seconds(60);
    const { members } = await drive(provider.describe(policy));
    expect(serving(members)).toEqual(ids.toSorted());
    expect(members[0]).toMatchObject({ pool: 'spot-a', reservation: 'r-1', offering: spot, admitted: true });

    const leaving = ids.slice(0, 1).map((id) => swap(id));
    expect((await drive(provider.release(policy, leaving))).failed).toEqual([]);
    const [busy] = await drive(provider.inspectDrain(policy, leaving));
    expect(busy).toMatchObject({ drained: false, gone: false, busyUntilMs: expect.any(Number) });
    await seconds(40);
    expect(await drive(provider.inspectDrain(policy, leaving))).toMatchObject([{ drained: true, gone: false }]);
    expect((await drive(provider.end(policy, leaving))).done).toEqual(ids.slice(0, 1));
    await seconds(30);
    expect(await drive(provider.inspectDrain(policy, leaving))).toMatchObject([{ drained: true, gone: true }]);
    const after = await drive(provider.describe(policy));
    expect(after.members.map(({ instance }) => instance)).toEqual(ids.slice(1));
    expect(after.ended).toEqual(ids.slice(0, 1));
  });

  test('is granted in part if EC2 has only a part, and names the offerings without capacity', async () => {
    const of = inWorld(group({ pools }), {});
    of.world.setOffering(spot, { capacity: 3 });
    const [result] = await of.drive(launchNow(of.provider, group({ pools }), [reservation('spot-a', 5, [spot])]));
    expect(idsOf(result)).toHaveLength(3);
    expect(result).toMatchObject({ kind: 'answered', refusals: [{ offering: spot, scope: 'offering' }] });
    const [dry] = await of.drive(launchNow(of.provider, group({ pools }), [reservation('spot-a', 2, [spot], { token: 'next' })]));
    expect(dry).toMatchObject({ kind: 'answered', instances: [], refusals: [{ offering: spot }] });
  });

  test('whose template is gone has a wrong request', async () => {
    const of = inWorld(group({ pools }), { launchTemplates: [] });
    const [result] = await of.drive(launchNow(of.provider, group({ pools }), [reservation('spot-a', 1, [spot])]));
    expect(result?.kind).toBe('invalid');
  });

  test('reads the prices of its offerings', async () => {
    const of = inWorld(group({ pools }), {});
    expect(await of.drive(of.prices.spotPrices([spot]))).toMatchObject({ [`m7g.large/${zone}/spot`]: 0.03 });
  });
});

describe('a group attached to an Auto Scaling group', () => {
  const attached = group({ pools, holding: { kind: 'attach', asg: 'workers' } });
  const world = () => inWorld(attached, { targetGroups: [targetGroup()], autoScalingGroups: [asg({ max: 4, targetGroups: ['web'] })] });

  test('takes new members in when running, raised for the time that it must be, and lets old ones go', async () => {
    const { provider, drive, seconds } = world();
    await seconds(60);
    const before = await drive(provider.describe(attached));
    expect(serving(before.members)).toHaveLength(3);
    expect(before.asgs).toMatchObject([{ name: 'workers', max: 4, desired: 3, held: 3 }]);

    const [result] = await drive(launchNow(provider, attached, [reservation('spot-a', 2, [spot])]));
    const ids = idsOf(result);
    expect(await drive(provider.admit(attached, ids))).toMatchObject({ done: [], failed: [{ retry: 'later' }, { retry: 'later' }] });
    await seconds(10);
    expect(await drive(provider.admit(attached, ids))).toMatchObject({ done: [], failed: [{ retry: 'later' }, { retry: 'later' }] });
    expect(await drive(provider.raiseMax({ asg: 'workers', fromMax: 4, toMax: 5 }))).toBe('done');
    expect(await drive(provider.admit(attached, ids))).toEqual({ done: ids, failed: [] });
    expect(await drive(provider.admit(attached, ids))).toEqual({ done: ids, failed: [] });
    await seconds(60);
    expect(serving((await drive(provider.describe(attached))).members)).toHaveLength(5);

    expect(await drive(provider.restoreMax({ asg: 'workers', fromMax: 4, toMax: 5 }))).toBe('not-yet');
    const leaving = before.members.slice(0, 2).map(({ instance }) => swap(instance));
    expect((await drive(provider.release(attached, leaving))).failed).toEqual([]);
    expect(await drive(provider.restoreMax({ asg: 'workers', fromMax: 4, toMax: 5 }))).toBe('done');
    await seconds(120);
    const after = await drive(provider.describe(attached));
    expect(serving(after.members)).toHaveLength(3);
    expect(after.asgs).toMatchObject([{ max: 4, desired: 3, held: 3 }]);
    expect((await drive(provider.end(attached, leaving))).failed).toEqual([]);
  });

  test('keeps its minimum', async () => {
    const of = inWorld(attached, { autoScalingGroups: [asg({ min: 3 })] });
    await of.seconds(60);
    const [member] = (await of.drive(of.provider.describe(attached))).members;
    expect(await of.drive(of.provider.release(attached, [swap(member?.instance ?? '')]))).toMatchObject({
      done: [],
      failed: [{ code: 'BelowMinSize', retry: 'later' }],
    });
  });
});

describe('a group over single-market Auto Scaling groups', () => {
  const held: Group = group({
    holding: { kind: 'launch-instances' },
    pools: { a: { name: 'a', market: 'spot', asg: 'workers', subnets: [{ id: 'subnet-a', zone }], instanceTypes: ['m7g.large'] } },
  });
  const world = () => inWorld(held, { autoScalingGroups: [asg({ subnets: ['subnet-a'], instanceTypes: ['m7g.large'], desired: 0 })] });

  test('launches through its group, which counts and serves them, and tags them', async () => {
    const { provider, drive, seconds, notes } = world();
    const [result] = await drive(launchNow(provider, held, [reservation('a', 2, [spot])]));
    const ids = idsOf(result);
    expect(ids).toHaveLength(2);
    expect(notes).toEqual([]);
    await seconds(60);
    const { members, asgs } = await drive(provider.describe(held));
    expect(members.map(({ pool, reservation: under, serving: serves }) => [pool, under, serves])).toEqual([
      ['a', 'r-1', true],
      ['a', 'r-1', true],
    ]);
    expect(asgs).toMatchObject([{ desired: 2, held: 2 }]);
    await drive(provider.release(held, [swap(ids[0] ?? '', 'rebalance', { pool: 'a' })]));
    expect((await drive(provider.describe(held))).asgs).toMatchObject([{ desired: 1, held: 1 }]);
  });

  test("has no room above its group's maximum, which is no statement about capacity", async () => {
    const { provider, drive } = world();
    expect((await drive(launchNow(provider, held, [reservation('a', 11, [spot])])))[0]).toMatchObject({ kind: 'invalid', code: 'ValidationError' });
  });

  test('is refused what EC2 does not have', async () => {
    const of = world();
    of.world.setOffering(spot, { capacity: 0 });
    const [result] = await of.drive(launchNow(of.provider, held, [reservation('a', 2, [spot])]));
    expect(result).toMatchObject({ kind: 'answered', instances: [], refusals: [{ offering: spot, scope: 'offering' }] });
  });
});

test('what a policy names is looked up: images that its types do not run, and versions that were deleted', async () => {
  const launchTemplates = [{ name: 'web', architecture: 'x86_64' as const }];
  const { call, drive, resolver } = inWorld(group({ pools }), { launchTemplates });
  for (const _ of [2, 3]) call('ec2', 'CreateLaunchTemplateVersion', { LaunchTemplateName: 'web', LaunchTemplateData: {} });
  call('ec2', 'DeleteLaunchTemplateVersions', { LaunchTemplateName: 'web', Versions: ['2'] });
  const policy = { subnets: [], asgs: [], sizes: [], targetGroups: [], launchTemplates: ['web'], templateVersions: ['web', 'web:2'] };
  const looked = await drive(resolver.lookUp({ ...policy, instanceTypes: ['m7g.large'] }));
  expect(looked.launchTemplates).toEqual({ web: 3 });
  expect(looked.images).toEqual({
    versions: { web: { image: expect.stringMatching(/^ami-/), architecture: 'x86_64' }, 'web:2': { isGone: true } },
    architectures: { 'm7g.large': ['arm64'] },
  });
});
