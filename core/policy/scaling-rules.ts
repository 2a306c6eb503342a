import { repeatsIn } from './pool-rules.ts';
import { type Path, type Problem, problemOf, showFound } from './problem.ts';
import { asList, asMap, type Fields, fieldOf } from './reading.ts';

/** What the schema cannot check about alarms: adjust or steps, and the order of the steps. */
export const scalingProblems = (scaling: unknown): readonly Problem[] =>
  asList(scaling).flatMap((rule, index) => {
    if (asMap(rule) === undefined) return [];
    const [adjust, steps] = [fieldOf(rule, 'adjust'), fieldOf(rule, 'steps')];
    const path = ['scaling', index] as const;
    if (adjust === undefined && steps === undefined) {
      const allowed = 'what the alarm does, such as +2 or -10%; or steps';
      return [problemOf({ path: [...path, 'adjust'], found: 'nothing', allowed })];
    }
    if (adjust !== undefined && steps !== undefined)
      return [problemOf({ path: [...path, 'steps'], found: 'both steps and adjust', allowed: 'one of the two' })];
    return stepProblems([...path, 'steps'], asList(steps));
  });

const sides = ['above', 'below'] as const;
const sidesOf = (step: unknown): readonly (typeof sides)[number][] =>
  sides.filter((side) => fieldOf(step, side) !== undefined);

const stepProblems = (path: Path, steps: readonly unknown[]): readonly Problem[] => {
  const [first = 'above'] = steps.flatMap(sidesOf);
  const other = steps.findIndex((step) => asMap(step) !== undefined && sidesOf(step).join() !== first);
  if (other >= 0) {
    const found = sidesOf(steps[other]).join(' and ') || 'neither above nor below';
    const allowed = 'above in every step, or below in every step';
    return [problemOf({ path: [...path, other], found, allowed })];
  }
  return [...orderProblems(path, steps, first), ...signProblems(path, steps)];
};

const orderProblems = (path: Path, steps: readonly unknown[], side: string): readonly Problem[] =>
  steps.flatMap((step, index) => {
    const [distance, before] = [fieldOf(step, side), fieldOf(steps[index - 1], side)];
    if (typeof distance !== 'number') return [];
    const at = [...path, index, side];
    if (index === 0)
      return distance === 0
        ? []
        : [problemOf({ path: at, found: showFound(distance), allowed: '0: the first step begins at the threshold' })];
    if (typeof before !== 'number' || distance > before) return [];
    const allowed = `more than the step before it (${before})`;
    return [problemOf({ path: at, found: showFound(distance), allowed })];
  });

/** Steps that add members at one distance and remove them at another are a typing error. */
const signProblems = (path: Path, steps: readonly unknown[]): readonly Problem[] => {
  const isLess = (step: unknown): boolean => String(fieldOf(step, 'adjust')).startsWith('-');
  const other = steps.findIndex((step) => asMap(step) !== undefined && isLess(step) !== isLess(steps[0]));
  if (other === -1) return [];
  const found = showFound(fieldOf(steps[other], 'adjust'));
  const allowed = 'steps that all add members, or all take some away';
  return [problemOf({ path: [...path, other, 'adjust'], found, allowed })];
};

/** Times of a schedule: sizes within the bounds, and each time once. */
export const scheduleProblems = (document: Fields): readonly Problem[] => {
  const rows = asList(fieldOf(document, 'schedule'));
  const [min, max] = boundsOf(fieldOf(document, 'size'));
  const outside = rows.flatMap((row, index) => {
    const size = fieldOf(row, 'size');
    if (typeof size !== 'number' || min === undefined || max === undefined) return [];
    if (size >= min && size <= max) return [];
    const allowed = `a number from size.min (${min}) to size.max (${max})`;
    return [problemOf({ path: ['schedule', index, 'size'], found: showFound(size), allowed })];
  });
  const times = rows.map((row) => {
    const [at, timezone = 'UTC'] = [fieldOf(row, 'at'), fieldOf(row, 'timezone')];
    return typeof at === 'string' ? `${at.trim().split(/\s+/).join(' ')} ${String(timezone)}` : undefined;
  });
  const repeated = repeatsIn(times).map((index) => {
    const found = `${showFound(fieldOf(rows[index], 'at'))} again`;
    return problemOf({ path: ['schedule', index, 'at'], found, allowed: 'each time once' });
  });
  return [...outside, ...repeated];
};

const boundsOf = (size: unknown): readonly (number | undefined)[] => {
  const bounds = typeof size === 'number' ? [size, size] : [fieldOf(size, 'min'), fieldOf(size, 'max')];
  return bounds.map((bound) => (typeof bound === 'number' ? bound : undefined));
};
