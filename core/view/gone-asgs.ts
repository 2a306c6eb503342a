import { namedAsgs } from '../group/holders.ts';
import { loweredShownMs } from '../times/times.ts';
import type { View } from './view.ts';

/**
 * Auto Scaling groups of the policy that looks do not find, because their owner has deleted them: since when, and
 * whether that was told.
 */
export type GoneAsg = { readonly sinceMs: number; readonly isTold?: true };
export type GoneAsgs = Readonly<Record<string, GoneAsg>>;

export type GoneMemory = {
  /** As the last look found it. Absent: none. */
  readonly goneAsgs?: GoneAsgs;
};

/** Those that were told. */
export const toldGone = (gone: GoneAsgs = {}): readonly string[] =>
  Object.keys(gone).filter((asg) => gone[asg]?.isTold === true);

type Look = Pick<View, 'group' | 'asgs' | 'state' | 'nowMs'>;

/** When a group that is not found is told as gone. Until then, a describe may be older than its creation or its end. */
export const toldFromMs = (sinceMs: number): number => sinceMs + loweredShownMs;

/**
 * The Auto Scaling groups in which nothing can be launched, because they are gone. One that a single look does not find
 * may be there: a describe may be older than its creation.
 */
export const goneFor = (look: Look): { readonly goneAsgs?: readonly string[] } => {
  const gone = toldGone(goneNow(look));
  return gone.length === 0 ? {} : { goneAsgs: gone };
};

/** The Auto Scaling groups that this look does not find. */
export const goneNow = ({ group, asgs, state: { goneAsgs = {} }, nowMs }: Look): GoneAsgs => {
  const missing = namedAsgs(group).filter((asg) => !asgs.some(({ name }) => name === asg));
  return Object.fromEntries(
    missing.map((asg) => {
      const { sinceMs = nowMs, isTold } = goneAsgs[asg] ?? {};
      return [asg, { sinceMs, ...((isTold || nowMs >= toldFromMs(sinceMs)) && { isTold: true as const }) }];
    }),
  );
};
