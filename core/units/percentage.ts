/** A signed share of the present size: `+20%`, `-12.5%`. */
export const signedPercentagePattern = /^[+-]\d{1,4}(\.\d{1,3})?%$/;

/** 20 for `+20%`, -12.5 for `-12.5%`; undefined when the text is not a signed percentage. */
export const parseSignedPercentage = (text: string): number | undefined =>
  signedPercentagePattern.test(text) ? Number(text.slice(0, -1)) : undefined;
