import { leaseMs, loweredShownMs } from '../times/times.ts';
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
  /** When AWS had answered the call that raised it: no call of this run takes effect later. */
  readonly answeredAtMs?: number;
  /** When it was put back, and no function could raise it any more. The note stays while a describe may be older. */
  readonly putBackAtMs?: number;
  /** Whether the call that put it back also lowered what an attach had added to the desired capacity. */
  readonly withSize?: true;
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
  const isNoLongerOpen = before?.by === by || before?.answeredAtMs !== undefined;
  const beforeMs = isNoLongerOpen ? before.beforeMs : before?.atMs;
  return { ...raise, atMs: nowMs, by, ...(beforeMs !== undefined && { beforeMs }) };
};

/**
 * Whether an invocation that noted this raise may still carry it out. The note stays that long, because without it
 * nothing would show whether the maximum is ours or the owner's.
 */
export const mayBeRaisedYet = ({ atMs, beforeMs, answeredAtMs }: RaisedMax, nowMs: number): boolean => {
  const notedAtMs = answeredAtMs === undefined ? atMs : beforeMs;
  return notedAtMs !== undefined && nowMs - notedAtMs < leaseMs;
};

/** Whether every describe shows what became of this raise. A describe before that may show the maximum of before. */
export const isRaiseShown = ({ atMs, answeredAtMs }: RaisedMax, nowMs: number): boolean => {
  const calledAtMs = answeredAtMs ?? (atMs === undefined ? undefined : atMs + leaseMs);
  return calledAtMs === undefined || nowMs - calledAtMs >= loweredShownMs;
};

/** Whether it was put back for good. If a describe shows our value, it is old, or the owner has set that value. */
export const isPutBack = ({ putBackAtMs }: RaisedMax): boolean => putBackAtMs !== undefined;

/** Notes without those of maxima that were put back, which every describe shows. A larger maximum is the owner's. */
export const openRaises = (raised: readonly RaisedMax[], nowMs: number): readonly RaisedMax[] =>
  raised.filter(({ putBackAtMs }) => putBackAtMs === undefined || nowMs - putBackAtMs < loweredShownMs);

/**
 * What a run learned about maxima, by Auto Scaling group: answered raises, those put back, those the owner changed.
 * `withSize`: those put back by the call that lowered a desired capacity.
 */
export type MaximaLearned = {
  readonly answered: readonly string[];
  readonly putBack: readonly string[];
  readonly changed: readonly string[];
  readonly withSize?: readonly string[];
};

/**
 * Notes after a run. A maximum that its owner changed needs no note.
 *
 * @param by the run. It knows nothing about a raise that another run noted since
 * @returns `raised` itself where nothing changes
 */
export const raisedAfter = (
  by: string,
  raised: readonly RaisedMax[],
  { answered, putBack, changed, withSize = [] }: MaximaLearned,
  nowMs: number,
): readonly RaisedMax[] => {
  const after = raised.flatMap((one) => {
    const isNews = one.by === by && one.answeredAtMs === undefined && answered.includes(one.asg);
    const note = isNews ? { ...one, answeredAtMs: nowMs } : one;
    if (mayBeRaisedYet(note, nowMs)) return [note];
    if (changed.includes(note.asg)) return [];
    if (!putBack.includes(note.asg) || isPutBack(note)) return [note];
    return [{ ...note, putBackAtMs: nowMs, ...(withSize.includes(note.asg) && { withSize: true as const }) }];
  });
  return after.length === raised.length && after.every((one, index) => one === raised[index]) ? raised : after;
};
