import type { Chronicle } from '../chronicle.ts';
import { goneAtMs, type Life } from './life.ts';

/** What Holdfast writes where the minimum size of its Auto Scaling group keeps a member. AWS has no such code. */
export const belowMinCode = 'BelowMinSize';

/**
 * Whether, at some moment between these two, the Auto Scaling group that held it was at its minimum size. Auto Scaling lets no member go then, so Holdfast
 * does not ask it to.
 */
export const wasAtMinimum = ({ cloud, history }: Chronicle, life: Life, fromMs: number, untilMs = history.endedAtMs): boolean =>
  life.stays.some((stay) => {
    const sinceMs = Math.max(fromMs, stay.fromMs);
    const endMs = Math.min(untilMs, stay.untilMs, goneAtMs(life), history.endedAtMs);
    const changes = cloud.asgChanges(stay.asg).map(({ atMs }) => atMs);
    return [sinceMs, ...changes.filter((atMs) => atMs > sinceMs)].some((atMs) => {
      const { desired = 0, min = 0 } = cloud.asgAt(stay.asg, atMs) ?? {};
      return atMs < endMs && desired <= min;
    });
  });
