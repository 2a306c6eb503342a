import { learnsWithinMs } from '../../../core/limits/account-budget.ts';
import { isAllKnown } from '../../../core/limits/ask-first.ts';
import type { Ask } from '../../../core/limits/need.ts';
import type { OfferingKey } from '../../../core/pool/offering.ts';
import type { ReactPorts } from '../ports.ts';

type Learner = { readonly ask: Ask };

/** Requests of a batch that wait for what others of the batch learn. */
export type Learners<One extends Learner> = {
  /** Holds requests until everything that they wait for is known, for a bounded time. */
  hold(some: readonly One[]): void;
  /** EC2 has refused or granted these offerings. */
  learned(offerings: Iterable<OfferingKey>): void;
  /** How long requests of a group have been held. */
  heldMs(group: string): number;
};

/** @param release is told requests that wait no longer. Each is told once. */
export const createLearners = <One extends Learner>(
  { clock, sleep }: Pick<ReactPorts, 'clock' | 'sleep'>,
  release: (some: readonly One[]) => void,
): Learners<One> => {
  /** Since when each request is held. */
  const held = new Map<One, number>();
  const heldMs = new Map<string, number>();
  const known = new Set<OfferingKey>();
  const letGo = (some: readonly One[]): void => {
    const leaving = some.filter((one) => held.has(one));
    for (const one of leaving) {
      const { group } = one.ask;
      heldMs.set(group, (heldMs.get(group) ?? 0) + clock.now() - (held.get(one) ?? clock.now()));
      held.delete(one);
    }
    if (leaving.length > 0) release(leaving);
  };
  const letGoKnown = (): void => letGo([...held.keys()].filter(({ ask }) => isAllKnown(ask, known)));
  return {
    hold: (some) => {
      if (some.length === 0) return;
      for (const one of some) held.set(one, clock.now());
      void sleep(learnsWithinMs).then(() => letGo(some));
      letGoKnown();
    },
    learned: (offerings) => {
      for (const key of offerings) known.add(key);
      letGoKnown();
    },
    heldMs: (group) => heldMs.get(group) ?? 0,
  };
};
