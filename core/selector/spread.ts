import { amongBest } from './among-best.ts';
import { lastBest } from './last-best.ts';
import type { SelectorKind } from './selector-kind.ts';
import { type Branch, type Choice, candidatesOf } from './tree.ts';

const fewestHeld = (branch: Branch): Choice | undefined => {
  let best: Choice | undefined;
  for (const choice of candidatesOf(branch)) {
    if (best === undefined || choice.tally.count < best.tally.count) best = choice;
  }
  return best;
};

/** The eligible child with the fewest members. Ties are broken in configured order. */
export const spread: SelectorKind = {
  ...amongBest,
  choose: fewestHeld,
  turnOf: ({ by = 'zone' }, { name, tally }) => ({ kind: 'spread', by, name, held: tally.count }),
  undo: (_, candidates) => lastBest(candidates, ({ tally }) => tally.count),
};
