import { matchesOperator } from './pattern-operators.ts';

export type EventPattern = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A leaf of a pattern: a list of which one must match. A field that is a list matches when any of its elements does. */
const matchesLeaf = (alternatives: readonly unknown[], value: unknown, present: boolean): boolean => {
  const candidates: readonly unknown[] = Array.isArray(value) ? value : [value];
  return alternatives.some((alternative) => {
    if (isRecord(alternative) && 'exists' in alternative) return alternative.exists === (present && !isRecord(value));
    if (!present) return false;
    return candidates.some((candidate) => (isRecord(alternative) ? matchesOperator(alternative, candidate) : candidate === alternative));
  });
};

const matchesField = (pattern: unknown, value: unknown, present: boolean): boolean => {
  if (Array.isArray(pattern)) return matchesLeaf(pattern, value, present);
  if (!isRecord(pattern)) throw new Error(`A field of an event pattern must be a list or an object, not ${JSON.stringify(pattern)}.`);
  if (Array.isArray(value)) return value.some((element) => isRecord(element) && matchesPattern(pattern, element));
  return matchesPattern(pattern, isRecord(value) ? value : {});
};

/**
 * Whether an event matches a pattern: every field of the pattern must match, and for `$or` one of its patterns.
 * Rules: EventBridge User Guide, "Comparison operators for use in event patterns".
 */
export const matchesPattern = (pattern: EventPattern, event: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(pattern).every(([field, expected]) => {
    if (field === '$or' && Array.isArray(expected)) return expected.some((alternative) => matchesPattern(alternative as EventPattern, event));
    return matchesField(expected, event[field], field in event);
  });

const checkField = (path: string, pattern: unknown): void => {
  if (isRecord(pattern)) {
    checkPattern(pattern, `${path}.`);
    return;
  }
  if (!Array.isArray(pattern) || pattern.length === 0) throw new Error(`Event pattern is not valid. ${path} must be an object or a non-empty array.`);
  for (const alternative of pattern) {
    if (Array.isArray(alternative)) throw new Error(`Event pattern is not valid. ${path} must not hold an array in an array.`);
    if (isRecord(alternative) && !('exists' in alternative)) matchesOperator(alternative, '');
  }
};

/** @throws when a pattern is one that EventBridge would refuse: a leaf that is no list, an operator that does not exist. */
export const checkPattern = (pattern: EventPattern, path = ''): void => {
  if (!isRecord(pattern) || Object.keys(pattern).length === 0)
    throw new Error('Event pattern is not valid. It must be an object with at least one field.');
  for (const [field, expected] of Object.entries(pattern)) {
    if (field === '$or' && Array.isArray(expected)) for (const alternative of expected) checkPattern(alternative as EventPattern, `${path}$or.`);
    else checkField(`${path}${field}`, expected);
  }
};
