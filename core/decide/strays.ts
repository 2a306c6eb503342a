import type { Rule } from './rule.ts';

/**
 * A tagged instance without a reservation is removed only after this many sightings and this much time. Before that,
 * its reservation may only have been lost.
 */
const straySightings = 2;
const strayMinimumAgeMs = 300_000;

/**
 * Tagged instances without a reservation, once two looks have shown them and five minutes have passed. One whose end
 * EC2 refused counts as protected for an hour, and is not chosen again meanwhile.
 */
export const strays: Rule = {
  name: 'strays',
  propose: ({ view, headcount }) => ({
    removals: headcount.strays.flatMap(({ instance, protected: isKept }) => {
      const stray = view.state.strays[instance];
      const isOld =
        stray !== undefined &&
        stray.sightings >= straySightings &&
        view.nowMs - stray.firstSeenAtMs >= strayMinimumAgeMs;
      if (!isOld || isKept) return [];
      const { firstSeenAtMs, sightings } = stray;
      return [{ instance, reason: 'unwanted', why: { code: 'stray', firstSeenAtMs, sightings } }];
    }),
  }),
};
