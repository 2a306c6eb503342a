import type { AsgClaim } from '../../core/policy/ports.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import { acceptPolicy } from './accept-policy.ts';
import { claimLeaseMs, whyHeld } from './claim-asgs.ts';
import type { AcceptPolicyPorts } from './ports.ts';

/** Nothing begins later than this in an invocation: the look-ups of the same schedule need time as well. */
const beginsWithinMs = 8_000;

const isHeld = async ({ asg }: AsgClaim, ports: AcceptPolicyPorts): Promise<boolean> => {
  const now = await ports.store.claimOf(asg);
  return now !== undefined && (await whyHeld(now, ports)) !== undefined;
};

/** Its holder had waited for it, and the run that was to bring its policy into force died. */
const isUnfinished = ({ group, waiting = [], atMs, released }: AsgClaim, { clock }: AcceptPolicyPorts): boolean =>
  !released && waiting.includes(group) && clock.now() - atMs >= claimLeaseMs;

/** Judges the policies of the groups that wait for a claim that nobody holds, until one of them holds it. */
const judgeOne = async (claim: AsgClaim, ports: AcceptPolicyPorts): Promise<number> => {
  let judged = 0;
  const isHolder = (group: string): boolean => group === claim.group;
  const inOrder = (claim.waiting ?? []).toSorted((a, b) => Number(isHolder(b)) - Number(isHolder(a)));
  for (const group of inOrder) {
    if ((await ports.store.written(group)) === undefined) continue;
    await acceptPolicy(group, ports);
    judged += 1;
    if (await isHeld(claim, ports)) return judged;
  }
  // Nobody can use it: their owners have to write these policies again. A claim that changed meanwhile keeps its list.
  const { waiting: _, ...left } = claim;
  await ports.store.claim({ ...left, atMs: claim.atMs + 1, released: true }, claim);
  return judged;
};

/**
 * Judges policies again that wait for an Auto Scaling group which no group holds any longer. A group that is deleted
 * releases its claims at once. A group that moves away keeps its claim until its last member has left, and no function
 * that accepts policies sees that moment: so this runs on the schedule of the look-ups. Every step may be repeated.
 *
 * @returns how many policies were judged
 */
export const judgeWaiting = async (
  ports: AcceptPolicyPorts,
  { logger }: Pick<Telemetry, 'logger'>,
): Promise<{ readonly waited: number }> => {
  const { store, clock } = ports;
  const beganAtMs = clock.now();
  let waited = 0;
  for (const claim of await store.waitedFor()) {
    if (clock.now() - beganAtMs > beginsWithinMs) break;
    try {
      if (isUnfinished(claim, ports) || (await whyHeld(claim, ports)) === undefined)
        waited += await judgeOne(claim, ports);
    } catch (error) {
      logger.warn('Policies that wait for an Auto Scaling group could not be judged. The next try is in 15 minutes.', {
        asg: claim.asg,
        error,
      });
    }
  }
  return { waited };
};
