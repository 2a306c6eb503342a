import type { Pool } from '../pool/pool.ts';
import { type PoolDocument, parseRelativePrice } from './pool-schema.ts';
import { compareText, type Problem, problemOf, showFound } from './problem.ts';
import { mergedPools } from './resolution.ts';
import type { Policy } from './schema.ts';

/** EC2 takes prices with this many decimals. */
const decimals = 6;

/** The limit of each type in USD per hour: the share `maxPrice` of its on-demand price. */
const limitsByType = (
  { maxPrice }: PoolDocument,
  { market, instanceTypes }: Pool,
  prices: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> | undefined => {
  if (maxPrice === undefined || market !== 'spot') return undefined;
  const share = parseRelativePrice(maxPrice) / 100;
  return Object.fromEntries(
    instanceTypes.map((type) => [type, Number((share * (prices[type] ?? 0)).toFixed(decimals))]),
  );
};

/** A pool with its relative price limit, and with what is paid of its prices. */
export const priced = (pool: Pool, policy: Policy): Pool => {
  const document = mergedPools(policy)[pool.name] ?? {};
  const { priceFactor } = document;
  const maxPriceByType = limitsByType(document, pool, policy.onDemandPrices ?? {});
  return { ...pool, ...(maxPriceByType && { maxPriceByType }), ...(priceFactor !== undefined && { priceFactor }) };
};

/** The field of a pool that needs the on-demand prices of its types, and how it uses them. */
const needing = ({ maxPrice, priceFactor }: PoolDocument, { name, market }: Pool): string | undefined => {
  if (market === 'spot') return maxPrice === undefined ? undefined : `maxPrice of pool ${name} is a share of it`;
  return priceFactor === undefined ? undefined : `priceFactor of pool ${name} applies to it`;
};

const unstated = (document: PoolDocument, pool: Pool, { onDemandPrices = {} }: Policy): readonly Problem[] => {
  const why = needing(document, pool);
  if (why === undefined) return [];
  return pool.instanceTypes
    .filter((type) => !Object.hasOwn(onDemandPrices, type))
    .map((type) =>
      problemOf({
        path: ['onDemandPrices', type],
        found: 'nothing',
        allowed: `the on-demand price of ${type} in USD per hour: ${why}`,
      }),
    );
};

/** On-demand prices that are missing, and a share of the on-demand price for a pool that is on demand. */
export const priceProblems = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => {
  const documents = mergedPools(policy);
  const inOrder = pools.toSorted((a, b) => compareText(a.name, b.name));
  const all = inOrder.flatMap((pool): readonly Problem[] => {
    const { maxPrice } = policy.pools[pool.name] ?? {};
    const onDemand = pool.market === 'on-demand' && maxPrice !== undefined;
    return [
      ...unstated(documents[pool.name] ?? {}, pool, policy),
      ...(onDemand
        ? [
            problemOf({
              path: ['pools', pool.name, 'maxPrice'],
              found: showFound(maxPrice),
              allowed: 'maxPriceUsdPerHour: the pool is on demand, and maxPrice is a share of that price',
            }),
          ]
        : []),
    ];
  });
  return all.filter(({ path }, index) => all.findIndex((problem) => problem.path === path) === index);
};
