import { describe, expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import { autoScalingGroup, ec2Instance, group, nowMs, ours } from './builders.ts';
import { failsWith } from './fake-aws.ts';
import { providerOver } from './provider.ts';

type Asked = { readonly Filters: readonly { readonly Name: string }[] };
const inAsg = { 'aws:autoscaling:groupName': 'web' };
const attached: Group = group({ holding: { kind: 'attach', asg: 'web' }, drain: { timeoutMs: 1, loadBalancers: [] } });

/** An environment, by its clock, that sees one instance with these tags, and its Auto Scaling group with these members. */
const environment = (of: Group, shown: { tags: Record<string, string>; inside: Record<string, string>; launchedAtMs?: number }) => {
  const at = { nowMs };
  const { provider, aws } = providerOver(
    of.holding,
    {
      AttachInstances: {},
      RegisterTargets: {},
      CreateTags: {},
      DescribeInstances: ({ Filters }: Asked) => {
        const isByAsg = Filters[0]?.Name === 'tag:aws:autoscaling:groupName';
        const isShown = !isByAsg || 'aws:autoscaling:groupName' in shown.tags;
        return { Reservations: [{ Instances: isShown ? [ec2Instance('i-1', shown.tags, { launchedAtMs: shown.launchedAtMs ?? nowMs })] : [] }] };
      },
      DescribeAutoScalingGroups: () => ({ AutoScalingGroups: [autoScalingGroup('web', shown.inside)] }),
      DescribeTargetHealth: failsWith('Throttling'),
    },
    { now: () => at.nowMs },
  );
  const look = async (afterMs: number) => {
    at.nowMs = nowMs + afterMs;
    return provider.describe(of);
  };
  return { provider, aws, look, shown };
};

describe('a member that this environment has just attached', () => {
  test('has joined, although describes show neither its place nor its tag; it is not believed to serve', async () => {
    const { provider, look } = environment(attached, { tags: ours, inside: {} });
    expect((await look(0)).members).toMatchObject([{ admitted: false, serving: false }]);
    expect((await look(0)).members[0]).not.toHaveProperty('unshown');
    await provider.admit(attached, ['i-1'], { moreCome: true });
    expect((await look(1_000)).members).toMatchObject([{ admitted: true, serving: false, unshown: true }]);
  });

  test('counts as detached by its user, where describes show it in no Auto Scaling group after 45 s', async () => {
    const { provider, look } = environment(attached, { tags: ours, inside: {} });
    await provider.admit(attached, ['i-1'], { moreCome: true });
    expect(await look(45_000)).not.toHaveProperty('detached');
    expect(await look(45_001)).toMatchObject({ members: [], detached: ['i-1'], aside: [], ended: [] });
  });

  test('is not tagged with others any more, once it counts as detached', async () => {
    const { provider, aws, look } = environment(attached, { tags: ours, inside: {} });
    await provider.admit(attached, ['i-1'], { moreCome: true });
    await look(45_001);
    await provider.admit(attached, ['i-2']);
    expect(aws.inputsOf('CreateTags').map(({ Resources }) => Resources)).toEqual([['i-2']]);
  });

  test('has joined in this Auto Scaling group alone', async () => {
    const { provider, look } = environment(attached, { tags: ours, inside: {} });
    await provider.admit(attached, ['i-1'], { moreCome: true });
    const moved: Group = group({ holding: { kind: 'attach', asg: 'other' }, drain: { timeoutMs: 1, loadBalancers: [] } });
    expect((await provider.describe(moved)).members).toMatchObject([{ admitted: false }]);
    await provider.admit(moved, ['i-1'], { moreCome: true });
    expect((await look(1_000)).members).toMatchObject([{ admitted: false }]);
  });

  test('is to be tagged as joined once it has waited 20 s for others, and not again after that', async () => {
    const { provider, aws, look } = environment(attached, { tags: { ...ours, ...inAsg }, inside: { 'i-1': 'InService' } });
    const unnoted = async (afterMs: number) => (await look(afterMs)).members[0]?.unnoted;
    await provider.admit(attached, ['i-1'], { moreCome: true });
    expect([await unnoted(19_999), await unnoted(20_000)]).toEqual(['lately', 'long']);
    await provider.noteJoined(attached, 'web', ['i-1']);
    expect(aws.inputsOf('CreateTags')).toMatchObject([{ Resources: ['i-1'] }]);
    expect(await unnoted(200_000)).toBe('lately');
  });

  test('is tagged also where its policy has moved away from that Auto Scaling group meanwhile', async () => {
    const { provider } = environment(attached, { tags: { ...ours, ...inAsg }, inside: { 'i-1': 'InService' }, launchedAtMs: nowMs - 600_000 });
    const unnotedBy = async (holding: Group['holding']) => (await provider.describe(group({ holding, former: ['web'] }))).members[0]?.unnoted;
    const ways: readonly Group['holding'][] = [{ kind: 'attach', asg: 'other' }, { kind: 'tag' }];
    // Nothing says that Holdfast attached it.
    expect(await Promise.all(ways.map(unnotedBy))).toEqual([undefined, undefined]);
    await provider.admit(attached, ['i-1'], { moreCome: true });
    expect(await Promise.all(ways.map(unnotedBy))).toEqual(['lately', 'lately']);
    await provider.noteJoined(attached, 'web', ['i-1']);
    expect(await Promise.all(ways.map(unnotedBy))).toEqual([undefined, undefined]);
  });

  test('needs no tag in an Auto Scaling group that Holdfast attaches nothing to, or launched for another group', async () => {
    const old = { launchedAtMs: nowMs - 600_000, inside: { 'i-1': 'InService' } };
    const unnoted = async (tags: Record<string, string>, of = attached) => (await environment(of, { ...old, tags }).look(0)).members[0]?.unnoted;
    expect(await unnoted({ ...ours, ...inAsg })).toBe('long');
    expect(await unnoted({ ...inAsg, 'holdfast:group': 'prod/other' })).toBeUndefined();
    const launching = group({
      holding: { kind: 'launch-instances' },
      pools: { a: { name: 'a', market: 'spot', asg: 'web', subnets: [], instanceTypes: [] } },
    });
    expect(await unnoted({ ...ours, ...inAsg }, launching)).toBeUndefined();
  });
});

describe('a target group that cannot be read', () => {
  const listed = group({ drain: { timeoutMs: 1, loadBalancers: ['tg-1', 'tg-2'] } });
  const both = { tags: ours, inside: {} };

  test('leaves a new member admitted when this environment has registered it', async () => {
    const { provider, look } = environment(listed, both);
    expect((await look(0)).members).toMatchObject([{ admitted: false, serving: false }]);
    await provider.admit(listed, ['i-1']);
    expect((await look(0)).members).toMatchObject([{ admitted: true, serving: false, mayServe: true }]);
  });

  test('is registered with again, if this environment has registered the member elsewhere, or another one here', async () => {
    const { provider, look } = environment(listed, both);
    await provider.admit(group({ drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } }), ['i-1']);
    await provider.admit(listed, ['i-2']);
    expect((await look(0)).members).toMatchObject([{ admitted: false }]);
  });

  test('leaves a new member of an Auto Scaling group admitted, because that group registers it', async () => {
    const named: Group = { ...attached, drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } };
    const { look } = environment(named, { tags: { ...ours, ...inAsg }, inside: { 'i-1': 'InService' } });
    expect((await look(0)).members).toMatchObject([{ admitted: true, serving: false, mayServe: true }]);
  });
});
