import type { FaultInput } from '../../sandbox/fault-schema.ts';
import type { WorldSpec } from '../../sandbox/world/spec.ts';
import { movePrice } from '../sim/capacity-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import type { Stage } from '../sim/stage.ts';
import { alarm, endThroughAsg, interrupt, kill, loseZone, putPolicy, recommendRebalance, setSpot } from '../sim/steps.ts';
import { type Setting, type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

type Script = Pick<Situation, 'asked' | 'steps'> & Partial<Pick<Situation, 'faults' | 'keepsFaults' | 'restWithinMs' | 'seed' | 'calmAtMs'>>;

const of = (name: string, { spec, policy }: Setting, script: Script): Situation => ({
  name,
  seed: 1,
  spec,
  policies: [policy],
  calmAtMs: Math.max(...script.steps.map(({ atMs }) => atMs)) + 60_000,
  restWithinMs: 600_000,
  ...script,
});

/** EC2 takes what it runs on spot in a zone, and has more there. */
const interruptIn = (atMs: number, zone: string): Step => ({
  kind: 'interrupted',
  atMs,
  what: `EC2 takes the spot instances of ${zone}`,
  happen: ({ sandbox, members, did }) => {
    const instances = members('web', { zone, market: 'spot' }).map(({ id }) => id);
    did({ kind: 'interrupted', instances, groups: ['web'] });
    sandbox.world.interrupt(instances, { noticeMs: 120_000 });
  },
});

const six = { web: { size: 6, endsAt: 6 } };
const alarms = (cooldown: string, adjust = '+2') => ({
  scaling: [
    { alarm: 'high', adjust, cooldown },
    { alarm: 'low', adjust: '-2', cooldown },
  ],
});
const elastic = { min: 2, max: 20, desired: 6 };

const withWorld = ({ spec, policy }: Setting, change: (spec: WorldSpec) => Partial<WorldSpec>): Setting => ({
  spec: { ...spec, ...change(spec) },
  policy,
});

const slowDescribes = (spec: WorldSpec): Partial<WorldSpec> => ({
  timing: { ...spec.timing, latencyMs: { ...spec.timing.latencyMs, 'ec2:DescribeInstances': [1_300, 1_300] } },
});
/** A write takes as long as a look, so that one claim is made while another function reads that there is none. */
const slowWrites = (spec: WorldSpec): Partial<WorldSpec> => ({
  timing: { ...spec.timing, latencyMs: { ...spec.timing.latencyMs, 'ec2:DescribeInstances': [1_300, 1_300], 'dynamodb:PutItem': [1_300, 1_300] } },
});
const deregistrationOf =
  (deregistrationDelaySeconds: number) =>
  (spec: WorldSpec): Partial<WorldSpec> => ({
    targetGroups: spec.targetGroups.map((targetGroup) => ({ ...targetGroup, deregistrationDelaySeconds })),
  });

/** Members at risk are replaced one after another, which takes much longer than a warning leaves. */
const oneAtATime = (): Setting => {
  const policy = {
    rebalance: { act: true },
    swap: { order: 'launch-first', maxSurge: 1 },
    drain: { timeout: '3m', loadBalancers: [`\${targetGroup:web}`] },
  };
  return withWorld(settingOf('tag', { policy }), deregistrationOf(40));
};

const lastingHook = (heartbeatSeconds: number): SettingOptions['hooks'] => [
  { name: 'drain', transition: 'terminating', heartbeatSeconds, defaultResult: 'CONTINUE' },
];

const oldest = (stage: Stage, count: number): readonly string[] =>
  stage
    .members('web')
    .slice(0, count)
    .map(({ id }) => id);

const setProtection = (atMs: number, count: number): Step => ({
  kind: 'protected',
  atMs,
  what: `the ${count} oldest members are protected from scale-in`,
  happen: async (stage) => {
    stage.did({ kind: 'protected', instances: oldest(stage, count), groups: ['web'], asgs: ['web-asg'] });
    await stage.operate('autoscaling', 'SetInstanceProtection', {
      AutoScalingGroupName: 'web-asg',
      InstanceIds: oldest(stage, count),
      ProtectedFromScaleIn: true,
    });
  },
});

const garbage = (atMs: number): Step => ({
  kind: 'garbage-sent',
  atMs,
  what: 'something that is no message is sent to the queue',
  happen: ({ sandbox, did }) => {
    did({ kind: 'garbage-sent' });
    const queue = sandbox.platform.queues.find(({ name }) => name.endsWith('-signals'));
    queue?.send('{"not": json');
    queue?.send('null');
  },
});

const launchStray = (atMs: number): Step => ({
  kind: 'stray-launched',
  atMs,
  what: 'somebody launches an instance with the tag of the group, in no pool of it',
  happen: async (stage) => {
    stage.did({ kind: 'stray-launched', groups: ['web'] });
    await stage.operate('ec2', 'RunInstances', {
      LaunchTemplate: { LaunchTemplateName: 'web' },
      InstanceType: 'm7g.large',
      SubnetId: 'subnet-a',
      MinCount: 1,
      MaxCount: 1,
      TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'holdfast:group', Value: 'holdfast/web' }] }],
    });
  },
});

