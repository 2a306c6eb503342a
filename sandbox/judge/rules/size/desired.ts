import type { Chronicle, GroupTimeline, Written } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { headcountAt, lookedSince } from '../../members/staying.ts';
import { asgsOf, type Policy } from '../../policy/policy.ts';
import { dueIn } from '../../policy/scheduled.ts';
import { keepsItsOwn, keepsRestored, lookedBefore, restoredBefore } from '../../said/kept-sizes.ts';
import { heardBy, newestEach, outcomesOf } from '../../told/sizes-of-alarms.ts';
import { goneAtMs, isFunction, type Life, tagsAt } from '../../world/life.ts';
import { seeingOf, sizeShownAt } from '../../world/outside.ts';
import { sizesTakenForOwn } from '../../world/own-numbers.ts';
import { type AlarmsActed, actedIn, isCool, noteActed } from './cooldowns.ts';

type Broken = Omit<Finding, 'rule'>;

const policyOfVersion = ({ policies }: GroupTimeline, version: number): Policy | undefined =>
  policies.findLast((one) => one.version === version)?.policy;

const sameSize = (a: Policy | undefined, b: Policy | undefined): boolean => JSON.stringify(a?.size) === JSON.stringify(b?.size);

/** Whether the group is let go at a moment. It has no size then, until a policy comes back. */
const isWithoutPolicy = ({ policies }: GroupTimeline, atMs: number): boolean => {
  const inForce = policies.findLast((one) => one.atMs <= atMs);
  return inForce !== undefined && inForce.policy === undefined;
};

/** Whether the policy that is followed now sets the size anew. */
const setsSize = (timeline: GroupTimeline, before: Written | undefined, written: Written): boolean => {
  if (before === undefined) return true;
  const letGo =
    isWithoutPolicy(timeline, before.atMs) ||
    timeline.policies.some(({ policy, atMs }) => policy === undefined && atMs >= before.atMs - 1 && atMs <= written.atMs);
  const wasLetGo = timeline.policies.some(({ policy, atMs }) => policy === undefined && atMs <= written.atMs);
  return (
    letGo ||
    (wasLetGo && before.policyVersion !== written.policyVersion) ||
    !sameSize(policyOfVersion(timeline, before.policyVersion), policyOfVersion(timeline, written.policyVersion))
  );
};

/**
 * Whether the size is surely that of another policy: the version that is followed now has other sizes than the one before, and the group was held all the
 * time. An observed group has the size that others set.
 */
const isEdited = (timeline: GroupTimeline, before: Written, written: Written): boolean => {
  const [old, now] = [before, written].map(({ policyVersion }) => policyOfVersion(timeline, policyVersion));
  if (old === undefined || now === undefined || sameSize(old, now) || now.mode === 'observe' || old.mode === 'observe') return false;
  return !old.isSizedOutside && timeline.policies.every(({ policy, atMs }) => policy !== undefined || atMs > written.atMs);
};

const clamp = (size: number, { min, max }: Policy['size']): number => Math.min(max, Math.max(min, size));

/** Whether a function wrote the size that the item had, and had not read the Auto Scaling group: it noted something else before its look. */
const isUnread = (chronicle: Chronicle, before: Written | undefined, { desired, by, atMs }: Written): boolean =>
  before?.desired === desired &&
  isFunction(by) &&
  !chronicle
    .of('called')
    .some(
      ({ invocation, operation, atMs: answeredAtMs }) =>
        invocation === by.invocation && operation === 'DescribeAutoScalingGroups' && answeredAtMs <= atMs,
    );

/** Services in which a decision is carried out. */
const actingServices: ReadonlySet<string> = new Set(['ec2', 'autoscaling', 'elasticloadbalancing']);

type Called = ReturnType<typeof callsOf>[number];
const callsOf = ({ of }: Chronicle, invocation: string) => of('called').filter((call) => call.invocation === invocation);

