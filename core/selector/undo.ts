import { compareQuotes, quoteOfAll } from './cheapest.ts';
import { type Branch, type Choice, canGive, isOpen, type Leaf, type TreeNode } from './tree.ts';
import { nextByWeight } from './weighted.ts';

/** What an undo may choose from: whether a choice has a candidate below it. */
type HasCandidate = (choice: Choice) => boolean;

/** The last of the best. A placement breaks ties in configured order, so an undo breaks them in reverse order. */
const lastBest = (choices: readonly Choice[], score: (choice: Choice) => number): Choice | undefined => {
  let best: Choice | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const choice of choices) {
    const value = score(choice);
    if (value >= most) [best, most] = [choice, value];
  }
  return best;
};

const sharing = (branch: Branch, included: Choice): readonly Choice[] =>
  branch.choices.filter((choice) => choice.weight > 0 && (choice === included || isOpen(choice.node)));

type Sums = { readonly weights: number; readonly held: number };

const sumsOf = (choices: readonly Choice[]): Sums => ({
  weights: choices.reduce((sum, { weight }) => sum + weight, 0),
  held: choices.reduce((sum, { tally }) => sum + tally.count, 0),
});

/**
 * How many instances a child is above its share once one of its instances is gone. Only this child and the eligible
 * children have shares.
 */
const surplusOf = (giving: Sums, { node, weight, tally }: Choice): number => {
  if (weight === 0) return Number.POSITIVE_INFINITY;
  const [weights, held] = isOpen(node)
    ? [giving.weights, giving.held]
    : [giving.weights + weight, giving.held + tally.count];
  return tally.count - (weight * (held - 1)) / weights;
};

/** Whether the tree would give the next place back to this child. */
const wouldReturnTo = (branch: Branch, choice: Choice): boolean => {
  const shares = sharing(branch, choice);
  const next = nextByWeight(
    shares.map((other) => ({ weight: other.weight, held: other.tally.count - (other === choice ? 1 : 0) })),
  );
  return shares[next] === choice;
};

/**
 * A child with this surplus was not filled by its weight, so there is no last placement to undo: its share is restored.
 */
const beyondBalance = 2;

/** The child with the greatest surplus. Among children within one instance of it, the one that the tree placed last. */
const lastByWeight = (branch: Branch, candidates: readonly Choice[]): Choice | undefined => {
  const giving = sumsOf(branch.choices.filter(canGive));
  const surpluses = new Map(candidates.map((choice) => [choice, surplusOf(giving, choice)]));
  const surplus = (choice: Choice): number => surpluses.get(choice) ?? 0;
  const greatest = lastBest(candidates, surplus);
  if (greatest === undefined || surplus(greatest) >= beyondBalance || wouldReturnTo(branch, greatest)) return greatest;
  const near = candidates
    .filter((choice) => surplus(greatest) - surplus(choice) < 1)
    .sort((a, b) => surplus(b) - surplus(a) || b.index - a.index);
  return near.find((choice) => wouldReturnTo(branch, choice)) ?? greatest;
};

const dearest = (candidates: readonly Choice[]): Choice | undefined => {
  const quotes = new Map(candidates.map((choice) => [choice, quoteOfAll(choice.node)]));
  const compare = compareQuotes([...quotes.values()].every(({ price }) => price !== undefined));
  return candidates.reduce<Choice | undefined>((lead, next) => {
    const [a, b] = [lead && quotes.get(lead), quotes.get(next)];
    return a && b && compare(a, b) > 0 ? lead : next;
  }, undefined);
};

const undoIn = (branch: Branch, candidates: readonly Choice[]): Choice | undefined => {
  switch (branch.kind) {
    case 'tiered':
      return candidates.at(-1);
    case 'spread':
      return lastBest(candidates, ({ tally }) => tally.count);
    case 'weighted':
      return lastByWeight(branch, candidates);
    case 'cheapest':
      return dearest(candidates);
  }
};

/**
 * The leaf that the tree would have filled last, among those with a candidate: of a `spread` the fullest child, of a
 * `weighted` the one furthest above its share, of a `tiered` the last, of a `cheapest` the dearest. Ties are broken in
 * reverse of the configured order.
 */
export const undo = (root: TreeNode, hasCandidate: HasCandidate): Leaf | undefined => {
  let node: TreeNode | undefined = root;
  while (node !== undefined && node.kind !== 'pool') node = undoIn(node, node.choices.filter(hasCandidate))?.node;
  return node;
};
