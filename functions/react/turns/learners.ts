import { learnsWithinMs } from '../../../core/limits/account-budget.ts';
import { isAllKnown } from '../../../core/limits/ask-first.ts';
import type { Ask } from '../../../core/limits/need.ts';
import type { OfferingKey } from '../../../core/pool/offering.ts';

type Learner = { readonly ask: Ask };

/** Requests of a batch that wait for what others of the batch learn. */
export type Learners<One extends Learner> = {
  /** Holds requests until everything that they wait for is known, for a bounded time. */
  hold(some: readonly One[]): void;
  /** EC2 has refused or granted these offerings. */
  learned(offerings: Iterable<OfferingKey>): void;
};

/** @param release is told requests that wait no longer. Each is told once. */
export const createLearners = <One extends Learner>(
  sleep: (ms: number) => Promise<void>,
  release: (some: readonly One[]) => void,
): Learners<One> => {
  let held: readonly One[] = [];
  const known = new Set<OfferingKey>();
  const letGo = (some: readonly One[]): void => {
    const leaving = held.filter((one) => some.includes(one));
    held = held.filter((one) => !leaving.includes(one));
    if (leaving.length > 0) release(leaving);
  };
  const letGoKnown = (): void => letGo(held.filter(({ ask }) => isAllKnown(ask, known)));
  return {
    hold: (some) => {
      if (some.length === 0) return;
      held = [...held, ...some];
      void sleep(learnsWithinMs).then(() => letGo(some));
      letGoKnown();
    },
    learned: (offerings) => {
      for (const key of offerings) known.add(key);
      letGoKnown();
    },
  };
};
