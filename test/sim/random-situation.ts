import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { forkRandom, type Random } from '../../sandbox/random.ts';
import type { Situation, Step } from './situation.ts';
import { alarm, endThroughEc2, interrupt, kill, loseZone, putPolicy, recommendRebalance, setSpot } from './steps.ts';
import { holdings, type SettingOptions, settingOf, zones } from './worlds.ts';

const alarmStep = 2;
const scaling = [
  { alarm: 'high', adjust: `+${alarmStep}`, cooldown: '1m' },
  { alarm: 'low', adjust: `-${alarmStep}`, cooldown: '1m' },
];
const anyService = { service: ['ec2', 'autoscaling', 'elasticloadbalancing', 'dynamodb', 'sqs', 'states', 'events'] } as const;

const drawFrom = (random: Random) => ({
  chance: (probability: number): boolean => random() < probability,
  between: (least: number, most: number): number => least + Math.floor(random() * (most - least + 1)),
  one: <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T,
});
type Draw = ReturnType<typeof drawFrom>;

/** A policy that nobody can accept: the last good one stays in force. */
const broken = { group: 'web', size: 'many', capacity: 'nowhere' };

const steps: readonly ((draw: Draw, atMs: number, policy: Readonly<Record<string, unknown>>) => Step)[] = [
  (draw, atMs) => loseZone(atMs, draw.one(zones)),
  (draw, atMs) => interrupt(atMs, draw.between(1, 3), draw.one([120_000, 120_000, 30_000])),
  (draw, atMs) => endThroughEc2(atMs, draw.between(1, 2)),
  (draw, atMs) => recommendRebalance(atMs, draw.between(1, 2)),
  (draw, atMs) => kill(atMs, draw.between(1, 2)),
  (_, atMs) => alarm(atMs, 'high'),
  (_, atMs) => alarm(atMs, 'low'),
  (draw, atMs) => setSpot(atMs, zones, draw.between(0, 6)),
  (_, atMs) => putPolicy(atMs, broken, 'the policy is made invalid'),
  (draw, atMs, policy) => putPolicy(atMs, { ...policy, tags: { run: String(draw.between(1, 9)) } }, 'the policy changes in its tags'),
];

const eventFaults: readonly ((draw: Draw) => FaultInput)[] = [
  (draw) => ({ on: 'event', kind: 'drop', probability: draw.one([0.3, 1]) }),
  () => ({ on: 'event', kind: 'duplicate', copies: 2, withinMs: 20_000 }),
  () => ({ on: 'event', kind: 'reorder', withinMs: 15_000 }),
  (draw) => ({ on: 'event', kind: 'delay', delayMs: draw.between(1, 40) * 1_000 }),
];
const callFaults: readonly ((draw: Draw) => FaultInput)[] = [
  (draw) => ({ on: 'call', kind: 'throttle', probability: draw.one([0.1, 0.4]), match: { service: [...anyService.service] } }),
  () => ({
    on: 'call',
    kind: 'lose-answer',
    when: 'after',
    probability: 0.1,
    match: { operation: ['CreateFleet', 'LaunchInstances', 'AttachInstances', 'PutItem'] },
  }),
  () => ({
    on: 'call',
    kind: 'lose-answer',
    when: 'after',
    as: 'timeout',
    afterMs: 6_000,
    probability: 0.1,
    match: { operation: ['CreateFleet', 'LaunchInstances'] },
  }),
  (draw) => ({
    on: 'call',
    kind: 'crash-caller',
    when: draw.one(['before', 'after'] as const),
    probability: 0.02,
    match: { service: [...anyService.service] },
  }),
  (draw) => ({ on: 'call', kind: 'delay', delayMs: draw.between(1, 8) * 1_000, probability: 0.1, match: { service: ['ec2', 'autoscaling'] } }),
];

/** Trees of every kind, over the pools that all settings have. */
const trees = [
  undefined,
  { tiered: [{ spread: ['spot-a', 'spot-b', 'spot-c'], by: 'zone' }, 'od-b'] },
  { tiered: [{ cheapest: ['spot-a', 'spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] },
  {
    weighted: [
      { use: { tiered: [{ spread: ['spot-a', 'spot-b'] }, 'od-b'] }, weight: 70 },
      { use: { tiered: ['spot-c', 'od-c'] }, weight: 30 },
    ],
  },
] as const;

const terminatingHook = (draw: Draw): NonNullable<SettingOptions['hooks']> => [
  { name: 'drain', transition: 'terminating', heartbeatSeconds: draw.one([30, 120]), defaultResult: 'CONTINUE' },
];

const capacityOf = (draw: Draw): { readonly capacity?: unknown } => {
  const capacity = draw.one(trees);
  return capacity === undefined ? {} : { capacity };
};

const drawOptions = (draw: Draw): SettingOptions => ({
  size: { min: 2, max: 12, desired: draw.between(3, 8) },
  spot: draw.between(1, 5),
  ...(draw.chance(0.3) ? { hooks: terminatingHook(draw) } : {}),
  ...(draw.chance(0.3) ? { delaySeconds: draw.one([5, 90, 300]) } : {}),
  ...(draw.chance(0.3) ? { asgLagSeconds: [0, 4] as const } : {}),
  lagSeconds: draw.one([
    [0, 1],
    [0, 0],
    [2, 8],
  ] as const),
  policy: {
    ...capacityOf(draw),
    drain: { timeout: draw.one(['20s', '30s', '2m']) },
    scaling,
    swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.between(1, 3) },
    rebalance: { act: draw.chance(0.8) },
  },
});

const drawSteps = (draw: Draw, policy: Readonly<Record<string, unknown>>): readonly Step[] =>
  Array.from({ length: draw.between(1, 4) }, () => draw.one(steps)(draw, draw.between(1, 90) * 1_000, policy));

/** A world, a policy, a script and faults that all follow from one seed. */
export const randomSituation = (seed: number): Situation => {
  const draw = drawFrom(forkRandom(seed, 'situation'));
  const options = drawOptions(draw);
  const { spec, policy } = settingOf(draw.one(holdings), { ...options, ...(draw.chance(0.5) ? { max: 12 } : {}) });
  const script = drawSteps(draw, policy);
  const faults = [...(draw.chance(0.5) ? [draw.one(eventFaults)(draw)] : []), ...(draw.chance(0.6) ? [draw.one(callFaults)(draw)] : [])];
  const asked = (name: string): number => alarmStep * script.filter(({ what }) => what === `alarm ${name}`).length;
  const size = (options.size as { readonly desired: number }).desired;
  return {
    name: `seed ${seed}`,
    seed,
    spec,
    policies: [policy],
    asked: { web: { size, more: asked('high'), fewer: asked('low') } },
    steps: script,
    faults,
    calmAtMs: 120_000,
    restWithinMs: 720_000,
    deaf: faults.length > 0,
    late: faults.some(({ on }) => on === 'event') || spec.timing.lagSeconds[1] > 1,
  };
};
