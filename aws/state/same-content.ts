import { isDeepStrictEqual } from 'node:util';

/** What is left of a value once it has been stored: no undefined fields, no order of keys. */
const stored = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * Whether what stands in the table is what we meant to write. The SDK repeats a write whose answer was lost, and then
 * the repeat fails its condition although the first attempt was carried out: such a loss is recognised by reading back.
 */
export const sameContent = (a: unknown, b: unknown): boolean => isDeepStrictEqual(stored(a), stored(b));
