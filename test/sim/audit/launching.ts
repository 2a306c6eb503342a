import type { FaultInput } from '../../../sandbox/fault-schema.ts';
import type { WorldSpec } from '../../../sandbox/world/spec.ts';
import type { Situation, Step } from '../situation.ts';
import { deletePolicy, interrupt, putPolicy } from '../steps.ts';
import { type HoldingKind, type Setting, settingOf, zones } from '../worlds.ts';
import { scripted } from './scripted.ts';

const of = scripted(600_000);

const six = { web: { size: 6, endsAt: 6 } };
const elastic = (desired: number) => ({ min: 2, max: 12, desired });

/** The describe that a decision is made on comes back late (the first finds out whose the warned instance is). Everything else is as fast as ever. */
const oneSlowDescribe = (delayMs: number): FaultInput => ({
  on: 'call',
  kind: 'delay',
  delayMs,
  nth: 2,
  match: { operation: 'DescribeInstances' },
});

/**
 * An edit of the size meets an invocation that gathers: it read the policy before the edit, and decides after it. Its look takes so long that the edit has
 * been followed by then, and so short that there is time to look again.
 */
const editedWhileGathering = (name: string, to: number): Situation => {
  const { spec, policy } = settingOf('tag', { size: elastic(8), spot: 9 });
  return of(
    name,
    { spec, policy },
    {
      asked: { web: { size: 8, endsAt: to } },
      steps: [interrupt(1_000, 1), putPolicy(2_300, { ...policy, size: elastic(to) }, `the policy asks for ${to}`)],
      faults: [oneSlowDescribe(4_000)],
    },
  );
};

/** The policy is deleted while an invocation gathers that read it before. */
const deletedWhileGathering = (): Situation => {
  const { spec, policy } = settingOf('attach', { max: 12 });
  return of(
    'deleted while somebody gathers',
    { spec, policy },
    {
      asked: { web: { size: 6, endsAt: 6 } },
      steps: [interrupt(1_000, 2), deletePolicy(2_300), putPolicy(200_000, policy, 'the policy is written again')],
      faults: [oneSlowDescribe(9_000)],
    },
  );
};

/** By then describes show every member, however late they are: an instance that none shows is nobody's. */
const knownMs = 60_000;

/** Calls that launch. A policy that is written is tried in dry runs, and these count for no fault. */
const launchesBy = (operation: string) => ({ operation, dryRun: false });

const lostAnswers = (operation: string): readonly FaultInput[] =>
  [1, 2, 3].map((nth) => ({ on: 'call', kind: 'lose-answer', when: 'after', nth, match: launchesBy(operation) }));

/** The SDK makes three attempts of each request. */
const throttledRepeat = (operation: string): readonly FaultInput[] =>
  [4, 5, 6].map((nth) => ({ on: 'call', kind: 'throttle', nth, match: launchesBy(operation) }));

/** The answer to a launch is lost, and its repeat is throttled, while describes do not show yet what was launched. */
const throttledOnRepeat = (holding: HoldingKind): Situation => {
  const operation = holding === 'launch-instances' ? 'LaunchInstances' : 'CreateFleet';
  return of(`a repeat is throttled, ${holding}`, settingOf(holding, { lagSeconds: [25, 30], max: 12 }), {
    asked: six,
    steps: [interrupt(knownMs, 1)],
    faults: [...lostAnswers(operation), ...throttledRepeat(operation)],
  });
};

/** Between a launch whose answer is lost and its repeat the policy changes. No describe shows what was launched before the tick after the repeat. */
const editedBeforeRepeat = (name: string, edit: Readonly<Record<string, unknown>>): Situation => {
  const { spec, policy } = settingOf('tag', { lagSeconds: [50, 55] });
  return of(
    name,
    { spec: { ...spec, launchTemplates: [...spec.launchTemplates, { name: 'web-2' }] }, policy },
    {
      asked: six,
      steps: [interrupt(knownMs, 1), putPolicy(knownMs + 2_300, { ...policy, ...edit }, 'the policy changes between a launch and its repeat')],
      faults: [...lostAnswers('CreateFleet'), { on: 'call', kind: 'delay', delayMs: 2_000, nth: 3, match: launchesBy('CreateFleet') }],
    },
  );
};

const typesOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `m${index}gd-flex.${index % 7}xlarge`);

/** One pool of two hundred types in three zones: six hundred offerings. */
const manyOfferings = (): Setting => {
  const { spec, policy } = settingOf('tag', { size: 60 });
  const types = typesOf(200);
  const offerings: WorldSpec['offerings'] = zones.flatMap((zone) => [
    ...types.map((instanceType) => ({ instanceType, zone, market: 'spot' as const, capacity: 40, priceUsdPerHour: 0.03 })),
    { instanceType: types[0] ?? '', zone, market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.08 },
  ]);
  const subnets = spec.subnets.map(({ id }) => id);
  return {
    spec: { ...spec, offerings: [...spec.offerings, ...offerings] },
    policy: {
      ...policy,
      capacity: { tiered: ['spot', 'od'] },
      defaults: { launchTemplate: 'web', subnets },
      pools: { spot: { market: 'spot', instanceTypes: types }, od: { market: 'on-demand', instanceTypes: types.slice(0, 1) } },
    },
  };
};

const trickle = (fromMs: number, count: number, everyMs: number): readonly Step[] =>
  Array.from({ length: count }, (_, index) => interrupt(fromMs + index * everyMs, 1));

const cheapest = (policy: Setting['policy']) => ({
  ...policy,
  capacity: { tiered: [{ cheapest: ['spot-a', 'spot-b', 'spot-c'] }, { spread: ['od-b', 'od-c'] }] },
});

const failingRead = (operation: string): FaultInput => ({ on: 'call', kind: 'throttle', match: { operation } });

/** What only improves a decision cannot be read while members are warned. */
const unreadable = (name: string, holding: HoldingKind, operation: string): Situation => {
  const { spec, policy } = settingOf(holding, { max: 12 });
  return of(
    name,
    { spec, policy: cheapest(policy) },
    { asked: six, steps: [interrupt(400_000, 2)], calmAtMs: 700_000, faults: [failingRead(operation)] },
  );
};

const made: readonly Situation[] = [
  editedWhileGathering('edited to fewer while somebody gathers', 4),
  editedWhileGathering('edited to more while somebody gathers', 10),
  deletedWhileGathering(),
  throttledOnRepeat('tag'),
  throttledOnRepeat('attach'),
  throttledOnRepeat('launch-instances'),
  editedBeforeRepeat('tags edited before a repeat', { tags: { team: 'web' } }),
  editedBeforeRepeat('template edited before a repeat', { defaults: { launchTemplate: 'web-2', instanceTypes: ['m7g.large'] } }),
  of('six hundred offerings, a warning every two seconds', manyOfferings(), {
    asked: { web: { size: 60, endsAt: 60 } },
    steps: trickle(1_000, 40, 2_000),
  }),
  unreadable('prices cannot be read', 'tag', 'DescribeSpotPriceHistory'),
  unreadable('target health cannot be read, kept by tag', 'tag', 'DescribeTargetHealth'),
  unreadable('target health cannot be read, attached', 'attach', 'DescribeTargetHealth'),
  unreadable('deregistration delays cannot be read', 'attach', 'DescribeTargetGroupAttributes'),
];

/** Situations in which the audit saw a fault, by what goes wrong in them. */
export const launching: Readonly<Record<string, () => Situation>> = Object.fromEntries(made.map((situation) => [situation.name, () => situation]));
