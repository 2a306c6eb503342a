import { holderOf } from '../aws/state/asg-holder.ts';
import type { DecisionRecord, Unreadable } from '../core/decision/decision-record.ts';
import { shortfallText } from '../core/drain/shortfall-text.ts';
import { offeringKey } from '../core/pool/offering.ts';
import type { Owner } from '../core/ports/owners.ts';
import { traitsOf } from '../core/removal/leave-reason.ts';
import type { Swap } from '../core/swap/swap.ts';
import type { Access } from './aws-access.ts';
import { decisionText, unreadableText } from './decision-text.ts';
import { type Replacement, replacementsOf } from './replacements.ts';
import { bootFailed, partIn } from './stored-decision.ts';
import { timeText } from './time.ts';

/** How many decisions of a group are searched for an instance: two weeks of a busy group. */
const searched = 2_000;

export type Explanation = {
  readonly instance: string;
  readonly group?: string;
  readonly swap?: Swap;
  /** Its state by EC2. Absent: EC2 does not show it. */
  readonly state?: string;
  readonly decisions: readonly { readonly part: string; readonly record: DecisionRecord }[];
  /** Instances that were launched in its place, and when they served. */
  readonly replacements: readonly Replacement[];
  /** Stored decisions of its group that could not be read. One of them may name the instance. */
  readonly unreadable: readonly Unreadable[];
};

type Searched = {
  /** The group whose member it is, as far as a swap, an Auto Scaling group or a tag tells. */
  readonly group?: string | undefined;
  readonly groups: readonly string[];
};

/**
 * The groups that may have decided about an instance. Another group may have held its Auto Scaling group before: that
 * one launched it.
 */
const groupsToSearch = async (swap: Swap | undefined, owner: Owner | undefined, access: Access): Promise<Searched> => {
  const asg = swap?.asg ?? owner?.asg;
  const registry = await access.store.registry();
  const holders = registry.filter(({ asgs, former = [] }) => asg !== undefined && [...asgs, ...former].includes(asg));
  const known = [swap?.group, owner?.group, ...holders.map(({ group }) => group)].filter(
    (group) => group !== undefined,
  );
  // An instance's tags are gone an hour after it ended: then every group is searched.
  // A group that was let go leaves its members to their owners.
  const inForce = registry.filter(({ letGoUntilMs }) => letGoUntilMs === undefined);
  const holder = asg === undefined ? undefined : await holderOf(asg, inForce, access.store);
  // A swap that was withdrawn is history: another group may hold its instance since.
  const now = swap?.state === 'withdrawn' ? undefined : swap?.group;
  return {
    group: now ?? holder ?? owner?.group ?? swap?.group,
    groups: known.length > 0 ? [...new Set(known)] : registry.map(({ group }) => group),
  };
};

/**
 * A swap of a pool that its policy had dropped names none. Neither does one that was claimed when no describe of the
 * group showed its instance any more. EC2 shows ended instances for an hour, with their tags.
 */
const withPlace = (swap: Swap, owner: Owner | undefined): Swap => ({
  ...swap,
  ...(swap.pool === 'unknown' && owner?.pool !== undefined && { pool: owner.pool }),
  ...(swap.offering === 'unknown' && owner?.offering !== undefined && { offering: offeringKey(owner.offering) }),
});

/**
 * Everything stored about one instance: the swap in which it left, the decisions that launched, replaced or removed it.
 */
export const explain = async (instance: string, access: Access): Promise<Explanation> => {
  const [swap, owned] = await Promise.all([access.store.swapOf(instance), access.owners.ownersOf([instance])]);
  const owner = owned.get(instance);
  const { group: own, groups } = await groupsToSearch(swap, owner, access);
  const found = await Promise.all(groups.map((group) => access.log.decisions(group, searched)));
  const records = found.flatMap((one) => one.records);
  const decisions = records
    .flatMap((record) => {
      const part = partIn(record, instance, owner?.reservation);
      return part === undefined ? [] : [{ part, record }];
    })
    .sort((a, b) => a.record.atMs - b.record.atMs);
  const group = own ?? decisions.at(-1)?.record.group;
  return {
    instance,
    ...(group === undefined ? {} : { group }),
    ...(swap === undefined ? {} : { swap: withPlace(swap, owner) }),
    ...(owner === undefined ? {} : { state: owner.state }),
    decisions,
    replacements: replacementsOf(instance, records),
    unreadable: found.flatMap(({ unreadable }) => unreadable),
  };
};

type Moment = readonly [label: string, ms: number | undefined];

const inOrder = (moments: readonly Moment[]): readonly string[] =>
  moments
    .flatMap(([label, ms]) => (ms === undefined ? [] : [{ label, ms }]))
    .sort((a, b) => a.ms - b.ms)
    .map(({ label, ms }) => `  ${timeText(ms)}  ${label}`);

const becauseOf = ({ reason, state }: Swap): string =>
  state === 'withdrawn'
    ? `Reason to leave: ${reason}. State: withdrawn, so it stays.`
    : `Reason to leave: ${reason}. State: ${state}.`;

/** Why a member stays although its swap said that it leaves. */
const staysText = ({ state, reason, deadlineMs = 0, withdrawnAtMs = 0, shortfall }: Swap): readonly string[] =>
  state === 'withdrawn' &&
  traitsOf({ reason }).endedBy === 'ec2' &&
  withdrawnAtMs > deadlineMs &&
  shortfall === undefined
    ? [
        'EC2 announced that it would take this instance, and did not, or stopped it and started it again. It is in ' +
          'service again since its swap was withdrawn. Beside enough others, its replacement is above the size.',
      ]
    : [];

