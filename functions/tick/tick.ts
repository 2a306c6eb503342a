import type { StateStore } from '../../core/ports.ts';
import { metrics } from '../contract.ts';
import type { Telemetry } from '../runtime/telemetry.ts';

export type TickPorts = {
  readonly registry: StateStore['registry'];
  readonly queue: {
    tick(
      groups: readonly string[],
    ): Promise<{ readonly failed: readonly { readonly group: string; readonly code: string }[] }>;
  };
  readonly telemetry: Telemetry;
};

/**
 * Sends every group a tick message. It converges none itself: a tick is a signal like any other, and waits in the same
 * queue.
 */
export const tick = async ({ registry, queue, telemetry }: TickPorts): Promise<{ readonly groups: number }> => {
  const groups = (await registry()).map(({ group }) => group);
  const { failed } = groups.length === 0 ? { failed: [] } : await queue.tick(groups);
  telemetry.count(metrics.groupsTicked, groups.length - failed.length);
  if (failed.length > 0)
    telemetry.logger.warn(
      'The queue did not take every tick. The next tick, in a minute, includes these groups again.',
      { failed },
    );
  return { groups: groups.length };
};
