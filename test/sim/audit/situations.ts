import type { Situation } from '../situation.ts';
import { alarms } from './alarms.ts';
import { booting } from './booting.ts';
import { deciding } from './deciding.ts';
import { denying } from './denied.ts';
import { draining } from './draining.ts';
import { holding } from './holding.ts';
import { launching } from './launching.ts';
import { serving } from './serving.ts';

/** Every situation in which the audit saw a fault. A situation's name is its own. */
export const auditSituations: Readonly<Record<string, () => Situation>> = {
  ...alarms,
  ...booting,
  ...denying,
  ...deciding,
  ...launching,
  ...holding,
  ...draining,
  ...serving,
};