/** A swap with a shortfall stores when its drain was given up. An instance that AWS refuses to end has drained. */
const isGivenUp = ({ shortfall }: Swap): boolean => shortfall !== undefined && shortfall.code !== 'not-ended';

/** A drain that another execution took over had begun under an earlier one. */
const drainMoments = ({ drain, drainStartedAtMs, drainOrderedAtMs = 0 }: Swap): readonly Moment[] => {
  if (drainStartedAtMs === undefined || drainOrderedAtMs <= drainStartedAtMs)
    return [[`drain began${drain === undefined ? '' : ` (execution ${drain})`}`, drainStartedAtMs]];
  return [
    ['drain began', drainStartedAtMs],
    [`another execution took its drain over (${drain})`, drainOrderedAtMs],
  ];
};

const swapLines = (swap: Swap): readonly string[] => [
  `${becauseOf(swap)} Pool: ${swap.pool} (${swap.offering}).`,
  ...inOrder([
    ['warned', swap.warnedAtMs],
    ['claimed', swap.claimedAtMs],
    ...drainMoments(swap),
    [isGivenUp(swap) ? 'drain given up' : 'drained', swap.drainedAtMs],
    ['gone', swap.goneAtMs],
    ['withdrawn', swap.withdrawnAtMs],
    ['deadline: gone by this time', swap.deadlineMs],
  ]),
  ...staysText(swap),
  ...(swap.shortfall === undefined ? [] : [`  Shortfall: ${shortfallText(swap.shortfall)}`]),
];

const partTexts: Readonly<Record<string, string>> = {
  observed: 'A decision that was only observed:',
  'let go': 'The decision by which it leaves:',
  ended: 'EC2 said that it had ended, and this decision followed:',
};

const partText = (part: string): string => partTexts[part] ?? `The decision by which it was ${part}:`;

const isEndedIn = (decisions: Explanation['decisions']): boolean =>
  decisions.some(({ part }) => part === 'ended' || part === bootFailed);

const isAlive = (state: string | undefined): boolean =>
  state !== undefined && state !== 'shutting-down' && state !== 'terminated';

/** A table that was restored or emptied may have lost the swap of a member that EC2 had warned about. */
const unlessLost = 'or the state table was restored or emptied since.';

/** No decision chooses a member that ends without a warning. */
const withoutSwapText = ({ decisions, state }: Explanation): string => {
  if (isEndedIn(decisions)) return `It has ended and has no swap: Holdfast received no warning about it, ${unlessLost}`;
  if (isAlive(state)) return `EC2 shows it as ${state}. It has no swap: no decision says that it leaves.`;
  const unheard = `Holdfast received no signal about it, ${unlessLost}`;
  if (state !== undefined) return `EC2 shows it as ${state}. No swap or decision is stored about its end: ${unheard}`;
  return (
    'EC2 does not show it: it ended a while ago, or it was launched seconds ago, and signals about it wait until EC2 ' +
    `shows it. No swap or decision is stored about its end. If it has ended, ${unheard}`
  );
};

/** A request without a response is made again later under the same token. */
const launchedText = ({ launchedAtMs, requestedAtMs }: Replacement): string =>
  requestedAtMs === undefined
    ? `launched ${timeText(launchedAtMs)}`
    : `requested ${timeText(requestedAtMs)}, launched by ${timeText(launchedAtMs)}`;

const replacementLine = (replacement: Replacement): string => {
  const { instance, servedAtMs, forTheGroup } = replacement;
  const served = servedAtMs === undefined ? 'not found serving yet' : `found serving ${timeText(servedAtMs)}`;
  const whom = forTheGroup ? ', for a missing member of the group' : '';
  return `  ${instance}${whom}: ${launchedText(replacement)}, ${served}`;
};

const hasEnded = ({ swap, decisions }: Explanation): boolean =>
  (swap !== undefined && swap.state !== 'withdrawn') || isEndedIn(decisions);

/** The replacements of an instance that leaves or has ended. */
const replacementLines = (explanation: Explanation): readonly string[] => {
  const { replacements } = explanation;
  if (replacements.length > 0) return ['Launched in its place:', ...replacements.map(replacementLine)];
  return hasEnded(explanation)
    ? [
        'Holdfast launched nothing in its place: the group has its size without it, its Auto Scaling group ' +
          'launches by itself, or nothing could be launched.',
      ]
    : [];
};

/** The explanation in plain text. */
export const explanationText = (explanation: Explanation): string => {
  const { instance, group, swap, decisions, unreadable } = explanation;
  if (swap === undefined && decisions.length === 0) {
    const nothing =
      `Nothing is stored about ${instance}${group === undefined ? '' : ` (group ${group})`}. ` +
      'Holdfast did not launch it, or did so seconds ago, or its decision is older than 14 days. ' +
      'To see the decisions of a group: holdfast decisions GROUP.';
    return [nothing, ...unreadable.map(unreadableText)].join('\n');
  }
  return [
    `${instance}${group === undefined ? '' : `, group ${group}`}`,
    ...(swap === undefined ? [withoutSwapText(explanation)] : swapLines(swap)),
    ...replacementLines(explanation),
    ...decisions.flatMap(({ part, record }) => ['', partText(part), decisionText(record)]),
    ...(unreadable.length === 0 ? [] : ['', ...unreadable.map(unreadableText)]),
  ].join('\n');
};
