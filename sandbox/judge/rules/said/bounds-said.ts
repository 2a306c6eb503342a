import { announcements } from '../../../../core/contract.ts';
import { deathsMayHoldBack, failedBootsOf, knownWithin } from '../../capacity/boots.ts';
import { slackOf, wasLost } from '../../capacity/breaker.ts';
import { firstCountsUntil, limitMayBound } from '../../capacity/launch-limit.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { inFlightAt } from '../../members/in-flight.ts';
import { couldBeKnown, headcountAt, surgeOf, unseenEnds } from '../../members/staying.ts';
import { unheardWarnings } from '../../members/unheard.ts';
import { boundsSaid, type SaidBound } from '../../said/bounds.ts';
import { decisionWrite, lookedByMs } from '../../said/decision-writes.ts';
import { times } from '../../times.ts';
import { isHindered, telling } from '../../told/hindrance.ts';
import { refillExpected } from '../../told/refill.ts';
import { heardBy, newestEach, outcomesOf } from '../../told/sizes-of-alarms.ts';
import { isDeniedStill } from '../../world/denied.ts';
import { isFunction, type Life } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Moments = {
  readonly group: string;
  readonly by: Life['by'];
  readonly lookedMs: number;
  readonly writtenMs: number;
  readonly outcome: string | undefined;
};

/** Whether it is so when the function looked, or when it had stored its decision. */
const atEither = ({ lookedMs, writtenMs }: Moments, isSo: (atMs: number) => boolean): boolean => isSo(lookedMs) || isSo(writtenMs);

/**
 * The most that a look may find a group to lack: those that leave are missing, those that its surge launches ahead of their swaps, and those that an Auto
 * Scaling group launched a moment before.
 */
const lackedAt = (
  chronicle: Chronicle,
  { group, lookedMs: sinceMs }: Pick<Moments, 'group' | 'lookedMs'>,
  atMs: number,
  sizes = chronicle.desiredIn(group, atMs, atMs),
): number => {
  const { staying, waiting, claimed } = headcountAt(chronicle, group, atMs);
  const known = [...staying, ...waiting].filter((life) => couldBeKnown(chronicle, life, { sinceMs, atMs }));
  const surge = surgeOf(chronicle.policiesIn(group, atMs, atMs), claimed, isDeniedStill(chronicle, group, atMs));
  return Math.max(1, ...sizes.map((desired) => desired - known.length + surge));
};

/**
 * Sizes that the alarms which its function heard make of the size. A decision that is not carried out may be for one of them, and no state of the group
 * ever has it.
 */
const sizesUnstored = (chronicle: Chronicle, { group, by, lookedMs, writtenMs, outcome }: Moments): readonly number[] => {
  const policy = outcome === 'carried-out' ? undefined : chronicle.policyAt(group, lookedMs);
  if (policy === undefined) return [];
  const heard = newestEach(heardBy(chronicle, { group, by, atMs: writtenMs }, policy));
  return chronicle.desiredIn(group, lookedMs, lookedMs).flatMap((desired) => outcomesOf(desired, heard, policy).map(({ size }) => size));
};

/** Whether the limit of launches held launches back, by the size of the group or by one that the decision was to set. */
const wasAtLimit = (chronicle: Chronicle, moments: Moments, atMs: number): boolean => {
  const { group } = moments;
  return (
    limitMayBound(chronicle, group, atMs, { lack: lackedAt(chronicle, moments, atMs) }) ||
    sizesUnstored(chronicle, moments).some((size) =>
      limitMayBound(chronicle, group, atMs, { lack: lackedAt(chronicle, moments, atMs, [size]), size }),
    )
  );
};

/** Members that decisions until a look left to their Auto Scaling groups. */
const leftUntil = (chronicle: Chronicle, group: string, untilMs: number): ReadonlySet<string> =>
  new Set(boundsSaid(chronicle.history).flatMap((said) => (said.group === group && said.lookedMs <= untilMs ? said.left : [])));

/**
 * Whether ends held launches back, by what the look could know of the members: an end a moment before it, a warning without a message, requests that others
 * had made, what Auto Scaling groups were about to launch, and whom decisions had left to these groups.
 */
const wereHeldBack = (chronicle: Chronicle, { group, by, lookedMs, writtenMs }: Moments, atMs: number): boolean =>
  deathsMayHoldBack(chronicle, group, atMs, {
    unseen: [...unseenEnds(chronicle, group, { by, sinceMs: lookedMs, atMs: writtenMs }), ...unheardWarnings(chronicle, group, { by, atMs })],
    coming: inFlightAt(chronicle, group, atMs) + refillExpected(chronicle, group, atMs),
    left: leftUntil(chronicle, group, lookedMs),
  });

