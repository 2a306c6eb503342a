import { isDenied, isFromAws, retryOf } from '../../../aws/calls/errors.ts';
import { metrics } from '../../../core/contract.ts';
import type { Group } from '../../../core/group/group.ts';
import type { ReactPorts } from '../ports.ts';

/**
 * The result of a call that nothing else of a look waits for, or `otherwise` when AWS refuses the call. It was noted
 * before, so later looks make it again. A refusal that is final is counted and logged.
 *
 * @param denied the result where AWS certainly never carried out the call
 */
export const unlessRefused = async <Result, const Otherwise, const Denied = Otherwise>(
  { group, ports }: { readonly group: Pick<Group, 'name'>; readonly ports: Pick<ReactPorts, 'telemetry'> },
  { problem, about }: { readonly problem: string; readonly about: object },
  call: Promise<Result>,
  otherwise: Otherwise,
  denied: Denied | Otherwise = otherwise,
): Promise<Result | Otherwise | Denied> => {
  try {
    return await call;
  } catch (error) {
    if (!isFromAws(error)) throw error;
    if (retryOf(error) === 'later') return otherwise;
    ports.telemetry.count(metrics.actionsFailed);
    ports.telemetry.logger.error(problem, { group: group.name, ...about, error: error as Error });
    return isDenied(error) ? denied : otherwise;
  }
};
