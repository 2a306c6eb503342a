import { type Facts, noFacts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { nowMs } from '../core/views.ts';

/** The facts of a group where nothing has happened, with these changes. */
export const factsOf = (rest: Partial<Facts> = {}): Facts => ({ ...noFacts('web'), causes: [], ...rest });

/** Logs and counts nothing. */
export const silent = {
  count: () => {},
  duration: () => {},
  logger: { error: () => {}, warn: () => {}, info: () => {} },
} as unknown as ReactPorts['telemetry'];

/** An invocation that began now, and decides for one group. */
export const invocation = { id: 'd-1', observedId: 'd-2', startedAtMs: nowMs, beganAtMs: nowMs, groupsAtOnce: 1 } as const;
