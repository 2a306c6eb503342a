import type { Decision, Rejection } from '../core/decision.ts';
import type { DecisionRecord } from '../core/ports.ts';
import { outcomeOf, roundsOf } from './stored-decision.ts';
import { timeText } from './time.ts';

const launchLines = (record: DecisionRecord): readonly string[] =>
  (outcomeOf(record).launches ?? []).flatMap(({ pool, count, instances, replaces, refusals = [], trouble, code }) => [
    instances === undefined
      ? `  asked ${pool} for ${count}: ${trouble ?? 'no answer stored'}${code === undefined ? '' : ` (${code})`}`
      : `  asked ${pool} for ${count}: got ${instances.length}${instances.length === 0 ? '' : ` (${instances.join(', ')})`}`,
    ...(replaces.length === 0 ? [] : [`    in place of ${replaces.join(', ')}`]),
    ...refusals.map(({ offering, code: refusal }) => `    refused: ${offering.instanceType} ${offering.zone} ${offering.market}, ${refusal}`),
  ]);

/** A pool that was launched from all the same has lost only some of its offerings. */
const rejectionText = ({ path, pool, why }: Rejection, { reasons = [] }: Partial<Decision>): string => {
  const where = path === '' ? '' : ` (${path})`;
  return reasons.some((reason) => reason.pool === pool) ? `within ${pool}${where}: ${why}` : `passed over ${pool}${where}: ${why}`;
};

const roundLines = (record: DecisionRecord): readonly string[] =>
  roundsOf(record).flatMap((round, index) => [
    ...(index === 0 ? [] : ['  decided again after refusals:']),
    ...(round.reasons ?? []).map(({ pool, count, why }) => `  ${count} from ${pool}: ${why}`),
    ...(round.rejected ?? []).map((rejection) => `  ${rejectionText(rejection, round)}`),
    ...(round.removals ?? []).map(({ instance, reason, why }) => `  removes ${instance} (${reason}): ${why}`),
    ...((round.unplaced ?? 0) > 0 ? [`  ${round.unplaced} could not be placed anywhere`] : []),
  ]);

/** One decision in lines of plain text: what led to it, what it looked at, why it chose, what came of it. */
export const decisionText = (record: DecisionRecord): string => {
  const { claimed = [], admitted = [], drainsStarted = 0 } = outcomeOf(record);
  const digest = record.viewDigest as { desired?: number; members?: number; serving?: number } | undefined;
  return [
    `${timeText(record.atMs)}  ${record.group}  decision ${record.id}  policy version ${record.policyVersion}`,
    `  because of: ${record.because.join(', ') || 'the minute tick'}`,
    ...(digest?.desired === undefined ? [] : [`  saw: desired ${digest.desired}, ${digest.members} members, ${digest.serving} serving`]),
    ...claimed.map(({ instance, reason, drain }) => `  lets go ${instance} (${reason})${drain === undefined ? '' : `, drain ${drain}`}`),
    ...roundLines(record),
    ...launchLines(record),
    ...(admitted.length === 0 ? [] : [`  put into service: ${admitted.join(', ')}`]),
    ...(drainsStarted === 0 ? [] : [`  drains started: ${drainsStarted}`]),
  ].join('\n');
};
