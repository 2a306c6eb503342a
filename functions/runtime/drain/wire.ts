import type { Patience } from '../../../aws/calls/paced-client.ts';
import { createCapacityOut } from '../../../aws/capacity-provider.ts';
import { createLifecycleActions } from '../../../aws/lifecycle-actions.ts';
import type { Surroundings } from '../../../core/contract.ts';
import { longestPatienceMs } from '../../../core/limits/call-pace.ts';
import { capacityDeps } from '../capacity.ts';
import { stateStore } from '../store.ts';
import type { Telemetry } from '../telemetry.ts';
import type { DrainPorts } from './ports.ts';

/** A step of a drain has a minute, and nothing waits for it but its batch. */
const patience = { actMs: longestPatienceMs, lookMs: 6_000, reads: 'look', healthMs: 6_000 } as const;

/** The patience of the last step. Its reads leave no tokens to others, because it acts by them and no step follows. */
export const patienceAtTheEnd: Patience = { ...patience, reads: 'end' };

/** About as long as one step of a drain takes. */
const asgsKeptMs = 1_000;

/** The ports that every drain function uses, over AWS. */
export const wireDrain = (surroundings: Surroundings, telemetry: Telemetry, waits: Patience = patience): DrainPorts => {
  const capacity = { ...capacityDeps(surroundings, telemetry, waits), asgsKeptMs };
  // One provider for all groups, because it caches facts that rarely change.
  const provider = createCapacityOut(capacity);
  return {
    store: stateStore(surroundings, telemetry),
    providerFor: () => provider,
    lifecycle: createLifecycleActions({ client: capacity.autoScaling }),
    clock: { now: surroundings.now },
    missed: capacity.missed,
  };
};