const isFault = ({ trouble, applied }: Called): boolean => trouble === 'fault' && !applied;
/** A fault met it. Or another function has the turn of this group, or has just written its item. */
const isInVain = (call: Called): boolean => isFault(call) || call.outcome === 'ConditionalCheckFailedException';

/** Whether a function wrote the size that the item had, launched nothing for it, and carried out nothing, where a fault explains that. */
const leftAsItWas = (
  chronicle: Chronicle,
  before: Written | undefined,
  { desired, lastReservation, by, atMs }: Written,
  isKept: (calls: readonly Called[]) => boolean,
): boolean => {
  if (!isFunction(by) || before?.desired !== desired || before.lastReservation !== lastReservation) return false;
  const calls = callsOf(chronicle, by.invocation);
  return (
    isKept(calls.filter((call) => call.atMs <= atMs)) &&
    !calls.some(({ service, isMutating, applied }) => actingServices.has(service) && isMutating && applied)
  );
};

/**
 * Whether a function wrote the size that the item had after a fault had kept it from writing its decision, or another function had the turn. It carries out
 * nothing then: it notes what messages said, and hands its group over.
 */
const isHandedOver = (chronicle: Chronicle, before: Written | undefined, written: Written): boolean =>
  leftAsItWas(chronicle, before, written, (calls) => calls.some((call) => call.service === 'dynamodb' && call.isMutating && isInVain(call)));

/** Reads without which a function decides nothing. */
const neededReads: readonly string[] = ['DescribeInstances', 'DescribeAutoScalingGroups'];

/** The same, where a fault met the last attempt at a read without which a function decides nothing. So it followed nothing that was due. */
const hadNoLook = (chronicle: Chronicle, before: Written | undefined, written: Written): boolean =>
  before?.policyVersion === written.policyVersion &&
  leftAsItWas(chronicle, before, written, (calls) =>
    neededReads.some((read) => {
      const last = calls.findLast(({ operation }) => operation === read);
      return last !== undefined && isFault(last);
    }),
  );

/** Where others set the size: the sizes that they had written, or that a look showed. */
const asOthersSet = (
  chronicle: Chronicle,
  { group }: GroupTimeline,
  { before, written }: { readonly before?: Written; readonly written: Written },
  policy: Policy,
): string | undefined => {
  if (isUnread(chronicle, before, written) || isHandedOver(chronicle, before, written)) return undefined;
  const sinceMs = lookedSince(chronicle, written.by, written.atMs) - chronicle.times.asgLagMs;
  const words = chronicle.desiredIn(group, sinceMs, written.atMs);
  const shown = chronicle.cloud.asgChanges(policy.asg ?? '').filter(({ atMs }) => atMs <= written.atMs);
  const since = shown.findLastIndex(({ atMs }) => atMs <= sinceMs);
  const looked = shown.slice(Math.max(0, since));
  // Whoever moved the size beside members that had just joined may mean either number: a look takes it without those that joined since.
  const word = chronicle.wordsFor(group, written.atMs)?.findLast(({ atMs }) => atMs <= written.atMs);
  const isUnsure = word?.isBetween ?? false;
  const meant = isUnsure ? looked.map(({ atMs }) => sizeShownAt(seeingOf(chronicle), policy.asg ?? '', atMs)) : [];
  const own = sizesTakenForOwn(chronicle, group, { sinceMs, atMs: written.atMs });
  const sizes = new Set([...words, ...[...looked.map(({ desired }) => desired), ...meant, ...own].map((size) => Math.min(size, policy.size.max))]);
  return sizes.has(written.desired) ? undefined : `the desired size became ${written.desired}; others had set ${[...sizes].join(' or ')}`;
};

