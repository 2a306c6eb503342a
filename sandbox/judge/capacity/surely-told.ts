import type { Chronicle } from '../chronicle.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';

/** For whom a function placed, when it began, and when EC2 launched. */
type Placing = { readonly group: string; readonly sinceMs: number; readonly atMs: number };

/** Whether a function had received, so long before the launch at most, that EC2 takes a member of an offering or may take it, when the one that placed began. */
export const isSurelyTold = (chronicle: Chronicle, offering: OfferingName, { group, sinceMs, atMs }: Placing, forMs: number): boolean => {
  const acts = (fromMs: number): boolean => chronicle.policiesIn(group, fromMs, atMs).every(({ actsOnAdvice }) => actsOnAdvice);
  return chronicle.lives
    .filter((life) => nameOf(life) === nameOf(offering))
    .some((life) =>
      life.deliveries.some(
        ({ told, atMs: toldMs }) =>
          (told.about === 'warning' || (told.about === 'advice' && acts(toldMs))) &&
          chronicle.groupAt(life, toldMs) === group &&
          toldMs <= sinceMs &&
          atMs < toldMs + forMs,
      ),
    );
};
