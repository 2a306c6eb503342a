import { perClient } from '../../aws/calls/remembered.ts';
import type { PolicyVersion } from '../../core/policy/ports.ts';
import type { Outcome } from './accept-policy.ts';
import type { Changed } from './changed-groups.ts';
import type { AcceptPolicyPorts } from './ports.ts';

/**
 * What is still to send once the status of a write is stored: messages and events. `version`: the one in force then.
 */
type Report = {
  readonly version: number | undefined;
  readonly send: (inForce: PolicyVersion | undefined, ports: AcceptPolicyPorts) => Promise<Outcome>;
};

/**
 * A write of a policy: the digest of its text, and when it was made. A document without a policy text has no digest.
 */
export type Write = { readonly digest: string | undefined; readonly changed: Changed };

/** Reports that this environment could not send, by group. */
const unsent = perClient<AcceptPolicyPorts['store'], Map<string, Report & { readonly of: string }>>(() => new Map());

/** The identity of a write. Undefined if a later write could have the same. */
export const nameOf = ({ digest, changed: { others, writtenAtMs } }: Write): string | undefined =>
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
 * Sends a report that could not be sent before, if nothing was written since. So while a queue or the bus fails, the
 * attempts repeat no look-ups. Undefined if there is no such report.
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
