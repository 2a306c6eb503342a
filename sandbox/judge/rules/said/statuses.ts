import { announcements, items } from '../../../../core/contract.ts';
import { canonicalText } from '../../../../core/policy/canonical.ts';
import type { Chronicle, GroupTimeline } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { asgsOf } from '../../policy/policy.ts';
import { isMap, type Json, textOf } from '../../read-json.ts';
import { endless, goneAtMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

const statusesOf = (chronicle: Chronicle, group: string) =>
  chronicle
    .of('item-written')
    .flatMap((write) => (write.table === 'groups' && write.group === group && write.item === items.status && write.status ? [write] : []));

/** When its policy last changed. A map has no order. A write without a change is not in the stream (DynamoDB Developer Guide, change data capture). */
const lastChange = (chronicle: Chronicle, group: string) => {
  const texts = chronicle.of('policy-written').flatMap((write) => (write.group === group ? [{ ...write, text: canonicalText(write.document) }] : []));
  return texts.findLast(({ text }, index) => text !== texts[index - 1]?.text);
};

/** At rest the status reports the last write to the policy, and of the version in force. */
const atRest = (chronicle: Chronicle, { group, policies }: GroupTimeline): readonly Broken[] => {
  const { restAtMs } = chronicle.history;
  const last = statusesOf(chronicle, group).at(-1);
  const inForce = policies.at(-1);
  if (restAtMs === undefined || inForce === undefined) return [];
  const about = { group, atMs: restAtMs };
  if (last?.status === undefined) return [{ ...about, detail: `${group} has no status` }];
  const { status, version } = last.status;
  const change = lastChange(chronicle, group);
  if (change !== undefined && last.atMs < change.atMs) return [{ ...about, detail: `the status of ${group} is older than its policy` }];
  if (inForce.policy === undefined) {
    // A policy that is written and is in force nowhere was rejected. Without one, the group is let go.
    const expected = change?.document === undefined ? 'let-go' : 'rejected';
    return status === expected ? [] : [{ ...about, detail: `no version of ${group} is in force, expected the status ${expected}, found ${status}` }];
  }
  if (status === 'let-go') return [{ ...about, detail: `${group} is held, and its status says let-go` }];
  return version === inForce.version
    ? []
    : [{ ...about, detail: `version ${inForce.version} of ${group} is in force, and its status says ${version}` }];
};

/** No status says accepted before that version is in force. */
const invented = (chronicle: Chronicle, { group, policies }: GroupTimeline): readonly Broken[] =>
  statusesOf(chronicle, group).flatMap(({ status, atMs }): readonly Broken[] =>
    status?.status !== 'accepted' || policies.some((one) => one.version === status.version && one.atMs <= atMs)
      ? []
      : [{ group, atMs, detail: `the status of ${group} says that version ${status.version} is accepted, and it is not in force` }],
  );

type Sent = { readonly atMs: number; readonly warnings: number };

/** Events about a version of a group. */
const sentAbout = (chronicle: Chronicle, group: string, version: number | undefined): readonly Sent[] =>
  chronicle
    .of('announced')
    .filter(({ detailType, detail }) => detailType === announcements.policyAccepted && detail.group === group && detail.version === version)
    .map(({ detail, atMs }) => ({ atMs, warnings: Array.isArray(detail.warnings) ? detail.warnings.length : 0 }));

/**
 * The warnings that a status has to name: those of the event that follows it, which the same run sends. Where another status follows first, an
 * earlier or a later run sent the events about it. A policy that is read again may have other warnings, because a read may fail.
 */
const dueIn = (sent: readonly Sent[], atMs: number, untilMs: number): number => {
  const next = sent.find((one) => one.atMs >= atMs);
  const before = sent.findLast((one) => one.atMs <= atMs);
  const around = [before, next].flatMap((one) => one?.warnings ?? []);
  return next !== undefined && next.atMs < untilMs ? next.warnings : Math.min(...(around.length === 0 ? [0] : around));
};

/** Every rejection says why, and a status names the warnings that were sent about it. */
const unsaid = (chronicle: Chronicle, { group }: GroupTimeline): readonly Broken[] => {
  const statuses = statusesOf(chronicle, group);
  return statuses.flatMap(({ status, atMs }, index): readonly Broken[] => {
    const { problems, warnings = 0, version } = status ?? {};
    if (status?.status === 'rejected' && problems === 0)
      return [{ group, atMs, detail: `the policy of ${group} is rejected, and its status names no problem` }];
    const due = dueIn(sentAbout(chronicle, group, version), atMs, statuses[index + 1]?.atMs ?? endless);
    return status?.status !== 'accepted' || warnings >= due
      ? []
      : [{ group, atMs, detail: `${due} warnings were sent about version ${version} of ${group}, and its status names ${warnings}` }];
  });
};

/** The Auto Scaling groups that a document names. */
const namedIn = ({ asg, pools }: Json): ReadonlySet<string> =>
  new Set(
    [asg, ...Object.values(isMap(pools) ? pools : {}).map((pool) => (isMap(pool) ? pool.asg : undefined))].map(textOf).filter((name) => name !== ''),
  );

/** Policies that wait for a group which moves away are judged again on a schedule of 15 minutes. A run takes half a minute at most. */
const judgedAgainMs = 930_000;

/** Whether a group holds one of these at rest, or moved away from it too lately for those that wait to be judged again. */
const mayHold = (chronicle: Chronicle, group: string, named: ReadonlySet<string>, restAtMs: number): boolean => {
  const sinceMs = restAtMs - judgedAgainMs;
  if (chronicle.policyAt(group, restAtMs) === undefined) return false;
  const isNamed = chronicle.policiesIn(group, sinceMs, restAtMs).some((policy) => asgsOf(policy).some((asg) => named.has(asg)));
  const lately = chronicle.livesIn(group).filter((life) => goneAtMs(life) > sinceMs);
  return isNamed || lately.some(({ stays }) => stays.some(({ asg, untilMs }) => named.has(asg) && (untilMs ?? endless) > sinceMs));
};

/**
 * At rest, a policy that is to be judged again once its Auto Scaling groups are free waits for one that another group holds, or has just moved away from.
 */
const waitsForNobody = (chronicle: Chronicle): readonly Broken[] => {
  const { restAtMs } = chronicle.history;
  if (restAtMs === undefined) return [];
  const documents = Map.groupBy(chronicle.of('policy-written'), ({ group }) => group);
  return [...documents].flatMap(([group, writes]): readonly Broken[] => {
    const document = writes.at(-1)?.document;
    if (document === undefined || statusesOf(chronicle, group).at(-1)?.status?.waits !== true) return [];
    const named = namedIn(document);
    const others = [...chronicle.groups.keys()].filter((other) => other !== group);
    const isHeld = others.some((other) => mayHold(chronicle, other, named, restAtMs));
    return isHeld
      ? []
      : [{ group, atMs: restAtMs, detail: `the status of ${group} says that it waits for Auto Scaling groups, and nobody holds them` }];
  });
};

export const statusesAreTrue: Rule = {
  name: 'the status of a policy is true',
  meaning:
    'At rest, the status of a group reports the last write to its policy: it names the version in force, or says that the policy was rejected or that the group is let go. A status says that a version is accepted only once this version is in force. A status of a rejected policy names a problem. A status of an accepted version names the warnings that were sent with it. At rest, a policy whose status says that it waits for Auto Scaling groups of other groups names one that another group holds, or moved away from it less than fifteen minutes ago.',
  broken: (chronicle) => [
    ...[...chronicle.groups.values()].flatMap((timeline) => [
      ...atRest(chronicle, timeline),
      ...invented(chronicle, timeline),
      ...unsaid(chronicle, timeline),
    ]),
    ...waitsForNobody(chronicle),
  ],
};
