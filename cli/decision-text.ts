import type { Decision, Rejection } from '../core/decision/decision.ts';
import type {
  CarriedOut,
  DecisionRecord,
  LaunchOutcome,
  Observed,
  TrimmedPart,
  Unreadable,
  ViewDigest,
} from '../core/decision/decision-record.ts';
import type { Suspension } from '../core/view/suspension.ts';
import { moveText, notMovedText } from './move-text.ts';
import {
  againstText,
  causeText,
  costText,
  overtakenText,
  placementText,
  plannedLook,
  removalText,
  sizeText,
  someText,
} from './reason-text.ts';
import { remarkText } from './remark-text.ts';
import { durationText, timeText } from './time.ts';

const launchLines = (launch: LaunchOutcome): readonly string[] => {
  const { pool, count, replaces } = launch;
  const asked = `  requested ${count} from ${pool}:`;
  const instead = replaces.length === 0 ? [] : [`    in place of ${replaces.join(', ')}`];
  if (launch.result !== 'answered') return [`${asked} ${launch.result} (${launch.code})`, ...instead];
  const { instances, refusals } = launch;
  return [
    `${asked} launched ${instances.length}${instances.length === 0 ? '' : ` (${instances.join(', ')})`}`,
    ...instead,
    ...refusals.map(
      ({ offering, code }) => `    refused: ${offering.instanceType} ${offering.zone} ${offering.market}, ${code}`,
    ),
  ];
};

/** `within`: the pool was used, and only some of its offerings were refused. */
const rejectionLines = ({ rejected, reasons }: Decision): readonly string[] => {
  const byPlace = Map.groupBy(rejected, ({ path, pool }: Rejection) => `${pool}${path === '' ? '' : ` (${path})`}`);
  return [...byPlace].map(([place, against]) => {
    const isUsed = reasons.some(({ pool }) => pool === against[0]?.pool);
    return `  ${isUsed ? 'within' : 'passed over'} ${place}: ${against.map(againstText).join('; ')}`;
  });
};

const sizesText = (
  groups: readonly { readonly asg: string; readonly fromMax: number; readonly toMax: number }[],
  to: 'toMax' | 'fromMax',
): string => groups.map((raised) => `${raised.asg} to ${raised[to]}`).join(', ');

const processesText = ({ asg, processes }: Suspension): string => `of ${asg}: ${processes.join(', ')}`;

const groupLines = (decision: Decision): readonly string[] => [
  ...maximumLines(decision),
  ...(decision.suspend ?? []).map((one) => `  suspends processes ${processesText(one)}`),
  ...(decision.resume ?? []).map((one) => `  resumes processes ${processesText(one)}`),
  ...(decision.takeDown ?? []).map(
    ({ asg, from, instances }) =>
      `  lowers the desired capacity of ${asg} to ${from} again, because attaching raised it: ` +
      someText(instances, instances.length),
  ),
  ...decision.takeOver.map(
    ({ asg, desired }) => `  launches in place of ${asg}: lowers its desired capacity to ${desired}`,
  ),
  ...listLine('terminates through their Auto Scaling group', decision.unnoticed),
  ...listLine('leaves to their Auto Scaling group, because nothing else replaces them now', decision.leftToGroups),
];

const listLine = (what: string, instances: readonly string[] = []): readonly string[] =>
  instances.length === 0 ? [] : [`  ${what}: ${instances.join(', ')}`];

const maximumLines = ({ raise, restore, lower = [] }: Decision): readonly string[] => [
  ...(raise.length === 0 ? [] : [`  raises the maximum size of ${sizesText(raise, 'toMax')}`]),
  ...(restore.length === 0 ? [] : [`  puts back the maximum size of ${sizesText(restore, 'fromMax')}`]),
  ...(lower.length === 0 ? [] : [`  lowers the maximum size of ${sizesText(lower, 'toMax')}`]),
];

const drainText = (drain: string | undefined): string => (drain === undefined ? '' : `, drain ${drain}`);

/** A member that Holdfast removes by its own choice is listed with the reason. The other claims follow from signals. */
const removalLines = ({ removals }: Decision, claimed: CarriedOut['claimed']): readonly string[] =>
  removals.map(({ instance, reason, why }) => {
    const claim = claimed.find((one) => one.instance === instance);
    return `  removes ${instance} (${reason}${drainText(claim?.drain)}): ${removalText(why)}`;
  });

const roundLines = (rounds: readonly Decision[], claimed: CarriedOut['claimed']): readonly string[] =>
  rounds.flatMap((round, index) => [
    ...(index === 0 ? [] : ['  decided again after refusals:']),
    ...round.reasons.map((reason) => `  ${reason.count} from ${reason.pool}: ${placementText(reason)}`),
    ...rejectionLines(round),
    ...removalLines(round, claimed),
    ...groupLines(round),
    ...(round.moves ?? []).map((move) => `  ${moveText(move)}`),
    ...(round.notMoved === undefined ? [] : [`  ${notMovedText(round.notMoved)}`]),
    ...(round.remarks ?? []).map((remark) => `  ${remarkText(remark)}`),
    ...(round.unplaced > 0 ? [`  ${round.unplaced} could not be placed anywhere`] : []),
  ]);

