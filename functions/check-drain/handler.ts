import { drainFunction } from '../runtime/drain/drain-function.ts';
import { onward } from '../runtime/drain/step.ts';
import { wireDrain } from '../runtime/drain/wire.ts';
import { checkDrain } from './check-drain.ts';

/**
 * Middle step of the drain workflow: looks at the connections of leaving instances, and keeps lifecycle hooks alive.
 */
export const { handler, create } = drainFunction(
  'check-drain',
  wireDrain,
  async ({ order, plannedMs, brokeOff }, ports, telemetry) => {
    const { step, ...found } = await checkDrain(ports, order, plannedMs);
    telemetry.logger.info('check drain', { group: order.group, drain: order.drain, step, ...found });
    return onward(step, brokeOff);
  },
);
