import type { Draw } from '../random-draw.ts';
import { drawFaults } from '../random-faults.ts';
import type { Situation, Step } from '../situation.ts';
import { desiredOf, type Landscape, type PlacedGroup, type Size, specOf } from '../worlds.ts';
import { calmAfter, type DrawnWorld } from './profile.ts';

/** Target groups that a group serves: mostly one, at times two with delays of their own. */
export const drawTargetGroups = (draw: Draw, delays: readonly number[] = [5, 20, 60]): Landscape['targetGroups'] =>
  (draw.chance(0.35) ? ['web', 'admin'] : ['web']).map((name) => ({ name, deregistrationDelaySeconds: draw.one(delays) }));

export const namesOf = ({ targetGroups }: Pick<Landscape, 'targetGroups'>): readonly string[] => targetGroups.map(({ name }) => name);

/** What policies say beside their tree: how members are swapped, how long they drain, whether advice counts, which tags they carry. */
export const drawHabits = (draw: Draw, timeouts: readonly string[] = ['20s', '30s', '2m']) => ({
  swap: { order: draw.one(['launch-first', 'drain-first']), maxSurge: draw.between(1, 3) },
  rebalance: { act: draw.chance(0.75) },
  drain: { timeout: draw.one(timeouts) },
  ...(draw.chance(0.5) ? { tags: { team: draw.one(['web', 'data']), run: String(draw.between(1, 9)) } } : {}),
});

/** Alarms by this much, both ways. */
export const alarmsBy = (up: string, down: string) => ({
  scaling: [
    { alarm: 'high', adjust: up, cooldown: '1m' },
    { alarm: 'low', adjust: down, cooldown: '1m' },
  ],
});

type Parts = {
  readonly landscape: Landscape;
  readonly placed: PlacedGroup;
  readonly size: Size;
  readonly steps: readonly Step[];
  /** How likely something goes wrong with events and calls as well. */
  readonly faults: number;
} & Pick<Situation, 'restWithinMs'>;

/** A world of one group, put together. */
export const worldOf = (draw: Draw, { landscape, placed, size, steps, faults: likely, restWithinMs }: Parts): DrawnWorld => {
  const faults = draw.chance(likely) ? drawFaults(draw) : [];
  return {
    spec: specOf(landscape, placed.asgs),
    policies: [placed.policy],
    asked: { [String(placed.policy.group)]: { size: desiredOf(size) } },
    steps,
    faults,
    clockErrorMs: draw.chance(0.2) ? 3_000 : 0,
    calmAtMs: calmAfter(steps, faults),
    restWithinMs,
  };
};
