import { type Check, isMap } from './checks.ts';

/** Thrown while reading an item that is useless without this field. It never leaves the reader. */
class Missing extends Error {}

/** Reads one field. A value that cannot be read is recorded under `lost`, with the reason. */
export type Reader<T> = (raw: unknown, at: string, lost: string[]) => T;

/** A reader for every field of a type: a field that is added to the type and not here does not compile. */
export type Readers<T> = { readonly [Field in keyof T]-?: Reader<T[Field]> };

const attempt = <T>(check: Check<T>, raw: unknown, at: string, lost: string[]): { readonly value: T } | undefined => {
  const problem = check(raw);
  if (problem === undefined) return { value: raw as T };
  lost.push(`${at}: ${problem}`);
  return undefined;
};

/** A field that the item is useless without. */
export const essential =
  <T>(check: Check<T>): Reader<T> =>
  (raw, at, lost) => {
    const found = attempt(check, raw, at, lost);
    if (found === undefined) throw new Missing();
    return found.value;
  };

/** A field with a default value, used when it cannot be read. */
export const orElse =
  <T>(check: Check<T>, fallback: T): Reader<T> =>
  (raw, at, lost) =>
    (attempt(check, raw, at, lost) ?? { value: fallback }).value;

/** An optional field. It is left out when it cannot be read. */
export const maybe =
  <T>(check: Check<T>): Reader<T | undefined> =>
  (raw, at, lost) =>
    raw === undefined ? undefined : attempt(check, raw, at, lost)?.value;

/** A list, without the elements that cannot be read. */
export const eachOf =
  <T>(check: Check<T>): Reader<readonly T[]> =>
  (raw, at, lost) => {
    if (!Array.isArray(raw)) {
      lost.push(`${at}: expected a list`);
      return [];
    }
    return raw.flatMap((element, index) => {
      const found = attempt(check, element, `${at}.${index}`, lost);
      return found === undefined ? [] : [found.value];
    });
  };

/** A map, without the entries that cannot be read. */
export const eachIn =
  <T>(check: Check<T>): Reader<Readonly<Record<string, T>>> =>
  (raw, at, lost) => {
    if (!isMap(raw)) {
      lost.push(`${at}: expected a map`);
      return {};
    }
    return Object.fromEntries(
      Object.entries(raw).flatMap(([key, element]) => {
        const found = attempt(check, element, `${at}.${key}`, lost);
        return found === undefined ? [] : [[key, found.value]];
      }),
    );
  };

/** An optional list or map. */
export const absentOr =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (raw, at, lost) =>
    raw === undefined ? undefined : reader(raw, at, lost);

/**
 * The result of reading an item: its value, unless a required field is missing, and the parts that could not be read.
 */
export type Reading<T> = { readonly value?: T; readonly lost: readonly string[] };

/** Reads an item field by field. Fields that the type does not know (of another version) are kept as they are. */
export const readFields = <T extends object>(
  readers: Readers<T>,
  raw: Readonly<Record<string, unknown>>,
): Reading<T> => {
  const lost: string[] = [];
  try {
    const read = Object.entries<Reader<unknown>>(readers).map(
      ([field, reader]) => [field, reader(raw[field], field, lost)] as const,
    );
    const known = new Map(read);
    const kept = Object.entries(raw).filter(([field]) => !known.has(field));
    // The fields keep their stored order, so that an item that is read and written again has the same text.
    const order = [...Object.keys(raw), ...known.keys()];
    const values = new Map([...kept, ...read.filter(([, value]) => value !== undefined)]);
    return {
      value: Object.fromEntries(
        [...new Set(order)].filter((field) => values.has(field)).map((field) => [field, values.get(field)]),
      ) as T,
      lost,
    };
  } catch (error) {
    if (error instanceof Missing) return { lost };
    throw error;
  }
};
