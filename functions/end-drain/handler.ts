import { metrics } from '../../core/contract.ts';
import { readDrainInput } from '../runtime/drain/order.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { endDrain } from './end-drain.ts';
import { wire } from './wire.ts';

/**
 * Last step of the drain workflow, whatever came before it: terminates the instances that Holdfast has to terminate,
 * and records how the drain ended.
 */
export const { handler, create } = withRuntime('end-drain', (surroundings, telemetry) => {
  const ports = wire(surroundings, telemetry);
  return async (event) => {
    const { order, error, waitedUntilMs } = readDrainInput(event);
    const outcome = await endDrain(ports, order, error, waitedUntilMs);
    telemetry.logger.info('end drain', { group: order.group, drain: order.drain, error, ...outcome });
    telemetry.count(metrics.drainsLate, outcome.late);
    telemetry.count(metrics.actionsFailed, outcome.failed.length);
    return outcome;
  };
});
