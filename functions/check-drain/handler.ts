import { readDrainInput } from '../runtime/drain/order.ts';
import { behindMs, putOff } from '../runtime/drain/step.ts';
import { wireDrain } from '../runtime/drain/wire.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { checkDrain } from './check-drain.ts';

/**
 * Middle step of the drain workflow: looks at the connections of leaving instances, and keeps lifecycle hooks alive.
 */
export const { handler, create } = withRuntime('check-drain', (surroundings, telemetry) => {
  const ports = wireDrain(surroundings, telemetry);
  return async (event) => {
    const { order, waitedUntilMs, plannedMs } = readDrainInput(event);
    const lateMs = behindMs(waitedUntilMs, ports.clock.now());
    const { step: next, ...found } = await checkDrain(ports, order, plannedMs);
    const step = putOff(next, lateMs);
    telemetry.logger.info('check drain', { group: order.group, drain: order.drain, step, ...found });
    return step;
  };
});