const claimLines = (claimed: CarriedOut['claimed'], rounds: readonly Decision[]): readonly string[] => {
  const removed = new Set(rounds.flatMap(({ removals }) => removals.map(({ instance }) => instance)));
  return claimed
    .filter(({ instance }) => !removed.has(instance))
    .map(({ instance, reason, drain }) => `  leaves: ${instance} (${reason})${drainText(drain)}`);
};

const carriedOutLines = ({ launches, admitted, failed, drainsStarted }: CarriedOut): readonly string[] => [
  ...launches.flatMap(launchLines),
  ...(admitted.length === 0 ? [] : [`  put into service: ${admitted.join(', ')}`]),
  ...failed.map(({ instance, awsCode }) => `  could not put ${instance} into service (${awsCode})`),
  ...(drainsStarted === 0 ? [] : [`  drains started: ${drainsStarted}`]),
];

const parts: Readonly<Record<TrimmedPart, string>> = {
  rounds: 'the reasons',
  view: 'the view',
  outcome: 'the outcome',
};

const trimmedLines = ({ trimmed = [] }: DecisionRecord): readonly string[] =>
  trimmed.map(
    ({ part, bytes }) => `  too large to be stored${bytes === undefined ? '' : ` (${bytes} bytes)`}: ${parts[part]}`,
  );

const observedLines = ({ adds, ends, now }: Observed): readonly string[] => [
  `  would have added ${costText(adds)}, and saved ${costText(ends)}`,
  `  the members cost ${costText(now)}`,
];

/** A decision is stored before it is carried out. */
const noOutcome =
  '  no outcome is stored yet: it is being carried out, or the function ended before it could store one';

const outcomeLines = ({ outcome, trimmed = [] }: DecisionRecord): readonly string[] => {
  if (outcome === undefined) return trimmed.some(({ part }) => part === 'outcome') ? [] : [noOutcome];
  switch (outcome.code) {
    case 'carried-out':
      return carriedOutLines(outcome);
    case 'observed':
      return observedLines(outcome);
    case 'not-carried-out':
      return [`  ${overtakenText(outcome.overtaken)}`];
  }
};

/** Every line of a decision that was only observed says so. */
const decidedLines = ({ rounds, outcome }: DecisionRecord): readonly string[] => {
  if (outcome?.code !== 'observed') {
    const claimed = outcome?.code === 'carried-out' ? outcome.claimed : [];
    return [...claimLines(claimed, rounds), ...roundLines(rounds, claimed)];
  }
  return [
    '  observed, and not carried out: the mode of the group is observe',
    ...outcome.leaves.map(({ instance, reason }) => `  leaves, and would be drained: ${instance} (${reason})`),
    ...roundLines(rounds, []).map((line) => `  would:${line.slice(1)}`),
  ];
};

/** The age of the prices that the decision compared. Each price that it shows is one of these. */
const priceLines = ({ nowMs, prices }: ViewDigest, policyVersion: number): readonly string[] => {
  if (prices === undefined) return [];
  const { readAtMs, isStated } = prices;
  const sources = [
    ...(readAtMs === undefined ? [] : [`spot read at ${timeText(readAtMs)}, ${durationText(nowMs - readAtMs)} before`]),
    ...(isStated ? [`on demand as policy version ${policyVersion} states them`] : []),
  ];
  return [`  prices: ${sources.join('; ')}`];
};

/** Repeated while EC2 shows them, for about an hour. */
export const endedLine = '  EC2 shows as ended, without a swap and without a signal in this look: ';

const unreadText = ({ unread }: ViewDigest): string =>
  unread === undefined ? '' : `, health of ${unread} not read yet`;

const endedLines = ({ ended = [] }: ViewDigest): readonly string[] =>
  ended.length === 0 ? [] : [`${endedLine}${someText(ended, ended.length)}`];

/** One decision in lines of plain text: its causes, its view, its reasons, its outcome. */
export const decisionText = (record: DecisionRecord): string => {
  const { causes, sizes, view } = record;
  return [
    `${timeText(record.atMs)}  ${record.group}  decision ${record.id}  policy version ${record.policyVersion}`,
    `  because of: ${causes.map(causeText).join(', ') || plannedLook}`,
    ...sizes.map((change) => `  ${sizeText(change)}`),
    ...(view === undefined
      ? []
      : [
          `  view: desired ${view.desired}, ${view.members} members, ${view.serving} serving${unreadText(view)}`,
          ...endedLines(view),
          ...priceLines(view, record.policyVersion),
        ]),
    ...decidedLines(record),
    ...outcomeLines(record),
    ...trimmedLines(record),
  ].join('\n');
};

/** A stored decision that could not be read. */
export const unreadableText = ({ group, item, problems }: Unreadable): string =>
  `${group}  ${item} could not be read: ${problems.join('; ')}. ` +
  'Another version of Holdfast wrote it, or it was edited by hand.';
