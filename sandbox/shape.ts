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

const problemsOf = (issue: Issue): readonly Problem[] => {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return unionText(issue.errors).map(({ path, text }) => ({ path: [...issue.path, ...path], text }));
  }
  return [{ path: issue.path, text: issue.message.replace(/^Invalid input: /, '') }];
};

/** One line for each problem: the path, and what is expected there. */
export const shapeProblems = (error: z.ZodError): string =>
  error.issues
    .flatMap(problemsOf)
    .map(({ path, text }) => (path.length === 0 ? text : `${z.core.toDotPath(path)}: ${text}`))
    .join('\n');
