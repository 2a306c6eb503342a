import type { FaultInput } from '../../sandbox/fault-schema.ts';
import type { Situation, Step } from './situation.ts';
import { interrupt, kill, loseZone, putPolicy, setSpot, warnAgain } from './steps.ts';
import { type HoldingKind, type SettingOptions, settingOf, zones } from './worlds.ts';

/** An interruption storm, and what goes wrong beside it. */
type Storm = {
  readonly about: string;
  readonly faults?: readonly FaultInput[];
  readonly steps?: readonly Step[];
  readonly options?: SettingOptions;
};

const killedOver = (...operation: readonly [string, ...string[]]): FaultInput => ({
  on: 'call',
  kind: 'crash-caller',
  when: 'after',
  times: 1,
  match: { operation: [...operation] },
});

const everyService: [string, ...string[]] = ['ec2', 'autoscaling', 'elasticloadbalancing', 'dynamodb', 'sqs', 'states', 'events'];

const storms: readonly Storm[] = [
  { about: 'function killed after the launch', faults: [killedOver('CreateFleet', 'LaunchInstances')] },
  { about: 'function killed after members were admitted', faults: [killedOver('AttachInstances', 'RegisterTargets')] },
  { about: 'function killed after its first write', faults: [killedOver('PutItem')] },
  { about: 'function killed after it moved a swap on', faults: [killedOver('UpdateItem')] },
  { about: 'function killed after it started a drain', faults: [killedOver('StartExecution')] },
  {
    about: 'function killed between noting a raised maximum and raising it',
    faults: [{ on: 'call', kind: 'crash-caller', when: 'before', times: 1, match: { operation: 'UpdateAutoScalingGroup' } }],
    options: { min: 6, max: 6 },
  },
  {
    about: 'events come twice and out of order',
    faults: [
      { on: 'event', kind: 'duplicate', copies: 2, withinMs: 20_000 },
      { on: 'event', kind: 'reorder', withinMs: 15_000 },
    ],
  },
  { about: 'one warning comes again while the storm is being answered', steps: [warnAgain(2_300)] },
  { about: 'every event is lost', faults: [{ on: 'event', kind: 'drop' }] },
  {
    about: 'everything is throttled for a while',
    faults: [{ on: 'call', kind: 'throttle', probability: 0.5, match: { service: everyService } }],
  },
  { about: 'spot is gone everywhere', steps: [setSpot(500, zones, 0)] },
  { about: 'the launch is refused halfway', options: { spot: 2 }, steps: [setSpot(500, [zones[1]], 3)] },
  { about: 'an instance dies while it is pending', steps: [kill(9_000, 1)] },
  { about: 'the policy is made invalid', steps: [putPolicy(2_000, { group: 'web', size: 'many' }, 'the policy is made invalid', 'policy-broken')] },
  { about: 'warnings come in batches that overlap', steps: [interrupt(2_200, 1), interrupt(3_400, 1), interrupt(4_600, 1)] },
  { about: 'describes lag behind launches', options: { lagSeconds: [2, 8] } },
];

const situationOf = (holding: HoldingKind, { about, faults = [], steps = [], options = {} }: Storm): Situation => {
  const { spec, policy } = settingOf(holding, options);
  return {
    name: `${holding}: ${about}`,
    seed: 1,
    spec,
    policies: [policy],
    asked: { web: { size: 6, endsAt: 6 } },
    steps: [loseZone(1_000, zones[0]), ...steps],
    faults,
    calmAtMs: 60_000,
    restWithinMs: 600_000,
  };
};

/** Every storm for one way of holding a group. */
export const stormsOf = (holding: HoldingKind): readonly Situation[] => storms.map((storm) => situationOf(holding, storm));
