import type { Rule } from '../../finding.ts';
import { hooksAreHeld } from './endings.ts';
import { heartbeatsAreSpaced, heartbeatsComeEarly } from './heartbeats.ts';
import { hooksEndTogether } from './hooks-together.ts';
import { sparedLeaveTheirHooks } from './spared-hooks.ts';

/** What must hold of terminating hooks. */
export const hookRules: readonly Rule[] = [hooksAreHeld, hooksEndTogether, sparedLeaveTheirHooks, heartbeatsComeEarly, heartbeatsAreSpaced];
