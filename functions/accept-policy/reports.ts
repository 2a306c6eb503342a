import { perClient } from '../../aws/calls/remembered.ts';
import type { PolicyVersion } from '../../core/policy/ports.ts';
import type { Outcome } from './accept-policy.ts';
import type { Changed } from './changed-groups.ts';
import type { AcceptPolicyPorts } from './ports.ts';

/** What is left of a write when its status is stored: messages and events. `version`: the one in force then. */
type Report = {
  readonly version: number | undefined;
  readonly send: (inForce: PolicyVersion | undefined, ports: AcceptPolicyPorts) => Promise<Outcome>;
};

/** A write of a policy: what it says, and when it was made. A document that no digest describes has none. */
export type Write = { readonly digest: string | undefined; readonly changed: Changed };

/** Reports of this environment that could not be sent, by group. */
const unsent = perClient<AcceptPolicyPorts['store'], Map<string, Report & { readonly of: string }>>(() => new Map());

/** Undefined for a write that cannot be told from a later one. */
const nameOf = ({ digest, changed: { others, writtenAtMs } }: Write): string | undefined =>
  digest === undefined || writtenAtMs === undefined ? undefined : JSON.stringify([digest, writtenAtMs, others]);

/** Sends the report of a write, and keeps it until that succeeds. */
export const report = async (
  group: string,
  write: Write | undefined,
  { inForce, ...left }: Report & { readonly inForce: PolicyVersion | undefined },
  ports: AcceptPolicyPorts,
): Promise<Outcome> => {
  const of = write && nameOf(write);
  if (of !== undefined) unsent(ports.store).set(group, { ...left, of });
  const outcome = await left.send(inForce, ports);
  unsent(ports.store).delete(group);
  return outcome;
};

/**
 * Sends a report that could not be sent before, if nothing was written since. So a queue or a bus that fails for long
 * does not cost all look-ups again with each attempt. Undefined where there is none.
 */
export const reportAgain = (
  group: string,
  write: Write,
  inForce: PolicyVersion | undefined,
  ports: AcceptPolicyPorts,
): Promise<Outcome> | undefined => {
  const left = unsent(ports.store).get(group);
  if (left === undefined || left.of !== nameOf(write) || left.version !== inForce?.version) return undefined;
  return report(group, write, { ...left, inForce }, ports);
};
