import { describe, expect, it } from 'vitest';
import { breakageOf, shuffled } from './draw.ts';
import { instrumentSources } from './instrument.ts';
import { worldsFrom } from './reach.ts';

const file = 'functions/example.ts';
const source = `export const isFull = (held: number, most: number, isOpen: boolean): boolean => {
  if (held >= most && isOpen) return true;
  return held > 3;
};
export const twice = (held: number): boolean => {
  if (held > 3) return false;
  return held > 3;
};
`;

const mutants = async () => (await instrumentSources(new Map([[file, source]]))).mutants;
/** The source with each mutant put in, by the edit that a person would play again. */
const broken = async (): Promise<readonly string[]> =>
  (await mutants()).map((mutant) => {
    const { from, to } = breakageOf(source, mutant);
    expect(source.split(from)).toHaveLength(2);
    return source.replace(from, () => to);
  });

describe('generated mutants', () => {
  it('change conditions, comparisons, operators, literals and blocks', async () => {
    const operators = new Set((await mutants()).map(({ operator }) => operator));
    expect([...operators].toSorted()).toEqual(['BlockStatement', 'BooleanLiteral', 'ConditionalExpression', 'EqualityOperator', 'LogicalOperator']);
  });

  it('are edits of lines that occur once, each of which changes another thing', async () => {
    const all = await broken();
    expect(new Set(all).size).toBe(all.length);
    expect(all).not.toContain(source);
  });

  it('bind to nothing beside them', async () => {
    expect((await broken()).some((text) => text.includes('if ((held >= most || isOpen)) return true;'))).toBe(true);
  });

  it('change one of two lines that read the same', async () => {
    const changed = (await broken()).filter((text) => text.includes('return (held >= 3);'));
    expect(changed).toHaveLength(2);
  });

  it('are drawn in an order of their own for each seed, in which a change of the code moves no other mutant', async () => {
    const orderIn = async (text: string, seed: number): Promise<readonly string[]> => {
      const { sources, mutants: all } = await instrumentSources(new Map([[file, text]]));
      return shuffled(sources, all, seed).map(({ operator, from, until, replacement }) => `${operator} ${text.slice(from, until)} ${replacement}`);
    };
    const order = await orderIn(source, 1);
    expect(await orderIn(source, 2)).not.toEqual(order);
    const more = await orderIn(`export const isEven = (held: number): boolean => held % 2 === 0;\n${source}`, 1);
    expect(more.length).toBeGreaterThan(order.length);
    expect(more.filter((mutant) => !mutant.includes('%') && !mutant.startsWith('ArrowFunction'))).toEqual(order);
  });

  it('are played in worlds of every kind that is not slow, one of each before the next of any', () => {
    const worlds = worldsFrom(7, 2);
    const kinds = worlds.filter(({ seed }) => seed === 7).map(({ profile }) => profile);
    expect(kinds).toContain('small');
    expect(kinds).not.toContain('large');
    expect(worlds.slice(kinds.length)).toEqual(kinds.map((profile) => ({ seed: 8, profile })));
  });
});
