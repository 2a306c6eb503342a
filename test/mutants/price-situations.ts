import type { Situation, Step } from '../sim/situation.ts';
import { interrupt, kill } from '../sim/steps.ts';
import { catalogue, onDemandPools, settingOf, spotPools } from '../sim/worlds.ts';

const [usual, , dear] = catalogue;
const elastic = { asked: { web: { size: 6, endsAt: 6 } }, restWithinMs: 600_000 };

const of = (name: string, change: Readonly<Record<string, unknown>>, steps: readonly Step[], calmAtMs: number): Situation => {
  const { spec, policy } = settingOf('tag', { policy: change });
  const dearer = spec.offerings.map((offering) => ({
    ...offering,
    instanceType: dear.name,
    priceUsdPerHour: offering.market === 'spot' ? dear.spotUsd : dear.onDemandUsd,
  }));
  return { name, seed: 1, spec: { ...spec, offerings: [...spec.offerings, ...dearer] }, policies: [policy], steps, calmAtMs, ...elastic };
};

/** Worlds in which prices decide what is launched. */
export const priceSituations = {
  'pools list a dearer type first': (): Situation =>
    of(
      'pools list a dearer type first',
      {
        capacity: { cheapest: [...spotPools, ...onDemandPools] },
        defaults: { launchTemplate: 'web', instanceTypes: [dear.name, usual.name] },
      },
      [interrupt(10_000, 1)],
      300_000,
    ),
  'a loss long after prices were read': (): Situation =>
    of(
      'a loss long after prices were read',
      { defaults: { launchTemplate: 'web', instanceTypes: [usual.name], maxPriceUsdPerHour: 0.06 } },
      [kill(420_000, 1)],
      600_000,
    ),
};
