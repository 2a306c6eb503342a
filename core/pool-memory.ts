import type { OfferingKey } from './offering.ts';

/** Why an offering is resting. A throttle is not a refusal: it says nothing about capacity. */
export type Setback = 'refused' | 'interrupted';

/** What we learned about one offering. */
export type Lesson = {
  readonly kind: Setback;
  /** The code EC2 gave, for example `InsufficientInstanceCapacity`. */
  readonly code: string;
  readonly atMs: number;
  /** The offering is not eligible before this time. */
  readonly coolingUntilMs: number;
  /** Setbacks in a row without a success between them: each doubles the rest, up to a bound. */
  readonly streak: number;
};

/** What we learned about offerings, per offering key; decays by time. */
export type PoolMemory = Readonly<Record<OfferingKey, Lesson>>;
