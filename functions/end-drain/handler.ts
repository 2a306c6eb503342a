import { metrics } from '../../core/contract.ts';
import { drainFunction } from '../runtime/drain/drain-function.ts';
import { onward } from '../runtime/drain/step.ts';
import { endDrain } from './end-drain.ts';
import { wire } from './wire.ts';

/**
 * Last step of the drain workflow, whatever came before it: terminates the instances that Holdfast has to terminate,
 * and records how the drain ended.
 */
export const { handler, create } = drainFunction(
  'end-drain',
  wire,
  async ({ order, error, waitedUntilMs: overAtMs, failsSinceMs, isUntold, brokeOff, isRepeat }, ports, telemetry) => {
    const outcome = await endDrain(ports, order, error, { overAtMs, failsSinceMs, isUntold, brokeOff, isRepeat });
    telemetry.logger.info('end drain', { group: order.group, drain: order.drain, error, ...outcome });
    const { step, failed, ...counts } = outcome;
    if (step.next === 'over' || step.next === 'fail') telemetry.count(metrics.drainsLate, counts.late);
    telemetry.count(metrics.actionsFailed, failed.length);
    return { ...onward(step, brokeOff || isRepeat), ...counts, failed: failed.length };
  },
);
