import * as z from 'zod/mini';
import { durationPattern, parseDurationMs } from '../units/duration.ts';

/** A duration with its unit, between two bounds that are durations too. */
export const duration = (least: string, most: string) => {
  const allowed = `a duration from ${least} to ${most} with its unit, such as 30s, 5m or 2h`;
  const within = (value: string): boolean => {
    const ms = parseDurationMs(value) ?? Number.NaN;
    return ms >= (parseDurationMs(least) ?? 0) && ms <= (parseDurationMs(most) ?? 0);
  };
  return z.string({ error: allowed }).check(z.regex(durationPattern, allowed), z.refine(within, allowed));
};
