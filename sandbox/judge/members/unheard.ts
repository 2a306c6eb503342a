import type { Chronicle } from '../chronicle.ts';
import { isAlive, isFunction, type Life, warnedAtMs } from '../world/life.ts';

/**
 * Members that EC2 had warned by a moment, that have no swap, and of whose warning no message had told the function that looked. Describes say nothing
 * about warnings, so its look shows them as members that stay.
 */
export const unheardWarnings = (
  chronicle: Chronicle,
  group: string,
  { by, atMs }: { readonly by: Life['by']; readonly atMs: number },
): readonly Life[] =>
  chronicle.livesIn(group).filter((life) => {
    const isTold = life.deliveries.some((one) => isFunction(by) && one.invocation === by.invocation && one.atMs <= atMs);
    return (
      warnedAtMs(life) <= atMs &&
      isAlive(life, atMs) &&
      chronicle.groupAt(life, atMs) === group &&
      !isTold &&
      !life.claims.some((claim) => claim.atMs <= atMs)
    );
  });
