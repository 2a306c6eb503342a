import { tags } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { times } from '../../times.ts';
import { isUnshown } from '../../told/leaving.ts';
import { type Delivery, goneAtMs, isFunction, type Life, tagsAt, takenByMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/** The end of a function that came to its end and did not give a message back: SQS deletes the message then. */
const deletedAtMs = ({ invocations }: Chronicle, { invocation, message }: Delivery): number | undefined => {
  const ended = invocations.get(invocation)?.ended;
  return ended === undefined || ended.error !== undefined || ended.again.includes(message) ? undefined : ended.atMs;
};

/** The group that acts for it from the delivery until the message is deleted. */
const actsIn = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): string | undefined => {
  const group = chronicle.groupAt(life, fromMs);
  if (group === undefined || chronicle.groupAt(life, untilMs) !== group) return undefined;
  const policies = [chronicle.policyAt(group, fromMs), chronicle.policyAt(group, untilMs), ...chronicle.policiesIn(group, fromMs, untilMs)];
  return policies.every((policy) => policy?.mode === 'act') ? group : undefined;
};

/** EventBridge cuts milliseconds off the time of an event. */
const cutOffMs = 1_000;

/** Whether EC2 warned about it when the message says: a message may also be as old as an hour, or about a member that nobody warned. */
const isTrue = ({ warnings }: Life, { atMs, happenedAtMs }: Delivery): boolean =>
  warnings.some((warning) => !warning.silent && warning.atMs <= atMs && happenedAtMs > warning.atMs - cutOffMs);

/**
 * Whether a function knew nothing of the instance and had to let the message come again: no describe need show the instance, which Holdfast had launched with
 * the tag of its group, and the warning was young when the message was deleted.
 */
const comesAgain = ({ times: { clockMs } }: Chronicle, life: Life, { happenedAtMs }: Delivery, deletedMs: number): boolean =>
  isFunction(life.by) &&
  tagsAt(life, life.launchedAtMs)[tags.group] !== undefined &&
  deletedMs - happenedAtMs < times.unknownPatienceMs - cutOffMs - 2 * clockMs;

export const warningsAreKept: Rule = {
  name: 'no warning is lost with its message',
  meaning:
    'EC2 warns once. A function may let the message about a warned member be deleted only when the swap of that member is written, whatever faults met the function. This rule is about members of groups that act, and that EC2 has not taken yet. Describes must show them, or Holdfast launched them with the tag of their group, and EC2 warned less than two minutes ago: such a message comes again.',
  broken: (chronicle) =>
    chronicle.lives.flatMap((life): readonly Broken[] => {
      const { instance, warnings, deliveries, claims } = life;
      return deliveries.flatMap((delivery): readonly Broken[] => {
        const { told, atMs } = delivery;
        if (told.about !== 'warning' || !isTrue(life, delivery)) return [];
        const untilMs = deletedAtMs(chronicle, delivery);
        const takenMs = Math.min(goneAtMs(life), ...warnings.map(takenByMs)) - 2 * chronicle.times.clockMs;
        if (untilMs === undefined || untilMs >= takenMs || claims.some((claim) => claim.atMs <= untilMs)) return [];
        if (isUnshown(chronicle, life, delivery) && !comesAgain(chronicle, life, delivery, untilMs)) return [];
        const group = actsIn(chronicle, life, atMs, untilMs);
        const detail = `a function let the warning about ${instance} be deleted, and no swap of ${instance} was written`;
        return group === undefined ? [] : [{ group, instance, atMs: untilMs, detail }];
      });
    }),
};
