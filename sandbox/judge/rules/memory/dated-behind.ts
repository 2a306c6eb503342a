import { items } from '../../../../core/contract.ts';
import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle, Invocation } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { remembered } from '../../remembered.ts';
import { times } from '../../times.ts';
import { endless, isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;

/**
 * Invocations that repeat another one: of a drain whose last step failed, or of messages that were all delivered before. The state was entered, and the
 * messages were received, when the first one was called. So nothing tells such a function when it was called itself.
 */
const repeats = remembered((chronicle: Chronicle): ReadonlySet<string> => {
  const found = new Set<string>();
  const failed = new Map<string, boolean>();
  const seen = new Set<string>();
  for (const { id, drain, deliveries, ended } of [...chronicle.invocations.values()].toSorted((a, b) => a.beganAtMs - b.beganAtMs)) {
    const isOld = deliveries.length > 0 && deliveries.every(({ message }) => seen.has(message));
    if (isOld || (drain !== undefined && failed.get(drain))) found.add(id);
    for (const { message } of deliveries) seen.add(message);
    if (drain !== undefined) failed.set(drain, ended === undefined || ended.error !== undefined);
  }
  return found;
});

/** Before this, no function can have done anything of its own: its clock is not behind what called it. */
const earliestMs = (chronicle: Chronicle, { id, beganAtMs }: Invocation): number =>
  beganAtMs - times.clockAheadMs - (repeats(chronicle).has(id) ? 2 * chronicle.times.clockMs : 0);

/** An earlier step may have taken a member out of its target groups that Auto Scaling did not let go. */
const wasOutBefore = (chronicle: Chronicle, instance: string, { beganAtMs }: Invocation): boolean =>
  chronicle.of('called').some(({ takesOut, askedAtMs }) => askedAtMs < beganAtMs && takesOut?.includes(instance) === true);

export const nothingIsDatedBehind: Rule = {
  name: 'nothing is dated before its function was called',
  meaning:
    'However wrong the clocks of functions are, no swap says of anything that its function did, or found ended, that it happened more than six seconds before this function was called. Where a function is called again for the same messages, or for a step of a drain that failed, its clock may be wrong by more. The drain of a member counts from an earlier call, if one was to take it out of service.',
  broken: (chronicle) =>
    chronicle.of('dated-behind').flatMap(({ group, item, field, saidMs, by, atMs }): readonly Broken[] => {
      const of = isFunction(by) ? chronicle.invocations.get(by.invocation) : undefined;
      const instance = item.slice(items.swapPrefix.length);
      if (of === undefined || saidMs >= earliestMs(chronicle, of) || wasLost(chronicle, group, Number.NEGATIVE_INFINITY, endless)) return [];
      if (field === 'drainStartedAtMs' && wasOutBefore(chronicle, instance, of)) return [];
      const behind = ((of.beganAtMs - saidMs) / 1_000).toFixed(1);
      return [{ group, instance, atMs, detail: `${field} of ${item} is dated ${behind} s before ${of.function} was called` }];
    }),
};
