import { announcements, metrics } from '../../core/contract.ts';
import { namedAsgs } from '../../core/group/holders.ts';
import { canonicalText } from '../../core/policy/canonical.ts';
import { isGroupName } from '../../core/policy/group-name.ts';
import type { PolicyStatus, PolicyVersion } from '../../core/policy/ports.ts';
import type { Problem } from '../../core/policy/problem.ts';
import { isDeeperThan } from '../../core/policy/reading.ts';
import { sha256 } from '../runtime/sha256.ts';
import { attributesBeside, itemsBeside } from './beside.ts';
import type { Changed } from './changed-groups.ts';
import { claimAsgs, releaseAsgs } from './claim-asgs.ts';
import { type Candidate, judge, type Verdict } from './judge.ts';
import { forgetLookUps, lookedUpOnce } from './known-look-ups.ts';
import type { AcceptPolicyPorts } from './ports.ts';
import { heldBy, holdersOf, registryEntryOf } from './registry-entry.ts';
import { report, reportAgain, type Write } from './reports.ts';
import { acceptanceOf, tellAtOnce, tellWith } from './tell-versions.ts';

/** DynamoDB nests maps and lists 32 deep (DynamoDB Developer Guide, quotas). */
const mostDepth = 40;

/**
 * SHA-256, in hexadecimal, of the attribute `policy`: of a text as it is, of a map as JSON without white space whose
 * keys are in order. Undefined when there is no such attribute.
 */
const digestOf = (attribute: unknown): string | undefined => {
  if (typeof attribute === 'string') return sha256(attribute);
  if (attribute === undefined || isDeeperThan(attribute, mostDepth)) return undefined;
  return sha256(canonicalText(attribute));
};

export type Outcome =
  | { readonly kind: 'accepted' | 'unchanged'; readonly group: string; readonly version: number }
  | {
      readonly kind: 'rejected';
      readonly group: string;
      readonly problems: readonly Problem[];
      readonly inForce: number | undefined;
    }
  | { readonly kind: 'let-go'; readonly group: string };

/**
 * Brings what is in force for a group in line with its policy item as it is now: accepted, rejected or let go. The item
 * is read afresh, so stream records that come late, twice or out of order have the same result. Every step may be
 * repeated.
 */
export const acceptPolicy = async (
  group: string,
  ports: AcceptPolicyPorts,
  changed: Changed = { others: [] },
): Promise<Outcome> => {
  const { others, writtenAtMs } = changed;
  const readAtMs = ports.clock.now();
  const written = await ports.store.written(group);
  const inForce = await tellAtOnce(await ports.store.accepted(group), ports);
  if (written === undefined) return withoutPolicy(group, { others, inForce }, ports);
  const write = { digest: digestOf(written.document), changed };
  const again = reportAgain(group, write, inForce, ports);
  if (again !== undefined) return again;
  const verdict = await judge(group, written, { ...ports, resolver: lookedUpOnce(group, write, ports) });
  const rejected = (problems: readonly Problem[]) => reject(group, { write, problems, inForce }, ports);
  if (verdict.kind === 'unacceptable') return rejected(verdict.problems);
  const claimed = await claimAsgs(verdict.asgs, { group, inForce }, ports);
  if (claimed.kind === 'taken') return rejected(claimed.problems);
  const warnings = [...verdict.warnings, ...attributesBeside(written.others), ...itemsBeside(others)];
  const byMs = writtenAtMs === undefined ? {} : { writtenAtMs: Math.min(writtenAtMs, readAtMs) };
  const { candidate, entry } = verdict;
  return accept(afterOthers(candidate, claimed.before), { write, warnings, inForce, entry, ...byMs }, ports);
};

/** There is no item under the key `policy`: it was deleted, or written under another key. */
const withoutPolicy = async (
  group: string,
  { others, inForce }: { readonly others: readonly string[]; readonly inForce: PolicyVersion | undefined },
  ports: AcceptPolicyPorts,
): Promise<Outcome> => {
  if (others.length > 0 && inForce === undefined) {
    return reject(group, { write: undefined, problems: itemsBeside(others), inForce }, ports);
  }
  // A key that is no group's name was never accepted, so there is nothing to let go; the registry could not hold it.
  return isGroupName(group) ? letGo(group, inForce, ports) : { kind: 'let-go', group };
};

/**
 * The write that was checked, and the version in force at that time. `write` is undefined where there was no policy.
 */
type Written = { readonly write: Write | undefined; readonly inForce: PolicyVersion | undefined };

const digestIn = (write: Write | undefined) => (write?.digest === undefined ? {} : { digest: write.digest });

const afterOthers = (candidate: Candidate, before: readonly string[]): Candidate =>
  before.length === 0 ? candidate : { ...candidate, resolved: { ...candidate.resolved, after: before } };

type Acceptable = Extract<Verdict, { readonly kind: 'acceptable' }>;

const accept = async (
  candidate: Candidate,
  {
    write,
    warnings,
    inForce,
    entry,
    writtenAtMs,
  }: Written & Pick<Changed, 'writtenAtMs'> & Pick<Acceptable, 'warnings' | 'entry'>,
  ports: AcceptPolicyPorts,
): Promise<Outcome> => {
  const { store, clock } = ports;
  const { group } = candidate;
  const unchanged = inForce !== undefined && sameContent(inForce, candidate);
  const firstWarnings = messagesOf(warnings).slice(0, mostInMessage);
  const version = unchanged ? inForce : await putInForce(candidate, { inForce, warnings: firstWarnings }, ports);
  await store.register(registryEntryOf(version.resolved, holdersOf(await store.holders(group), entry)));
  const message = [`Version ${version.version} is in force.`, ...someOf(warnings, 'warnings')].join(' ');
  await store.putStatus({
    group,
    status: 'accepted',
    message,
    ...digestIn(write),
    version: version.version,
    problems: [],
    warnings,
    atMs: clock.now(),
  });
  forgetLookUps(group, ports);
  const send = async (now: PolicyVersion | undefined, to: AcceptPolicyPorts): Promise<Outcome> => {
    await to.changes.tell(group, to.clock.now(), writtenAtMs);
    await tellWith(acceptanceOf(group, { version: version.version, warnings: messagesOf(warnings) }), now, to);
    to.telemetry.count(metrics.policiesAccepted);
    return { kind: unchanged ? 'unchanged' : 'accepted', group, version: version.version };
  };
  return report(group, write, { version: version.version, send, inForce: version }, ports);
};

