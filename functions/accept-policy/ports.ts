import type { PolicyChanges, PolicyResolver, PolicyStore } from '../../core/policy/ports.ts';
import type { Announcer, Clock } from '../../core/ports/surroundings.ts';
import type { Telemetry } from '../runtime/telemetry.ts';

/** Everything that accepting a policy needs from outside. */
export type AcceptPolicyPorts = {
  readonly store: PolicyStore;
  readonly resolver: PolicyResolver;
  readonly changes: PolicyChanges;
  readonly announcer: Announcer;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count'>;
};