/** The desired capacities of an observed group's Auto Scaling groups when the function looked. Others set them. */
const setByOthers = (chronicle: Chronicle, policy: Policy, { by, atMs }: Written): readonly number[] => {
  const asgs = asgsOf(policy);
  if (asgs.length === 0) return [];
  const sinceMs = lookedSince(chronicle, by, atMs) - chronicle.times.asgLagMs;
  const seen = asgs.map((asg) => {
    const changes = chronicle.cloud.asgChanges(asg);
    const before = changes.findLast((change) => change.atMs <= sinceMs);
    const within = changes.filter((change) => change.atMs > sinceMs && change.atMs <= atMs);
    return [...(before === undefined ? [] : [before]), ...within].map(({ desired }) => desired);
  });
  const least = seen.reduce((sum, sizes) => sum + Math.min(...sizes), 0);
  const most = seen.reduce((sum, sizes) => sum + Math.max(...sizes), 0);
  return Array.from({ length: 1 + most - least }, (_, more) => clamp(least + more, policy.size));
};

const sameSchedule = (a: Policy | undefined, b: Policy | undefined): boolean => JSON.stringify(a?.schedule) === JSON.stringify(b?.schedule);

/** A look may be used again for this long. */
const looksAgainMs = 5_000;

/** Sizes that the schedule set since the last look that was written: what this look must have followed, and what it may have. */
const scheduledFor = (chronicle: Chronicle, timeline: GroupTimeline, { by, atMs, policyVersion }: Written, policy: Policy) => {
  const byReact = ({ by: writer }: Written): boolean =>
    isFunction(writer) && chronicle.invocations.get(writer.invocation)?.function.endsWith('react') === true;
  const last = timeline.written.findLast((one, index) => one.atMs < atMs && byReact(one) && !hadNoLook(chronicle, timeline.written[index - 1], one));
  const known = last && policyOfVersion(timeline, last.policyVersion);
  if (last === undefined || !sameSchedule(known, policyOfVersion(timeline, policyVersion))) return { must: undefined, may: [] };
  const { clockMs } = chronicle.times;
  const due = dueIn(policy, lookedSince(chronicle, last.by, last.atMs) - clockMs - looksAgainMs, atMs + clockMs);
  const lookedAtMs = lookedSince(chronicle, by, atMs);
  // What was due before the last look was followed then, or is followed now.
  const isNews = (one: { readonly atMs: number }): boolean => one.atMs > last.atMs + clockMs;
  return { must: due.findLast((one) => isNews(one) && one.atMs <= lookedAtMs - clockMs - looksAgainMs)?.size, may: due.map(({ size }) => size) };
};

const judgeOne = (
  chronicle: Chronicle,
  timeline: GroupTimeline,
  pair: { before?: Written; written: Written },
  memory: AlarmsActed,
): string | undefined => {
  const { before, written } = pair;
  const policy = policyOfVersion(timeline, written.policyVersion);
  if (before !== undefined && written.policyVersion < before.policyVersion)
    return `version ${written.policyVersion} of the policy is followed after version ${before.policyVersion}`;
  if (policy === undefined) return before?.desired === written.desired ? undefined : `no policy in force had version ${written.policyVersion}`;
  if (policy.isSizedOutside) return asOthersSet(chronicle, timeline, pair, policy);
  const isSetAnew = setsSize(timeline, before, written);
  const { must, may } = scheduledFor(chronicle, timeline, written, policy);
  const isOvertaken = must !== undefined && !isSetAnew && policy.mode !== 'observe' && !hadNoLook(chronicle, before, written);
  const starts = [
    ...(before === undefined || isOvertaken || isEdited(timeline, before, written) ? [] : [clamp(before.desired, policy.size)]),
    ...(isSetAnew ? [policy.size.desired] : []),
    ...(policy.mode === 'observe' ? setByOthers(chronicle, policy, written) : may),
  ];
  const heard =
    policy.mode === 'observe' ? [] : newestEach(heardBy(chronicle, written, policy).filter((one) => isCool(chronicle, one, memory, written.atMs)));
  const found = starts.flatMap((size) => outcomesOf(size, heard, policy)).filter(({ size }) => size === written.desired);
  const [outcome] = found.toSorted((a, b) => a.acted.length - b.acted.length);
  if (outcome === undefined) {
    return `the desired size became ${written.desired}, was ${before?.desired ?? 'none'}; the policy in force says ${policy.size.desired}, and no alarm was heard and no schedule was due that makes it so`;
  }
  noteActed(memory, outcome.acted, actedIn(chronicle, written));
  return undefined;
};

