import type { FunctionBundle, FunctionName, Surroundings } from '../../../core/contract.ts';
import { drainStepTimeoutMs } from '../../../core/times/times.ts';
import { correctedClock } from '../clock.ts';
import type { Telemetry } from '../telemetry.ts';
import { withRuntime } from '../with-runtime.ts';
import { type DrainInput, readDrainInput } from './order.ts';

/**
 * The bundle of a function that the drain workflow calls. Its clock is corrected by the time at which Step Functions
 * entered the state, and by the deadline of its call: the steps of one drain compare times that others of them stored.
 */
export const drainFunction = <Ports>(
  name: FunctionName,
  wire: (surroundings: Surroundings, telemetry: Telemetry) => Ports,
  work: (input: DrainInput, ports: Ports, telemetry: Telemetry) => Promise<unknown>,
): FunctionBundle =>
  withRuntime(name, (surroundings, telemetry) => {
    const clock = correctedClock(surroundings);
    const ports = wire({ ...surroundings, now: clock.now }, telemetry);
    return async (event, context) => {
      const input = readDrainInput(event);
      const timed = { timeoutMs: drainStepTimeoutMs, leftMs: () => context.getRemainingTimeInMillis() };
      clock.begin({ ...input.began, timed });
      return work(input, ports, telemetry);
    };
  });
