import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import { stopAllDrains, unheardStops, warnedLate } from '../audit/draining.ts';
import { rename } from '../edit-steps.ts';
import type { Draw } from '../random-draw.ts';
import type { Step } from '../situation.ts';
import { alarm, endThroughAsg, interrupt, kill, loseZone } from '../steps.ts';
import { holdings, type Setting, settingOf, zones } from '../worlds.ts';
import { calmAfter, type DrawnWorld, type Profile, seconds } from './profile.ts';

type Kind = (draw: Draw) => DrawnWorld;

type Script = {
  readonly size: number;
  readonly steps: readonly Step[];
  readonly faults?: readonly FaultInput[];
  readonly restWithinMs?: number;
};

const worldOf = ({ spec, policy }: Setting, { size, steps, faults = [], restWithinMs = 900_000 }: Script): DrawnWorld => ({
  spec,
  policies: [policy],
  asked: { web: { size } },
  steps,
  faults,
  calmAtMs: calmAfter(steps, faults),
  restWithinMs,
});

const hookOf = (heartbeatSeconds: number) => [
  { name: 'drain', transition: 'terminating' as const, heartbeatSeconds, defaultResult: 'CONTINUE' as const },
];

/** A group in an Auto Scaling group that is as large as its owner lets it be. */
const attachedTo = (draw: Draw, size: number): Setting =>
  settingOf('attach', {
    size,
    spot: 12,
    ...(draw.chance(0.7) && { hooks: hookOf(3_600) }),
    policy: draw.chance(0.7) ? { capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] } } : {},
  });

/** Members that carry the name of a group that is no longer there are warned, or ended through their Auto Scaling group. */
const warnedUnderOldName: Kind = (draw) => {
  const size = draw.between(5, 6);
  const setting = attachedTo(draw, size);
  const renamedAtMs = seconds(draw, 120, 220);
  const atMs = renamedAtMs + seconds(draw, 20, 60);
  return worldOf(setting, {
    size,
    steps: [
      rename(renamedAtMs, setting.policy, 'api', 3_000),
      draw.chance(0.6) ? interrupt(atMs, draw.between(2, 4), 120_000, 'api') : endThroughAsg(atMs, 2, 'api'),
    ],
  });
};

/** The group gets another name while its maximum is raised, and the next name raises it further. */
const renamedWhileRaised: Kind = (draw) => {
  const size = draw.between(5, 6);
  const setting = attachedTo(draw, size);
  const renamedAtMs = seconds(draw, 12, 24);
  return worldOf(setting, {
    size,
    steps: [
      interrupt(1_000, draw.between(2, 3)),
      rename(renamedAtMs, setting.policy, 'api', 3_000),
      interrupt(renamedAtMs + seconds(draw, 5, 10), draw.between(1, 2), 120_000, 'api'),
    ],
  });
};

/** Nobody may change an Auto Scaling group from the second of two raises on, so the first one is all that comes about. */
const secondRaiseFails: Kind = (draw) => {
  const size = draw.between(5, 6);
  const secondAtMs = seconds(draw, 24, 34);
  const fault: FaultInput = {
    on: 'call',
    kind: 'throttle',
    match: { operation: 'UpdateAutoScalingGroup' },
    fromMs: secondAtMs - 1_000,
    untilMs: secondAtMs + seconds(draw, 180, 240),
  };
  return worldOf(settingOf('attach', { size, spot: 12 }), {
    size,
    steps: [interrupt(1_000, draw.between(1, 2)), interrupt(secondAtMs, draw.between(1, 2))],
    faults: [fault],
  });
};

/** A zone is lost, and some Auto Scaling groups in the others are full. */
const smallMaxima: Kind = (draw) => {
  const size = draw.between(5, 6);
  const { spec, policy } = settingOf('launch-instances', { size, spot: 12 });
  const autoScalingGroups = spec.autoScalingGroups.map((asg) => (asg.name === 'strangers' ? asg : { ...asg, max: 2 }));
  return worldOf({ spec: { ...spec, autoScalingGroups }, policy }, { size, steps: [loseZone(seconds(draw, 1, 30), draw.one(zones))] });
};

/** By then describes show every member that was there before the first step. */
const knownAtMs = 60_000;

