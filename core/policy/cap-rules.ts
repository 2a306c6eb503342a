import { mergeDefaults } from './merge-defaults.ts';
import { type Problem, problemOf } from './problem.ts';
import { asList, asMap, type Fields, fieldOf } from './reading.ts';

/** Pools of a tree that new members may come from: a child of weight 0 gets none. */
export const placedIn = (node: unknown): readonly string[] => {
  if (typeof node === 'string') return [node];
  const shares = asList(fieldOf(node, 'weighted')).filter((share) => fieldOf(share, 'weight') !== 0);
  const spread = fieldOf(node, 'spread');
  const children = [
    ...asList(fieldOf(node, 'tiered')),
    ...asList(fieldOf(node, 'cheapest')),
    ...asList(asMap(spread) === undefined ? spread : fieldOf(spread, 'of')),
    ...shares.map((share) => fieldOf(share, 'use')),
  ];
  return children.flatMap(placedIn);
};

const largestSize = (size: unknown): unknown => (typeof size === 'number' ? size : fieldOf(size, 'max'));

/** Caps that leave less room than the size asks for: the missing members could never be launched. */
export const hopelessCaps = (document: Fields): readonly Problem[] => {
  const wanted = largestSize(fieldOf(document, 'size'));
  const pools = asMap(fieldOf(document, 'pools')) ?? {};
  const defaults = asMap(fieldOf(document, 'defaults')) ?? {};
  const caps = [...new Set(placedIn(fieldOf(document, 'capacity')))].map((name) =>
    fieldOf(mergeDefaults(defaults, asMap(fieldOf(pools, name)) ?? {}), 'cap'),
  );
  const room = caps.reduce<number>((sum, cap) => sum + (typeof cap === 'number' ? cap : Number.POSITIVE_INFINITY), 0);
  if (typeof wanted !== 'number' || room >= wanted) return [];
  return [
    problemOf({
      path: ['capacity'],
      found: `pools whose caps leave room for ${room}, so that ${wanted - room} are never launched`,
      allowed: `room for the largest size, ${wanted}`,
    }),
  ];
};
