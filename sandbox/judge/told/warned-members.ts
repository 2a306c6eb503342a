import { isOnItsWay, type Life, stayAt, tagsAt } from '../world/life.ts';

/** Tag that Auto Scaling puts on its instances. */
const asgTag = 'aws:autoscaling:groupName';

/** Whether its Auto Scaling group keeps it without a place: in standby or in its warm pool. */
const standsBy = (life: Life, atMs: number): boolean => {
  if (stayAt(life, atMs) !== undefined) return false;
  const last = life.stays.findLast(({ fromMs }) => fromMs <= atMs);
  return last === undefined ? tagsAt(life, atMs)[asgTag] !== undefined : last.how === 'standby';
};

/**
 * Whether it stood by from one time to another: never, for a part of the time, or all the time. Nothing replaces it then, so its warning allows no
 * launch. A member that its Auto Scaling group terminates may have to be replaced.
 */
export const stoodBy = (life: Life, fromMs: number, untilMs: number): 'never' | 'partly' | 'always' => {
  const changes = life.stays.flatMap((stay) => [stay.fromMs, stay.untilMs]).filter((atMs) => atMs > fromMs && atMs < untilMs);
  const stood = [fromMs, ...changes, untilMs].map((atMs) => standsBy(life, atMs));
  if (!stood.includes(true)) return 'never';
  return stood.includes(false) ? 'partly' : 'always';
};

/** Whether it leaves already when it is warned: it has its replacement. A choice that was withdrawn, or that still waited, gave it none. */
export const leavesAlready = ({ claims }: Life, atMs: number): boolean => isOnItsWay(claims.findLast((claim) => claim.atMs < atMs)?.state);
