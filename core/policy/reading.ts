/** Ways to read a document of any content: a value of the wrong kind reads as absent. */
export type Fields = Readonly<Record<string, unknown>>;

export const asMap = (value: unknown): Fields | undefined =>
  Object.prototype.toString.call(value) === '[object Object]' ? (value as Fields) : undefined;

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A field of the map itself, never one that every object inherits. */
export const fieldOf = (value: unknown, name: string): unknown => {
  const fields = asMap(value);
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
};

export const valueAt = (document: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (value, segment) => (typeof segment === 'number' ? asList(value)[segment] : fieldOf(value, segment)),
    document,
  );

const childrenOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : Object.values(asMap(value) ?? {});

/** Whether maps and lists nest deeper than `most`. Ends on documents that contain themselves. */
export const isDeeperThan = (document: unknown, most: number): boolean => {
  let level: readonly unknown[] = [document];
  for (let depth = 0; depth <= most; depth += 1) {
    level = [...new Set(level.flatMap(childrenOf).filter((value) => typeof value === 'object' && value !== null))];
    if (level.length === 0) return false;
  }
  return true;
};

const weightOf = (value: unknown): number => (typeof value === 'string' ? value.length + 1 : 1);

/**
 * Whether the texts, names and values of a document have more than `most` characters in total. A value that is referred
 * to several times counts each time. Stops counting at `most`.
 */
export const isLargerThan = (document: unknown, most: number): boolean => {
  const waiting: unknown[] = [document];
  for (let size = 0; waiting.length > 0; ) {
    const value = waiting.pop();
    const names = Array.isArray(value) ? [] : Object.keys(asMap(value) ?? {});
    size += weightOf(value) + names.reduce((sum, name) => sum + name.length, 0);
    if (size > most) return true;
    for (const child of childrenOf(value)) waiting.push(child);
  }
  return false;
};

const prototypeKey = '__proto__';

/** Whether a map has a field `__proto__`: in JSON a key of its own, in a map that an SDK unmarshalled its prototype. */
const hasPrototypeKey = (fields: Fields): boolean => {
  const prototype: unknown = Object.getPrototypeOf(fields);
  return Object.hasOwn(fields, prototypeKey) || (prototype !== Object.prototype && prototype !== null);
};

/** The paths of all fields called `__proto__`. The document must end: {@link isDeeperThan} and {@link isLargerThan}. */
export const prototypeKeys = (value: unknown, path: readonly (string | number)[] = []): (string | number)[][] => {
  const fields = asMap(value);
  const own = fields !== undefined && hasPrototypeKey(fields) ? [[...path, prototypeKey]] : [];
  const children: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(fields ?? {}).filter(([name]) => name !== prototypeKey);
  return [...own, ...children.flatMap(([name, child]) => prototypeKeys(child, [...path, name]))];
};
