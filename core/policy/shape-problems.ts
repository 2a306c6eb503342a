import type * as z from 'zod/mini';
import { knownFields } from './field.ts';
import { homeOf } from './field-homes.ts';
import { isPlanned } from './not-yet.ts';
import { nearestName, type Path, type Problem, pathText, problemOf, showFound } from './problem.ts';
import { asMap, fieldOf, valueAt } from './reading.ts';

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
    .map((errors) => ({ errors, misfit: misfitOf(value, errors) }))
    .sort((a, b) => a.misfit - b.misfit);
  const [best] = forms;
  if (best !== undefined && best.misfit < otherForm && !isSeveralForms(value, issue.errors))
    return best.errors.flatMap((inner) => problemsOf(document, inner, path));
  const fields = issue.errors.flatMap((errors) => missingFields(value, errors));
  const written = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const literals =
    typeof value === 'string'
      ? issue.errors.flat().flatMap((error) => (error.code === 'invalid_value' ? error.values.map(String) : []))
      : [];
  const nearest =
    typeof value === 'string'
      ? nearestName(value, literals)
      : written.map((key) => nearestName(key, fields)).find((name) => name !== undefined);
  return [problemOf({ path, found: showFound(value), allowed: issue.message, nearest })];
};

/** Whether the value has all fields of two forms, so that each of them is wrong only for the fields of the other. */
const isSeveralForms = (value: unknown, forms: readonly (readonly Issue[])[]): boolean => {
  const written = Object.keys(asMap(value) ?? {}).length;
  const whole = forms.filter(
    (errors) =>
      errors.every(({ code, path }) => code === 'unrecognized_keys' || path.length > 0) &&
      missingFields(value, errors).length === 0 &&
      unknownIn(errors).length < written,
  );
  return whole.length > 1;
};

const otherForm = 10;

const misfitOf = (value: unknown, errors: readonly Issue[]): number =>
  errors.reduce((sum, error) => {
    if (error.path.length === 0 && (error.code === 'invalid_type' || error.code === 'invalid_value'))
      return sum + 10 * otherForm;
    if (error.code === 'unrecognized_keys' && error.path.length === 0) return sum + error.keys.length;
    return sum;
  }, otherForm * missingOf(value, errors));

const unknownIn = (errors: readonly Issue[]): readonly string[] =>
  errors.flatMap((error) => (error.code === 'unrecognized_keys' && error.path.length === 0 ? error.keys : []));

/** A form that shares a field with the value is the one that was meant, even when another of its fields is missing. */
const missingOf = (value: unknown, errors: readonly Issue[]): number => {
  const missing = missingFields(value, errors).length;
  const unknown = unknownIn(errors).length;
  const written = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return written > unknown ? 0 : missing;
};

const missingFields = (value: unknown, errors: readonly Issue[]): readonly string[] =>
  errors.flatMap(({ path }) => {
    const [first] = path;
    return path.length === 1 && typeof first === 'string' && fieldOf(value, first) === undefined ? [first] : [];
  });
