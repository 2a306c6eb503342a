import { times } from '../times.ts';
import { type Delivery, endless, isAlive, isToldBy, type Life } from '../world/life.ts';
import { runsAgainAt } from '../world/runs.ts';

/**
 * Whether a warning is so old when its message comes that its instance, which still runs, was not taken because of it. Nothing follows from it any more.
 * `slackMs`: by how much longer the warning may count.
 */
export const isOutOfDate = (life: Life, { told, atMs, happenedAtMs }: Delivery, slackMs: number): boolean =>
  told.about === 'warning' &&
  atMs - happenedAtMs > times.spotNoticeMs + times.describeLagMs + slackMs &&
  (isAlive(life, atMs) || runsAgainAt(life, atMs));

/** The first message about a warning that a function received, and that may still count. `clockMs`: how far clocks are apart. */
export const firstWarning = (life: Life, clockMs: number): Delivery | undefined =>
  life.deliveries.find((one) => one.told.about === 'warning' && !isOutOfDate(life, one, clockMs));

/**
 * The first message about a warning that EC2 had sent. What is said of the past, or of an instance that nobody takes, counts for nothing: a message names
 * the time of its warning.
 */
export const firstTrueWarning = ({ deliveries, warnings }: Life, beforeMs = endless): Delivery | undefined =>
  deliveries.find(
    ({ told, atMs, happenedAtMs }) =>
      told.about === 'warning' &&
      atMs < beforeMs &&
      warnings.some((warning) => !warning.silent && warning.atMs <= atMs && isToldBy(warning, happenedAtMs)),
  );
