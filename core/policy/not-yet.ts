/**
 * Fields that the design of the policy has and this release does not. They are refused by name, so that no user expects
 * them to work.
 */
const planned: ReadonlySet<string> = new Set([
  'rollout',
  'health',
  'slots',
  'drain.ecs',
  'drain.kubernetes',
  'drain.commands',
]);

export const isPlanned = (path: string): boolean => planned.has(path);
