import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { actsWithinMs, drainBeginsInTime, outByMs } from '../rules/drains/warned.ts';
import { knewAtMs, takenOutByUs } from '../told/leaving.ts';
import { isFunction, type Life } from '../world/life.ts';
import { byLife, isOfDrainOf } from './warned.ts';

/** A call that takes this long was delayed by a fault. */
const slowMs = 2_500;

/** Whether an invocation was to begin a drain of this member. */
const beginsDrainOf =
  (chronicle: Chronicle, life: Life) =>
  (one: { readonly invocation: string; readonly function: string }): boolean =>
    one.function.includes('begin-drain') && isOfDrainOf(chronicle, life)(one);

/** Whether a fault held up a read of a function that was to begin the drain. That function may have gone on and begun it. */
const heldUpIn = (chronicle: Chronicle, isOfDrain: ReturnType<typeof beginsDrainOf>, sinceMs: number, untilMs: number): boolean =>
  chronicle.of('called').some(({ isMutating, askedAtMs, atMs, ...call }) => {
    if (isMutating || atMs < sinceMs || atMs > untilMs || !isOfDrain(call)) return false;
    const { invocation } = call;
    return atMs - askedAtMs >= slowMs && chronicle.invocations.get(invocation)?.ended?.injected !== false;
  });

/** A time that a function lost, from one moment to another. */
type Span = { readonly fromMs: number; readonly toMs: number };

/** How long these times are together. What several share counts once. */
const lengthOf = (spans: readonly Span[]): number =>
  spans
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .reduce(
      ({ totalMs, untilMs }, { fromMs, toMs }) => ({
        totalMs: totalMs + Math.max(0, toMs - Math.max(fromMs, untilMs)),
        untilMs: Math.max(untilMs, toMs),
      }),
      { totalMs: 0, untilMs: Number.NEGATIVE_INFINITY },
    ).totalMs;

/**
 * How long faults had held up the function that took a member out of service, until then: with calls that they refused, until the repeats, and with writes
 * that they delayed.
 */
const lostMs = (chronicle: Chronicle, life: Life, atMs: number): number => {
  const by = life.services.find((service) => takenOutByUs(service) && service.untilMs === atMs)?.by;
  if (by === undefined || !isFunction(by)) return 0;
  const meetsFault = chronicle.invocations.get(by.invocation)?.ended?.injected !== false;
  const calls = chronicle.of('called').filter(({ invocation, askedAtMs }) => invocation === by.invocation && askedAtMs <= atMs);
  const spans = calls.flatMap(({ trouble, applied, service, operation, isMutating, askedAtMs, atMs: endedAtMs }): readonly Span[] => {
    const again = calls.find((call) => call.askedAtMs > askedAtMs && call.service === service && call.operation === operation);
    if (trouble === 'fault' && !applied && again !== undefined) return [{ fromMs: askedAtMs, toMs: again.askedAtMs }];
    const isSlowWrite = isMutating && meetsFault && endedAtMs <= atMs && endedAtMs - askedAtMs >= slowMs;
    return isSlowWrite ? [{ fromMs: askedAtMs, toMs: endedAtMs }] : [];
  });
  return lengthOf(spans);
};

/** Whether it would have been taken out of service in time without the calls that faults refused or delayed. */
const isLateByFaults = (chronicle: Chronicle, life: Life, atMs: number): boolean =>
  atMs - lostMs(chronicle, life, atMs) <= outByMs(chronicle, life, knewAtMs(chronicle, life));

export const begunLate: Allowance = {
  name: 'a function of the drain met a fault',
  excuses: drainBeginsInTime.name,
  trouble:
    'A fault was injected into a function that was to begin the drain, or it delayed a read or a write of the function that began it, or refused calls of it.',
  reaches:
    'The members of that drain, if they are taken out of service within fifteen seconds of that fault. Where calls were refused or writes delayed, if they are late by no more than the time from the refused calls to their repeats, and of the delayed writes.',
  reason: 'A failed step is repeated after a while. A step has five seconds, and one delayed call or a few throttled calls may take as long.',
  covers: byLife((life, { atMs }, chronicle) => {
    const late = atMs - actsWithinMs;
    const isOfDrain = beginsDrainOf(chronicle, life);
    const failed = chronicle
      .of('invocation-ended')
      .some(({ injected, atMs: endedAtMs, ...ended }) => injected && endedAtMs >= late && endedAtMs <= atMs && isOfDrain(ended));
    return failed || heldUpIn(chronicle, isOfDrain, late, atMs) || isLateByFaults(chronicle, life, atMs);
  }),
};
