import type { Announcer, CapacityProvider, Clock, LifecycleActions, StateStore } from '../../../core/ports.ts';

/** What the three drain functions work through. */
export type DrainPorts = {
  readonly store: StateStore;
  readonly provider: CapacityProvider;
  readonly lifecycle: LifecycleActions;
  readonly announcer: Announcer;
  readonly clock: Clock;
};
