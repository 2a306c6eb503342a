import type { OfferingSpec, WorldSpec } from '../world/spec.ts';
import type { WorldSection } from './world-schema.ts';

const eachOffering = ({ instanceTypes, zones, ...terms }: WorldSection['offerings'][number]): readonly OfferingSpec[] =>
  instanceTypes.flatMap((instanceType) => zones.map((zone) => ({ instanceType, zone, ...terms })));

const pagesOf = ({ longest, ...stale }: NonNullable<WorldSection['pages']>): Pick<WorldSpec, 'longestPage' | 'stalePages'> => ({
  longestPage: longest,
  stalePages: stale as WorldSpec['stalePages'] & {},
});

/** The world that a scenario describes, in the simulator's own form: one entry per offering. */
export const toWorldSpec = (world: WorldSection): WorldSpec => ({
  zones: world.zones,
  subnets: world.subnets.map(({ id, zone, freeAddresses }) => ({ id, zone, ...(freeAddresses === undefined ? {} : { freeAddresses }) })),
  offerings: world.offerings.flatMap(eachOffering),
  launchTemplates: world.launchTemplates.map(({ name, imageId, instanceType, architecture }) => ({
    name,
    ...(imageId === undefined ? {} : { imageId }),
    ...(instanceType === undefined ? {} : { instanceType }),
    ...(architecture === undefined ? {} : { architecture }),
  })),
  autoScalingGroups: world.autoScalingGroups as WorldSpec['autoScalingGroups'],
  targetGroups: world.targetGroups as WorldSpec['targetGroups'],
  timing: world.timing as WorldSpec['timing'],
  ...(world.pages === undefined ? {} : pagesOf(world.pages)),
  ...(world.lambda === undefined ? {} : { lambda: world.lambda as WorldSpec['lambda'] & {} }),
  ...(world.quotas === undefined ? {} : { quotas: world.quotas as WorldSpec['quotas'] & {} }),
});
