import { compareQuotes, quoteOf } from './cheapest.ts';
import { type Branch, type Choice, isOpen, type Leaf, type TreeNode } from './tree.ts';
import { nextByWeight } from './weighted.ts';

/** What an undo may choose from: whether a choice has a candidate below it. */
type HasCandidate = (choice: Choice) => boolean;

/** The last of the best: an undo breaks ties against the configured order, because a placement breaks them in it. */
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

/** How many instances a child is above its share once one of its instances is gone, among the children that can give. */
const surplusOf = (branch: Branch, choice: Choice): number => {
  if (choice.weight === 0) return Number.POSITIVE_INFINITY;
  const shares = sharing(branch, choice);
  const weights = shares.reduce((sum, { weight }) => sum + weight, 0);
  const held = shares.reduce((sum, { tally }) => sum + tally.count, 0);
  return choice.tally.count - (choice.weight * (held - 1)) / weights;
};

/** Whether the tree would give the place straight back to this child. */
const wouldReturnTo = (branch: Branch, choice: Choice): boolean => {
  const shares = sharing(branch, choice);
  const next = nextByWeight(shares.map((other) => ({ weight: other.weight, held: other.tally.count - (other === choice ? 1 : 0) })));
  return shares[next] === choice;
};

/** The greatest surplus; among children within one instance of it, the one that the tree placed last. */
const lastByWeight = (branch: Branch, candidates: readonly Choice[]): Choice | undefined => {
  const surpluses = new Map(candidates.map((choice) => [choice, surplusOf(branch, choice)]));
  const surplus = (choice: Choice): number => surpluses.get(choice) ?? 0;
  const greatest = lastBest(candidates, surplus);
  if (greatest === undefined || greatest.weight === 0 || wouldReturnTo(branch, greatest)) return greatest;
  const near = candidates.filter((choice) => surplus(greatest) - surplus(choice) < 1 && wouldReturnTo(branch, choice));
  return lastBest(near, surplus) ?? greatest;
};

const dearest = (candidates: readonly Choice[], prices: Readonly<Record<string, number>>): Choice | undefined => {
  const quotes = new Map(candidates.map((choice) => [choice, quoteOf(choice.node, prices, () => true)]));
  const compare = compareQuotes([...quotes.values()].every(({ price }) => price !== undefined));
  return candidates.reduce<Choice | undefined>((lead, next) => {
    const [a, b] = [lead && quotes.get(lead), quotes.get(next)];
    return a && b && compare(a, b) > 0 ? lead : next;
  }, undefined);
};

const undoIn = (branch: Branch, candidates: readonly Choice[], prices: Readonly<Record<string, number>>): Choice | undefined => {
  switch (branch.kind) {
    case 'tiered':
      return candidates.at(-1);
    case 'spread':
      return lastBest(candidates, ({ tally }) => tally.count);
    case 'weighted':
      return lastByWeight(branch, candidates);
    case 'cheapest':
      return dearest(candidates, prices);
  }
};

/**
 * The leaf that the tree would have filled last, among those that have a candidate: of a `spread` the fullest child, of a `weighted` the one furthest above
 * its share, of a `tiered` the last, of a `cheapest` the dearest; ties against the configured order.
 */
export const undo = (root: TreeNode, hasCandidate: HasCandidate, prices: Readonly<Record<string, number>>): Leaf | undefined => {
  let node: TreeNode | undefined = root;
  while (node !== undefined && node.kind !== 'pool') node = undoIn(node, node.choices.filter(hasCandidate), prices)?.node;
  return node;
};
