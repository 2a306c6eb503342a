/** The most copies of one entry. More would take too long to simulate. */
const mostCopies = 200;

/** A wrong `repeat` entry: its place in the list, and what is wrong with it. */
export class RepeatError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = 'RepeatError';
    this.path = path;
  }
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);

const place = /\$\{n\}/g;

/** Replaces `${n}` in every text and every key. */
const numbered = (value: unknown, n: number): unknown => {
  if (typeof value === 'string') return value.replaceAll(place, String(n));
  if (Array.isArray(value)) return value.map((one) => numbered(one, n));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key.replaceAll(place, String(n)), numbered(one, n)]));
};

const copiesOf = (entry: unknown, path: readonly (string | number)[]): readonly unknown[] => {
  if (!isMap(entry) || !('repeat' in entry)) return [entry];
  const { repeat, of, ...others } = entry;
  const unknown = Object.keys(others);
  if (unknown.length > 0) throw new RepeatError(path, `an entry with repeat has repeat and of; found ${unknown.join(', ')} as well`);
  if (!Number.isInteger(repeat) || Number(repeat) < 1 || Number(repeat) > mostCopies)
    throw new RepeatError([...path, 'repeat'], `expected a whole number from 1 to ${mostCopies}, found ${JSON.stringify(repeat)}`);
  if (!isMap(of)) throw new RepeatError([...path, 'of'], 'expected the entry that stands so often, as a map');
  return Array.from({ length: Number(repeat) }, (_, index) => numbered(of, index + 1));
};

const expanded = (list: unknown, path: readonly (string | number)[]): unknown =>
  Array.isArray(list) ? list.flatMap((entry, index) => copiesOf(entry, [...path, index])) : list;

/** The lists of the world in which entries may be repeated. */
const worldLists = ['targetGroups', 'autoScalingGroups'] as const;

/**
 * Writes out entries `{repeat: 20, of: {…}}` of `policies`, `world.targetGroups` and `world.autoScalingGroups`: as many
 * copies, with `${n}` replaced by 1, 2, 3 …
 *
 * @throws {@link RepeatError} where such an entry is not one.
 */
export const withCopies = (document: unknown): unknown => {
  if (!isMap(document)) return document;
  const { world, policies } = document;
  const lists = isMap(world) ? worldLists.filter((name) => name in world) : [];
  return {
    ...document,
    ...(policies !== undefined && { policies: expanded(policies, ['policies']) }),
    ...(isMap(world) && {
      world: { ...world, ...Object.fromEntries(lists.map((name) => [name, expanded(world[name], ['world', name])])) },
    }),
  };
};
