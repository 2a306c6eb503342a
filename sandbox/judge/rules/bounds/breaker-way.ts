import { mayHaveForgotten } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import { isHindered, launching, look, telling, type Way, ways } from '../../told/hindrance.ts';

/** Looks that receive warnings, launches that test a breaker, and the event about it. */
const wayOfBreakers: Way = { ...ways(look, launching, telling), events: 'needed' };

/** No fault hindered that. */
export const isPlainForBreakers = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean => {
  const { endedAtMs, readyAtMs } = chronicle.history;
  return (
    fromMs >= readyAtMs &&
    untilMs <= endedAtMs &&
    !mayHaveForgotten(chronicle, group, fromMs, untilMs) &&
    chronicle.policiesIn(group, fromMs, untilMs).every(({ mode }) => mode === 'act') &&
    !isHindered(chronicle, wayOfBreakers, fromMs, untilMs)
  );
};
