import * as z from 'zod/mini';
import { parseSignedPercentage, signedPercentagePattern } from '../percentage.ts';
import { duration } from './duration-field.ts';
import { map, shortList } from './field.ts';

const adjustText = 'a number of instances such as +2 or -1, or a share of the present size such as +20% or -10%';
const alarmText = 'the name of a CloudWatch alarm (not its ARN), 1 to 255 characters';

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
      'What the alarm adds to the desired size: instances, or a share of it (at least one). Stays within min and max.',
    ),
  );

const mostAlarms = 50;

export const scalingSchema = shortList(
  map(
    {
      alarm: z
        .string({ error: alarmText })
        .check(z.regex(/^(?!arn:)[^\n]{1,255}$/, alarmText), z.describe('Name of the CloudWatch alarm.')),
      adjust,
      cooldown: z
        ._default(duration('0s', '24h'), '5m')
        .check(z.describe('How long this alarm has no further effect after it acted.')),
    },
    'a map with alarm, adjust and cooldown',
  ),
  'a list of { alarm, adjust, cooldown }',
  mostAlarms,
).check(z.describe('Alarms that change the desired size within min and max.'));
