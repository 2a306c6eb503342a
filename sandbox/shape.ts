import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';

/** A question about the known name that is written almost like this one, or nothing. */
export const nearest = (written: string, known: readonly string[]): string => {
  const candidate = closest(written, [...known]);
  return distance(written, candidate) <= 2 ? ` Did you mean ${candidate}?` : '';
};

/** An object with these fields and no others. The error for an unknown field names it and the allowed ones. */
export const exactly = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown: ${issue.keys.join(', ')}. There are: ${known.join(', ')}.${issue.keys.map((key) => nearest(key, known)).join('')}`
        : undefined,
  });
};

type Issue = z.core.$ZodIssue;
type Problem = { readonly path: readonly PropertyKey[]; readonly text: string };

/** What each alternative of a union expects. An alternative that fits except for something deeper is taken as the one that was meant. */
const unionText = (branches: readonly (readonly Issue[])[]): readonly Problem[] => {
  const inner = branches.find((branch) => branch.some(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'));
  if (inner !== undefined) return inner.flatMap(problemsOf);
  return [{ path: [], text: [...new Set(branches.flatMap((branch) => branch.flatMap(problemsOf)).map(({ text }) => text))].join(', or ') }];
};

const either = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const oneOf = (values: string): string => `expected ${either.format(values.split(/ ?\| ?/).map((value) => value.replace(/^['"]|['"]$/g, '')))}`;

/** The library's words for what it checks, in ours: a writer of YAML or JSON has lists and maps. A text of our own stays as it is. */
const inWords = (text: string): string =>
  /^(Invalid|Too) /.test(text)
    ? text
        .replace(/^Invalid input: /, '')
        .replace(/^Too (small|big): /, '')
        .replace(/^Invalid option: expected one of (.*)$/, (_, values: string) => oneOf(values))
        .replace(/^Invalid discriminator value\. Expected (.*)$/, (_, values: string) => oneOf(values))
        .replace(/received undefined$/, 'found nothing')
        .replace(/received (\w+)$/, 'found $1')
        .replace(/\barray\b/g, 'list')
        .replace(/\b(record|object)\b/g, 'map')
        .replace('>=', 'at least ')
        .replace('<=', 'at most ')
        .replace(' >', ' above ')
        .replace(' <', ' below ')
    : text;

const problemsOf = (issue: Issue): readonly Problem[] => {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return unionText(issue.errors).map(({ path, text }) => ({ path: [...issue.path, ...path], text }));
  }
  return [{ path: issue.path, text: inWords(issue.message) }];
};

/** One line for each problem: the path, and what is expected there. */
export const shapeProblems = (error: z.ZodError): string =>
  error.issues
    .flatMap(problemsOf)
    .map(({ path, text }) => (path.length === 0 ? text : `${z.core.toDotPath(path)}: ${text}`))
    .join('\n');
