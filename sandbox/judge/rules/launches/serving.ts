import { gaveNothingUntil } from '../../capacity/capacity.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { afterChange, type Debt, type Debts, type Look, renewed } from '../../members/debts.ts';
import { servesAgainMsIn } from '../../members/serves-again.ts';
import { actsSince } from '../../policy/modes.ts';
import { endless, goneAtMs } from '../../world/life.ts';
import { seeingOf, sizeShownAt } from '../../world/outside.ts';
import { closedUntilMs } from '../../world/owners.ts';

type Broken = Omit<Finding, 'rule'>;

const momentsOf = (chronicle: Chronicle, group: string): readonly number[] => {
  const { readyAtMs, endedAtMs } = chronicle.history;
  const lives = chronicle.livesIn(group);
  const all = [
    readyAtMs,
    ...lives.flatMap((life) => [
      ...life.services.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      ...life.stays.flatMap(({ fromMs, untilMs }) => [fromMs, untilMs]),
      life.bootedAtMs ?? endless,
      goneAtMs(life),
    ]),
    ...(chronicle.groups.get(group)?.written ?? []).map(({ atMs }) => atMs),
    ...(chronicle.groups.get(group)?.policies ?? []).map(({ atMs }) => atMs),
    ...sizeMoments(chronicle, group, endedAtMs).map(({ atMs }) => atMs),
  ];
  return [...new Set(all)].filter((atMs) => atMs >= readyAtMs && atMs <= endedAtMs).sort((a, b) => a - b);
};

/** The size that an Auto Scaling group shows, if others set it and a write of theirs may be lost between a look of Holdfast and its write. */
export const shownBesideLost = (chronicle: Chronicle, group: string, atMs: number): number | undefined => {
  const policy = chronicle.policyAt(group, atMs);
  const word = chronicle.wordsFor(group, atMs)?.findLast((one) => one.atMs <= atMs);
  if (policy?.asg === undefined || !word?.isBetween) return undefined;
  return Math.min(policy.size.max, sizeShownAt(seeingOf(chronicle), policy.asg, atMs));
};

/** How many members have to serve. If a write of others may be lost, the size counts that their Auto Scaling group shows. */
export const dueAt = (chronicle: Chronicle, group: string, atMs: number): number => {
  if (chronicle.policyAt(group, atMs) === undefined) return 0;
  const [size = 0] = chronicle.desiredIn(group, atMs, atMs);
  return shownBesideLost(chronicle, group, atMs) ?? size;
};

/** When the size changes that is due where others set it: with what they say, and with what their Auto Scaling group shows. */
const sizeMoments = (chronicle: Chronicle, group: string, atMs: number): readonly { readonly atMs: number }[] => {
  const words = chronicle.wordsFor(group, atMs);
  const asg = chronicle.policyAt(group, atMs)?.asg;
  return words === undefined || asg === undefined ? [] : [...words, ...chronicle.cloud.asgChanges(asg)];
};

const looksAt = (chronicle: Chronicle, group: string, due: Owed['due']): readonly Look[] =>
  momentsOf(chronicle, group).map((atMs) => ({
    atMs,
    serving: new Set(chronicle.membersAt(group, atMs).filter((life) => chronicle.servesAt(life, atMs))),
    desired: due(chronicle, group, atMs),
  }));

/** How many members have to serve at a moment, since when there was capacity for them, and within which time they must serve. */
type Owed = {
  readonly due: (chronicle: Chronicle, group: string, atMs: number) => number;
  readonly gaveNothing: (chronicle: Chronicle, group: string, fromMs: number, untilMs: number) => number;
  readonly withinMs: number;
};

/** Reads that only improve a decision. Whether they fail changes nothing for a member that is known to leave. */
const improvingReads = new Set(['DescribeTargetHealth', 'DescribeSpotPriceHistory', 'DescribeTargetGroupAttributes']);

const isOfImprovingReads = ({ fault }: Chronicle['history']['faults'][number]): boolean =>
  fault.on === 'call' &&
  (fault.kind === 'throttle' || fault.kind === 'error') &&
  fault.match?.operation !== undefined &&
  [fault.match.operation].flat().every((operation) => improvingReads.has(operation));

/**
 * When the last general hindrance was over: a fault, a mode that launches nothing, a tree in which nothing could give, or an owner who lets nobody join.
 */
const freeSince = (chronicle: Chronicle, group: string, debt: Debt, untilMs: number, { gaveNothing }: Owed): number => {
  const faulty = chronicle.history.faults
    .filter(({ fromMs, untilMs: endMs }) => fromMs < untilMs && endMs > debt.sinceMs)
    .filter((fault) => debt.isByHealth === true || !isOfImprovingReads(fault))
    .map(({ untilMs: endMs }) => Math.min(endMs, untilMs));
  const asg = chronicle.policyAt(group, untilMs)?.asg ?? '';
  const openMs = closedUntilMs(chronicle.cloud.asgChanges(asg), debt.sinceMs, untilMs);
  return Math.max(openMs, actsSince(chronicle, group, untilMs), gaveNothing(chronicle, group, debt.sinceMs, untilMs), ...faulty);
};

/** Members that serve too late, by what is owed. */
export const lateIn = (chronicle: Chronicle, group: string, owed: Owed): readonly Broken[] => {
  const looks = looksAt(chronicle, group, owed.due);
  const found: Broken[] = [];
  let debts: Debts = { open: [], behind: new Map() };
  looks.forEach((look, index) => {
    const untilMs = looks[index + 1]?.atMs ?? chronicle.history.endedAtMs;
    const changed = afterChange(chronicle, group, debts, { before: looks[index - 1], now: look, withinMs: owed.withinMs });
    debts = { ...changed, open: renewed(chronicle, group, changed.open, untilMs) };
    const [oldest] = debts.open;
    if (oldest === undefined || untilMs - oldest.sinceMs <= owed.withinMs) return;
    const lateMs = untilMs - freeSince(chronicle, group, oldest, untilMs, owed) - owed.withinMs;
    if (lateMs > 0) {
      found.push({
        group,
        atMs: untilMs,
        members: debts.open.filter(({ sinceMs }) => untilMs - sinceMs > owed.withinMs).length,
        detail: `${look.serving.size} serve, expected ${look.desired}, ${Math.round((untilMs - oldest.sinceMs) / 1_000)} s after ${oldest.because}`,
      });
      debts = { ...debts, open: [] };
    }
  });
  return found;
};

export const servesAgain: Rule = {
  name: 'whatever is lost serves again in time',
  meaning:
    'Every member that is lost, and every member by which the size grows, has a serving replacement within the bound of docs/architecture.md. The time counts from the trouble of that member itself. A new member replaces the oldest trouble. That may be the warning of a member that still serves, if the new member comes within the bound from it. The time of a younger loss then goes on, and counts once the warned member stops serving. The time begins anew when EC2 takes an unhealthy member, or this member ends. An end by Holdfast begins no new time. Only members at risk that drain first by the policy do, within `maxSurge`, once no other member is missing. The time also begins anew when a pool gives again after none did. A pool at its cap gives nothing. The time also begins anew when the owner of the Auto Scaling group that members join resumes `Launch`: nobody can join before. Faults of reads that only improve a decision give no more time, unless such a read alone shows the loss.',
  broken: (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group) =>
      lateIn(chronicle, group, { due: dueAt, gaveNothing: gaveNothingUntil, withinMs: servesAgainMsIn(chronicle, group) }),
    ),
};