/** Whether an event said that this breaker is open until then. */
const wasOpened = (chronicle: Chronicle, group: string, { breaker, untilMs }: Extract<SaidBound, { readonly code: 'breaker' }>): boolean =>
  chronicle
    .of('announced')
    .some(
      ({ detailType, detail }) =>
        detailType === announcements.breakerOpened && detail.group === group && detail.breaker === breaker && Number(detail.untilMs) === untilMs,
    );

/** Whether a decision opens no breaker: it lost its race, or its function ended before it had written the state of the group, and so without an outcome. */
const opensNone = (chronicle: Chronicle, { group, by, lookedMs, outcome }: Moments): boolean => {
  if (outcome !== undefined) return outcome === 'not-carried-out';
  const isOwn = (writer: Life['by']): boolean => isFunction(writer) && isFunction(by) && writer.invocation === by.invocation;
  return !chronicle.of('state-written').some((state) => state.group === group && state.atMs >= lookedMs && isOwn(state.by));
};

/** Whether instances of the pool ended early, and so late that their rest may last until then. A policy that was just written may not be followed yet. */
const mayRest = (
  chronicle: Chronicle,
  group: string,
  { pool, untilMs }: Extract<SaidBound, { readonly code: 'boots-failed' }>,
  atMs: number,
): boolean =>
  failedBootsOf(chronicle, group).some(
    (one) =>
      one.pool === pool && one.diedAtMs <= atMs && untilMs <= one.diedAtMs + knownWithin(chronicle) + times.longestBootRestMs + slackOf(chronicle),
  );

const whyFalse = (chronicle: Chronicle, said: SaidBound, moments: Moments): string | undefined => {
  const { group, writtenMs } = moments;
  switch (said.code) {
    case 'launches-bounded':
      if (!atEither(moments, (atMs) => wasAtLimit(chronicle, moments, atMs))) return 'says that its launches are at their limit';
      return atEither(moments, (atMs) => said.untilMs <= firstCountsUntil(chronicle, group, atMs))
        ? undefined
        : 'says that its first launch counts for longer than it does';
    case 'deaths-bounded':
      return atEither(moments, (atMs) => wereHeldBack(chronicle, moments, atMs)) ? undefined : 'says that too many instances ended early';
    case 'boots-failed':
      return mayRest(chronicle, group, said, writtenMs)
        ? undefined
        : `says that ${said.pool} rests after failed boots, and it does not, or not for so long`;
    case 'breaker':
      return opensNone(chronicle, moments) ||
        wasOpened(chronicle, group, said) ||
        isHindered(chronicle, telling, chronicle.history.beganAtMs, writtenMs)
        ? undefined
        : `says that the breaker of ${said.breaker} is open, which no event told`;
  }
};

export const boundsAreTrue: Rule = {
  name: 'what holds launches back is true',
  meaning:
    'Where a stored decision says that the limit of launches or too many early ends hold launches back, that a pool rests after failed boots, or that a breaker is open, this is so: by the launches, requests, swaps, ends and events of the record. The limit is said to end no later than the first of the launches that count, or of those of about the same time. A member counts as present if the look need not show its end, or if no message had told the function of its warning and it had no swap. A member that an Auto Scaling group launched by itself counts once a describe must show it. What such a group lacks is not missing while Holdfast waits for the group to launch it. A member that ended is not missing once a decision has left it to its Auto Scaling group, while that group replaces it. Where a decision was not carried out, its size may be one that the alarms it heard make of the size of the group. Where its function ended before it had written the state of the group, it opens no breaker.',
  broken: (chronicle) =>
    boundsSaid(chronicle.history).flatMap(({ id, group, lookedMs: saidMs, outcome, bounds }): readonly Broken[] => {
      const written = decisionWrite(chronicle, group, id);
      if (written === undefined || bounds.length === 0 || wasLost(chronicle, group, Number.NEGATIVE_INFINITY, written.atMs)) return [];
      const { atMs: writtenMs, by } = written;
      const lookedMs = lookedByMs(chronicle, group, id, saidMs);
      const found = bounds.flatMap((said) => whyFalse(chronicle, said, { group, by, lookedMs, writtenMs, outcome }) ?? []);
      return [...new Set(found)].map((what) => ({ group, atMs: writtenMs, detail: `decision ${id} ${what}` }));
    }),
};
