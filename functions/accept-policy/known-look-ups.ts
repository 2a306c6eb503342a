import { perClient } from '../../aws/calls/remembered.ts';
import type { PolicyResolver } from '../../core/policy/ports.ts';
import type { LookedUp } from '../../core/policy/resolution.ts';
import type { AcceptPolicyPorts } from './ports.ts';
import { nameOf, type Write } from './reports.ts';

/** What was looked up for a write may serve its attempts for this long. */
const servesForMs = 600_000;

type Known = { readonly of: string; readonly atMs: number; readonly found: LookedUp };

/** What this environment looked up for a write that is not stored yet, by group. */
const knownLookUps = perClient<AcceptPolicyPorts['store'], Map<string, Known>>(() => new Map());

/**
 * Looks up what a write names, once for all of its attempts. So while the table refuses to store it, an attempt costs
 * few calls. A later write of the policy is looked up anew.
 */
export const lookedUpOnce = (
  group: string,
  write: Write,
  { store, resolver, clock }: AcceptPolicyPorts,
): PolicyResolver => ({
  async lookUp(names) {
    const of = nameOf(write);
    const known = knownLookUps(store).get(group);
    if (known !== undefined && known.of === of && clock.now() - known.atMs < servesForMs) return known.found;
    const found = await resolver.lookUp(names);
    if (of !== undefined) knownLookUps(store).set(group, { of, atMs: clock.now(), found });
    return found;
  },
});

/** Forgets what was looked up for a group, once its write is stored. */
export const forgetLookUps = (group: string, { store }: AcceptPolicyPorts): void => {
  knownLookUps(store).delete(group);
};
