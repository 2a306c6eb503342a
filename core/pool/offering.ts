/** Whether an instance is spot capacity, which EC2 may take back, or on-demand capacity. */
export type Market = 'spot' | 'on-demand';

/** The atom inside a pool: the unit that EC2 grants or refuses. */
export type Offering = {
  readonly instanceType: string;
  /** Availability Zone name, for example `us-east-1a`. */
  readonly zone: string;
  readonly market: Market;
};

/** A stable text form of an offering: key of pool memory, prices and reports. */
export type OfferingKey = `${string}/${string}/${Market}`;

export const offeringKey = ({ instanceType, zone, market }: Offering): OfferingKey =>
  `${instanceType}/${zone}/${market}`;

/** The inverse of {@link offeringKey}; undefined when the text is not such a key. */
export const parseOfferingKey = (key: string): Offering | undefined => {
  const [instanceType, zone, market, ...rest] = key.split('/');
  if (!instanceType || !zone || rest.length > 0) return undefined;
  if (market !== 'spot' && market !== 'on-demand') return undefined;
  return { instanceType, zone, market };
};
