const unitMs = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** A whole number and its unit: `30s`, `5m`, `2h`. */
export const durationPattern = /^(\d{1,7})([smh])$/;

/** Milliseconds of a duration such as `30s`, `5m` or `2h`; undefined when the text is not one. */
export const parseDurationMs = (text: string): number | undefined => {
  const match = durationPattern.exec(text);
  if (match === null) return undefined;
  const [, count, unit] = match;
  return Number(count) * unitMs[unit as keyof typeof unitMs];
};
