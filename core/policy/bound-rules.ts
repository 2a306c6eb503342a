import { parseDurationMs } from '../duration.ts';
import { repeatedItems, repeatsIn } from './pool-rules.ts';
import { type Problem, problemOf, showFound } from './problem.ts';
import { asList, asMap, type Fields, fieldOf } from './reading.ts';

/**
 * What the schema cannot check about sizes, alarms, readiness and load balancers: the order of bounds, and repeated
 * entries.
 */
export const boundProblems = (document: Fields): readonly Problem[] => [
  ...sizeProblems(fieldOf(document, 'size')),
  ...readyProblems(fieldOf(document, 'ready')),
  ...outsideProblems(document),
  ...repeatedAlarms(asList(fieldOf(document, 'scaling'))),
  ...repeatedItems(['drain', 'loadBalancers'], fieldOf(fieldOf(document, 'drain'), 'loadBalancers')),
];

/** Alarms for a size that no alarm can change. */
export const idleScaling = (document: Fields): readonly Problem[] => {
  const size = fieldOf(document, 'size');
  const fixed =
    typeof size === 'number' || (asMap(size) !== undefined && fieldOf(size, 'min') === fieldOf(size, 'max'));
  if (!fixed || asList(fieldOf(document, 'scaling')).length === 0) return [];
  return [
    problemOf({
      path: ['scaling'],
      found: 'alarms on a fixed size, which they cannot change',
      allowed: 'a size with min below max',
    }),
  ];
};

const sizeProblems = (size: unknown): readonly Problem[] => {
  const [min, max, desired] = ['min', 'max', 'desired'].map((name) => fieldOf(size, name));
  if (typeof min !== 'number' || typeof max !== 'number') return [];
  if (min > max)
    return [problemOf({ path: ['size', 'max'], found: showFound(max), allowed: `a number of at least min (${min})` })];
  if (typeof desired !== 'number' || (desired >= min && desired <= max)) return [];
  return [
    problemOf({
      path: ['size', 'desired'],
      found: showFound(desired),
      allowed: `a number from min (${min}) to max (${max})`,
    }),
  ];
};

/** A member would be given up before it can count as serving. */
const readyProblems = (ready: unknown): readonly Problem[] => {
  const [after, within = '10m'] = [fieldOf(ready, 'after'), fieldOf(ready, 'within')];
  const [afterMs, withinMs] = [after, within].map((text) =>
    typeof text === 'string' ? parseDurationMs(text) : undefined,
  );
  if (afterMs === undefined || withinMs === undefined || withinMs > afterMs) return [];
  return [
    problemOf({
      path: ['ready', 'within'],
      found: showFound(within),
      allowed: `a duration that is longer than after (${after})`,
    }),
  ];
};

/** What cannot be said beside a size that others set. */
const outsideProblems = (document: Fields): readonly Problem[] => {
  const size = fieldOf(document, 'size');
  if (fieldOf(size, 'from') !== 'asg') return [];
  const [asg, desired, scaling] = [
    fieldOf(document, 'asg'),
    fieldOf(size, 'desired'),
    asList(fieldOf(document, 'scaling')),
  ];
  return [
    ...(asg === undefined
      ? [
          problemOf({
            path: ['asg'],
            found: 'nothing',
            allowed: 'the Auto Scaling group whose desired capacity is the size (size.from: asg)',
          }),
        ]
      : []),
    ...(desired === undefined
      ? []
      : [
          problemOf({
            path: ['size', 'desired'],
            found: showFound(desired),
            allowed: 'no desired size: size.from: asg takes it from the Auto Scaling group',
          }),
        ]),
    ...(scaling.length === 0
      ? []
      : [
          problemOf({
            path: ['scaling'],
            found: `${scaling.length} alarms`,
            allowed: 'no alarms: with size.from: asg others set the size, and an alarm that you want belongs to them',
          }),
        ]),
  ];
};

const repeatedAlarms = (rules: readonly unknown[]): readonly Problem[] => {
  const alarms = rules.map((rule) => fieldOf(rule, 'alarm'));
  return repeatsIn(alarms).map((index) =>
    problemOf({
      path: ['scaling', index, 'alarm'],
      found: `${showFound(alarms[index])} again`,
      allowed: 'each alarm once',
    }),
  );
};
