import { forkRandom } from '../../sandbox/random.ts';
import { type ProfileName, profileOf, profiles } from './profiles/list.ts';
import { withLastingAlarms } from './random-alarms.ts';
import { drawFrom, type Trouble } from './random-draw.ts';
import { withReady } from './random-ready.ts';
import { withOwnScaling } from './random-scaling.ts';
import type { Situation } from './situation.ts';

/** What is played of a seed: everything, when nothing is said. */
export type Choice = {
  /** The kind of world; without one the seed picks it. */
  readonly profile?: ProfileName;
  /** Trouble that the world has, whatever is drawn; of the faulty profile then. */
  readonly always?: Trouble;
  /** Numbers of the steps that are played, counted from 1 as they were drawn. */
  readonly keep?: readonly number[];
  /** The same for faults. */
  readonly faults?: readonly number[];
};

const only = <T>(list: readonly T[], numbers: readonly number[] | undefined): readonly T[] =>
  numbers === undefined ? list : list.filter((_, index) => numbers.includes(index + 1));

/** A world, policies, a script and faults that all follow from one seed. */
export const randomSituation = (seed: number, { profile, always, keep, faults }: Choice = {}): Situation => {
  const name = profile ?? (always === undefined ? profileOf(seed) : 'faulty');
  const drawn = profiles[name].draw(drawFrom(forkRandom(seed, 'situation'), always));
  // From a stream of its own, so that all else in a seed is as it was without it.
  const told = withLastingAlarms(withReady(drawn, drawFrom(forkRandom(seed, 'ready'))), drawFrom(forkRandom(seed, 'alarms')));
  const world = withOwnScaling(told, drawFrom(forkRandom(seed, 'own scaling')));
  return {
    name: `seed ${seed} (${name})`,
    seed,
    ...world,
    steps: only(world.steps, keep),
    faults: only(world.faults ?? [], faults),
  };
};
