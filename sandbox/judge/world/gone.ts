import type { Chronicle } from '../chronicle.ts';
import { rememberedBy } from '../remembered.ts';
import { spansOf } from '../spans.ts';
import type { Span } from './life.ts';

/** The times in which an Auto Scaling group did not exist. */
export const timesGone = rememberedBy((chronicle: Chronicle, asg: string): readonly Span[] =>
  spansOf(chronicle.cloud.asgChanges(asg).map(({ isGone, atMs }) => ({ atMs, isOn: isGone === true }))),
);

/** Whether the Auto Scaling group of a pool did not exist at some moment of a time: nothing can be launched in it then. */
export const wasGone = (chronicle: Chronicle, asg: string | undefined, fromMs: number, untilMs: number): boolean =>
  asg !== undefined && timesGone(chronicle, asg).some((gone) => gone.fromMs <= untilMs && gone.untilMs >= fromMs);