/**
 * Version numbers never go back, not even when a group is deleted and written again. A version that an interrupted run
 * stored is used again.
 */
const putInForce = async (
  candidate: Candidate,
  { inForce, warnings }: { readonly inForce: PolicyVersion | undefined; readonly warnings: readonly string[] },
  { store, clock }: AcceptPolicyPorts,
): Promise<PolicyVersion> => {
  const latest = await store.latest(candidate.group);
  const leftOver = latest !== undefined && latest.version > (inForce?.version ?? 0) && sameContent(latest, candidate);
  const number = Math.max(latest?.version ?? 0, inForce?.version ?? 0) + 1;
  const version: PolicyVersion = leftOver
    ? latest
    : {
        ...candidate,
        resolved: { ...candidate.resolved, policyVersion: number },
        version: number,
        acceptedAtMs: clock.now(),
      };
  const added = leftOver ? 'done' : await store.addVersion(version);
  const replacing = { ...version, untold: [...(inForce?.untold ?? []), { version: version.version, warnings }] };
  if (added === 'conflict' || (await store.putInForce(replacing)) === 'conflict') {
    throw new Error(
      `Another run wrote a version of group ${candidate.group} at the same time. ` +
        'Nothing was lost: the item is read again on the next delivery.',
    );
  }
  return replacing;
};

/**
 * Whether two versions have the same effect: the same resolved group, whatever its number and the layout of its
 * document.
 */
const sameContent = (a: Candidate, b: Candidate): boolean =>
  canonicalText({ ...a.resolved, policyVersion: 0 }) === canonicalText({ ...b.resolved, policyVersion: 0 });

/** The texts of the first problems, and where the others are. */
const someOf = (problems: readonly Problem[], attribute: 'problems' | 'warnings'): readonly string[] => {
  const more = problems.length - mostInMessage;
  const shown = problems.slice(0, mostInMessage).map(({ message }) => message);
  return more > 0 ? [...shown, `${more} more: see ${attribute}.`] : shown;
};
const mostInMessage = 3;

const reject = async (
  group: string,
  { write, problems, inForce: version }: Written & { readonly problems: readonly Problem[] },
  ports: AcceptPolicyPorts,
): Promise<Outcome> => {
  const inForce = version?.version;
  const kept =
    inForce === undefined ? 'No version is in force: the group is not acted on.' : `Version ${inForce} stays in force.`;
  const count = `Rejected for ${problems.length} ${problems.length === 1 ? 'reason' : 'reasons'}.`;
  const message = [count, ...someOf(problems, 'problems'), kept, 'Correct the item and write it again.'].join(' ');
  const status: PolicyStatus = {
    group,
    status: 'rejected',
    message,
    ...digestIn(write),
    problems: problems.slice(0, mostProblems),
    warnings: [],
    atMs: ports.clock.now(),
  };
  await ports.store.putStatus(inForce === undefined ? status : { ...status, version: inForce });
  forgetLookUps(group, ports);
  const detail = { problems: messagesOf(problems), ...(inForce === undefined ? {} : { inForce }) };
  const send = async (now: PolicyVersion | undefined, to: AcceptPolicyPorts): Promise<Outcome> => {
    await tellWith({ detailType: announcements.policyRejected, group, detail }, now, to);
    to.telemetry.count(metrics.policiesRejected);
    return { kind: 'rejected', group, problems, inForce };
  };
  return report(group, write, { version: inForce, send, inForce: version }, ports);
};

/**
 * Keeps the status item and the event far below their limits (DynamoDB: 400 KB an item, EventBridge: 256 KB an event).
 */
export const mostProblems = 50;
const messagesOf = (problems: readonly Problem[]): readonly string[] =>
  problems.slice(0, mostProblems).map(({ message }) => message);

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
 */
const letGo = async (group: string, inForce: PolicyVersion | undefined, ports: AcceptPolicyPorts): Promise<Outcome> => {
  const { store, changes, clock } = ports;
  if (inForce !== undefined) {
    // EC2 warns once. So signals about members of these Auto Scaling groups are still routed to this group.
    const former = [...new Set([...namedAsgs(inForce.resolved), ...(await heldBy(group, store))])];
    const letGoUntilMs = clock.now() + openForMs;
    const named = former.length > 0 ? { former } : {};
    await store.register({ group, policyVersion: 0, asgs: [], ...named, alarms: [], letGoUntilMs });
    await releaseAsgs(group, former, ports);
    const detail = { lastVersion: inForce.version };
    await tellWith({ detailType: announcements.groupLetGo, group, detail }, inForce, ports);
    await store.removeInForce(group);
  }
  const message =
    'The policy item was deleted, so the group is let go. Its instances keep running, unchanged. ' +
    'Write the policy again to take them back.';
  await store.putStatus({ group, status: 'let-go', message, problems: [], warnings: [], atMs: clock.now() });
  await changes.tell(group, clock.now());
  return { kind: 'let-go', group };
};
