import type { Clock, StateStore } from '../../core/ports.ts';
import { metrics } from '../contract.ts';
import type { Telemetry } from '../runtime/telemetry.ts';

export type TickPorts = {
  readonly store: Pick<StateStore, 'registry'>;
  /** Puts one tick message per group on the signals queue. */
  readonly send: (groups: readonly string[], atMs: number) => Promise<void>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
};

/** Asks for every group to be looked at. It looks at none itself: a tick is a signal like any other, and waits its turn on the same queue. */
export const tick = async ({ store, send, clock, telemetry }: TickPorts): Promise<{ readonly groups: number }> => {
  const groups = (await store.registry()).map(({ group }) => group);
  if (groups.length > 0) await send(groups, clock.now());
  telemetry.count(metrics.groupsTicked, groups.length);
  return { groups: groups.length };
};
