import { closest, distance } from 'fastest-levenshtein';
import { asMap } from './reading.ts';

/** One problem of a policy, in words that its author can act on. */
export type Problem = {
  /** Where in the document, for example `pools.spot-1a.subnets[0]`; empty for the document as a whole. */
  readonly path: string;
  readonly found: string;
  readonly allowed: string;
  /** The known name that is closest to what was found, when one is close. */
  readonly nearest?: string;
  /** The whole problem in one sentence, path included. */
  readonly message: string;
};

export type Path = readonly (string | number)[];

const bareName = /^[A-Za-z0-9_-]+$/;

/** Whatever a document contains, its messages stay short: a status item holds 400 KB. */
const shortened = (text: string, most = 80): string => (text.length > most ? `${text.slice(0, most - 3)}...` : text);

/** A text in quotes, and still in quotes when it is shortened. */
const quoted = (text: string, most = 80): string => (text.length > most ? `${text.slice(0, most - 4)}..."` : text);

const segmentText = (segment: string | number, first: boolean): string => {
  if (typeof segment === 'number') return `[${segment}]`;
  if (!bareName.test(segment)) return `[${shortened(JSON.stringify(segment))}]`;
  return first ? shortened(segment) : `.${shortened(segment)}`;
};

export const pathText = (path: Path): string =>
  shortened(path.map((segment, index) => segmentText(segment, index === 0)).join(''), 400);

/** A value as an error message shows it: scalars as written, the rest by kind. Never throws, never recurses. */
export const showFound = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return quoted(JSON.stringify(value));
  if (value === null) return 'no value (null)';
  if (typeof value !== 'object') return shortened(String(value));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  const fields = asMap(value);
  if (fields === undefined) return value instanceof Set ? 'a set' : 'binary data';
  const keys = Object.keys(fields);
  return keys.length === 0 ? 'an empty map' : shortened(`a map with ${keys.sort().join(', ')}`);
};

/** The known name within a third of the length of what was written; undefined when none is that close. */
export const nearestName = (written: string, known: readonly string[]): string | undefined => {
  if (known.length === 0 || written.length > 200) return undefined;
  const byCase = known.find((name) => name.toLowerCase() === written.toLowerCase());
  if (byCase !== undefined) return byCase;
  const candidate = closest(written, [...known].sort());
  const shorter = Math.min(written.length, candidate.length);
  const off = distance(written, candidate);
  return off < shorter && off <= Math.ceil(shorter / 3) ? candidate : undefined;
};

export type ProblemInput = {
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
  readonly nearest?: string | undefined;
};

const sentence = (where: string, { found, allowed, nearest }: ProblemInput): string => {
  const start = where === '' ? 'the policy' : where;
  const what =
    found === 'nothing' ? `${start} is missing: expected ${allowed}` : `${start}: expected ${allowed}, found ${found}`;
  return nearest === undefined ? `${what}.` : `${what}. Did you mean ${JSON.stringify(nearest)}?`;
};

export const problemOf = (input: ProblemInput): Problem => {
  const path = pathText(input.path);
  return {
    path,
    found: input.found,
    allowed: input.allowed,
    ...(input.nearest === undefined ? {} : { nearest: input.nearest }),
    message: sentence(path, input),
  };
};

/** A list of names for a message, in order, cut where it becomes too long to read. */
export const namesText = (names: readonly string[]): string => {
  const sorted = [...names].sort().map((name) => shortened(name));
  return sorted.length > 20 ? `${sorted.slice(0, 20).join(', ')} and ${sorted.length - 20} more` : sorted.join(', ');
};

/** By path, then by message: the same problems come in the same order whatever the order of keys in the document. */
export const sortedProblems = (problems: readonly Problem[]): readonly Problem[] =>
  [...new Map(problems.map((problem) => [problem.message, problem])).values()].sort(
    (a, b) => compareText(a.path, b.path) || compareText(a.message, b.message),
  );

/** The order of texts by their characters: the same in every language. */
export const compareText = (a: string, b: string): number => Number(a > b) - Number(a < b);
