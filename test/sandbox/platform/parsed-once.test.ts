import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parsedOnce } from '../../../sandbox/platform/tables/parsed-once.ts';

type Parse = Parameters<typeof parsedOnce>[0];
type Values = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const require = createRequire(import.meta.url);
const parserOf = (name: 'condition' | 'update'): Parse => (require(`dynalite/db/${name}Parser`) as { readonly parse: Parse }).parse;

const allUnused = (list: object): Record<string, true> => Object.fromEntries(Object.keys(list).map((key) => [key, true as const]));

/** What a parser makes of a request: the tree or the refusal, and what of the names and values it left over. */
const read = (parse: Parse, text: string, attrNames: Readonly<Record<string, string>>, attrVals: Values) => {
  const context = {
    ...{ attrNames, attrVals, unusedAttrNames: allUnused(attrNames), unusedAttrVals: allUnused(attrVals) },
    ...{ isReserved: () => false, compare: (_: string, x: { readonly N: string }, y: { readonly N: string }) => Number(x.N) > Number(y.N) },
  };
  const tree = parse(text, { context });
  return { tree, names: context.unusedAttrNames, values: context.unusedAttrVals };
};

/** The parser, and how often it was called. */
const counted = (parse: Parse) => {
  const seen = { calls: 0 };
  const counting: Parse = (text, options) => {
    seen.calls += 1;
    return parse(text, options);
  };
  return { seen, parse: parsedOnce(counting) };
};

const names = { '#a': 'state', '#b': 'version', '#c': 'left over' };

describe('an expression that is parsed once', () => {
  it.each([
    ['condition', 'attribute_not_exists(#a) OR (#b = :x AND begins_with(#a.#b, :y))'],
    ['condition', '#b IN (:x, :x) AND NOT contains(#a, :y)'],
    ['update', 'SET #a = :y, #b = if_not_exists(#b, :x) + :x REMOVE #c[2]'],
  ] as const)('gives the same tree with the values of each request: %s %s', (kind, text) => {
    const { seen, parse } = counted(parserOf(kind));
    for (const [x, y] of [
      ['1', 'one'],
      ['2', 'two'],
      ['2', 'two'],
    ] as const) {
      const values = { ':x': { N: x }, ':y': { S: y }, ':z': { L: [] } };
      expect(read(parse, text, names, values)).toEqual(read(parserOf(kind), text, names, values));
    }
    expect(seen.calls).toBe(1);
  });

  it('is parsed again for other names and other types of values', () => {
    const { seen, parse } = counted(parserOf('update'));
    const text = 'SET #a = #b + :x';
    for (const [given, value] of [
      [names, { N: '1' }],
      [{ ...names, '#b': 'other' }, { N: '1' }],
      [names, { S: 'no number' }],
    ] as const)
      expect(read(parse, text, given, { ':x': value })).toEqual(read(parserOf('update'), text, given, { ':x': value }));
    expect(seen.calls).toBeGreaterThanOrEqual(3);
    expect(String(read(parse, text, names, { ':x': { S: 'no number' } }).tree)).toContain('Incorrect operand type');
  });

  it('is parsed for each request where the parser reads the values', () => {
    const { seen, parse } = counted(parserOf('condition'));
    const typed = (x: string) => read(parse, 'attribute_type(#b, :x)', names, { ':x': { S: x } }).tree;
    expect(typeof typed('N')).toBe('object');
    expect(typed('X')).toContain('Invalid attribute type name');
    expect(seen.calls).toBe(2);
  });

  it('is parsed again where the lower bound of a BETWEEN is above the upper one, which the parser refuses', () => {
    const { seen, parse } = counted(parserOf('condition'));
    const text = 'attribute_exists(#a) OR NOT #b BETWEEN :x AND :y';
    for (const [x, y, calls] of [
      ['1', '2', 1],
      ['2', '2', 1],
      ['3', '2', 2],
      ['2', '3', 2],
    ] as const) {
      const values = { ':x': { N: x }, ':y': { N: y } };
      expect(read(parse, text, names, values).tree).toEqual(read(parserOf('condition'), text, names, values).tree);
      expect(seen.calls).toBe(calls);
    }
    expect(read(parse, text, names, { ':x': { N: '3' }, ':y': { N: '2' } }).tree).toContain('upper bound to be greater');
  });

  it('gives each request a tree of its own', () => {
    const { parse } = counted(parserOf('update'));
    const values = { ':x': { N: '1' } };
    const { tree } = read(parse, 'SET #a = :x', names, values);
    Object.assign(tree as object, { sections: [] });
    expect(read(parse, 'SET #a = :x', names, values)).toEqual(read(parserOf('update'), 'SET #a = :x', names, values));
  });
});