/** What had happened by then, any look of a function shows. */
const surelyShownAtMs = (chronicle: Chronicle, { by, atMs }: Written): number =>
  lookedSince(chronicle, by, atMs) - Math.max(chronicle.times.lagMs, chronicle.times.asgLagMs);

/** The reservation that an instance was launched for, if this group launched it: an item of the group has never named those of other groups. */
const ownReservationOf = (group: string, life: Life, atMs: number): string | undefined => {
  const { 'holdfast:reservation': reservation, 'holdfast:group': owner } = tagsAt(life, atMs);
  return owner?.split('/')[1] === group ? reservation : undefined;
};

/**
 * The sizes after somebody restored an older state item. Changes by alarms since then are lost, so the present number of members stays, within the bounds of
 * the policy. Alarms that the same look receives may change that number.
 */
const afterRestore = (chronicle: Chronicle, timeline: GroupTimeline, before: Written, written: Written, memory: AlarmsActed): string | undefined => {
  const { group } = timeline;
  const policy = policyOfVersion(timeline, written.policyVersion);
  if (policy === undefined) return undefined;
  if (policy.isSizedOutside) return asOthersSet(chronicle, timeline, { before, written }, policy);
  if (isWithoutPolicy(timeline, written.atMs) && written.desired === before.desired) return undefined;
  const shownAtMs = surelyShownAtMs(chronicle, written);
  const isShownYet = ({ launchedAtMs }: Life): boolean => launchedAtMs <= shownAtMs;
  const headcount = headcountAt(chronicle, group, written.atMs);
  const [staying, waiting] = [headcount.staying.filter(isShownYet), headcount.waiting.filter(isShownYet)];
  const members = chronicle.membersAt(group, written.atMs);
  const present = members.length;
  // Without a member of a later launch nothing shows that the item is an older one, and it is followed like any other.
  const isShown = members.some((life) => (ownReservationOf(group, life, written.atMs) ?? '') > (before.lastReservation ?? ''));
  if (!isShown && judgeOne(chronicle, timeline, { before, written }, memory) === undefined) return undefined;
  const kept = written.desired === before.desired ? Math.min(staying.length, isShown ? staying.length : before.desired) : present;
  const least = Math.min(policy.size.max, staying.length + waiting.length, kept) - policy.spare;
  const most = Math.max(clamp(before.desired, policy.size), policy.size.desired, present);
  if (written.desired >= least && written.desired <= most) return undefined;
  const sizes = Array.from({ length: 1 + Math.max(0, most - least) }, (_, more) => least + more);
  const outcomes = sizes.flatMap((size) => outcomesOf(size, newestEach(heardBy(chronicle, written, policy)), policy));
  const outcome = outcomes.find(({ size }) => size === written.desired);
  noteActed(memory, outcome?.acted ?? [], actedIn(chronicle, written));
  if (outcome !== undefined) return undefined;
  return `after the state was restored the desired size became ${written.desired}, and ${staying.length + waiting.length} are there`;
};

/**
 * The sizes that a group may begin with whose state item somebody deleted: what its policy says, or the present number of members, whichever is
 * larger.
 */
