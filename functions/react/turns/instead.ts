import type { InForce } from '../look/in-force.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { endsWithinMs } from '../rounds.ts';
import { canHandOver, type Hindrance, handOver, keepFacts } from './hand-over.ts';
import { putOff } from './put-off.ts';

/** What is done with a group that is not looked at now. */
export type Instead =
  /** `lookAtMs`: the time of the common look to arrange. Undefined: that look is arranged already. */
  | { readonly kind: 'put-off'; readonly lookAtMs: number | undefined }
  | { readonly kind: 'hand-over'; readonly trouble: Hindrance };

/** When the invocation began, when its first groups were read, and when the groups of this batch were. */
type Times = { readonly beganAtMs: number; readonly routedAtMs: number; readonly readAtMs: number };

/**
 * Why groups cannot be looked at now, although nothing else speaks against it: too little time is left, because a group
 * may need half of the time limit. `crowded`: the groups that were converged before took longer than their own reads.
 */
const hindranceNow = ({ beganAtMs, routedAtMs, readAtMs }: Times, nowMs: number): 'crowded' | 'slow' | undefined => {
  if (nowMs - beganAtMs <= endsWithinMs) return undefined;
  return readAtMs - routedAtMs > nowMs - readAtMs ? 'crowded' : 'slow';
};

/** A group of a batch, and what is in force for it. Undefined `one`: it could not be read. */
type Heard = { readonly facts: Facts; readonly one: { readonly read: InForce | undefined } | undefined };

/** What is done with each group of a batch. Absent: it is looked at. */
export const insteadOfLooks = async (
  heard: readonly Heard[],
  ports: ReactPorts,
  times: Times,
): Promise<readonly (Instead | undefined)[]> => {
  const later = await putOff(
    heard.map(({ facts, one }) => ({ facts, inForce: one?.read })),
    ports,
  );
  const trouble = hindranceNow(times, ports.clock.now());
  return heard.map(({ facts, one }) => {
    const { group } = facts;
    const putBy = later.get(group);
    if (putBy !== undefined) return { kind: 'put-off', ...putBy };
    const mayHandOver = trouble !== undefined && one?.read !== undefined && canHandOver(facts, one.read.group);
    return mayHandOver ? { kind: 'hand-over', trouble } : undefined;
  });
};

/** Stores the facts about a group that is not looked at now, and arranges the look that comes later. */
export const lookLater = async (facts: Facts, known: InForce, instead: Instead, ports: ReactPorts): Promise<void> => {
  if (instead.kind === 'hand-over') return handOver(facts, known, ports, instead.trouble);
  await keepFacts(facts, known, ports);
  if (instead.lookAtMs !== undefined) await ports.wakes.wake([facts.group], instead.lookAtMs, 'together');
};