/** The response of a launch is lost, and its repeat is throttled. No describe shows yet what was launched. */
const throttledRepeat: Kind = (draw) => {
  const holding = draw.one(holdings);
  const size = draw.between(4, 6);
  const match = { operation: holding === 'launch-instances' ? 'LaunchInstances' : 'CreateFleet', dryRun: false };
  // The SDK makes three attempts of each request.
  const lost = [1, 2, 3].map((nth): FaultInput => ({ on: 'call', kind: 'lose-answer', when: 'after', nth, match }));
  const throttled = [4, 5, 6].map((nth): FaultInput => ({ on: 'call', kind: 'throttle', nth, match }));
  return worldOf(settingOf(holding, { size, lagSeconds: [25, 30], max: 12 }), {
    size,
    steps: [draw.one([interrupt, interrupt, kill])(knownAtMs + seconds(draw, 0, 40), 1)],
    faults: [...lost, ...throttled],
  });
};

const readsThatImprove = ['DescribeTargetHealth', 'DescribeTargetHealth', 'DescribeSpotPriceHistory', 'DescribeTargetGroupAttributes'];

/** What only improves a decision cannot be read while members are warned. */
const unread: Kind = (draw) => {
  const size = draw.between(4, 6);
  const capacity = { tiered: [{ cheapest: ['spot-a', 'spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] };
  const atMs = seconds(draw, 200, 400);
  return worldOf(settingOf(draw.one(['tag', 'attach']), { size, max: 12, policy: { capacity } }), {
    size,
    steps: [interrupt(atMs, draw.between(1, 2))],
    faults: [{ on: 'call', kind: 'throttle', match: { operation: draw.one(readsThatImprove) }, fromMs: 0, untilMs: atMs + 290_000 }],
  });
};

/** Warnings with deadlines far apart and a scale-in come to one look. */
const warnedWithScaleIn: Kind = (draw) => {
  const warned = draw.between(4, 8);
  const desired = 2 * warned + draw.between(2, 6);
  const [everyMs, togetherAtMs] = [seconds(draw, 8, 10), 90_000];
  const size = { min: 2, max: 40, desired };
  const policy = { scaling: [{ alarm: 'low', adjust: `-${warned + draw.between(2, 4)}`, cooldown: '2m' }], drain: { timeout: '5m' } };
  return worldOf(settingOf('tag', { size, spot: 24, delaySeconds: 120, policy }), {
    size: desired,
    steps: [...Array.from({ length: warned }, (_, index) => warnedLate(1_000 + index * everyMs, togetherAtMs)), alarm(togetherAtMs, 'low')],
  });
};

/** EC2 stops or hibernates what it takes. */
const stoppedByEc2: Kind = (draw) => {
  const size = draw.between(4, 6);
  return worldOf(settingOf('tag', { size, spot: 12 }), {
    size,
    steps: [
      interrupt(seconds(draw, 1, 30), draw.between(1, 2), 120_000, 'web', 'stop'),
      interrupt(seconds(draw, 150, 250), 1, 0, 'web', draw.one(['stop', 'hibernate'])),
    ],
  });
};

/** The user stops drains of members that wait on a hook. */
const stoppedOnHook: Kind = (draw) => {
  const [size, stoppedAtMs] = [draw.between(4, 6), seconds(draw, 60, 150)];
  return worldOf(settingOf('attach', { size, delaySeconds: draw.between(8, 20) * 60, hooks: hookOf(300), policy: { drain: { timeout: '1h' } } }), {
    size,
    steps: [endThroughAsg(1_000, draw.between(1, 2)), stopAllDrains(stoppedAtMs)],
    ...(draw.chance(0.8) && { faults: [{ ...unheardStops, fromMs: 0, untilMs: stoppedAtMs + 30_000 }] }),
    restWithinMs: 5_400_000,
  });
};

const kinds: readonly Kind[] = [
  warnedUnderOldName,
  renamedWhileRaised,
  secondRaiseFails,
  smallMaxima,
  throttledRepeat,
  unread,
  warnedWithScaleIn,
  stoppedByEc2,
  stoppedOnHook,
];

export const audit: Profile = {
  about: 'moments in which an audit found faults: renames, raised maxima, repeats, reads that fail, drains that others stop',
  // A seed chooses it by a stream of its own.
  weight: 0,
  draw: (draw) => draw.one(kinds)(draw),
};