const startsAfterLoss = (chronicle: Chronicle, group: string, { size, spare }: Policy, written: Written): readonly number[] => {
  const { atMs } = written;
  const shownAtMs = surelyShownAtMs(chronicle, written);
  const maybeThere = chronicle.livesIn(group).filter((life) => life.launchedAtMs <= atMs && goneAtMs(life) > shownAtMs);
  const surelyThere = headcountAt(chronicle, group, atMs).staying.filter(({ launchedAtMs }) => launchedAtMs <= shownAtMs);
  const isTold = (lives: readonly Life[]) => lives.some((life) => ownReservationOf(group, life, shownAtMs) !== undefined);
  const least = Math.max(size.desired, isTold(surelyThere) ? Math.min(size.max, surelyThere.length - spare) : 0);
  const most = Math.max(size.desired, isTold(maybeThere) ? Math.min(size.max, maybeThere.length) : 0);
  return Array.from({ length: 1 + Math.max(0, most - least) }, (_, more) => least + more);
};

const afterLoss = (chronicle: Chronicle, timeline: GroupTimeline, written: Written): string | undefined => {
  const policy = policyOfVersion(timeline, written.policyVersion);
  if (policy?.isSizedOutside !== false) return policy && asOthersSet(chronicle, timeline, { written }, policy);
  const starts = startsAfterLoss(chronicle, timeline.group, policy, written);
  const heard = newestEach(heardBy(chronicle, written, policy));
  if (starts.flatMap((size) => outcomesOf(size, heard, policy)).some(({ size }) => size === written.desired)) return undefined;
  return `after the state was deleted the desired size became ${written.desired}, expected ${starts[0]} to ${starts.at(-1)}`;
};

const isLostBetween = ({ lostAtMs }: GroupTimeline, before: Written | undefined, { atMs }: Written): boolean =>
  before !== undefined && lostAtMs.some((lost) => lost >= before.atMs && lost <= atMs);

const judgeWrite = (chronicle: Chronicle, timeline: GroupTimeline, index: number, memory: AlarmsActed): string | undefined => {
  const [before, written] = [timeline.written[index - 1], timeline.written[index]];
  if (written === undefined || !isFunction(written.by)) return undefined;
  if (isLostBetween(timeline, before, written)) {
    if (keepsItsOwn(timeline, index)) return undefined;
    memory.acted.clear();
    return afterLoss(chronicle, timeline, written);
  }
  const restored = restoredBefore(chronicle, timeline, index);
  if (before !== undefined && restored !== undefined) {
    const isStill = keepsRestored(chronicle, restored, written);
    const isKnown = lookedBefore(chronicle, restored, written) && keepsItsOwn(timeline, index);
    return isStill || isKnown ? undefined : afterRestore(chronicle, timeline, before, written, memory);
  }
  return judgeOne(chronicle, timeline, { written, ...(before === undefined ? {} : { before }) }, memory);
};

const judgeGroup = (chronicle: Chronicle, timeline: GroupTimeline): readonly Broken[] => {
  const memory: AlarmsActed = { acted: new Map() };
  return timeline.written.flatMap(({ atMs }, index) => {
    const detail = judgeWrite(chronicle, timeline, index, memory);
    return detail === undefined ? [] : [{ group: timeline.group, atMs, detail }];
  });
};

export const desiredAsAsked: Rule = {
  name: 'the desired size changes only when asked',
  meaning:
    'The desired size changes for four reasons only: a new policy, a time of its schedule that is due, an alarm that was received outside its cooldown, or, with `size.from`, a size that others set. Of several alarms that stay in ALARM, only the one that went off last acts again, once a function surely knows it. If others set the number that an attach had made, or makes with the weights that they give with it, after Holdfast lowered it, looks may take the lower one until twenty seconds after that lowering. If others lowered it first, the time counts from the look that found that. It does not count for a look that shows a member that a later decision attached. Members of this attach that others took out of the Auto Scaling group before that lowering do not count in this number. A cooldown that began after a restored state table was copied does not count. A function that looked before the table was restored may keep the size that it had written. An alarm that went off more than an hour before it was received is no reason, and neither is one that went off before the look that found the state item deleted, where it is received after that look. An older policy never follows a newer one, and a version whose sizes differ from those of the version before sets its own.',
  broken: (chronicle) => [...chronicle.groups.values()].flatMap((timeline) => judgeGroup(chronicle, timeline)),
};
