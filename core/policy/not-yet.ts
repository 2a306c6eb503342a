/**
 * Fields that the design of the policy has and this release does not: refused by name, so that nobody believes that
 * they act.
 */
const planned: ReadonlySet<string> = new Set([
  'onDemand',
  'return',
  'breaker',
  'rollout',
  'health',
  'slots',
  'rebalance.atMostPerHour',
  'drain.ecs',
  'drain.kubernetes',
  'drain.commands',
]);

export const isPlanned = (path: string): boolean => planned.has(path);
