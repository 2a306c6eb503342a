import { createRequire } from 'node:module';

type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
/** What the engine gives a parser. The parser deletes the names and values that it meets from the two unused ones. */
type Context = {
  readonly attrNames?: Readonly<Record<string, string>>;
  readonly attrVals?: Values;
  readonly unusedAttrNames: Record<string, true>;
  readonly unusedAttrVals: Record<string, true>;
  readonly compare: (operator: 'GT', one: never, other: never) => boolean;
};
type Parse = (text: string, options: { readonly context: Context }) => unknown;
type Parser = { parse: Parse };

/** One parse: the tree with the values of the request it was made for, and the names of those values. `used`: what of the request occurs in the text. */
type Parsed = { readonly tree: unknown; readonly valueNames: ReadonlyMap<unknown, string>; readonly used: { names: string[]; values: string[] } };

/** Most parses that are kept. A stack has some fifty different expressions. */
const mostKept = 1_000;

/** A parser reads the value itself only for this function and for the bounds of BETWEEN. Of all others it reads their types. */
const readsValues = /attribute_type/i;
const hasBounds = /BETWEEN/i;

/** The tree is the same for requests that differ only in values of the same types. */
const keyOf = (text: string, { attrNames, attrVals = {} }: Context): string =>
  JSON.stringify([text, attrNames, Object.entries(attrVals).map(([name, value]) => [name, Object.keys(value)])]);

const allOf = (list: object = {}): Record<string, true> => Object.fromEntries(Object.keys(list).map((key) => [key, true as const]));
const missing = (list: object = {}, left: object): string[] => Object.keys(list).filter((key) => !Object.hasOwn(left, key));

/** A copy of a tree with the values of another request. */
const withValues = (node: unknown, valueNames: Parsed['valueNames'], values: Values): unknown => {
  if (typeof node !== 'object' || node === null) return node;
  const name = valueNames.get(node);
  if (name !== undefined) return values[name];
  if (Array.isArray(node)) return node.map((one) => withValues(one, valueNames, values));
  const copy: Record<string, unknown> = {};
  for (const key in node) copy[key] = withValues((node as Readonly<Record<string, unknown>>)[key], valueNames, values);
  return copy;
};

const valuesOf = ({ attrVals = {} }: Context): ReadonlySet<unknown> => new Set(Object.values(attrVals));

/** Whether a tree has a BETWEEN with two values of which the lower bound is above the upper one. The parser refuses that. */
const hasWrongBounds = (node: unknown, values: ReadonlySet<unknown>, compare: Context['compare']): boolean => {
  if (typeof node !== 'object' || node === null || values.has(node)) return false;
  const { type, args: [, low, high] = [] } = node as { readonly type?: unknown; readonly args?: readonly unknown[] };
  if (type === 'between' && values.has(low) && values.has(high) && compare('GT', low as never, high as never)) return true;
  return Object.values(node).some((one) => hasWrongBounds(one, values, compare));
};

/** The same parser, which parses a text once for all requests that give it the same names and the same types of values. */
export const parsedOnce = (parse: Parse): Parse => {
  const kept = new Map<string, Parsed>();
  const parseFresh = (text: string, context: Context): Parsed => {
    // Its own lists, because the engine parses several expressions of a request with the same ones.
    const own = { unusedAttrNames: allOf(context.attrNames), unusedAttrVals: allOf(context.attrVals) };
    const tree = parse(text, { context: { ...context, ...own } });
    const valueNames = new Map(Object.entries(context.attrVals ?? {}).map(([name, value]): [unknown, string] => [value, name]));
    const used = { names: missing(context.attrNames, own.unusedAttrNames), values: missing(context.attrVals, own.unusedAttrVals) };
    return { tree, valueNames, used };
  };
  return (text, options) => {
    const { context } = options;
    if (readsValues.test(text)) return parse(text, options);
    const key = keyOf(text, context);
    const known = kept.get(key) ?? parseFresh(text, context);
    // A text that the parser refuses gives its error instead of a tree.
    if (typeof known.tree !== 'object') return parse(text, options);
    if (kept.size >= mostKept) kept.clear();
    kept.set(key, known);
    const tree = withValues(known.tree, known.valueNames, context.attrVals ?? {});
    if (hasBounds.test(text) && hasWrongBounds(tree, valuesOf(context), context.compare)) return parse(text, options);
    for (const name of known.used.names) delete context.unusedAttrNames[name];
    for (const name of known.used.values) delete context.unusedAttrVals[name];
    return tree;
  };
};

const require = createRequire(import.meta.url);

/**
 * Has the engine parse each expression once. It takes its parsers from these modules at every request, and has no other place where a parse could be kept.
 */
export const keepParses = (): void => {
  for (const name of ['conditionParser', 'updateParser', 'projectionParser']) {
    const parser = require(`dynalite/db/${name}`) as Parser;
    parser.parse = parsedOnce(parser.parse);
  }
};
