import * as z from 'zod/mini';
import { key, map, nonEmptyList, numberFrom, oneOf, text, wholeNumber } from './field.ts';

const subnetPattern = /^subnet-[0-9A-Za-z-]{1,60}$/;
const asgText = 'the name of an Auto Scaling group, 1 to 255 characters';
const launchTemplateText = 'the name or id of a launch template, with an optional version: web, web:7, web:$Latest';
export const instanceTypePattern = /^[a-z][a-z0-9-]*\.[a-z0-9-]+$/;
export const instanceTypeText = 'an instance type such as m7g.large';
const subnetText = 'a subnet id such as subnet-0a1b2c3d';
export const leastPriceUsdPerHour = 0.0001;
export const mostPriceUsdPerHour = 10_000;
export const priceText = `a price in USD per hour from ${leastPriceUsdPerHour} to ${mostPriceUsdPerHour}`;

const relativePricePattern = /^(100|[1-9]\d?)% of on-demand$/;
const relativePriceText = 'a share of the on-demand price, 1% to 100%: 60% of on-demand';

/** 60 for `60% of on-demand`. */
export const parseRelativePrice = (price: string): number => Number.parseInt(price, 10);

/** Without a version, `$Default` is used, as in EC2. */
const launchTemplate = key(
  /^[A-Za-z0-9()./_-]{3,128}(:([1-9]\d{0,8}|\$Latest|\$Default))?$/,
  launchTemplateText,
  (reference) => reference.replace(/:.*/, ''),
).check(
  z.describe(
    'Launch template, by name or id. A version may follow after a colon: a number, $Latest or $Default (the default).',
  ),
);

export const asgName = key(/^[^:]{1,255}$/, asgText);

const fields = {
  market: z.optional(
    oneOf(['spot', 'on-demand']).check(
      z.describe(
        'Spot or on-demand. Required, here or in `defaults`. A pool with `asg` takes it from the Auto Scaling group.',
      ),
    ),
  ),
  launchTemplate: z.optional(launchTemplate),
  subnets: z.optional(
    nonEmptyList(text(subnetPattern, subnetText), `a list of at least one subnet: ${subnetText}`).check(
      z.describe('Subnets to launch into, of one or more zones. The zones are looked up when the policy is accepted.'),
    ),
  ),
  instanceTypes: z.optional(
    nonEmptyList(
      text(instanceTypePattern, instanceTypeText),
      `a list of at least one instance type: ${instanceTypeText}`,
    ).check(z.describe('Instance types, the preferred one first.')),
  ),
  maxPriceUsdPerHour: z.optional(
    numberFrom(leastPriceUsdPerHour, mostPriceUsdPerHour, priceText).check(
      z.describe('An offering is not eligible while its price is above this. Default: no limit.'),
    ),
  ),
  maxPrice: z.optional(
    text(relativePricePattern, relativePriceText).check(
      z.describe(
        'A spot offering is not eligible while its price is above this share of its on-demand price, which ' +
          '`onDemandPrices` states. In `defaults` it is for the spot pools. Default: no limit.',
      ),
    ),
  ),
  priceFactor: z.optional(
    numberFrom(0.01, 1, 'a number from 0.01 to 1').check(
      z.describe(
        'The part of a price that you pay, where a Savings Plan or a reservation pays the rest. It counts when ' +
          'prices are compared, and not for price limits. Default: 1.',
      ),
    ),
  ),
  cap: z.optional(
    wholeNumber(0).check(
      z.describe('The most members of the pool, including launches in flight. 0 closes it. Default: no limit.'),
    ),
  ),
};

/** Fields that `defaults` may have: those of a pool, except the Auto Scaling group, which belongs to one pool. */
export const defaultsSchema = map(fields, 'a map of pool fields').check(
  z.describe('Merged into every pool: a field that a pool does not have is taken from here.'),
);

export const poolSchema = map(
  {
    ...fields,
    asg: z.optional(
      asgName.check(
        z.describe(
          'Auto Scaling group of one market and one zone to launch through (LaunchInstances). For all pools or none.',
        ),
      ),
    ),
  },
  'a map of pool fields',
).check(z.describe('One place capacity comes from.'));

export type PoolDocument = z.infer<typeof poolSchema>;
