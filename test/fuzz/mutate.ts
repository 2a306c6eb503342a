import type { Draw } from './draw.ts';
import { nasty, nastyText } from './nasties.ts';

export type Path = readonly (string | number)[];
type Tree = Record<string | number, unknown>;

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

/** Every place in a document, the document itself left out. */
const placesIn = (value: unknown, at: Path = []): readonly Path[] => {
  if (!isTree(value)) return [];
  const names = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return names.flatMap((name) => [[...at, name], ...placesIn(value[name], [...at, name])]);
};

const parentOf = (document: unknown, place: Path): Tree | undefined => {
  const parent = place.slice(0, -1).reduce<unknown>((value, name) => (isTree(value) ? value[name] : undefined), document);
  return isTree(parent) ? parent : undefined;
};

/** Sets a member as JSON does: also one called `__proto__`. */
const put = (parent: Tree, name: string | number, value: unknown): void => {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
};

type Change = (parent: Tree, name: string | number, draw: Draw) => void;

const replace: Change = (parent, name, draw) => put(parent, name, nasty(draw));
const drop: Change = (parent, name) => {
  delete parent[name];
};

const changes: readonly Change[] = [
  replace,
  replace,
  drop,
  (parent, name, draw) => put(parent, nastyText(draw), parent[name]),
  (parent, name) => put(parent, name, [parent[name]]),
  (parent, name) => put(parent, name, { [name]: parent[name] }),
  (parent, name) => put(parent, name, JSON.stringify(parent[name])),
  (parent, name) => put(parent, name, typeof parent[name] === 'string' ? parent[name].toUpperCase() : parent[name]),
  (parent, name, draw) => put(parent, name, `${JSON.stringify(parent[name])}${nastyText(draw)}`),
  (parent, name, draw) => put(parent, draw.pick(['__proto__', 'constructor', 'toString', 'hasOwnProperty']), { ...parent, [name]: nasty(draw) }),
];

const changeAt = (document: unknown, place: Path, change: Change, draw: Draw): void => {
  const parent = parentOf(document, place);
  if (parent !== undefined) change(parent, place.at(-1) ?? '', draw);
};

/** The document with up to four things in it changed. */
export const mutated = (document: unknown, draw: Draw): unknown => {
  if (draw.chance(0.03)) return nasty(draw);
  const copy = structuredClone(document);
  for (let left = 1 + draw.int(4); left > 0; left -= 1) {
    const places = placesIn(copy);
    if (places.length > 0) changeAt(copy, draw.pick(places), draw.pick(changes), draw);
  }
  return copy;
};

/** The document without one of these places, or with something there that cannot be meant. */
export const brokenAt = (document: unknown, needed: readonly Path[], draw: Draw): unknown => {
  const copy = structuredClone(document);
  changeAt(copy, draw.pick(needed), draw.pick([drop, replace]), draw);
  return copy;
};

const cut = (text: string, draw: Draw): string => text.slice(0, draw.int(Math.max(1, text.length - 1)));
const byteNoise = (text: string, draw: Draw): string => {
  const bytes = Buffer.from(text);
  for (let left = 1 + draw.int(20); left > 0; left -= 1) bytes[draw.int(bytes.length)] = draw.int(256);
  return bytes.toString('latin1');
};

/** Text that was JSON and is none any more. */
export const spoilt = (text: string, draw: Draw): string =>
  draw.pick([cut, (whole: string) => `\ufeff${whole}`, (whole: string) => whole + whole, (whole: string) => whole.replaceAll('"', "'")])(text, draw);

/** Text whose JSON is hurt in any way, or not at all. */
export const disfigured = (text: string, draw: Draw): string =>
  draw.pick([
    spoilt,
    byteNoise,
    (whole: string) => whole,
    (whole: string) => whole.replace('{', () => `{"detail": {}, "source": ${JSON.stringify(nastyText(draw))}, `),
    (whole: string) => `${' '.repeat(100_000)}${whole}`,
    (whole: string) => `${'['.repeat(20_000)}${whole}`,
  ])(text, draw);
