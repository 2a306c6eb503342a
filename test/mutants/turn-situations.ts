import type { Situation } from '../sim/situation.ts';
import { interrupt } from '../sim/steps.ts';
import { groupIn, plainLandscape, specOf } from '../sim/worlds.ts';
import { made, minuteMs, ofOneGroup as of } from './one-group.ts';

const small = { count: 20, size: 2 } as const;
const large = { count: 24, size: 6 } as const;

const named = (kind: string, { count, size }: typeof small | typeof large) =>
  Array.from({ length: count }, (_, index) => ({ name: `${kind}-${index + 1}`, size }));

/** Groups of the first situation below: their names and sizes. */
export const smallGroups = named('small', small);
export const largeGroups = named('large', large);

const landscape = { ...plainLandscape, spot: 400 } as const;

/** Worlds in which groups wait for each other, or for another invocation. */
export const turnSituations = {
  // All of them need 112 calls of CreateFleet, and the bucket holds 50.
  'small and large groups lose all their members': (): Situation => {
    const groups = [...largeGroups, ...smallGroups];
    const policies = groups.map((one) => groupIn(landscape, { ...one, holding: 'tag', targetGroups: [] }).policy);
    const steps = groups.map(({ name, size }) => interrupt(3 * minuteMs, size, 2 * minuteMs, name));
    const asked = Object.fromEntries(groups.map(({ name, size }) => [name, { size, endsAt: size }]));
    return { ...made('small and large groups lose all their members', { spec: specOf(landscape, []), policy: {} }, { asked, steps }), policies };
  },
  // The function may run for 30 seconds, and begins no look after half of them.
  'what a function reads first takes half of its time': of(
    'what a function reads first takes half of its time',
    'tag',
    {},
    () => [interrupt(1_000, 2)],
    { faults: [{ on: 'call', kind: 'delay', delayMs: 16_000, times: 1, match: { operation: 'Query' } }], calmAtMs: 4 * minuteMs, endsAt: 6 },
  ),
} satisfies Readonly<Record<string, () => Situation>>;
