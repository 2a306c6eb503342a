import * as z from 'zod/mini';
import { numberFrom } from './field.ts';
import {
  instanceTypePattern,
  instanceTypeText,
  leastPriceUsdPerHour,
  mostPriceUsdPerHour,
  priceText,
} from './pool-schema.ts';

const mostTypes = 300;

/** Prices on demand are the same in all zones of a region. */
export const onDemandPricesSchema = z
  .record(
    z.string({ error: instanceTypeText }).check(z.regex(instanceTypePattern, instanceTypeText)),
    numberFrom(leastPriceUsdPerHour, mostPriceUsdPerHour, priceText),
    { error: `a map of instance types, each with ${priceText}` },
  )
  .check(
    z.refine((prices) => Object.keys(prices).length <= mostTypes, `at most ${mostTypes} instance types`),
    z.describe('What an instance type costs on demand, USD per hour: for `maxPrice`, and to compare on-demand pools.'),
  );
