import { placedIn } from './capacity-rules.ts';
import { mergeDefaults } from './merge-defaults.ts';
import { type Problem, problemOf } from './problem.ts';
import { asMap, type Fields, fieldOf } from './reading.ts';

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
