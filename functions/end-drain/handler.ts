import { metrics } from '../../core/contract.ts';
import { drainFunction } from '../runtime/drain/drain-function.ts';
import { endDrain } from './end-drain.ts';
import { wire } from './wire.ts';

/**
 * Last step of the drain workflow, whatever came before it: terminates the instances that Holdfast has to terminate,
 * and records how the drain ended.
 */
export const { handler, create } = drainFunction(
  'end-drain',
  wire,
  async ({ order, error, waitedUntilMs, brokeOff, isRepeat }, ports, telemetry) => {
    const outcome = await endDrain(ports, order, error, { overAtMs: waitedUntilMs, brokeOff, isRepeat });
    telemetry.logger.info('end drain', { group: order.group, drain: order.drain, error, ...outcome });
    telemetry.count(metrics.drainsLate, outcome.late);
    telemetry.count(metrics.actionsFailed, outcome.failed.length);
    return outcome;
  },
);
