import type { Missed } from '../../../aws/calls/optional-read.ts';
import type { Holding } from '../../../core/group/group.ts';
import type { CapacityOut } from '../../../core/ports/capacity-provider.ts';
import type { LifecycleActions } from '../../../core/ports/lifecycle-actions.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import type { Clock } from '../../../core/ports/surroundings.ts';

/** The ports that every drain function uses. */
export type DrainPorts = {
  readonly store: StateStore;
  readonly providerFor: (holding: Holding) => CapacityOut;
  readonly lifecycle: LifecycleActions;
  readonly clock: Clock;
  /** Is told about reads without which the work goes on. */
  readonly missed: Missed;
};
