import type * as z from 'zod/mini';
import { knownFields } from './field.ts';
import { isPlanned } from './not-yet.ts';
import { nearestName, type Path, type Problem, pathText, problemOf, showFound } from './problem.ts';
import { asMap, fieldOf, valueAt } from './reading.ts';
import { groupSchema } from './schema.ts';

/** The fields of a map, whatever defaults and other forms its schema has. Lists and maps by name have none. */
const fieldsOf = (schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> => {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return def.shape;
    case 'optional':
    case 'default':
    case 'prefault':
      return fieldsOf(def.innerType);
    case 'union':
      return Object.assign({}, ...def.options.map(fieldsOf)) as Readonly<Record<string, z.core.$ZodType>>;
    default:
      return {};
  }
};

const homes: readonly string[] = Object.entries(fieldsOf(groupSchema)).flatMap(([name, schema]) => [
  name,
  ...Object.keys(fieldsOf(schema)).map((field) => `${name}.${field}`),
]);

/** Where the policy has a field of this name, such as `drain.timeout`. Undefined where it has none, or several. */
const homeOf = (name: string): string | undefined => {
  const found = homes.filter((home) => home === name || home.endsWith(`.${name}`));
  return found.length === 1 ? found[0] : undefined;
};

type Issue = z.core.$ZodIssue;
type UnionIssue = z.core.$ZodIssueInvalidUnion;
/** One problem for each value that the schema refused, at the innermost place that it applies to. */
export const shapeProblems = (document: unknown, issues: readonly Issue[]): readonly Problem[] =>
  issues.flatMap((issue) => problemsOf(document, issue, []));

const problemsOf = (document: unknown, issue: Issue, prefix: Path): readonly Problem[] => {
  const path: Path = [...prefix, ...(issue.path as (string | number)[])];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownField(path, key, issue.message));
    case 'invalid_union':
      return unionProblems(document, issue, path);
    case 'invalid_key':
      return [problemOf({ path, found: showFound(path.at(-1)), allowed: issue.issues[0]?.message ?? issue.message })];
    default:
      return [plainProblem(document, issue, path)];
  }
};

const plainProblem = (document: unknown, issue: Issue, path: Path): Problem => {
  const value = valueAt(document, path);
  const known = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  return problemOf({
    path,
    found: showFound(value),
    allowed: issue.message,
    nearest: typeof value === 'string' ? nearestName(value, known) : undefined,
  });
};

const unknownField = (path: Path, key: string, allowed: string): Problem => {
  const at = pathText([...path, key]);
  const found = `unknown field ${showFound(key)}`;
  if (isPlanned(at))
    return {
      path: at,
      found,
      allowed,
      message: `${at} is not supported yet: leave it out. Supported here: ${allowed}.`,
    };
  return problemOf({
    path: [...path, key],
    found,
    allowed: `one of ${allowed}`,
    nearest: homeOf(key) ?? nearestName(key, knownFields(allowed)),
  });
};

/**
 * For a value that fits no form of a union, the problem describes the form that the author most likely meant: the one
 * with the same kind (text, list, map) and with fields in common. Without such a form, or with several, the problem
 * describes the whole union.
 */
const unionProblems = (document: unknown, issue: UnionIssue, path: Path): readonly Problem[] => {
  const value = valueAt(document, path);
  const forms = issue.errors
    .map((errors) => ({ errors, misfit: misfitOf(value, errors), missing: missingFields(value, errors) }))
    .sort((a, b) => a.misfit - b.misfit);
  const near = forms.filter(({ misfit }) => misfit < otherForm);
  const [best] = near;
  // A value with all fields of two forms is wrong in each of them only for the fields of the other.
  const isSeveral = near.filter(({ missing }) => missing.length === 0).length > 1;
  if (best !== undefined && !isSeveral) return best.errors.flatMap((inner) => problemsOf(document, inner, path));
  const fields = forms.flatMap(({ missing }) => missing);
  const literals = issue.errors
    .flat()
    .flatMap((error) => (error.code === 'invalid_value' ? error.values.map(String) : []));
  const nearest =
    typeof value === 'string'
      ? nearestName(value, literals)
      : namesIn(value)
          .map((key) => nearestName(key, fields))
          .find((name) => name !== undefined);
  return [problemOf({ path, found: showFound(value), allowed: issue.message, nearest })];
};

const namesIn = (value: unknown): readonly string[] => Object.keys(asMap(value) ?? {});

const otherForm = 10;

/**
 * How far a value is from a form, from `otherForm` on when it is another one. A form that shares a field with the value
 * is the one that was meant, even when other fields of it are missing.
 */
const misfitOf = (value: unknown, errors: readonly Issue[]): number => {
  const isOtherKind = errors.some(
    ({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value'),
  );
  if (isOtherKind) return 10 * otherForm;
  const unknown = unknownIn(errors).length;
  const perMissing = namesIn(value).length > unknown ? 1 : otherForm;
  return unknown + perMissing * missingFields(value, errors).length;
};

const unknownIn = (errors: readonly Issue[]): readonly string[] =>
  errors.flatMap((error) => (error.code === 'unrecognized_keys' && error.path.length === 0 ? error.keys : []));

const missingFields = (value: unknown, errors: readonly Issue[]): readonly string[] =>
  errors.flatMap(({ path: [first] }) =>
    typeof first === 'string' && fieldOf(value, first) === undefined ? [first] : [],
  );
