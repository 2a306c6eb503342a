import type { Evidence } from './evidence.ts';
import { leastOf } from './rest.ts';
import type { Life } from './watch.ts';

/** EC2 takes it, is about to, or it ended without us. */
export const isLost = ({ warnedAtMs, rebalanceAtMs, endedByScript }: Life): boolean =>
  warnedAtMs !== undefined || rebalanceAtMs !== undefined || endedByScript === true;

/** How long after an end a look may still show the instance: describes lag, and calls are slow. */
export const unseenEndMs = 20_000;

/** Less than the notice that EC2 gives, so that whoever ends sooner was taken before its time. */
const noticeMs = 115_000;

/**
 * Members that an Auto Scaling group may have replaced while Holdfast did: their replacement was on its way when they ended, before their time, or just
 * then, and the group knew before it could be told to let them go. What ended before anybody heard of it is left to the group alone.
 */
export const replacedByAsg = ({ situation, swaps, snapshot }: Evidence, group: string, lives: readonly Life[]): number => {
  const policy = situation.policies.find((one) => one.group === group);
  if (policy?.asg === undefined && !JSON.stringify(policy?.pools ?? {}).includes('"asg"')) return 0;
  const ours = swaps.filter(({ drain, reason }) => drain !== undefined && reason !== 'hook');
  const claimedAtMs = new Map(ours.map((swap) => [swap.instance, swap.claimedAtMs]));
  // While its health checks or launches are suspended Holdfast replaces its dead; once they are resumed the group does so too.
  const keepsDead = situation.steps.some(({ about }) => ['HealthCheck', 'ReplaceUnhealthy', 'Launch'].includes(about?.process ?? ''));
  // A clock that is wrong by up to a minute cuts short the time that a group is given to launch by itself, so that both do.
  const isHasty = (situation.faults ?? []).some((fault) => fault.on === 'clock' && fault.withinMs > 10_000);
  // What dies before it serves may have joined its group a moment before: whether it had, a describe that lags does not show.
  const isOnItsWay = ({ endedByScript, servingAtMs, goneAtMs = 0, warnedAtMs = goneAtMs, rebalanceAtMs = warnedAtMs }: Life): boolean =>
    endedByScript === true && (servingAtMs === undefined || rebalanceAtMs < goneAtMs);
  const isClaimedFirst = ({ instance, goneAtMs = 0, drainingAtMs }: Life): boolean =>
    drainingAtMs === undefined && (claimedAtMs.get(instance) ?? goneAtMs + unseenEndMs) < goneAtMs + unseenEndMs;
  const least = leastOf(situation, snapshot, group);
  const leftBy = ({ goneAtMs = 0 }: Life): number =>
    lives.filter((life) => life.launchedAtMs <= goneAtMs && (life.goneAtMs ?? Number.POSITIVE_INFINITY) > goneAtMs).length;
  // Below its minimum a group cannot be taken over, and Holdfast does not wait for one that was refused.
  const fallsBelow = lives.some((life) => life.endedByScript === true && leftBy(life) < least);
  // At its minimum a group lets nobody go: whom EC2 takes before its time it replaces.
  const isHeldUntilTaken = (life: Life): boolean => (life.goneAtMs ?? 0) - (life.warnedAtMs ?? 0) < noticeMs && leftBy(life) <= least;
  const isAtMinimum = (life: Life): boolean => (life.endedByScript === true && fallsBelow) || isHeldUntilTaken(life);
  const isBoth = (life: Life): boolean => keepsDead || isHasty || isAtMinimum(life) || isOnItsWay(life) || isClaimedFirst(life);
  return lives.filter((life) => isLost(life) && life.goneAtMs !== undefined && isBoth(life)).length;
};

/** Members that their group ended beyond what it launched to even out its zones: its desired capacity was lowered, and Holdfast keeps to its own. */
export const endedByAsg = (lives: readonly Life[]): number =>
  Math.max(0, lives.filter(({ retiredAtMs }) => retiredAtMs !== undefined).length - lives.filter(({ ownAccord }) => ownAccord === 'zones').length);

/** A process that a user suspends in the middle of a change, or one that starts again, makes a group end or launch one that nobody could count on. */
export const surprises = ({ situation }: Evidence): number => situation.steps.filter(({ kind }) => kind === 'process-suspended').length;
