import { inParallel } from '../../aws/calls/in-parallel.ts';
import { namedAsgs } from '../../core/group/holders.ts';
import type { AsgClaim, PolicyVersion } from '../../core/policy/ports.ts';
import { type Path, type Problem, problemOf, showFound } from '../../core/policy/problem.ts';
import type { AcceptPolicyPorts } from './ports.ts';
import { heldBy } from './registry-entry.ts';

/** An Auto Scaling group that a policy names, and where. */
export type NamedAsg = { readonly path: Path; readonly asg: string };

export type Claimed =
  /**
   * `before`: groups that held one of these Auto Scaling groups earlier, the latest first. `waited`: claims that still
   * say that this group waits for them.
   */
  | { readonly kind: 'claimed'; readonly before: readonly string[]; readonly waited: readonly AsgClaim[] }
  /** `asgs`: those that other groups hold. */
  | { readonly kind: 'taken'; readonly problems: readonly Problem[]; readonly asgs: readonly string[] };

type Ports = Pick<AcceptPolicyPorts, 'store' | 'clock'>;

/**
 * A claim younger than this holds in any case: its group may be about to come into force. Longer than an invocation of
 * this function runs (30 s), with room for clocks that differ.
 */
export const claimLeaseMs = 120_000;
/** How many earlier holders are stored. Each may have left something to put back. */
const mostBefore = 5;
const claimsAtOnce = 8;
/** The most times that a claim is read again because it changed. After that, the whole write is processed again. */
const mostLooks = 5;

const isNamed = async (group: string, asg: string, { store }: Ports): Promise<boolean> => {
  const inForce = await store.accepted(group);
  return inForce !== undefined && namedAsgs(inForce.resolved).includes(asg);
};

/** Why a claim of another group still holds. Undefined when it does not. */
export const whyHeld = async ({ asg, group, atMs, released }: AsgClaim, ports: Ports): Promise<string | undefined> => {
  if (released) return undefined;
  if ((await isNamed(group, asg, ports)) || ports.clock.now() - atMs < claimLeaseMs)
    return `which group ${group} holds`;
  const inForce = await ports.store.accepted(group);
  const left = inForce !== undefined && (await heldBy(group, ports.store)).includes(asg);
  return left ? `which still has members of group ${group}` : undefined;
};

export const takenProblem = ({ path, asg }: NamedAsg, why: string): Problem =>
  problemOf({ path, found: `${showFound(asg)}, ${why}`, allowed: 'an Auto Scaling group that no other group holds' });

type One = {
  readonly before: readonly string[];
  readonly problems: readonly Problem[];
  readonly claim?: AsgClaim;
  readonly isNew?: boolean;
};

const beforeOf = (seen: AsgClaim | undefined, group: string): readonly string[] =>
  [...(seen === undefined ? [] : [seen.group]), ...(seen?.before ?? [])].filter(
    (name, index, all) => name !== group && all.indexOf(name) === index,
  );

const changedTooOften = (asg: string, group: string): Error =>
  new Error(
    `The claim on Auto Scaling group ${asg} changed ${mostLooks} times while group ${group} tried to write it. ` +
      'The policy is processed again.',
  );

type Claimant = {
  readonly group: string;
  /** The Auto Scaling groups of its policy in force. Only this run changes them. */
  readonly inForce: ReadonlySet<string>;
};

const claimOne = async (named: NamedAsg, claimant: Claimant, ports: Ports, looks = 1): Promise<One> => {
  const { group, inForce } = claimant;
  const { store, clock } = ports;
  const { asg } = named;
  const seen = await store.claimOf(asg);
  const before = beforeOf(seen, group).slice(0, mostBefore);
  const isOurs = seen?.group === group && !seen.released;
  if (isOurs && inForce.has(asg)) return { before, problems: [], claim: seen };
  const why = seen !== undefined && seen.group !== group ? await whyHeld(seen, ports) : undefined;
  if (why !== undefined) return { before, problems: [takenProblem(named, why)] };
  // Its own name stays among those that wait until its policy is in force: if this run dies, it is judged again.
  const waiting = seen?.waiting ?? [];
  const claim: AsgClaim = { asg, group, atMs: clock.now(), before, ...(waiting.length > 0 && { waiting }) };
  if ((await store.claim(claim, seen)) === 'done') return { before, problems: [], claim, isNew: !isOurs };
  if (looks >= mostLooks) throw changedTooOften(asg, group);
  return claimOne(named, claimant, ports, looks + 1);
};

/** The claim without this group among those that wait for it. */
const withoutWaiting = ({ waiting = [], ...claim }: AsgClaim, group: string): AsgClaim => {
  const others = waiting.filter((name) => name !== group);
  return { ...claim, ...(others.length > 0 && { waiting: others }) };
};

const release = ({ store, clock }: Ports, claim: AsgClaim): Promise<'done' | 'conflict'> =>
  store.claim({ ...withoutWaiting(claim, claim.group), atMs: clock.now(), released: true }, claim);

/** Notes that the group waits for these claims no more. One that changed meanwhile is noted by a later run. */
export const waitNoMore = async (claims: readonly AsgClaim[], { store }: Ports): Promise<void> => {
  await inParallel(claims, claimsAtOnce, (claim) =>
    store.claim({ ...withoutWaiting(claim, claim.group), atMs: claim.atMs + 1 }, claim),
  );
};

/**
 * Claims every Auto Scaling group that a policy names, before the policy comes into force, so that two groups written
 * at the same moment never both get one. All or none: when one is taken, the claims made beside it are released.
 */
export const claimAsgs = async (
  asgs: readonly NamedAsg[],
  { group, inForce: version }: { readonly group: string; readonly inForce: PolicyVersion | undefined },
  ports: Ports,
): Promise<Claimed> => {
  const once = [...new Map(asgs.map((named) => [named.asg, named])).values()];
  const inForce = new Set(version === undefined ? [] : namedAsgs(version.resolved));
  const claims = await inParallel(once, claimsAtOnce, (named) => claimOne(named, { group, inForce }, ports));
  const problems = claims.flatMap((one) => one.problems);
  if (problems.length === 0) {
    const waited = claims.flatMap(({ claim }) => (claim?.waiting?.includes(group) ? [claim] : []));
    return { kind: 'claimed', before: [...new Set(claims.flatMap(({ before }) => before))], waited };
  }
  await inParallel(claims, claimsAtOnce, async ({ claim, isNew }) =>
    claim !== undefined && isNew ? release(ports, claim) : undefined,
  );
  const isTaken = (_: NamedAsg, index: number): boolean => (claims[index]?.problems.length ?? 0) > 0;
  return { kind: 'taken', problems, asgs: once.filter(isTaken).map(({ asg }) => asg) };
};

/** The claim changes meanwhile when another group begins to wait for it. */
const releaseOne = async (group: string, asg: string, ports: Ports, looks = 1): Promise<void> => {
  const claim = await ports.store.claimOf(asg);
  if (claim?.group !== group || claim.released || (await release(ports, claim)) === 'done') return;
  if (looks >= mostLooks) throw changedTooOften(asg, group);
  await releaseOne(group, asg, ports, looks + 1);
};

/** Releases the claims of a group that is let go. They stay as a record of the earlier holder. */
export const releaseAsgs = async (group: string, asgs: readonly string[], ports: Ports): Promise<void> => {
  await inParallel(asgs, claimsAtOnce, (asg) => releaseOne(group, asg, ports));
};
