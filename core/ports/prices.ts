import type { Offering, OfferingKey } from '../pool/offering.ts';

export type Prices = {
  /**
   * Current spot prices of these offerings in USD per hour. An offering without a price is missing. Undefined when they
   * could not be read.
   */
  spotPrices(offerings: readonly Offering[]): Promise<Readonly<Record<OfferingKey, number>> | undefined>;
};
