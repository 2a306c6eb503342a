import type { Turn } from '../decision.ts';
import { chooseCheapest, quoteOf } from './cheapest.ts';
import { type Branch, type Choice, candidatesOf, isOpen, type Leaf, type TreeNode } from './tree.ts';
import { belowShare, nextByWeight } from './weighted.ts';

/** What changes while instances are placed one after another. */
export type Run = {
  /** Last choice of each `cheapest` node by its key. */
  readonly cheapest: Record<string, string>;
  /** Number of the instance that is being placed. */
  step: number;
  /** How many leaves have closed: a `cheapest` node compares prices again only when this changes. */
  closings: number;
  readonly settled: Map<Branch, { readonly closings: number; readonly choice: Choice }>;
};

/** One step on the way down the tree. */
export type Step = { readonly branch: Branch; readonly choice: Choice };

const fewestHeld = (branch: Branch): Choice | undefined => {
  let best: Choice | undefined;
  for (const choice of candidatesOf(branch)) {
    if (best === undefined || choice.tally.count < best.tally.count) best = choice;
  }
  return best;
};

const shareOf = ({ weight, tally }: Choice) => ({ weight, held: tally.count });

const byWeight = (branch: Branch): Choice | undefined => {
  const giving = candidatesOf(branch);
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
      return candidatesOf(branch)[0];
    case 'spread':
      return fewestHeld(branch);
    case 'weighted':
      return byWeight(branch);
    case 'cheapest':
      return byPrice(branch, run);
  }
};

/** Walks down the tree to the pool that gives the next instance. Undefined when nothing is eligible. */
export const pick = (root: TreeNode, run: Run): { readonly leaf: Leaf; readonly way: readonly Step[] } | undefined => {
  const way: Step[] = [];
  let node = root;
  while (node.kind !== 'pool') {
    const choice = chooseIn(node, run);
    if (choice === undefined) return undefined;
    node.visitedAt = run.step;
    node.visitedRank = node.rank;
    node.furthest = Math.max(node.furthest, choice.index);
    way.push({ branch: node, choice });
    node = choice.node;
  }
  return isOpen(node) ? { leaf: node, way } : undefined;
};

const cheapestTurn = ({ name, node }: Choice): Turn => {
  const { price } = quoteOf(node);
  return { kind: 'cheapest', name, ...(price !== undefined && { priceUsdPerHour: price }) };
};

const turnOf = ({ branch, choice }: Step): Turn => {
  switch (branch.kind) {
    case 'tiered':
      return { kind: 'tiered', tier: choice.index + 1, of: branch.choices.length };
    case 'spread':
      return { kind: 'spread', by: branch.by ?? 'zone', name: choice.name, held: choice.tally.count };
    case 'weighted': {
      const giving = candidatesOf(branch);
      return {
        kind: 'weighted',
        name: choice.name,
        belowShare: belowShare(giving.map(shareOf), giving.indexOf(choice)),
      };
    }
    case 'cheapest':
      return cheapestTurn(choice);
  }
};

/** The way down as data, as it was before the instance was counted. */
export const turnsOf = (way: readonly Step[]): readonly Turn[] => way.map(turnOf);
