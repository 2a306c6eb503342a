import { announcements } from '../../core/contract.ts';
import { namedAsgs } from '../../core/group/holders.ts';
import type { PolicyVersion } from '../../core/policy/ports.ts';
import { formerAsgs } from '../runtime/former-asgs.ts';
import { releaseAsgs } from './claim-asgs.ts';
import type { AcceptPolicyPorts } from './ports.ts';
import { heldBy } from './registry-entry.ts';
import { tellWith } from './tell-versions.ts';

/**
 * How long a group that was let go gets looks: longer than a lifecycle hook can hold an instance (two days; EC2 Auto
 * Scaling User Guide). A maximum that its Auto Scaling group still needs after that stays raised.
 */
const openForMs = 7 * 24 * 3_600_000;

/**
 * Takes the policy of a group out of force, because the user deleted it. Its instances run on. Its registry entry stays
 * for a while, so that swaps and drains that are under way come to their end. The order matters, because a run that was
 * interrupted is repeated as a whole: the event is sent first, while the version in force shows that it is still to be
 * sent; then the status is written; last, `react` gets a message, so that it puts back maximum sizes that it raised.
 * Returns the Auto Scaling groups that other groups may hold now.
 */
export const letGo = async (
  group: string,
  inForce: PolicyVersion | undefined,
  { store, ...ports }: AcceptPolicyPorts,
): Promise<readonly string[]> => {
  const { changes, clock } = ports;
  // EC2 warns once. So signals about members of these Auto Scaling groups are still routed to this group. Without a
  // policy in force, an earlier run has let the group go and noted them.
  const former =
    inForce === undefined
      ? await formerAsgs(group, store)
      : [...new Set([...namedAsgs(inForce.resolved), ...(await heldBy(group, store))])];
  if (inForce !== undefined) {
    const letGoUntilMs = clock.now() + openForMs;
    const named = former.length > 0 ? { former } : {};
    await store.register({ group, policyVersion: 0, asgs: [], ...named, alarms: [], letGoUntilMs });
    await releaseAsgs(group, former, { store, clock });
    const detail = { lastVersion: inForce.version };
    await tellWith({ detailType: announcements.groupLetGo, group, detail }, inForce, { store, ...ports });
    await store.removeInForce(group);
  }
  const message =
    'The policy item was deleted, so the group is let go. Its instances keep running, unchanged. ' +
    'Write the policy again to take them back.';
  await store.putStatus({ group, status: 'let-go', message, problems: [], warnings: [], atMs: clock.now() });
  await changes.tell(group, clock.now());
  return former;
};
