import { createCapacityProvider } from '../../../aws/capacity-provider.ts';
import { createLifecycleActions } from '../../../aws/lifecycle-actions.ts';
import type { Holding } from '../../../core/group.ts';
import type { CapacityProvider } from '../../../core/ports.ts';
import type { Surroundings } from '../../contract.ts';
import { capacityDeps } from '../capacity.ts';
import { stateStore } from '../store.ts';
import type { Telemetry } from '../telemetry.ts';
import type { DrainPorts } from './ports.ts';

/** One provider per way of holding, kept as long as the function instance: each remembers what rarely changes. */
const perHolding = (create: (holding: Holding) => CapacityProvider) => {
  const made = new Map<Holding['kind'], CapacityProvider>();
  return (holding: Holding): CapacityProvider => {
    const provider = made.get(holding.kind) ?? create(holding);
    made.set(holding.kind, provider);
    return provider;
  };
};

/** What every drain function works through, over AWS. */
export const wireDrain = (surroundings: Surroundings, telemetry: Telemetry): DrainPorts => {
  const capacity = capacityDeps(surroundings, telemetry);
  return {
    store: stateStore(surroundings),
    providerFor: perHolding((holding) => createCapacityProvider(holding, capacity)),
    lifecycle: createLifecycleActions({ client: capacity.autoScaling }),
    clock: { now: surroundings.now },
  };
};
