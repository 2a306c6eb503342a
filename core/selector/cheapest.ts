import * as z from 'zod/mini';
import type { Turn } from '../decision/decision.ts';
import { map } from '../policy/field.ts';
import { amongBest } from './among-best.ts';
import type { Run } from './pick.ts';
import { lowerPrice, type Quote } from './quote.ts';
import type { CapacityNode } from './selector.ts';
import type { SelectorKind } from './selector-kind.ts';
import { type Branch, type Choice, candidatesOf, type TreeNode } from './tree.ts';
import { listedChildren, noProblems, type WrittenKind } from './written-kind.ts';

/** How a user writes it. */
export type WrittenCheapest = { readonly cheapest: readonly CapacityNode[] };

/**
 * A `cheapest` node changes to another child only when that saves at least this share of the present price. Otherwise
 * it would flap with the spot market. Whether a member moves as well depends on the cost of the move.
 */
export const worthwhileSaving = 0.05;

const merge = (a: Quote, b: Quote): Quote => ({ price: lowerPrice(a.price, b.price), spot: a.spot || b.spot });

const nothing: Quote = { price: undefined, spot: false };

const cheapestOf = (choices: readonly Choice[], quote: (node: TreeNode) => Quote): Quote =>
  choices.map(({ node }) => quote(node)).reduce(merge, nothing);

/** The quote of the eligible pools below a node: of all tiers, or of the children that the node picks from. */
const quoteOf = (node: TreeNode): Quote => {
  if (node.kind === 'pool') return node.quote;
  return cheapestOf(node.selector.priced(node), quoteOf);
};

/** The quote of everything below a node, eligible or not. */
const quoteOfAll = (node: TreeNode): Quote =>
  node.kind === 'pool' ? node.quote : cheapestOf(node.choices, quoteOfAll);

/**
 * Orders quotes, cheapest first. While all prices are known, they alone decide. When one is unknown, spot goes before
 * on-demand, then known prices before unknown ones. What is still equal keeps its configured order.
 */
const compareQuotes =
  (allKnown: boolean) =>
  (a: Quote, b: Quote): number => {
    if (!allKnown && a.spot !== b.spot) return a.spot ? -1 : 1;
    return (a.price ?? Number.MAX_VALUE) - (b.price ?? Number.MAX_VALUE);
  };

/** A member does not move between quotes that cannot be compared, except back from on-demand to spot. */
const staysWith = (last: Quote, best: Quote): boolean => {
  if (last.price === undefined || best.price === undefined) return last.spot || !best.spot;
  return best.price > last.price * (1 - worthwhileSaving) + 1e-9;
};

/** The child that a `cheapest` node takes: the lowest quote, or the last choice while no other saves enough. */
const chooseCheapest = (branch: Branch, last: string | undefined): Choice | undefined => {
  const quoted = candidatesOf(branch).map((choice) => ({ choice, quote: quoteOf(choice.node) }));
  const compare = compareQuotes(quoted.every(({ quote }) => quote.price !== undefined));
  const best = quoted.reduce<(typeof quoted)[number] | undefined>(
    (lead, next) => (lead && compare(lead.quote, next.quote) <= 0 ? lead : next),
    undefined,
  );
  const present = quoted.find(({ choice }) => choice.name === last);
  return best && present && staysWith(present.quote, best.quote) ? present.choice : best?.choice;
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

const cheapestTurn = ({ name, node }: Choice): Turn => ({
  kind: 'cheapest',
  name,
  priceUsdPerHour: quoteOf(node).price,
});

const dearest = (candidates: readonly Choice[]): Choice | undefined => {
  const quotes = new Map(candidates.map((choice) => [choice, quoteOfAll(choice.node)]));
  const compare = compareQuotes([...quotes.values()].every(({ price }) => price !== undefined));
  return candidates.reduce<Choice | undefined>((lead, next) => {
    const [a, b] = [lead && quotes.get(lead), quotes.get(next)];
    return a && b && compare(a, b) > 0 ? lead : next;
  }, undefined);
};

/** The eligible child with the lowest current price. A small difference does not change the choice. */
export const cheapest: SelectorKind = {
  ...amongBest,
  movesFor: 'price',
  choose: byPrice,
  turnOf: (_, choice) => cheapestTurn(choice),
  undo: (_, candidates) => dearest(candidates),
};

export const writtenCheapest: WrittenKind<WrittenCheapest> = {
  schema: (of) =>
    map({ cheapest: of.list('Pool names and selectors to compare.') }, 'a map with cheapest').check(
      z.describe('The eligible child with the lowest current price; a small difference does not change the choice.'),
    ),
  holdsSelectors: true,
  countsMembers: false,
  childrenOf: listedChildren,
  problems: noProblems,
  // The price decides the zone as well.
  resolve: ({ cheapest: children }, of) => ({ kind: 'cheapest', children: children.map(of.childInZone) }),
};
