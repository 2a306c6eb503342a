import * as z from 'zod/mini';
import { isReservedName, map, nonEmptyList, numberFrom, oneOf, reservedText, text } from './field.ts';
import { fieldOf } from './reading.ts';

type By = 'zone' | 'pool' | 'instance-type' | undefined;

/** A node of `capacity` as a user writes it. A bare name is a pool. */
export type CapacityNode =
  | string
  | { readonly tiered: readonly CapacityNode[] }
  | {
      readonly spread: readonly CapacityNode[] | { readonly of: readonly CapacityNode[]; readonly by?: By };
      readonly by?: By;
    }
  | { readonly weighted: readonly { readonly use: CapacityNode; readonly weight: number }[] }
  | { readonly cheapest: readonly CapacityNode[] };

/** Deepest nesting of selectors. Trees that people write have three or four levels. */
export const maxCapacityDepth = 12;

const poolNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const poolNameText = 'a pool name: 1 to 63 letters, digits, dots, hyphens or underscores, a letter or digit first';

/** Selectors that can hold another one as they are come first: a child of `weighted` also needs a weight. */
const kinds = ['tiered', 'spread', 'cheapest', 'weighted'] as const;

/** What is expected of a node. Of a map with several selectors, how the first of them holds the others. */
const expectedOf = (input: unknown): string => {
  const [outer, ...inner] = kinds.filter((kind) => fieldOf(input, kind) !== undefined);
  return inner.length === 0
    ? 'a pool name, or a map with one of tiered, spread, weighted, cheapest'
    : `one selector in a map, such as ${outer}: [..., ${inner.map((kind) => `{ ${kind}: [...] }`).join(', ')}]`;
};

const node: z.ZodMiniType<CapacityNode, CapacityNode> = z
  .lazy(() =>
    z.union([poolUse, tiered, spread, weighted, cheapest], {
      error: ({ input }) => expectedOf(input),
    }),
  )
  .check(
    z.meta({
      id: 'selector',
      title: 'Selector',
      description: 'A pool name, or a selector over pool names and selectors.',
    }),
  );

const children = (meaning: string) =>
  nonEmptyList(node, 'a list of at least one pool name or selector').check(z.describe(meaning));

export const poolName = text(poolNamePattern, poolNameText).check(
  z.refine((name) => !isReservedName(name), reservedText),
);

const poolUse = poolName.check(z.describe('Name of a pool under `pools`.'));

const tiered = map(
  { tiered: children('Pool names and selectors, the preferred one first.') },
  'a map with tiered',
).check(z.describe('The first eligible child. The decision records why earlier tiers were passed over.'));

const by = z.optional(
  oneOf(['zone', 'pool', 'instance-type']).check(z.describe('What the spread counts by. Default: pool.')),
);
const spreadOver = children('Pool names and selectors to spread over.');

const spread = map(
  {
    spread: z
      .union([spreadOver, map({ of: spreadOver, by }, 'a map with of and by')], {
        error: 'a list of at least one pool name or selector, or a map with of and by',
      })
      .check(z.describe('What to spread over: a list, with `by` beside it, or both in one map.')),
    by,
  },
  'a map with spread',
).check(
  z.describe('The eligible child with the fewest members, launches in flight counted; ties in the order written.'),
);

const leastWeight = 0.001;
const mostWeight = 1_000_000;
const weightText = `0, or a number from ${leastWeight} to ${mostWeight}`;

const weight = numberFrom(0, mostWeight, weightText).check(
  z.refine((value) => value === 0 || value >= leastWeight, weightText),
  z.describe(`Share of this child, relative to the other weights: ${weightText}.`),
);

const share = map({ use: node, weight }, 'a map with use and weight');

const weighted = map(
  {
    weighted: nonEmptyList(share, 'a list of at least one { use, weight }').check(
      z.describe('Pool names and selectors, each with its weight.'),
    ),
  },
  'a map with weighted',
).check(z.describe('The eligible child that is furthest below its share.'));

const cheapest = map({ cheapest: children('Pool names and selectors to compare.') }, 'a map with cheapest').check(
  z.describe('The eligible child with the lowest current price; a small difference does not change the choice.'),
);

export const capacitySchema = node;
