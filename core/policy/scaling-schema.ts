import * as z from 'zod/mini';
import { parseSignedPercentage, signedPercentagePattern } from '../units/percentage.ts';
import { duration } from './duration-field.ts';
import { key, map, nonEmptyList, numberFrom, shortList } from './field.ts';

const adjustText = 'a number of instances such as +2 or -1, or a share of the present size such as +20% or -10%';
const alarmText = 'the name of a CloudWatch alarm (not its ARN), 1 to 255 characters';
const distanceText = 'a number from 0: how far the metric is from the threshold of the alarm, in its own unit';

const percentageInRange = (value: string): boolean => {
  const percent = parseSignedPercentage(value);
  return percent === undefined || (percent !== 0 && percent >= -100 && percent <= 1000);
};
const instancesInRange = (value: number): boolean => value !== 0 && Math.abs(value) <= 100_000;

const signedNumberPattern = /^[+-]\d{1,6}$/;

const adjust = z
  .union(
    [
      z.int({ error: adjustText }).check(z.refine(instancesInRange, adjustText)),
      z.string({ error: adjustText }).check(
        z.refine((value) => signedPercentagePattern.test(value) || signedNumberPattern.test(value), adjustText),
        z.refine((value) => !signedNumberPattern.test(value) || instancesInRange(Number(value)), adjustText),
        z.refine(percentageInRange, adjustText),
      ),
    ],
    { error: adjustText },
  )
  .check(
    z.describe(
      'What the alarm adds to the desired size: a number of instances, or a percentage of the desired size (one ' +
        'instance at least). Negative values remove members. The result stays within min and max.',
    ),
  );

const mostAlarms = 50;
const mostSteps = 20;

const farthest = 1e15;
const distance = (meaning: string) =>
  z.optional(numberFrom(0, farthest, distanceText).check(z.describe(`${meaning}, in the unit of its metric.`)));

const stepText = 'a map with above (or below) and adjust';

const steps = nonEmptyList(
  map(
    {
      above: distance('The step applies from this far above the threshold of the alarm'),
      below: distance('The step applies from this far below the threshold of the alarm'),
      adjust,
    },
    stepText,
  ),
  'a list of { above, adjust } or of { below, adjust }',
).check(
  z.maxLength(mostSteps, `at most ${mostSteps} steps`),
  z.describe('Instead of adjust: adjustments that depend on how far the metric is from its threshold.'),
);

export const scalingSchema = shortList(
  map(
    {
      alarm: key(/^(?!arn:)[^\n]{1,255}$/, alarmText).check(z.describe('Name of the CloudWatch alarm.')),
      adjust: z.optional(adjust),
      steps: z.optional(steps),
      cooldown: z
        ._default(duration('0s', '24h'), '5m')
        .check(z.describe('After it acted, this alarm has no effect for this time.')),
    },
    'a map with alarm, adjust (or steps) and cooldown',
  ),
  'a list of { alarm, adjust, cooldown }',
  mostAlarms,
).check(z.describe('Alarms that change the desired size within min and max.'));