/** The user ends members through their Auto Scaling group, which is to replace them itself. */
const endForReplacement = (atMs: number, count: number): Step => ({
  kind: 'replaced-through-asg',
  atMs,
  what: `the user ends ${count} members, to be replaced by their Auto Scaling group`,
  happen: async (stage) => {
    for (const InstanceId of oldest(stage, count)) {
      stage.did({ kind: 'replaced-through-asg', instances: [InstanceId], groups: ['web'] });
      await stage.operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity: false });
    }
  },
});

/** Once a function has died nothing is heard any more, and what waits on queues is lost: only the tick remains. */
const deafAfterADeath = (atMs: number): Step => ({
  kind: 'fault-arranged',
  atMs,
  what: 'the first death of a function is to take all messages with it',
  happen: (stage) => {
    stage.did({ kind: 'fault-arranged' });
    stage.sandbox.platform.functions.observe(({ result }) => {
      if (result.kind !== 'error' || result.errorType !== 'Runtime.ExitError') return;
      for (const queue of stage.sandbox.platform.queues) queue.purge();
      stage.addFaults([{ on: 'event', kind: 'drop' }]);
    });
  },
});

const killedBefore = (operation: string): FaultInput => ({ on: 'call', kind: 'crash-caller', when: 'before', times: 1, match: { operation } });

const weighted = {
  capacity: {
    weighted: [
      { use: 'spot-a', weight: 80 },
      { use: 'spot-b', weight: 20 },
    ],
  },
};
const capped = (policy: Readonly<Record<string, unknown>>) => ({
  pools: Object.fromEntries(
    Object.entries(policy.pools as Record<string, { readonly market: string }>).map(([name, pool]) => [
      name,
      pool.market === 'spot' ? { ...pool, cap: 2 } : pool,
    ]),
  ),
});

const throttledLaunches = (times: number): FaultInput => ({ on: 'call', kind: 'throttle', times, match: { operation: 'CreateFleet' } });

/** Both groups of a world, held by tag. */
const twoGroups = (script: Script, spot = 9): Situation => {
  const { spec, policy } = settingOf('tag', { spot });
  return { ...of('two groups', { spec, policy }, script), policies: [policy, { ...policy, group: 'api' }] };
};

const both = { web: { size: 6, endsAt: 6 }, api: { size: 6, endsAt: 6 } };

