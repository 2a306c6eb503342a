import { mostRemembered, perClient } from '../../../aws/calls/remembered.ts';
import { tickEveryMs } from '../../../core/times/times.ts';
import type { ReactPorts } from '../ports.ts';

/** When this environment last found each drain running. */
const foundAt = perClient<ReactPorts['drains'], Map<string, number>>(() => new Map());

/**
 * Whether this environment found the drain running within the last minute. Then only the next tick starts it again,
 * because otherwise each look would start every drain that waits for replacements.
 */
export const isKnownToRun = ({ drains, clock }: ReactPorts, drain: string): boolean =>
  clock.now() - (foundAt(drains).get(drain) ?? Number.NEGATIVE_INFINITY) < tickEveryMs;

/** Starts a drain. A drain that runs already is not changed. `over`: its execution has ended, and is not repeated. */
export const startDrain = async (
  group: string,
  drain: string,
  { drains, clock }: ReactPorts,
): Promise<'running' | 'over'> => {
  const found = foundAt(drains);
  const result = await drains.start({ group, drain });
  if (found.size > mostRemembered) found.clear();
  if (result === 'running') found.set(drain, clock.now());
  else found.delete(drain);
  return result;
};
