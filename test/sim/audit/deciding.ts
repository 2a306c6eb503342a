import { rename } from '../edit-steps.ts';
import { protect } from '../member-steps.ts';
import type { Situation, Step } from '../situation.ts';
import { alarm, interrupt, kill, loseZone, putPolicy, recommendRebalance, some } from '../steps.ts';
import { type Setting, type SettingOptions, settingOf, zones } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(900_000);

const six = { web: { size: 6, endsAt: 6 } };

/** Members at risk leave one at a time, before their replacements come. */
const drainFirst = (options: SettingOptions = {}): Setting =>
  settingOf('tag', { ...options, policy: { rebalance: { act: true }, swap: { order: 'drain-first', maxSurge: 1 }, ...options.policy } });

/** What every zone can give of both markets from now on: `null` is without limit. Instances that run stay. */
const setCapacity = (atMs: number, capacity: number | null): Step => ({
  kind: 'capacity-changed',
  atMs,
  what: capacity === null ? 'there is capacity everywhere again' : `no zone has more than ${capacity} to give`,
  happen: ({ sandbox, did }) => {
    did({ kind: 'capacity-changed' });
    for (const { instanceType, zone, market } of sandbox.world.snapshot().offerings) {
      sandbox.world.setOffering({ instanceType, zone, market }, { capacity });
    }
  },
});

/** Writes of items take so long that another invocation reads between them. */
const slowWrites = ({ spec, policy }: Setting): Setting => ({
  spec: { ...spec, timing: { ...spec.timing, latencyMs: { ...spec.timing.latencyMs, 'dynamodb:PutItem': [1_500, 1_500] } } },
  policy,
});

/** Every spot pool has two subnets in its zone, of which one has no free address. */
const withFullSubnets = ({ spec, policy }: Setting): Setting => ({
  spec: { ...spec, subnets: [...spec.subnets, ...spec.subnets.map(({ id, zone }) => ({ id: `${id}-full`, zone, freeAddresses: 0 }))] },
  policy: {
    ...policy,
    pools: Object.fromEntries(
      Object.entries(policy.pools as Readonly<Record<string, { readonly market: string; readonly subnets: readonly string[] }>>).map(
        ([name, pool]) => [name, pool.market === 'spot' ? { ...pool, subnets: [...pool.subnets, ...pool.subnets.map((id) => `${id}-full`)] } : pool],
      ),
    ),
  },
});

/** The user takes the youngest member, which Holdfast has launched, out of its Auto Scaling group. */
const detachYoungest = (atMs: number): Step => ({
  kind: 'detached',
  atMs,
  what: 'the user detaches the youngest member',
  about: { group: 'web', asg: 'web-asg' },
  happen: async (stage) => {
    const InstanceIds = stage
      .members('web')
      .slice(-1)
      .map(({ id }) => id);
    stage.did({ kind: 'detached', instances: InstanceIds, groups: ['web'], asgs: ['web-asg'] });
    await stage.operate('autoscaling', 'DetachInstances', { AutoScalingGroupName: 'web-asg', InstanceIds, ShouldDecrementDesiredCapacity: true });
  },
});

/** EC2 advises to leave a zone: every member of it. */
const adviseToLeave = (atMs: number, zone: string): Step => ({
  kind: 'rebalance-advised',
  atMs,
  what: `EC2 recommends to rebalance all instances of ${zone}`,
  about: { group: 'web' },
  happen: (stage) => {
    const instances = stage.members('web', { zone, market: 'spot' }).map(({ id }) => id);
    stage.did({ kind: 'rebalance-advised', instances, groups: ['web'] });
    stage.sandbox.world.recommendRebalance(instances);
  },
});

/** EC2 takes the oldest spot member of every zone. */
const warnInEachZone = (atMs: number): Step => ({
  kind: 'interrupted',
  atMs,
  what: 'EC2 takes one spot instance of every zone in 120 s',
  about: { group: 'web' },
  happen: (stage) => {
    const instances = zones.flatMap((zone) =>
      stage
        .members('web', { zone, market: 'spot' })
        .filter(({ state }) => state === 'running')
        .slice(0, 1)
        .map(({ id }) => id),
    );
    stage.did({ kind: 'interrupted', instances, groups: ['web'] });
    stage.sandbox.world.interrupt(instances, { noticeMs: 120_000, action: 'terminate' });
  },
});

