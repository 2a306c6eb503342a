import type { Choice } from './tree.ts';

/**
 * The last one of the best choices. A placement breaks ties in configured order, so an undo does it in reverse order.
 */
export const lastBest = (choices: readonly Choice[], score: (choice: Choice) => number): Choice | undefined => {
  let best: Choice | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const choice of choices) {
    const value = score(choice);
    if (value >= most) [best, most] = [choice, value];
  }
  return best;
};
