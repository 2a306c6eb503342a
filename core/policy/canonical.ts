import { asMap } from './reading.ts';

/**
 * JSON text of a document with the keys of every map in order: equal for equal content. For documents that passed
 * validation, and values made from them.
 */
export const canonicalText = (value: unknown): string => JSON.stringify(ordered(value));

const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  const fields = asMap(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, ordered(fields[name])]),
  );
};
