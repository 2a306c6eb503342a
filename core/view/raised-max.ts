import { leaseMs } from '../times/times.ts';
import type { AsgView } from './view.ts';

/** A maximum size that we raised and must put back. */
export type RaisedMax = {
  readonly asg: string;
  /** The owner's value. */
  readonly fromMax: number;
  /** The value that we set last. */
  readonly toMax: number;
  /** Values that we set before. The value stored last may never have been carried out. */
  readonly earlier?: readonly number[];
  /** When it was noted last and before. The functions that noted it may raise it until their time is over. */
  readonly atMs?: number;
  readonly beforeMs?: number;
  /** The run that noted it last. */
  readonly by?: string;
};

/**
 * Whether we ever set a maximum to this value since we first raised it. A raise that was stored may never have been
 * carried out.
 */
export const isGiven = ({ toMax, earlier = [] }: RaisedMax, max: number): boolean =>
  max === toMax || earlier.includes(max);

/**
 * Whether a maximum is as its owner left it, or as we raised it. Any other value is a later change by the owner, and
 * stays.
 */
export const isKnown = (raised: RaisedMax, max: number): boolean => max === raised.fromMax || isGiven(raised, max);

/** The owner's value of a maximum, whatever value we raised it to. */
export const ownersMax = (raised: readonly RaisedMax[], { name, max }: Pick<AsgView, 'name' | 'max'>): number => {
  const before = raised.find(({ asg }) => asg === name);
  return before !== undefined && isGiven(before, max) ? before.fromMax : max;
};

/** A maximum raised once more. The owner's value and every value that we set stay stored. */
export const raisedTo = (
  raised: readonly RaisedMax[],
  { name, max }: Pick<AsgView, 'name' | 'max'>,
  toMax: number,
): RaisedMax => {
  const before = raised.find(({ asg }) => asg === name);
  if (before === undefined || !isKnown(before, max)) return { asg: name, fromMax: max, toMax };
  const earlier = [...new Set([...(before.earlier ?? []), before.toMax])].filter((given) => given !== toMax);
  return { asg: name, fromMax: before.fromMax, toMax, ...(earlier.length > 0 && { earlier }) };
};

/** A raise as a run notes it before it is carried out. A run may note it in each of its rounds. */
export const notedBy = (by: string, raise: RaisedMax, raised: readonly RaisedMax[], nowMs: number): RaisedMax => {
  const before = raised.find(({ asg }) => asg === raise.asg);
  const beforeMs = before?.by === by ? before.beforeMs : before?.atMs;
  return { ...raise, atMs: nowMs, by, ...(beforeMs !== undefined && { beforeMs }) };
};

/**
 * Whether an invocation that noted this raise may still carry it out. The note stays that long, because without it
 * nothing would show whether the maximum is ours or the owner's.
 *
 * @param isOwn whether the caller made the last raise, and it is carried out
 */
export const mayBeRaisedYet = ({ atMs, beforeMs }: RaisedMax, nowMs: number, isOwn: boolean): boolean => {
  const notedAtMs = isOwn ? beforeMs : atMs;
  return notedAtMs !== undefined && nowMs - notedAtMs < leaseMs;
};
