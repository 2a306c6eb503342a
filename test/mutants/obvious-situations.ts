import { noCapacity } from '../sim/capacity-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { alarm, interrupt, kill, putPolicy, recommendRebalance } from '../sim/steps.ts';
import { catalogue, groupIn, plainLandscape, specOf, zones } from '../sim/worlds.ts';
import { made, minuteMs, ofOneGroup as of } from './one-group.ts';

const sized = { size: { min: 1, max: 12, desired: 6 }, spot: 8 } as const;

/** Spot of one instance type has so much capacity in every zone. */
const setType = (atMs: number, instanceType: string, capacity: number): Step => ({
  kind: 'capacity-changed',
  atMs,
  what: `spot capacity of ${instanceType} is ${capacity} in each zone`,
  happen: ({ sandbox, did }) => {
    did({ kind: 'capacity-changed' });
    for (const zone of zones) sandbox.world.setOffering({ instanceType, zone, market: 'spot' }, { capacity });
  },
});

/** A pool of two types in one zone. EC2 refuses both, and gives the second one first again. */
const secondTypeBack = (): Situation => {
  const landscape = { ...plainLandscape, types: catalogue.slice(0, 2), spot: 8 };
  const [first, second] = landscape.types.map(({ name }) => name);
  const { policy, asgs } = groupIn(landscape, { name: 'web', holding: 'tag', size: 6, targetGroups: ['web'] });
  const steps = [setType(500, first ?? '', 0), setType(500, second ?? '', 0), kill(1_000, 2), setType(30_000, second ?? '', 20)];
  return made(
    'EC2 refuses both types, and the second comes back first',
    { spec: specOf(landscape, asgs), policy: { ...policy, capacity: 'spot-a' } },
    { asked: { web: { size: 6 } }, steps, calmAtMs: 6 * minuteMs },
  );
};

/** Worlds for faults that a reader of the policy reference would try first. */
export const obviousSituations = {
  'a child of weight 0, and the others give nothing': of(
    'a child of weight 0, and the others give nothing',
    'tag',
    { ...sized, policy: { capacity: { weighted: [...['spot-a', 'spot-b'].map((use) => ({ use, weight: 1 })), { use: 'od-b', weight: 0 }] } } },
    () => [noCapacity(500, 2 * minuteMs, ['spot'], zones), kill(1_000, 2)],
    { calmAtMs: 5 * minuteMs },
  ),
  'more are warned than the limit of launches allows': of(
    'more are warned than the limit of launches allows',
    'tag',
    { ...sized, policy: { launches: { atMost: 8, within: '10m' } } },
    () => [interrupt(1_000, 5)],
    { calmAtMs: 6 * minuteMs },
  ),
  'four are advised to leave, one leaves first at a time': of(
    'four are advised to leave, one leaves first at a time',
    'tag',
    { ...sized, policy: { rebalance: { act: true }, swap: { order: 'drain-first', maxSurge: 1 } } },
    () => [recommendRebalance(1_000, 4)],
    { calmAtMs: 8 * minuteMs },
  ),
  'spot is refused, and comes back sooner than members return': of(
    'spot is refused, and comes back sooner than members return',
    'tag',
    { ...sized, policy: { return: { after: '8m' } } },
    () => [noCapacity(500, 30_000, ['spot'], zones), kill(1_000, 2)],
    { calmAtMs: 15 * minuteMs },
  ),
  'paused while an Auto Scaling group finds nothing': of(
    'paused while an Auto Scaling group finds nothing',
    'launch-instances',
    { ...sized, size: 6 },
    (policy) => [
      putPolicy(500, { ...policy, mode: 'pause' }, 'the mode becomes pause', 'mode-edited'),
      noCapacity(1_000, 5 * minuteMs, ['spot'], zones),
      kill(10_000, 3),
      putPolicy(6 * minuteMs, policy, 'the mode becomes act', 'mode-edited'),
    ],
    { calmAtMs: 8 * minuteMs },
  ),
  'an alarm asks for a fifth more': of(
    'an alarm asks for a fifth more',
    'tag',
    { ...sized, policy: { scaling: [{ alarm: 'high', adjust: '+20%', cooldown: '2m' }] } },
    () => [alarm(1_000, 'high')],
    { calmAtMs: 4 * minuteMs, endsAt: 8 },
  ),
  'members are lost twice at the maximum': of(
    'members are lost twice at the maximum',
    'attach',
    { ...sized, size: 6 },
    () => [interrupt(1_000, 2), interrupt(30_000, 2)],
    { calmAtMs: 6 * minuteMs },
  ),
  'a surplus whose connections outlast drain.timeout': of(
    'a surplus whose connections outlast drain.timeout',
    'tag',
    { ...sized, delaySeconds: 900, policy: { drain: { timeout: '5m' } } },
    (policy) => [putPolicy(1_000, { ...policy, size: { min: 1, max: 12, desired: 4 } }, 'the policy asks for 4', 'size-edited')],
    { calmAtMs: 14 * minuteMs, endsAt: 4 },
  ),
  'EC2 refuses both types, and the second comes back first': secondTypeBack,
  'one member is lost, and nothing gives': of(
    'one member is lost, and nothing gives',
    'tag',
    sized,
    () => [noCapacity(500, 2 * minuteMs, ['spot', 'on-demand'], zones), kill(1_000, 1)],
    { calmAtMs: 5 * minuteMs },
  ),
} as const satisfies Readonly<Record<string, () => Situation>>;
