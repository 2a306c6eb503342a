import { isKnownShortage, isQuiet } from '../../../core/decide/decide.ts';
import { modeOf } from '../../../core/group/mode.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { Round, Run } from '../run.ts';

/** Whether only a wake caused the look, and no signal and no tick of the minute. */
const isWakeAlone = ({ facts: { isTick, isMinute, messages } }: Run): boolean =>
  isTick && isMinute !== true && messages.length === 0;

/**
 * Whether a round is worth a stored decision. A shortage that lasts is stored and reported by the tick of each minute
 * and with each signal, and not by the wakes between them.
 */
export const isNews = (
  run: Run,
  { decision, sizes, launched }: Pick<Round, 'decision' | 'sizes' | 'launched'>,
  stored: GroupState,
): boolean => {
  const isSized = sizes.length > 0 && modeOf(run.group) !== 'observe';
  if (isSized || launched.length > 0) return true;
  return !isQuiet(decision) && !(isWakeAlone(run) && isKnownShortage(decision, stored));
};
