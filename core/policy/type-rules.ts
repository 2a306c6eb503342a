import { nearestName, type Path, type Problem, problemOf, showFound } from './problem.ts';
import type { LookedUp, Sold } from './resolution.ts';

export type TypesOfPool = {
  readonly path: Path;
  readonly instanceTypes: readonly string[];
  /** Zones of the pool's subnets. */
  readonly zones: readonly string[];
};

const soldIn = ({ sold }: LookedUp): Extract<Sold, { readonly zones: unknown }> | undefined =>
  sold !== undefined && 'zones' in sold ? sold : undefined;

/** Instance types that the region does not sell, and pools whose zones sell none of their types. */
export const unsoldTypes = ({ path, instanceTypes, zones }: TypesOfPool, resolution: LookedUp): readonly Problem[] => {
  const sold = soldIn(resolution);
  if (sold === undefined) return [];
  const { zones: zonesOf, kin = [] } = sold;
  const unknown = instanceTypes.flatMap((type, index) =>
    Object.hasOwn(zonesOf, type)
      ? []
      : [
          problemOf({
            path: [...path, index],
            found: `${showFound(type)}, which EC2 does not sell in this region`,
            allowed: 'an instance type of this region',
            nearest: nearestName(type, kin),
          }),
        ],
  );
  if (unknown.length > 0 || zones.length === 0) return unknown;
  if (instanceTypes.some((type) => zonesOf[type]?.some((zone) => zones.includes(zone)))) return [];
  return [
    problemOf({
      path,
      found: `types that no zone of the pool's subnets sells (${[...new Set(zones)].join(', ')})`,
      allowed: 'at least one type that one of these zones sells',
    }),
  ];
};

/** Zones of a pool that sell none of its types: nothing is ever launched there. */
export const idleZones = ({ path, instanceTypes, zones }: TypesOfPool, resolution: LookedUp): readonly Problem[] => {
  const sold = soldIn(resolution);
  if (sold === undefined) return [];
  const idle = [...new Set(zones)].filter((zone) => !instanceTypes.some((type) => sold.zones[type]?.includes(zone)));
  return idle.map((zone) =>
    problemOf({
      path,
      found: `no type that ${zone} sells`,
      allowed: `a type that ${zone} sells: nothing is launched in the pool's subnets there`,
    }),
  );
};
