import { metrics } from '../../core/contract.ts';
import { drainFunction } from '../runtime/drain/drain-function.ts';
import { onward } from '../runtime/drain/step.ts';
import { wireDrain } from '../runtime/drain/wire.ts';
import { wakesIn } from '../runtime/wakes.ts';
import { beginDrain } from './begin-drain.ts';

/** First step of the drain workflow: takes leaving instances out of service when enough others serve. */
export const { handler, create } = drainFunction(
  'begin-drain',
  (surroundings, telemetry) => ({ ...wireDrain(surroundings, telemetry), wakes: wakesIn(surroundings) }),
  async ({ order, known, brokeOff, isRepeat }, ports, telemetry) => {
    const { step, ...found } = await beginDrain(ports, order, known);
    telemetry.logger.info('begin drain', { group: order.group, drain: order.drain, step, ...found });
    telemetry.count(metrics.actionsFailed, found.failed.filter(({ retry }) => retry === 'never').length);
    return onward(step, brokeOff || isRepeat);
  },
);
