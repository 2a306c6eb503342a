import { chooseCheapest, quoteOf } from './cheapest.ts';
import { type Branch, type Choice, canGive, isOpen, type Leaf, type TreeNode } from './tree.ts';
import { belowShare, nextByWeight } from './weighted.ts';

/** What changes while instances are placed one after another. */
export type Run = {
  /** Last choice of each `cheapest` node by its key. */
  readonly cheapest: Record<string, string>;
  /** Number of the instance that is being placed. */
  step: number;
  /** How often a leaf has closed: a `cheapest` node looks again only then. */
  closings: number;
  readonly settled: Map<Branch, { readonly closings: number; readonly choice: Choice }>;
};

/** One turn taken on the way down the tree. */
export type Turn = { readonly branch: Branch; readonly choice: Choice };

const fewestHeld = (branch: Branch): Choice | undefined => {
  let best: Choice | undefined;
  for (const choice of branch.choices) {
    if (canGive(choice) && (best === undefined || choice.tally.count < best.tally.count)) best = choice;
  }
  return best;
};

const shareOf = ({ weight, tally }: Choice) => ({ weight, held: tally.count });

const byWeight = (branch: Branch): Choice | undefined => {
  const giving = branch.choices.filter(canGive);
  return giving[nextByWeight(giving.map(shareOf))];
};

const byPrice = (branch: Branch, run: Run): Choice | undefined => {
  const settled = run.settled.get(branch);
  if (settled?.closings === run.closings) return settled.choice;
  const choice = chooseCheapest(branch, run.cheapest[branch.key]);
  if (choice === undefined) return undefined;
  run.settled.set(branch, { closings: run.closings, choice });
  run.cheapest[branch.key] = choice.name;
  return choice;
};

const chooseIn = (branch: Branch, run: Run): Choice | undefined => {
  switch (branch.kind) {
    case 'tiered':
      return branch.choices.find(canGive);
    case 'spread':
      return fewestHeld(branch);
    case 'weighted':
      return byWeight(branch);
    case 'cheapest':
      return byPrice(branch, run);
  }
};

/** Goes down the tree to the pool that gives the next instance; undefined when nothing is eligible. */
export const pick = (root: TreeNode, run: Run): { readonly leaf: Leaf; readonly turns: readonly Turn[] } | undefined => {
  const turns: Turn[] = [];
  let node = root;
  while (node.kind !== 'pool') {
    const choice = chooseIn(node, run);
    if (choice === undefined) return undefined;
    node.visitedAt = run.step;
    node.furthest = Math.max(node.furthest, choice.index);
    turns.push({ branch: node, choice });
    node = choice.node;
  }
  return isOpen(node) ? { leaf: node, turns } : undefined;
};

const explainCheapest = ({ choice }: Turn): string => {
  const { price } = quoteOf(choice.node);
  return `cheapest: ${choice.name} ${price === undefined ? 'at an unknown price' : `at ${price} USD per hour`}`;
};

const explainTurn = (turn: Turn): string => {
  const { branch, choice } = turn;
  switch (branch.kind) {
    case 'tiered':
      return `tiered: tier ${choice.index + 1} of ${branch.choices.length}`;
    case 'spread':
      return `spread by ${branch.by}: ${choice.name} holds the fewest (${choice.tally.count})`;
    case 'weighted': {
      const giving = branch.choices.filter(canGive);
      return `weighted: ${choice.name} is ${belowShare(giving.map(shareOf), giving.indexOf(choice)).toFixed(1)} below its share`;
    }
    case 'cheapest':
      return explainCheapest(turn);
  }
};

/** The way down in words, as it stands before the instance is counted. */
export const explain = (turns: readonly Turn[]): string => (turns.length === 0 ? 'the only pool' : turns.map((turn) => explainTurn(turn)).join('; '));
