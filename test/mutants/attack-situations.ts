import type { LoadSpec } from '../../sandbox/world/spec.ts';
import { noCapacity } from '../sim/capacity-steps.ts';
import { scheduleRetirement } from '../sim/ending-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, deletePolicy, interrupt, kill } from '../sim/steps.ts';
import { type HoldingKind, type SettingOptions, settingOf, zones } from '../sim/worlds.ts';

const minuteMs = 60_000;

type Script = {
  readonly holding?: HoldingKind;
  readonly options?: SettingOptions;
  readonly faults?: Situation['faults'];
  /** How long each request takes. Without it there are no requests, so a target group has finished at once with a member that leaves. */
  readonly requestSeconds?: number;
  readonly steps: readonly Step[];
  readonly endsAt?: number;
  /** How long the world goes on after the last step. */
  readonly goesOnMs?: number;
};

const size = { min: 1, max: 12, desired: 5 };

const loadOf = (seconds: number): LoadSpec => ({ requestsPerSecond: 2, requestSeconds: [seconds, seconds] });

const of = (
  name: string,
  { holding = 'tag', options = {}, faults = [], requestSeconds, steps, endsAt = size.desired, goesOnMs = 2 * minuteMs }: Script,
): Situation => {
  const { spec, policy } = settingOf(holding, { size, spot: 8, ...options });
  return {
    name,
    seed: 1,
    spec: requestSeconds === undefined ? spec : { ...spec, targetGroups: spec.targetGroups.map((one) => ({ ...one, load: loadOf(requestSeconds) })) },
    policies: [policy],
    asked: { web: { size: size.desired, endsAt } },
    steps,
    faults,
    calmAtMs: Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + goesOnMs,
    restWithinMs: 20 * minuteMs,
  };
};

/** Target groups of the policy alone: an Auto Scaling group waits for the connections of its own before a hook holds a member. */
const ofPolicyTargets = ({ spec, ...rest }: Situation): Situation => ({
  ...rest,
  spec: { ...spec, autoScalingGroups: spec.autoScalingGroups.map((asg) => ({ ...asg, targetGroups: [] })) },
});

const both = ['spot', 'on-demand'] as const;
const returning = { after: '1m', every: '1m', atMost: '50%' };

/** Worlds for mutants that an attacker wrote, and whose moment random worlds seldom draw. */
export const attackSituations = {
  'nothing gives for half an hour': () =>
    of('nothing gives for half an hour', { steps: [noCapacity(1_000, 30 * minuteMs, both, zones), kill(5_000, 2)] }),
  'AWS will retire two members, and says so once': () =>
    of('AWS will retire two members, and says so once', { steps: [scheduleRetirement(1_000, 2, 20 * minuteMs)] }),
  'a share of an odd size': () =>
    of('a share of an odd size', {
      options: { policy: { scaling: [{ alarm: 'high', adjust: '+25%', cooldown: '10m' }] } },
      steps: [alarm(1_000, 'high')],
      endsAt: 7,
    }),
  'two alarms soon after each other': () =>
    of('two alarms soon after each other', {
      options: {
        policy: {
          scaling: [
            { alarm: 'high', adjust: '+3', cooldown: '5m' },
            { alarm: 'low', adjust: '-1', cooldown: '5m' },
          ],
        },
      },
      steps: [alarm(1_000, 'high'), alarm(40_000, 'low')],
      endsAt: 7,
    }),
  'an alarm again in the second half of its cooldown': () =>
    of('an alarm again in the second half of its cooldown', {
      options: { policy: { scaling: [{ alarm: 'high', adjust: '+1', cooldown: '2m' }] } },
      steps: [alarm(1_000, 'high'), alarm(91_000, 'high')],
      endsAt: 6,
    }),
  'spot comes back in a window of the night before': () =>
    of('spot comes back in a window of the night before', {
      options: { policy: { return: { ...returning, window: 'wed 22:00-05:00' } } },
      steps: [noCapacity(1_000, 3 * minuteMs, ['spot'], zones), interrupt(5_000, 2)],
      goesOnMs: 30 * minuteMs,
    }),
  'the state cannot be read while EC2 warns': () =>
    of('the state cannot be read while EC2 warns', {
      steps: [interrupt(1_000, 2)],
      faults: [
        {
          on: 'call',
          kind: 'error',
          code: 'InternalServerError',
          status: 500,
          untilMs: 12_000,
          match: { service: 'dynamodb', operation: 'GetItem' },
        },
      ],
      goesOnMs: 5 * minuteMs,
    }),
  'instances cannot be described while EC2 warns': () =>
    of('instances cannot be described while EC2 warns', {
      steps: [interrupt(1_000, 2)],
      faults: [{ on: 'call', kind: 'error', code: 'InternalError', status: 500, untilMs: 12_000, match: { operation: 'DescribeInstances' } }],
      goesOnMs: 5 * minuteMs,
    }),
  'new members cannot be registered': () =>
    of('new members cannot be registered', {
      steps: [interrupt(1_000, 2)],
      faults: [{ on: 'call', kind: 'throttle', untilMs: 90_000, match: { operation: 'RegisterTargets' } }],
      goesOnMs: 5 * minuteMs,
    }),
  'a hook holds warned members whose connections go on': () =>
    ofPolicyTargets(
      of('a hook holds warned members whose connections go on', {
        holding: 'attach',
        requestSeconds: 200,
        options: {
          delaySeconds: 300,
          hooks: [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 3_600, defaultResult: 'CONTINUE' }],
          policy: { drain: { timeout: '3m', loadBalancers: [`\${targetGroup:web}`] } },
        },
        steps: [interrupt(1_000, 2)],
        goesOnMs: 5 * minuteMs,
      }),
    ),
  'a group is let go for minutes': () => of('a group is let go for minutes', { steps: [deletePolicy(5_000)], goesOnMs: 5 * minuteMs }),
} satisfies Readonly<Record<string, () => Situation>>;
