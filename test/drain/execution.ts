import type { DrainStep } from '../../core/contract.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { checkDrain } from '../../functions/check-drain/check-drain.ts';
import { type EndOutcome, endDrain } from '../../functions/end-drain/end-drain.ts';
import { type KnownDelay, readDrainInput } from '../../functions/runtime/drain/order.ts';
import type { Fleet } from './fleet.ts';

/** One visit of a state, and when. */
export type Visit = { readonly state: 'begin' | 'check' | 'end'; readonly atMs: number };

/** What the state machine passes on of a step. */
const passedOn = (step: DrainStep) => readDrainInput({ group: 'web', drain: 'd', step });
export const knownAfter = (step: DrainStep): KnownDelay | undefined => passedOn(step).known;

const retryAfterMs = 1_000;
const tooMany = 200;

/** Plays the state machine on the fleet's clock: waits, steps, and a retry after a second when a function dies. */
export const execute = async (fleet: Fleet, order: DrainOrder): Promise<{ readonly visits: readonly Visit[]; readonly outcome: EndOutcome }> => {
  const visits: Visit[] = [];
  let next: Visit['state'] = 'begin';
  let known: KnownDelay | undefined;
  let plannedMs: number | undefined;
  let failsSinceMs: number | undefined;
  while (visits.length < tooMany) {
    visits.push({ state: next, atMs: fleet.nowMs });
    try {
      if (next === 'end') {
        const outcome = await endDrain(fleet.ports, order, undefined, { failsSinceMs });
        const { step } = outcome;
        if (step.next === 'over' || step.next === 'fail') return { visits, outcome };
        ({ next } = step);
        failsSinceMs = step.next === 'end' ? step.failsSinceMs : undefined;
        fleet.nowMs = Math.max(fleet.nowMs, Date.parse(step.untilIso));
        continue;
      }
      const { step }: { readonly step: DrainStep } =
        next === 'begin' ? await beginDrain(fleet.ports, order, known) : await checkDrain(fleet.ports, order, plannedMs);
      next = step.next;
      ({ known, plannedMs } = passedOn(step));
      if (step.next !== 'end') fleet.nowMs = Math.max(fleet.nowMs, Date.parse(step.untilIso));
    } catch {
      fleet.nowMs += retryAfterMs;
    }
  }
  throw new Error(`The execution does not end: ${JSON.stringify(visits.slice(-5))}`);
};
