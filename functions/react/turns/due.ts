import { unlessTroubled } from '../../../aws/calls/unless-troubled.ts';
import type { ReactPorts } from '../ports.ts';

/** A group is woken so long ahead of its turn, and waits for it where it is. */
const aheadMs = 3_000;

/** The groups whose turn at the account's buckets has come, or comes at once, by the line as it was found. */
export type Due = {
  /** Reads the line, once in a batch. */
  look(): void;
  has(group: string): boolean;
};

/** @param changed is told once the line is known. If it cannot be read, no group is due. */
export const createDue = ({ store, clock }: Pick<ReactPorts, 'store' | 'clock'>, changed: () => void): Due => {
  let isAsked = false;
  let turns: ReadonlyMap<string, number> = new Map();
  const read = async (): Promise<void> => {
    const budget = await unlessTroubled(store.budget());
    if (budget === undefined) return;
    const launching = budget.waiting.filter(({ instances }) => instances > 0);
    turns = new Map(launching.map(({ group, turnAtMs }) => [group, turnAtMs]));
    changed();
  };
  return {
    look: () => {
      if (isAsked) return;
      isAsked = true;
      // The request itself reads the line again, and fails where this read fails for good.
      read().catch(() => undefined);
    },
    has: (group) => (turns.get(group) ?? Number.POSITIVE_INFINITY) <= clock.now() + aheadMs,
  };
};
