import * as z from 'zod/mini';
import { writtenKinds } from '../selector/kinds.ts';
import type { CapacityNode } from '../selector/selector.ts';
import { key, nonEmptyList } from './field.ts';
import { fieldOf } from './reading.ts';

/** Deepest nesting of selectors. Trees that people write have three or four levels. */
export const maxCapacityDepth = 12;

const poolNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const poolNameText = 'a pool name: 1 to 63 letters, digits, dots, hyphens or underscores, a letter or digit first';

const kinds = Object.values(writtenKinds);
const kindNames = Object.keys(writtenKinds);

/** Selectors that can hold another one as it is come first. */
const outerFirst = [true, false].flatMap((holds) =>
  Object.entries(writtenKinds).flatMap(([name, { holdsSelectors }]) => (holdsSelectors === holds ? [name] : [])),
);

/** What is expected of a node. Of a map with several selectors, how the first of them holds the others. */
const expectedOf = (input: unknown): string => {
  const [outer, ...inner] = outerFirst.filter((kind) => fieldOf(input, kind) !== undefined);
  return inner.length === 0
    ? `a pool name, or a map with one of ${kindNames.join(', ')}`
    : `one selector in a map, such as ${outer}: [..., ${inner.map((kind) => `{ ${kind}: [...] }`).join(', ')}]`;
};

export const poolName = key(poolNamePattern, poolNameText);

const poolUse = poolName.check(z.describe('Name of a pool under `pools`.'));

const node: z.ZodMiniType<CapacityNode, CapacityNode> = z
  .lazy(() =>
    z.union([poolUse, ...kinds.map((kind) => kind.schema({ child: node, list }))], {
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

const list = (meaning: string) =>
  nonEmptyList(node, 'a list of at least one pool name or selector').check(z.describe(meaning));

export const capacitySchema = node;