/** Somebody replays an event of an hour ago: that the oldest member had stopped. */
const replayStopped = (atMs: number): Step => ({
  kind: 'old-event-replayed',
  atMs,
  what: 'an event comes again that says that a member had stopped an hour ago',
  about: { group: 'web' },
  happen: (stage) => {
    const instances = some(stage, 1);
    stage.did({ kind: 'old-event-replayed', instances, groups: ['web'] });
    for (const id of instances)
      stage.sandbox.putEvent({
        source: 'aws.ec2',
        'detail-type': 'EC2 Instance State-change Notification',
        time: new Date(stage.sandbox.clock.now() - 3_600_000).toISOString(),
        detail: { 'instance-id': id, state: 'stopped' },
      });
  },
});

/** Its Auto Scaling group launches another instance type than the policy prefers, by itself. */
const ofOwnType = ({ spec, policy }: Setting, instanceType: string): Setting => ({
  spec: {
    ...spec,
    offerings: [...spec.offerings, ...spec.offerings.map((offering) => ({ ...offering, instanceType }))],
    autoScalingGroups: spec.autoScalingGroups.map((asg) => (asg.name === 'web-asg' ? { ...asg, instanceTypes: [instanceType] } : asg)),
  },
  policy: { ...policy, defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large', instanceType] } },
});

/** No zone has any more of an instance type, on either market. Instances that run stay. */
const exhaustType = (atMs: number, type: string): Step => ({
  kind: 'capacity-changed',
  atMs,
  what: `no zone has any more of ${type}`,
  happen: ({ sandbox, did }) => {
    did({ kind: 'capacity-changed' });
    for (const { instanceType, zone, market } of sandbox.world.snapshot().offerings.filter((one) => one.instanceType === type))
      sandbox.world.setOffering({ instanceType, zone, market }, { capacity: 0 });
  },
});

/** Situations in which the audit saw a fault, by what goes wrong in them. */
export const deciding: Readonly<Record<string, () => Situation>> = {
  'drain first, capacity everywhere': () =>
    of('drain first, capacity everywhere', drainFirst(), { asked: six, steps: [recommendRebalance(1_000, 5)] }),
  'drain first, no capacity anywhere': () =>
    of('drain first, no capacity anywhere', drainFirst(), {
      asked: six,
      steps: [setCapacity(500, 0), recommendRebalance(1_000, 5), setCapacity(150_000, null)],
    }),
  'scale-in around a first healthy check': () => {
    const elastic = { min: 2, max: 20, desired: 8 };
    const policy = { removal: { order: 'oldest-first' }, scaling: [{ alarm: 'low', adjust: '-2', cooldown: '10m' }] };
    const always = { pendingSeconds: [10, 10], bootSeconds: [10, 10], lagSeconds: [0, 0] } as const;
    return of('scale-in around a first healthy check', slowWrites(settingOf('tag', { size: elastic, policy, ...always })), {
      asked: { web: { size: 8, endsAt: 6 } },
      steps: [kill(1_000, 1), alarm(44_000, 'low'), alarm(47_000, 'low')],
    });
  },
  // A look with the next policy finds the choice of another look in the state, and its swaps not yet.
  'the order of removal changes while a choice is written': () => {
    const elastic = { min: 2, max: 20, desired: 8 };
    const policy = { removal: { order: 'oldest-first' }, scaling: [{ alarm: 'low', adjust: '-2', cooldown: '10m' }] };
    const setting = slowWrites(settingOf('tag', { size: elastic, policy }));
    const newestFirst = { ...setting.policy, removal: { order: 'newest-first' } };
    return of('the order of removal changes while a choice is written', setting, {
      asked: { web: { size: 8, endsAt: 6 } },
      steps: [kill(1_000, 1), putPolicy(300_000, newestFirst, 'the newest leave first'), alarm(301_200, 'low')],
    });
  },
  'old event about a member': () => of('old event about a member', settingOf('tag'), { asked: six, steps: [replayStopped(1_000)] }),
  'old event about a member that drains': () =>
    of('old event about a member that drains', drainFirst({ delaySeconds: 60, policy: { drain: { timeout: '3m' } } }), {
      asked: six,
      steps: [recommendRebalance(1_000, 1), replayStopped(20_000)],
    }),
  'a full subnet beside an empty one': () =>
    of('a full subnet beside an empty one', withFullSubnets(settingOf('tag', { spot: 2 })), {
      asked: six,
      steps: [0, 1, 2, 3, 4, 5].map((turn) => kill(1_000 + 240_000 * turn, 1)),
    }),
  'a pool over three zones': () => {
    const pools = {
      spot: { market: 'spot', subnets: ['subnet-a', 'subnet-b', 'subnet-c'] },
      od: { market: 'on-demand', subnets: ['subnet-b', 'subnet-c'] },
    };
    return of('a pool over three zones', settingOf('tag', { size: 9, spot: 30, policy: { capacity: { tiered: ['spot', 'od'] }, pools } }), {
      asked: { web: { size: 9, endsAt: 9 } },
      steps: [kill(1_000, 4), loseZone(300_000, zones[0])],
    });
  },
  'termination protection': () => {
    const onDemand = { capacity: { spread: ['od-b', 'od-c'] }, removal: { order: 'oldest-first' } };
    const policy = { ...onDemand, scaling: [{ alarm: 'low', adjust: '-2', cooldown: '10m' }] };
    return of('termination protection', settingOf('tag', { size: { min: 2, max: 20, desired: 5 }, policy }), {
      asked: { web: { size: 5, endsAt: 3 } },
      steps: [protect(500, 2, 'termination', undefined), alarm(5_000, 'low')],
    });
  },
  'a group that is renamed after an alarm': () => {
    const size = { min: 2, max: 20, desired: 4 };
    const setting = settingOf('attach', { size, max: 20, policy: { scaling: [{ alarm: 'high', adjust: '+2', cooldown: '10m' }] } });
    return of('a group that is renamed after an alarm', setting, {
      asked: { web: { size: 4, endsAt: 4 } },
      steps: [alarm(1_000, 'high'), rename(150_000, setting.policy, 'renamed', 10_000)],
    });
  },
  'a member that its user detached': () =>
    of('a member that its user detached', settingOf('attach', { max: 10 }), {
      asked: { web: { size: 6, endsAt: 6 } },
      steps: [loseZone(1_000, zones[0]), detachYoungest(400_000)],
    }),
  'warnings in every zone while spot is plentiful': () =>
    of('warnings in every zone while spot is plentiful', settingOf('tag', { size: 12, spot: 200 }), {
      asked: { web: { size: 12, endsAt: 12 } },
      steps: Array.from({ length: 12 }, (_, turn) => warnInEachZone(1_000 + 600_000 * turn)),
    }),
  'a mixed group cannot replace by itself while spot of another type is plentiful': () =>
    of(
      'a mixed group cannot replace by itself while spot of another type is plentiful',
      ofOwnType(settingOf('attach', { spot: 20, max: 10 }), 'm6g.large'),
      {
        asked: six,
        steps: [exhaustType(1_000, 'm6g.large'), kill(2_000, 6), warnInEachZone(400_000), kill(401_000, 2)],
      },
    ),
  // The group has no launch left but those that warnings add to its limit.
  'a warning in the second of its advice': () =>
    of('a warning in the second of its advice', settingOf('tag', { policy: { rebalance: { act: true }, launches: { atMost: 6, within: '30m' } } }), {
      asked: six,
      steps: [recommendRebalance(1_000, 3), interrupt(1_000, 3)],
      faults: [{ on: 'event', kind: 'delay', delayMs: 4_000, match: { detailType: 'EC2 Spot Instance Interruption Warning' } }],
    }),
  'capacity that comes back after twenty minutes': () =>
    of('capacity that comes back after twenty minutes', settingOf('tag', { size: 4 }), {
      asked: { web: { size: 4, endsAt: 4 } },
      steps: [setCapacity(1_000, 0), loseZone(1_500, zones[0]), loseZone(1_600, zones[1]), loseZone(1_700, zones[2]), setCapacity(1_320_000, null)],
      restWithinMs: 2_700_000,
    }),
  'advice about a zone': () =>
    of(
      'advice about a zone',
      settingOf('tag', { size: 12, spot: 12, policy: { rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 1 } } }),
      {
        asked: { web: { size: 12, endsAt: 12 } },
        steps: [adviseToLeave(1_000, zones[0])],
      },
    ),
};
