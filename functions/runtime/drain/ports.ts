import type { Holding } from '../../../core/group/group.ts';
import type { CapacityOut, Clock, LifecycleActions, StateStore } from '../../../core/ports.ts';

/** The ports that every drain function uses. */
export type DrainPorts = {
  readonly store: StateStore;
  readonly providerFor: (holding: Holding) => CapacityOut;
  readonly lifecycle: LifecycleActions;
  readonly clock: Clock;
};
