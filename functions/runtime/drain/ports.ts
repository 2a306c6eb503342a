import type { Holding } from '../../../core/group.ts';
import type { Announcer, CapacityProvider, Clock, LifecycleActions, StateStore, Wakes } from '../../../core/ports.ts';

/** What the three drain functions work through. */
export type DrainPorts = {
  readonly store: StateStore;
  readonly providerFor: (holding: Holding) => CapacityProvider;
  readonly lifecycle: LifecycleActions;
  readonly announcer: Announcer;
  readonly wakes: Wakes;
  readonly clock: Clock;
};
