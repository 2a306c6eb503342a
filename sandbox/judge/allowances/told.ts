import type { Chronicle } from '../chronicle.ts';
import type { Allowance } from '../finding.ts';
import { isFunction } from '../life.ts';
import { toldOnTheBus } from '../rules/announced.ts';
import { nothingOpen } from '../rules/rest.ts';

/** It died, or a write of it or the event itself met a fault: whoever does not know whether it claimed tells nothing. */
const couldNotTell = ({ invocations, of }: Chronicle, invocation: string): boolean => {
  const ended = invocations.get(invocation)?.ended;
  if (ended === undefined || (ended.injected && ended.error !== undefined)) return true;
  return of('called').some((call) => call.invocation === invocation && call.isMutating && call.outcome !== 'ok' && call.trouble !== undefined);
};

export const claimedUnderFault: Allowance = {
  name: 'a fault met the function that had to send the event',
  excuses: toldOnTheBus.name,
  trouble: 'A fault was injected into the function that claimed the swap, or that fell back, before it had sent the event.',
  reaches: 'The swap that this very function claimed, and its own fallback.',
  reason: 'Events are told after acting, and not again: a swap that goes on is more than the word about it.',
  covers: ({ instance = '', invocation }, chronicle) => {
    if (invocation !== undefined) return couldNotTell(chronicle, invocation);
    const by = chronicle.life(instance)?.claims[0]?.by;
    return isFunction(by) && couldNotTell(chronicle, by.invocation);
  },
};

/** People whose call is throttled ask again. */
const stoppedWithinMs = 30_000;

export const stoppedByHand: Allowance = {
  name: 'somebody stopped the drain',
  excuses: nothingOpen.name,
  trouble: 'A user stops executions of the drain workflow by hand.',
  reaches: 'Drains that were aborted at that moment.',
  reason: 'What a user stops is stopped; another drain takes over its members.',
  covers: ({ detail, atMs }, chronicle) =>
    detail.endsWith(': aborted') &&
    chronicle.of('step').some((step) => step.step === 'drains-stopped' && step.atMs <= atMs + 1_000 && atMs - step.atMs < stoppedWithinMs),
};
