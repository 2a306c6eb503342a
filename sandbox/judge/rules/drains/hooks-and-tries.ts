import type { Rule } from '../../finding.ts';
import { hooksAreHeld } from './endings.ts';
import { heartbeatsAreSpaced, heartbeatsComeEarly } from './heartbeats.ts';
import { hooksEndTogether } from './hooks-together.ts';
import { sparedLeaveTheirHooks } from './spared-hooks.ts';
import { deniedOnceEach } from './tried-once.ts';

/** What must hold of terminating hooks, and of calls that AWS denies to drains. */
export const hookAndTryRules: readonly Rule[] = [
  hooksAreHeld,
  hooksEndTogether,
  sparedLeaveTheirHooks,
  heartbeatsComeEarly,
  heartbeatsAreSpaced,
  deniedOnceEach,
];