/** Situations in which one particular breakage shows, where the workflows and storms of the simulation do not bring it out. */
export const situations = {
  'rebalance, then warning': () =>
    of('rebalance, then warning', oneAtATime(), { asked: six, steps: [recommendRebalance(1_000, 5), interrupt(4_500, 5)] }),
  'rebalance and warning at once': () =>
    of('rebalance and warning at once', withWorld(oneAtATime(), slowWrites), {
      asked: six,
      steps: [recommendRebalance(1_000, 5), interrupt(2_100, 5)],
    }),
  'warnings overlap': () =>
    of('warnings overlap', withWorld(settingOf('tag', { lagSeconds: [2, 8] }), slowDescribes), {
      asked: six,
      steps: [interrupt(1_000, 1), interrupt(2_200, 1), interrupt(3_400, 1), interrupt(4_600, 1)],
    }),
  'alarm in its cooldown': () =>
    of('alarm in its cooldown', settingOf('tag', { size: elastic, policy: alarms('2m') }), {
      asked: { web: { size: 6, endsAt: 8 } },
      steps: [alarm(1_000, 'high'), alarm(41_000, 'high')],
    }),
  'alarm delivered twice': () =>
    of('alarm delivered twice', settingOf('tag', { size: elastic, policy: alarms('2m') }), {
      asked: { web: { size: 6, endsAt: 8 } },
      steps: [alarm(1_000, 'high')],
      faults: [{ on: 'event', kind: 'duplicate', copies: 1, withinMs: 4_000, match: { source: 'aws.cloudwatch' } }],
    }),
  'killed once removals are claimed': () =>
    of('killed once removals are claimed', settingOf('tag', { size: elastic, policy: alarms('2m') }), {
      asked: { web: { size: 6, endsAt: 4 } },
      steps: [alarm(1_000, 'low')],
      faults: [{ on: 'call', kind: 'crash-caller', when: 'after', times: 1, match: { operation: 'StartExecution' } }],
      keepsFaults: true,
    }),
  'alarm at the maximum': () =>
    of('alarm at the maximum', settingOf('attach', { size: { min: 2, max: 7, desired: 6 }, policy: alarms('10s') }), {
      asked: { web: { size: 6, endsAt: 7 } },
      steps: [alarm(1_000, 'high'), alarm(30_000, 'high')],
    }),
  'alarm while the state cannot be read': () =>
    of('alarm while the state cannot be read', settingOf('tag', { size: elastic, policy: alarms('2m') }), {
      asked: { web: { size: 6, endsAt: 8 } },
      steps: [alarm(1_000, 'high')],
      faults: [{ on: 'call', kind: 'error', code: 'InternalServerError', status: 500, match: { operation: 'GetItem' } }],
    }),
  'pools with caps': () => {
    const options = { size: elastic, policy: alarms('2m') };
    const { spec, policy } = settingOf('tag', options);
    return of(
      'pools with caps',
      { spec, policy: { ...policy, ...capped(policy) } },
      {
        asked: { web: { size: 6, endsAt: 8 } },
        steps: [alarm(1_000, 'high')],
      },
    );
  },
  'weights while launches are in flight': () =>
    of(
      'weights while launches are in flight',
      settingOf('tag', { size: { min: 0, max: 30, desired: 5 }, spot: 30, lagSeconds: [2, 8], policy: { ...weighted, ...alarms('1s', '+5') } }),
      {
        asked: { web: { size: 5, endsAt: 20 } },
        steps: [alarm(1_000, 'high'), alarm(4_000, 'high'), alarm(7_000, 'high')],
      },
    ),
  'equal pools': () =>
    of('equal pools', settingOf('tag', { size: 4, policy: { capacity: { spread: ['spot-c', 'spot-a', 'spot-b'] } } }), {
      asked: { web: { size: 4, endsAt: 4 } },
      steps: [interrupt(1_000, 0)],
    }),
  'interrupted where capacity is left': () =>
    of('interrupted where capacity is left', settingOf('tag'), { asked: six, steps: [interruptIn(1_000, zones[1])] }),
  'throttled launches': () =>
    of('throttled launches', settingOf('tag'), { asked: six, steps: [interruptIn(15_000, zones[1])], faults: [throttledLaunches(7)] }),
  'launch answers lost': () =>
    of('launch answers lost', settingOf('tag', { lagSeconds: [12, 15] }), {
      asked: six,
      steps: [interrupt(1_000, 1), interrupt(9_000, 1)],
      faults: [{ on: 'call', kind: 'lose-answer', when: 'after', times: 3, match: { operation: 'CreateFleet' } }],
    }),
  'refilled by its own group': () =>
    of('refilled by its own group', settingOf('attach'), { asked: six, steps: [endForReplacement(1_000, 2)], restWithinMs: 900_000 }),
  'own group finds nothing': () => {
    const onSpot = ({ autoScalingGroups }: WorldSpec): Partial<WorldSpec> => ({
      autoScalingGroups: autoScalingGroups.map((asg) => (asg.name === 'web-asg' ? { ...asg, market: 'spot' } : asg)),
    });
    return of('own group finds nothing', withWorld(settingOf('attach'), onSpot), {
      asked: six,
      steps: [setSpot(900, zones, 0), endForReplacement(1_000, 1), setSpot(400_000, zones, 6)],
      restWithinMs: 900_000,
    });
  },
  'hook of an hour': () =>
    of('hook of an hour', settingOf('attach', { hooks: lastingHook(3_600) }), { asked: six, steps: [endThroughAsg(1_000, 2)] }),
  'hook shorter than the drain': () =>
    of(
      'hook shorter than the drain',
      withWorld(settingOf('attach', { hooks: lastingHook(30), policy: { drain: { timeout: '3m' } } }), deregistrationOf(70)),
      {
        asked: six,
        steps: [endThroughAsg(1_000, 2)],
      },
    ),
  'protected members': () =>
    of('protected members', settingOf('attach', { size: elastic, policy: { ...alarms('2m'), removal: { order: 'oldest-first' } } }), {
      asked: { web: { size: 6, endsAt: 4 } },
      steps: [setProtection(500, 4), alarm(5_000, 'low')],
    }),
  'spot becomes dear in a zone, and the group shrinks': () => {
    const capacity = { tiered: [{ spread: ['spot-a', 'spot-b', 'spot-c'] }, { cheapest: ['od-b', 'od-c'] }] };
    return of('spot becomes dear in a zone, and the group shrinks', settingOf('tag', { size: elastic, policy: { ...alarms('2m'), capacity } }), {
      asked: { web: { size: 6, endsAt: 4 } },
      steps: [
        ...[...new Set(settingOf('tag').spec.offerings.map(({ instanceType }) => instanceType))].map((type) =>
          movePrice(1_000, type, [zones[1] ?? ''], 2),
        ),
        alarm(400_000, 'low'),
      ],
    });
  },
  'surplus while replacements boot': () => {
    const { spec, policy } = settingOf('tag', { size: elastic, policy: { removal: { order: 'oldest-first' } } });
    return of(
      'surplus while replacements boot',
      { spec, policy },
      {
        asked: { web: { size: 6, endsAt: 6 } },
        steps: [
          // A group that is three minutes old may have a surplus leave.
          putPolicy(241_000, { ...policy, size: { ...elastic, desired: 8 } }, 'the policy asks for eight', 'size-edited'),
          putPolicy(252_000, { ...policy, size: elastic }, 'the policy asks for six again', 'size-edited'),
        ],
      },
    );
  },
  'stray instance': () =>
    of('stray instance', settingOf('tag', { size: { min: 2, max: 7, desired: 6 }, policy: { removal: { order: 'oldest-first' } } }), {
      asked: { web: { size: 6, endsAt: 6 } },
      steps: [launchStray(1_000)],
      restWithinMs: 900_000,
    }),
  'policy becomes invalid, then a loss': () =>
    of('policy becomes invalid, then a loss', settingOf('tag'), {
      asked: six,
      steps: [putPolicy(1_000, { group: 'web', size: 'many' }, 'the policy is made invalid', 'policy-broken'), loseZone(10_000, zones[0])],
    }),
  'a second group wants the same Auto Scaling group': () => {
    const { spec, policy } = settingOf('attach');
    return of(
      'a second group wants the same Auto Scaling group',
      { spec, policy },
      {
        asked: six,
        steps: [putPolicy(1_000, { ...policy, group: 'api', size: 3 }, 'another group names the Auto Scaling group too')],
      },
    );
  },
  'two groups, nobody hears': () =>
    twoGroups({ asked: both, steps: [loseZone(1_000, zones[0])], faults: [{ on: 'event', kind: 'drop' }], keepsFaults: true }),
  'two groups': () => twoGroups({ asked: both, steps: [loseZone(1_000, zones[0])] }),
  'killed before the launch': () =>
    of('killed before the launch', settingOf('tag'), {
      asked: six,
      steps: [deafAfterADeath(500), interrupt(1_000, 2)],
      faults: [killedBefore('CreateFleet')],
      keepsFaults: true,
    }),
  'killed before the drain, and nobody hears': () =>
    of('killed before the drain, and nobody hears', settingOf('tag'), {
      asked: six,
      steps: [deafAfterADeath(500), interrupt(1_000, 2)],
      faults: [killedBefore('StartExecution')],
      keepsFaults: true,
    }),
  'long after a launch': () =>
    of('long after a launch', settingOf('tag'), {
      asked: six,
      steps: [kill(1_000, 1)],
      calmAtMs: 400_000,
    }),
  'connections outlast the notice': () =>
    of('connections outlast the notice', withWorld(settingOf('tag'), deregistrationOf(300)), { asked: six, steps: [interrupt(1_000, 2)] }),
  'slow boots while warnings come one by one': () =>
    of('slow boots while warnings come one by one', settingOf('tag', { size: 12, spot: 12, pendingSeconds: [380, 380] }), {
      asked: { web: { size: 12, endsAt: 12 } },
      restWithinMs: 900_000,
      steps: Array.from({ length: 10 }, (_, index) => interrupt(1_000 + 3_000 * index, 1)),
      // A wake that is delivered twice is followed by two, unless the second look finds the first one's.
      faults: [{ on: 'message', kind: 'duplicate', withinMs: 1_000 }],
    }),
  'no launch has a response while warnings come one by one': () =>
    of('no launch has a response while warnings come one by one', settingOf('tag'), {
      asked: six,
      steps: Array.from({ length: 5 }, (_, index) => interrupt(5_000 + 40_000 * index, 1)),
      faults: [{ on: 'call', kind: 'error', code: 'IdempotentCallInProgress', status: 500, untilMs: 240_000, match: { operation: 'CreateFleet' } }],
      calmAtMs: 250_000,
      restWithinMs: 900_000,
    }),
  'zones evened out by its own group': () => {
    const policy = { capacity: { tiered: ['spot-b', 'od-b'] }, removal: { order: 'newest-first' } };
    // The instance that evens out takes longer to run than a minute, so a look finds it beside the one that its group ends for it.
    return of('zones evened out by its own group', settingOf('attach', { rebalancesZones: true, policy, pendingSeconds: [90, 90] }), {
      asked: six,
      steps: [interrupt(1_000, 3)],
      restWithinMs: 900_000,
    });
  },
  'short pages of instances': () =>
    of(
      'short pages of instances',
      withWorld(settingOf('tag'), () => ({ longestPage: 2 })),
      { asked: six, steps: [loseZone(1_000, zones[0])] },
    ),
  'a list of instances that moves': () =>
    of(
      'a list of instances that moves',
      withWorld(settingOf('tag'), () => ({ longestPage: 5, stalePages: { lagSeconds: [0, 0], moves: 0.3 } })),
      // What was launched within three minutes counts, also where no list shows it.
      { asked: six, steps: [loseZone(400_000, zones[0])] },
    ),
  'short pages of Auto Scaling groups': () =>
    of(
      'short pages of Auto Scaling groups',
      withWorld(settingOf('launch-instances'), () => ({ longestPage: 2 })),
      {
        asked: six,
        steps: [loseZone(1_000, zones[2])],
      },
    ),
  'messages that are none': () => of('messages that are none', settingOf('tag'), { asked: six, steps: [garbage(1_000)], calmAtMs: 300_000 }),
} satisfies Readonly<Record<string, () => Situation>>;
