import type { OnDemandFloor } from '../placement/on-demand.ts';
import { parseDurationMs } from '../units/duration.ts';
import { parseShare } from './return-schema.ts';
import type { Policy } from './schema.ts';

/**
 * A value of an accepted policy, as it was read from `text`.
 * @throws when it could not be read, because the schema rejects such a policy
 */
export const accepted = <T>(value: T | undefined, text: string): T => {
  if (value === undefined) throw new Error(`${text} could not be read, although the schema accepted it`);
  return value;
};

export const durationMs = (text: string): number => accepted(parseDurationMs(text), text);

/** 40 for `40%`. */
export const shareOf = (text: string): number => accepted(parseShare(text), text);

export const floorOf = ({ floor = 0, percent }: NonNullable<Policy['onDemand']>): OnDemandFloor => ({
  floor,
  percent: percent === undefined ? 0 : shareOf(percent),
});
