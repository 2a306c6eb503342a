import type { Offering } from '../pool/offering.ts';
import type { Pool } from '../pool/pool.ts';
import { paidPrice } from '../pool/price.ts';
import type { Market } from './standing.ts';

/**
 * The price of an instance from a pool or a selector: its lowest known price in USD per hour, and whether any of it is
 * spot.
 */
export type Quote = { readonly price: number | undefined; readonly spot: boolean };

/** The lower of two prices. An unknown price does not count. */
export const lowerPrice = (a: number | undefined, b: number | undefined): number | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
};

/** The quote of offerings of one pool. */
export const quoteOfferings = (offerings: readonly Offering[], pool: Pool, { prices }: Market): Quote => ({
  price: offerings.map((offering) => paidPrice(prices, offering, pool)).reduce(lowerPrice, undefined),
  spot: offerings[0]?.market === 'spot',
});
