import type { Chronicle } from './chronicle.ts';
import { endless } from './life.ts';
import { rememberedBy } from './remembered.ts';

/** A time in which an Auto Scaling group did not exist. */
export type Gone = { readonly fromMs: number; readonly untilMs: number };

export const timesGone = rememberedBy((chronicle: Chronicle, asg: string): readonly Gone[] => {
  const changes = chronicle.cloud.asgChanges(asg);
  return changes.flatMap(({ isGone, atMs }, index) =>
    isGone ? [{ fromMs: atMs, untilMs: changes.slice(index).find((later) => !later.isGone)?.atMs ?? endless }] : [],
  );
});

/** Whether the Auto Scaling group of a pool did not exist at some moment of a time: nothing can be launched in it then. */
export const wasGone = (chronicle: Chronicle, asg: string | undefined, fromMs: number, untilMs: number): boolean =>
  asg !== undefined && timesGone(chronicle, asg).some((gone) => gone.fromMs <= untilMs && gone.untilMs >= fromMs);
