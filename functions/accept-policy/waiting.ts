import { inParallel } from '../../aws/calls/in-parallel.ts';
import type { AcceptPolicyPorts } from './ports.ts';

type Ports = Pick<AcceptPolicyPorts, 'store'>;

const claimsAtOnce = 8;
/** How many groups may wait for one Auto Scaling group. A further one has to be written again. */
const mostWaiting = 20;

const waitForOne = async (asg: string, group: string, { store }: Ports): Promise<'noted' | 'free'> => {
  const claim = await store.claimOf(asg);
  // Without a claim, it was named before there were claims.
  if (claim === undefined) return 'noted';
  if (claim.released || claim.group === group) return 'free';
  const { waiting = [] } = claim;
  if (waiting.includes(group) || waiting.length >= mostWaiting) return 'noted';
  // Another time makes it another claim for everybody who has read it, so that nobody overwrites the note.
  const noted = { ...claim, atMs: claim.atMs + 1, waiting: [...waiting, group] };
  return (await store.claim(noted, claim)) === 'done' ? 'noted' : 'free';
};

/**
 * Notes on claims of other groups that this group waits for them, so that its policy is judged again when they are
 * released. Returns `free` if one of them was released, or changed, since the policy was judged.
 */
export const waitFor = async (asgs: readonly string[], group: string, ports: Ports): Promise<'noted' | 'free'> => {
  const results = await inParallel([...new Set(asgs)], claimsAtOnce, (asg) => waitForOne(asg, group, ports));
  return results.includes('free') ? 'free' : 'noted';
};

/**
 * The groups with a policy that wait for one of these Auto Scaling groups, which `group` has released. A group that has
 * claimed one since is among them: an earlier run may have died before its policy came into force.
 */
export const waitingFor = async (
  asgs: readonly string[],
  group: string,
  { store }: Ports,
): Promise<readonly string[]> => {
  const claims = await inParallel(asgs, claimsAtOnce, (asg) => store.claimOf(asg));
  const waiting = new Set(claims.flatMap((claim) => (claim?.released ? (claim.waiting ?? []) : (claim?.group ?? []))));
  const written = await inParallel([...waiting], claimsAtOnce, async (name) => ({
    name,
    isWritten: name !== group && (await store.written(name)) !== undefined,
  }));
  return written.filter(({ isWritten }) => isWritten).map(({ name }) => name);
};
