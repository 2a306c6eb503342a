import { announcements, metrics } from '../../core/contract.ts';
import { canonicalText } from '../../core/policy/canonical.ts';
import { isGroupName } from '../../core/policy/group-name.ts';
import type { PolicyStatus, PolicyVersion } from '../../core/policy/ports.ts';
import type { Problem } from '../../core/policy/problem.ts';
import { isDeeperThan } from '../../core/policy/reading.ts';
import { sha256 } from '../runtime/sha256.ts';
import { attributesBeside, itemsBeside } from './beside.ts';
import type { Changed } from './changed-groups.ts';
import { claimAsgs, waitNoMore } from './claim-asgs.ts';
import { closedWarnings } from './closed-asgs.ts';
import { type Candidate, judge, type Verdict } from './judge.ts';
import { forgetLookUps, lookedUpOnce } from './known-look-ups.ts';
import { letGo } from './let-go.ts';
import type { AcceptPolicyPorts } from './ports.ts';
import { putInForce, sameContent } from './put-in-force.ts';
import { holdersOf, registryEntryOf } from './registry-entry.ts';
import { report, reportAgain, type Write } from './reports.ts';
import { acceptanceOf, tellAtOnce, tellWith } from './tell-versions.ts';
import { waitFor, waitingFor } from './waiting.ts';

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
  looks = 1,
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
  const rejected = ({ problems, asgs = [] }: Refused) =>
    reject(group, { write, problems, inForce, waitsFor: asgs, looks }, ports);
  if (verdict.kind === 'unacceptable') return rejected(verdict);
  const claimed = await claimAsgs(verdict.asgs, { group, inForce }, ports);
  if (claimed.kind === 'taken') return rejected(claimed);
  const closed = await closedWarnings(verdict, [group, ...claimed.before], ports);
  const warnings = [...verdict.warnings, ...closed, ...attributesBeside(written.others), ...itemsBeside(others)];
  const byMs = writtenAtMs === undefined ? {} : { writtenAtMs: Math.min(writtenAtMs, readAtMs) };
  const { candidate, entry } = verdict;
  const accepted = await accept(
    afterOthers(candidate, claimed.before),
    { write, warnings, inForce, entry, ...byMs },
    ports,
  );
  await waitNoMore(claimed.waited, ports);
  return accepted;
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
  if (!isGroupName(group)) return { kind: 'let-go', group };
  for (const waiting of await waitingFor(await letGo(group, inForce, ports), group, ports))
    await acceptPolicy(waiting, ports);
  return { kind: 'let-go', group };
};

/** Why a policy is rejected. `asgs`: the Auto Scaling groups that others hold, if nothing else is wrong. */
type Refused = { readonly problems: readonly Problem[]; readonly asgs?: readonly string[] };

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
  const was = { inForce, letGo: entry?.letGoUntilMs !== undefined };
  const version = unchanged ? inForce : await putInForce(candidate, { ...was, warnings: firstWarnings }, ports);
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

/** The texts of the first problems, and where the others are. */
const someOf = (problems: readonly Problem[], attribute: 'problems' | 'warnings'): readonly string[] => {
  const more = problems.length - mostInMessage;
  const shown = problems.slice(0, mostInMessage).map(({ message }) => message);
  return more > 0 ? [...shown, `${more} more: see ${attribute}.`] : shown;
};
const mostInMessage = 3;

/** `waitsFor`: Auto Scaling groups of others, where nothing else is wrong. `looks`: how often it was judged now. */
type Rejected = {
  readonly problems: readonly Problem[];
  readonly waitsFor?: readonly string[];
  readonly looks?: number;
};

/** The most times that a policy is judged again at once, because a claim on its Auto Scaling groups changed. */
const mostLooks = 5;

const correctIt = 'Correct the item and write it again.';
const orWait = 'It is checked again when no other group holds its Auto Scaling groups. Otherwise correct it.';

const reject = async (
  group: string,
  { write, problems, inForce: version, waitsFor = [], looks = 1 }: Written & Rejected,
  ports: AcceptPolicyPorts,
): Promise<Outcome> => {
  const inForce = version?.version;
  const kept =
    inForce === undefined ? 'No version is in force: the group is not acted on.' : `Version ${inForce} stays in force.`;
  const count = `Rejected for ${problems.length} ${problems.length === 1 ? 'reason' : 'reasons'}.`;
  const next = waitsFor.length === 0 ? correctIt : orWait;
  const message = [count, ...someOf(problems, 'problems'), kept, next].join(' ');
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
  // Noted after the status was written: whoever finds the note and accepts the policy writes its status after this one.
  const isFree = (await waitFor(waitsFor, group, ports)) === 'free';
  if (isFree && write !== undefined && looks < mostLooks) return acceptPolicy(group, ports, write.changed, looks + 1);
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
