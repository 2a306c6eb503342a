import { metrics } from '../../core/contract.ts';
import { readDrainInput } from '../runtime/drain/order.ts';
import { behindMs, putOff } from '../runtime/drain/step.ts';
import { wireDrain } from '../runtime/drain/wire.ts';
import { wakesIn } from '../runtime/wakes.ts';
import { withRuntime } from '../runtime/with-runtime.ts';
import { beginDrain } from './begin-drain.ts';

/** First step of the drain workflow: takes leaving instances out of service when enough others serve. */
export const { handler, create } = withRuntime('begin-drain', (surroundings, telemetry) => {
  const ports = { ...wireDrain(surroundings, telemetry), wakes: wakesIn(surroundings) };
  return async (event) => {
    const { order, known, waitedUntilMs } = readDrainInput(event);
    const lateMs = behindMs(waitedUntilMs, ports.clock.now());
    const { step: next, ...found } = await beginDrain(ports, order, known);
    const step = putOff(next, lateMs);
    telemetry.logger.info('begin drain', { group: order.group, drain: order.drain, step, ...found });
    telemetry.count(metrics.actionsFailed, found.failed.filter(({ retry }) => retry === 'never').length);
    return step;
  };
});
