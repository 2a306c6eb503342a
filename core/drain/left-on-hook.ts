import type { Swap } from '../swap/swap.ts';
import { deadlineMarginMs } from '../times/times.ts';
import { openHooks } from './heartbeat.ts';
import { worksUntilTaken } from './shortfall.ts';

/**
 * Whether a drain left the hooks open at its end, because connections went on until EC2 took the instance. No drain is
 * left to complete them.
 */
export const isLeftOnHook = (swap: Swap): boolean => swap.state === 'drained' && worksUntilTaken(swap, 0);

/**
 * Whether no drain is left to complete the hooks of an instance that has ended: its drain left them open, or it never
 * had one, because it had ended before it was claimed.
 */
export const hasNoDrainForHooks = (swap: Swap): boolean => isLeftOnHook(swap) || swap.drain === undefined;

/** So long before a hook expires that nothing keeps alive, it is completed. */
const beforeExpiryMs = 5_000;

/**
 * From when hooks that were left open are completed (epoch ms). EC2 has spared the instance: it runs on after its
 * deadline, and its Auto Scaling group would wait until the hooks expire. Or one of them expires before, because EC2
 * warned again and set a later deadline.
 */
export const sparedOnHookAtMs = (swap: Swap): number =>
  Math.min(
    (swap.deadlineMs ?? Number.POSITIVE_INFINITY) + deadlineMarginMs,
    ...openHooks(swap).map(({ expiresAtMs }) => expiresAtMs - beforeExpiryMs),
  );

/** Whether the hooks that a drain left open must be completed now. */
export const isSparedOnHook = (swap: Swap, nowMs: number): boolean =>
  isLeftOnHook(swap) && sparedOnHookAtMs(swap) <= nowMs;
