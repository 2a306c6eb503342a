import type { StateStore } from '../../core/ports/state-store.ts';
import type { Clock } from '../../core/ports/surroundings.ts';
import type { Telemetry } from '../runtime/telemetry.ts';

export type TickPorts = {
  readonly registry: StateStore['registry'];
  readonly queue: {
    tick(
      groups: readonly string[],
    ): Promise<{ readonly failed: readonly { readonly group: string; readonly code: string }[] }>;
  };
  readonly clock: Clock;
  readonly telemetry: Telemetry;
};

/**
 * Sends a tick message to every group. A group that was let go gets ticks until `letGoUntilMs`. It converges no group
 * itself: a tick is a signal like any other, and waits in the same queue. Without groups it sends one message all the
 * same: an alarm goes off when `react` has not run for minutes.
 */
export const tick = async ({ registry, queue, clock, telemetry }: TickPorts): Promise<{ readonly groups: number }> => {
  const nowMs = clock.now();
  const groups = (await registry())
    .filter(({ letGoUntilMs = Number.POSITIVE_INFINITY }) => nowMs < letGoUntilMs)
    .map(({ group }) => group);
  const { failed } = await queue.tick(groups);
  if (failed.length > 0)
    telemetry.logger.warn(
      'The queue did not take every tick. The next tick, in a minute, includes these groups again.',
      { failed },
    );
  return { groups: groups.length };
};
