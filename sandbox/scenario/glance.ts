import type { InstanceSnapshot } from '../world/world.ts';
import type { Observation } from './observe.ts';
import { desiredOf, type GroupOf, policiesOf } from './scenario-groups.ts';
import type { Scenario } from './scenario-schema.ts';
import type { Stage } from './stage.ts';

/** The state of a running world at one moment, for a person. */
export type Glance = {
  readonly nowMs: number;
  readonly about: string;
  readonly zones: readonly {
    readonly zone: string;
    readonly spotLeft: number | null;
    readonly members: readonly { readonly id: string; readonly mark: string }[];
  }[];
  readonly groups: readonly {
    readonly group: string;
    readonly desired: number;
    readonly serving: number;
    readonly coming: number;
    readonly leaving: number;
  }[];
  readonly drains: readonly string[];
  readonly requests: { readonly served: number; readonly dropped: number };
};

const isDraining = ({ targets }: InstanceSnapshot): boolean => Object.values(targets).includes('draining');

const markOf = (instance: InstanceSnapshot, serves: boolean): string => {
  const letter = instance.market === 'spot' ? 'S' : 'D';
  if (isDraining(instance)) return `${letter}~`;
  if (instance.takenAtMs !== undefined) return `${letter}!`;
  return serves ? letter : letter.toLowerCase();
};

const spotLeftIn = (zone: string, stage: Stage): number | null => {
  const spot = stage.world.snapshot().offerings.filter((offering) => offering.zone === zone && offering.market === 'spot');
  if (spot.some(({ capacity }) => capacity === null)) return null;
  return spot.reduce((sum, { capacity, used }) => sum + Math.max(0, (capacity ?? 0) - used), 0);
};

/** Takes a look at a stage. */
export const glanceAt = (stage: Stage, scenario: Scenario, observation: Observation, groupOf: GroupOf, about: string): Glance => {
  const alive = stage.world.snapshot().instances.filter(({ state }) => state === 'pending' || state === 'running');
  const serves = (id: string): boolean => {
    const life = observation.lives.get(id);
    return life?.servingAtMs !== undefined && life.drainingAtMs === undefined;
  };
  const totals = [...observation.requests.values()];
  return {
    nowMs: stage.clock.now(),
    about,
    zones: scenario.world.zones.map((zone) => ({
      zone,
      spotLeft: spotLeftIn(zone, stage),
      members: alive
        .filter((instance) => instance.zone === zone)
        .map((instance) => ({ id: instance.id, mark: markOf(instance, serves(instance.id)) })),
    })),
    groups: policiesOf(scenario).map((policy) => {
      const members = alive.filter(({ id }) => groupOf(id) === policy.group);
      const leaving = members.filter((instance) => instance.takenAtMs !== undefined || isDraining(instance));
      return {
        group: policy.group,
        desired: desiredOf(policy),
        serving: observation.servingNow(policy.group),
        coming: members.filter((instance) => !serves(instance.id) && !leaving.includes(instance)).length,
        leaving: leaving.length,
      };
    }),
    drains: stage
      .executions()
      .filter(({ status }) => status === 'RUNNING')
      .map(({ name }) => name),
    requests: { served: totals.reduce((sum, { served }) => sum + served, 0), dropped: totals.reduce((sum, { dropped }) => sum + dropped, 0) },
  };
};
