import { type DrawnWorld, seconds, withSteps } from './profiles/profile.ts';
import type { Draw } from './random-draw.ts';
import { addVersion, makeLatestDefault } from './template-steps.ts';

type Document = Readonly<Record<string, unknown>>;

/** A share of all worlds. */
const share = 0.15;
const versions = ['$Default', '$Latest', '1'];

/** Names a version of the launch template of its pools. */
const naming = (policy: Document, version: string): Document => {
  const defaults = policy.defaults as Document | undefined;
  return defaults?.launchTemplate === 'web' ? { ...policy, defaults: { ...defaults, launchTemplate: `web:${version}` } } : policy;
};

/**
 * The world in which the owner of the launch template adds a version, and in some of them makes it the default one later. Some policies name a version. An
 * edit by the script names none again.
 */
export const withVersions = (world: DrawnWorld, draw: Draw): DrawnWorld => {
  if (!draw.chance(share)) return world;
  const addedAtMs = seconds(draw, 1, 45);
  const version = draw.chance(0.5) ? draw.one(versions) : undefined;
  const steps = [addVersion(addedAtMs), ...(draw.chance(0.4) ? [makeLatestDefault(addedAtMs + seconds(draw, 5, 60))] : [])];
  const policies = version === undefined ? world.policies : world.policies.map((policy) => naming(policy, version));
  return withSteps({ ...world, policies }, steps);
};
