import type { Missed } from '../../aws/calls/optional-read.ts';
import type { Group, Holding } from '../../core/group/group.ts';
import type { CapacityIn, Holdings } from '../../core/ports/capacity-provider.ts';
import type { Drains } from '../../core/ports/drains.ts';
import type { LifecycleActions } from '../../core/ports/lifecycle-actions.ts';
import type { Owners } from '../../core/ports/owners.ts';
import type { Prices } from '../../core/ports/prices.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { Announcer, Clock, CommonLooks, Redelivery, Wakes } from '../../core/ports/surroundings.ts';
import type { Changes } from '../../core/view/changes.ts';
import type { GroupState } from '../../core/view/view.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import type { KnownPolicies } from './look/known-policies.ts';
import type { SeenMembers } from './messages/seen-members.ts';
import type { Strangers } from './messages/strangers.ts';

/** Everything that converging a group needs from outside. */
export type ReactPorts = {
  readonly store: StateStore;
  /**
   * The part of a state item that a look uses: all of it, unless it was restored from an older time. With it come the
   * maximum sizes that are raised as far as this environment knows, and that a lost or restored item lacks.
   */
  readonly believed: (group: string, state: GroupState) => GroupState;
  readonly policies: KnownPolicies;
  readonly providerFor: (holding: Holding) => CapacityIn;
  /** Begins to read several groups together, and returns a function that looks at each. */
  readonly describeTogether: (
    groups: readonly Group[],
    look: {
      readonly isWarned: boolean;
      readonly isReported?: boolean;
      readonly isTick?: boolean;
      readonly isWhole?: boolean;
      readonly changes?: ReadonlyMap<string, Changes>;
    },
  ) => (group: Group) => Promise<Holdings>;
  /** An invocation begins. When only time has passed, reads cost no write. No call waits beyond `untilMs`. */
  readonly begin: (beginning: { readonly isQuiet: boolean; readonly untilMs: number }) => void;
  readonly owners: Owners;
  readonly strangers: Strangers;
  readonly seen: SeenMembers;
  readonly lifecycle: Pick<LifecycleActions, 'complete' | 'terminating'>;
  readonly prices: Prices;
  readonly drains: Drains;
  readonly wakes: Wakes;
  readonly looks: CommonLooks;
  readonly redelivery: Redelivery;
  readonly missed: Missed;
  readonly announcer: Announcer;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1): only for identifiers. */
  readonly random: () => number;
  readonly telemetry: Telemetry;
};
