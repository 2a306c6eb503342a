import { createHash } from 'node:crypto';
import { anywhere } from '../break-code.ts';
import type { Breakage } from '../measured.ts';
import { typeFaults } from '../typed.ts';
import type { Generated, Instrumented } from './instrument.ts';

/** A generated mutant as an edit that a person can read and play again with `--mine`. */
export type Drawn = Breakage & { readonly id: string; readonly operator: string };

/** In place of a part of a longer expression, these would bind to their neighbours. */
const binding = new Set(['LogicalOperator', 'ArithmeticOperator', 'EqualityOperator', 'ConditionalExpression', 'AssignmentOperator']);

const putIn = ({ operator, replacement }: Generated, isCase: boolean): string =>
  binding.has(operator) && !isCase ? `(${replacement})` : replacement;

/** The whole lines around a place: as many as make the text occur once in its file. */
const onceIn = (source: string, { from, until }: Generated): readonly [number, number] => {
  let start = source.lastIndexOf('\n', from - 1) + 1;
  let end = source.indexOf('\n', until - 1);
  if (end < 0) end = source.length;
  while ((source.match(anywhere(source.slice(start, end)))?.length ?? 0) > 1 && (start > 0 || end < source.length)) {
    start = start === 0 ? 0 : source.lastIndexOf('\n', start - 2) + 1;
    const next = source.indexOf('\n', end + 1);
    end = next < 0 ? source.length : next;
  }
  return [start, end];
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const short = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}...` : text);

/** A mutant as an edit of its file. */
export const breakageOf = (source: string, mutant: Generated): Drawn => {
  const { id, file, line, from, until, operator } = mutant;
  const [start, end] = onceIn(source, mutant);
  const original = source.slice(from, until);
  const put = putIn(mutant, original.startsWith('case ') || original.startsWith('default'));
  return {
    id,
    operator,
    name: `${file}:${line} #${id} ${operator}: ${short(oneLine(original))} => ${short(oneLine(put))}`,
    file,
    from: source.slice(start, end),
    to: source.slice(start, from) + put + source.slice(until, end),
  };
};

/** The line on which a mutant begins. */
const lineOf = (source: string, from: number): string => {
  const end = source.indexOf('\n', from);
  return source.slice(source.lastIndexOf('\n', from - 1) + 1, end < 0 ? source.length : end);
};

/**
 * All mutants in an order that follows from the seed: whoever draws more of them draws these first. The place of a mutant follows from its own text,
 * so that a change of the code leaves the others where they are, and a sample can be measured again after its survivors were closed.
 */
export const shuffled = (sources: Instrumented['sources'], mutants: readonly Generated[], seed: number): readonly Generated[] => {
  const alike = new Map<string, number>();
  return mutants
    .map((mutant) => {
      const { file, operator, from, until, replacement } = mutant;
      const source = sources.get(file) ?? '';
      const text = [file, operator, lineOf(source, from), source.slice(from, until), replacement].map(oneLine).join('\n');
      const before = alike.get(text) ?? 0;
      alike.set(text, before + 1);
      return { mutant, place: createHash('sha256').update(`${seed}\n${before}\n${text}`).digest('hex') };
    })
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant);
};

/** So many mutants by a seed. Those that do not compile are left out: the compiler catches them before any world does. */
export const draw = async ({ sources, mutants }: Instrumented, count: number, seed: number): Promise<readonly Drawn[]> => {
  const drawn: Drawn[] = [];
  const order = shuffled(sources, mutants, seed);
  let next = 0;
  while (drawn.length < count && next < order.length) {
    const until = next + Math.ceil((count - drawn.length) * 1.5);
    const batch = order.slice(next, until).map((mutant) => breakageOf(sources.get(mutant.file) ?? '', mutant));
    const faults = await typeFaults(batch);
    drawn.push(...batch.filter(({ name }) => !faults.has(name)));
    next = until;
  }
  return drawn.slice(0, count);
};
