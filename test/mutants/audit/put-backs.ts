import type { PutBack } from '../mutant.ts';
import { alarms } from './alarms.ts';
import { booting } from './booting.ts';
import { deciding } from './deciding.ts';
import { draining } from './draining.ts';
import { holding } from './holding.ts';
import { launching } from './launching.ts';
import { serving } from './serving.ts';

/** Every fault that the audit found, as an edit that puts it back. Each must fall in its situation, and in random worlds. */
export const putBacks: readonly PutBack[] = [...alarms, ...booting, ...deciding, ...launching, ...holding, ...draining, ...serving];
