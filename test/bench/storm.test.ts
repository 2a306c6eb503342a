import { beforeAll, describe, expect, test } from 'vitest';
import { assemble } from '../../assembly/assemble.ts';
import { playStorm, type StormFigures } from '../../bench/storm.ts';
import { type HoldingName, holdings } from '../../bench/storm-world.ts';

/**
 * Most changing calls that a storm of 200 warnings may cost. Members of an Auto Scaling group are attached twenty a call, and tagged
 * together as joined, so that one that its user detaches later is left alone.
 */
const mostCalls: Readonly<Record<HoldingName, number>> = { tag: 7, attach: 21, 'launch-instances': 12 };

describe('two hundred warnings at once, spot refused in the first zone', () => {
  beforeAll(() => assemble());

  test.each(holdings)(
    'cost few changing calls, and the fleet stays at its size (%s)',
    async (holding) => {
      const figures: StormFigures = await playStorm({ holding, size: 200, seed: 1, fillsBuckets: false });
      expect(figures.interruptions).toBe(200);
      expect(figures.mutatingCalls).toBeLessThanOrEqual(mostCalls[holding]);
      expect(figures.throttled).toBe(0);
      expect(figures.lowestServing).toBe(200);
      expect(figures.drainsStarted).toBe(1);
      expect(figures.servingByPool).toEqual({ 'spot us-east-1b': 100, 'spot us-east-1c': 100 });
    },
    60_000,
  );
});
