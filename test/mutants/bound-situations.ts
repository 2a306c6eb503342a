import { noCapacity } from '../sim/capacity-steps.ts';
import type { Situation, Step } from '../sim/situation.ts';
import { interrupt, kill, recommendRebalance } from '../sim/steps.ts';
import { settingOf, zones } from '../sim/worlds.ts';

const of = (name: string, policy: object, steps: readonly Step[]): Situation => {
  const { spec, policy: document } = settingOf('tag', { policy: { ...policy } });
  return {
    name,
    seed: 1,
    spec,
    policies: [document],
    asked: { web: { size: 6, endsAt: 6 } },
    steps,
    calmAtMs: Math.max(...steps.map(({ atMs, lastsMs = 0 }) => atMs + lastsMs)) + 300_000,
    restWithinMs: 900_000,
  };
};

const breaker = { interruptions: 2, within: '3m', hold: '10m' };

/** Worlds in which a memory, or the time for which something counts, decides what may be done. */
export const boundSituations = {
  'advice comes in waves': (): Situation =>
    of('advice comes in waves', { rebalance: { act: true, atMostPerHour: 3 }, swap: { order: 'launch-first', maxSurge: 2 } }, [
      recommendRebalance(1_000, 2),
      recommendRebalance(420_000, 2),
    ]),
  'EC2 takes members slowly': (): Situation => of('EC2 takes members slowly', { breaker }, [interrupt(1_000, 1), interrupt(281_000, 1)]),
  'advised while a breaker is open over all that a group has': (): Situation =>
    of(
      'advised while a breaker is open over all that a group has',
      { breaker, capacity: { spread: ['spot-a', 'spot-b', 'spot-c'] }, rebalance: { act: true }, swap: { order: 'launch-first', maxSurge: 2 } },
      [interrupt(1_000, 2), recommendRebalance(240_000, 2)],
    ),
  'spot is refused each time that its rest is over': (): Situation =>
    of('spot is refused each time that its rest is over', { capacity: { tiered: ['spot-a', 'od-b'] } }, [
      noCapacity(500, 600_000, ['spot'], zones),
      kill(1_000, 1),
      kill(30_000, 1),
      kill(241_000, 1),
    ]),
  'spot gives again after members were lost': (): Situation =>
    of('spot gives again after members were lost', { capacity: { tiered: ['spot-a', 'od-b'] }, return: { after: '2m' } }, [
      noCapacity(500, 90_000, ['spot'], zones),
      kill(1_000, 2),
    ]),
} as const satisfies Readonly<Record<string, () => Situation>>;
