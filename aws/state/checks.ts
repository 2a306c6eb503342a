/**
 * Returns the fault of a value, or undefined when it has the type. Checks are written by hand, because the functions
 * that read the state table are loaded while a warning waits, and a schema library costs each of them 10 to 16 KB.
 */
export type Check<T> = { (raw: unknown): string | undefined; readonly of?: T };

const found = (raw: unknown): string =>
  (raw === null || typeof raw !== 'object' ? `found ${String(raw)}` : 'found a list or a map').slice(0, 60);

export const isMap = (raw: unknown): raw is Readonly<Record<string, unknown>> =>
  raw !== null && typeof raw === 'object' && !Array.isArray(raw);

export const text: Check<string> = (raw) => (typeof raw === 'string' ? undefined : `expected text, ${found(raw)}`);

export const number: Check<number> = (raw) =>
  typeof raw === 'number' ? undefined : `expected a number, ${found(raw)}`;

export const flag: Check<boolean> = (raw) =>
  typeof raw === 'boolean' ? undefined : `expected true or false, ${found(raw)}`;

export const oneOf =
  <T extends string | true>(...values: readonly T[]): Check<T> =>
  (raw) =>
    values.some((value) => value === raw) ? undefined : `expected ${values.join(', ')}, ${found(raw)}`;

/** Each text of a union. A text that is added to the type and not here does not compile. */
export const anyOf = <T extends string>(values: Readonly<Record<T, unknown>>): Check<T> =>
  oneOf(...(Object.keys(values) as T[]));

export const optional =
  <T>(check: Check<T>): Check<T | undefined> =>
  (raw) =>
    raw === undefined ? undefined : check(raw);

const firstIn = (
  entries: Iterable<readonly [string | number, unknown]>,
  check: (key: string | number, raw: unknown) => string | undefined,
) => {
  for (const [key, raw] of entries) {
    const problem = check(key, raw);
    if (problem !== undefined) return `${key}: ${problem}`;
  }
  return undefined;
};

export const listOf =
  <T>(check: Check<T>): Check<readonly T[]> =>
  (raw) =>
    Array.isArray(raw) ? firstIn(raw.entries(), (_, element) => check(element)) : `expected a list, ${found(raw)}`;

export const mapOf =
  <T>(check: Check<T>): Check<Readonly<Record<string, T>>> =>
  (raw) =>
    isMap(raw) ? firstIn(Object.entries(raw), (_, element) => check(element)) : `expected a map, ${found(raw)}`;

/**
 * Checks every field of a type, optional ones included. A field that is added to the type and not here does not
 * compile. Fields that the type does not know (of another version) are accepted.
 */
export const objectOf =
  <T extends object>(fields: { readonly [Field in keyof T]-?: Check<T[Field]> }): Check<T> =>
  (raw) =>
    isMap(raw)
      ? firstIn(Object.entries<Check<unknown>>(fields), (field) => fields[field as keyof T](raw[field]))
      : `expected a map, ${found(raw)}`;

/** Checks a value of a union by the field that identifies its kind. */
export const eitherOf = <T extends object, Tag extends keyof T>(
  tag: Tag,
  kinds: { readonly [Kind in T[Tag] & string]: Check<Extract<T, { readonly [Field in Tag]: Kind }>> },
): Check<T> => {
  const byKind = new Map(Object.entries<Check<unknown>>(kinds));
  return (raw) => {
    const kind = isMap(raw) ? raw[tag as string] : undefined;
    const check = byKind.get(String(kind));
    return check === undefined
      ? `${String(tag)}: expected ${[...byKind.keys()].join(', ')}, ${found(kind)}`
      : check(raw);
  };
};
