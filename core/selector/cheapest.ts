import { priceOf } from './standing.ts';
import { type Branch, type Choice, canGive, type Leaf, type TreeNode } from './tree.ts';

/** A `cheapest` node moves to another child only when it saves at least this share of the present price: otherwise it would flap with the spot market. */
export const worthwhileSaving = 0.1;

/** What a node asks for an instance: its lowest known price in USD per hour, and whether any of it is spot. */
export type Quote = { readonly price: number | undefined; readonly spot: boolean };

type Prices = Readonly<Record<string, number>>;

const lower = (a: number | undefined, b: number | undefined): number | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
};

const merge = (a: Quote, b: Quote): Quote => ({ price: lower(a.price, b.price), spot: a.spot || b.spot });

const nothing: Quote = { price: undefined, spot: false };

const leafQuote = (leaf: Leaf, prices: Prices): Quote => ({
  price: leaf.offerings.map((offering) => priceOf({ prices }, offering)).reduce(lower, undefined),
  spot: leaf.pool.market === 'spot',
});

/** The quote of what can be given below a node now. */
export const quoteOf = (node: TreeNode, prices: Prices, counts: (choice: Choice) => boolean = canGive): Quote => {
  if (node.kind === 'pool') return leafQuote(node, prices);
  return node.choices
    .filter(counts)
    .map((choice) => quoteOf(choice.node, prices, counts))
    .reduce(merge, nothing);
};

/**
 * Orders quotes, cheapest first. While all prices are known they alone decide. As soon as one is unknown, spot goes before on-demand,
 * then known prices before unknown ones; what is still equal keeps its configured order.
 */
export const compareQuotes =
  (allKnown: boolean) =>
  (a: Quote, b: Quote): number => {
    if (!allKnown && a.spot !== b.spot) return a.spot ? -1 : 1;
    return (a.price ?? Number.MAX_VALUE) - (b.price ?? Number.MAX_VALUE);
  };

/** What cannot be compared is no reason to move, except back from on-demand to spot. */
const staysWith = (last: Quote, best: Quote): boolean => {
  if (last.price === undefined || best.price === undefined) return last.spot || !best.spot;
  return best.price > last.price * (1 - worthwhileSaving) + 1e-9;
};

/** The child that a `cheapest` node takes: the lowest quote, or the last choice while no other is worth the move. */
export const chooseCheapest = (branch: Branch, prices: Prices, last: string | undefined): Choice | undefined => {
  const quoted = branch.choices.filter(canGive).map((choice) => ({ choice, quote: quoteOf(choice.node, prices) }));
  const compare = compareQuotes(quoted.every(({ quote }) => quote.price !== undefined));
  const best = quoted.reduce<(typeof quoted)[number] | undefined>(
    (lead, next) => (lead && compare(lead.quote, next.quote) <= 0 ? lead : next),
    undefined,
  );
  const present = quoted.find(({ choice }) => choice.name === last);
  return best && present && staysWith(present.quote, best.quote) ? present.choice : best?.choice;
};
