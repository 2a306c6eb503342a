import { isDeepStrictEqual } from 'node:util';

/** A value as it is after it has been stored: no undefined fields, no order of keys. */
const stored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * Whether the table holds what we meant to write. The SDK repeats a write whose response was lost. The repeat then
 * fails its condition, although the first attempt was carried out. Reading the item back separates this case from a
 * lost race.
 */
export const sameContent = (a: unknown, b: unknown): boolean => isDeepStrictEqual(stored(a), stored(b));
