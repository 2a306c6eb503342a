import { parseDurationMs } from '../units/duration.ts';
import { outsideProblems } from './outside-rules.ts';
import { repeatedItems, repeatsIn } from './pool-rules.ts';
import { type Problem, problemOf, showFound } from './problem.ts';
import { asList, type Fields, fieldOf } from './reading.ts';
import { scalingProblems, scheduleProblems } from './scaling-rules.ts';
import type { Policy } from './schema.ts';
import { sizeOf } from './size-of.ts';

/**
 * What the schema cannot check about sizes, alarms, readiness and load balancers: the order of bounds, and repeated
 * entries.
 */
export const boundProblems = (document: Fields): readonly Problem[] => [
  ...sizeProblems(fieldOf(document, 'size')),
  ...readyProblems(fieldOf(document, 'ready')),
  ...scheduleProblems(document),
  ...outsideProblems(document),
  ...scalingProblems(fieldOf(document, 'scaling')),
  ...repeatedAlarms(asList(fieldOf(document, 'scaling'))),
  ...repeatedItems(['drain', 'loadBalancers'], fieldOf(fieldOf(document, 'drain'), 'loadBalancers')),
];

/** Alarms and times for a size that cannot be changed. */
export const idleScaling = (policy: Policy): readonly Problem[] => {
  const { min, max } = sizeOf(policy);
  if (min !== max) return [];
  const idle = [
    ['scaling', 'alarms'],
    ['schedule', 'times'],
  ] as const;
  return idle
    .filter(([field]) => policy[field].length > 0)
    .map(([field, what]) =>
      problemOf({
        path: [field],
        found: `${what} on a fixed size, which they cannot change`,
        allowed: 'a size with min below max',
      }),
    );
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

const defaultWithin = '10m';

/** A policy that would give members up before they can count as serving. */
const readyProblems = (ready: unknown): readonly Problem[] => {
  const [after, within] = [fieldOf(ready, 'after'), fieldOf(ready, 'within')];
  const [afterMs, withinMs] = [after, within ?? defaultWithin].map((text) =>
    typeof text === 'string' ? parseDurationMs(text) : undefined,
  );
  if (afterMs === undefined || withinMs === undefined || withinMs > afterMs) return [];
  return within === undefined
    ? [
        problemOf({
          path: ['ready', 'after'],
          found: showFound(after),
          allowed: `a duration below ${defaultWithin}, or ready.within with a longer one`,
        }),
      ]
    : [
        problemOf({
          path: ['ready', 'within'],
          found: showFound(within),
          allowed: `a duration that is longer than after (${after})`,
        }),
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
