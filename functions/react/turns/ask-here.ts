import type { AccountBudget } from '../../../core/limits/account-budget.ts';
import type { Ask } from '../../../core/limits/need.ts';
import { reactTimeoutMs } from '../../../core/times/times.ts';
import type { Run } from '../run.ts';
import type { Given } from './turns.ts';

/** Groups whose turns come within the same time are woken together. */
const togetherMs = 2_000;

/** The queue collects signals for a second (lib/signals.ts), and SQS counts delays in whole seconds. */
const aheadMs = 1_000;

/** No function that has taken so long waits for a turn. */
const tooLateToWaitMs = reactTimeoutMs / 4;

/**
 * When a group is woken for its turn. The wake takes a second or longer to arrive, and a look follows. So it is sent
 * one to three seconds ahead, at a common time of all batches. A group that comes too early waits for its turn where it
 * is.
 */
export const wakeForTurnMs = (turnAtMs: number): number => Math.floor((turnAtMs - aheadMs) / togetherMs) * togetherMs;

/** Requests a turn, and once more at its time if that is so near that a wake for it would come late. */
export const askHere = async (
  { turns, ports, beganAtMs }: Pick<Run, 'turns' | 'ports' | 'beganAtMs'>,
  askNow: () => Ask,
  asNow: (refused: AccountBudget['refused']) => Ask,
): Promise<Given> => {
  const told = await turns.ask(askNow(), asNow);
  if (told.turn.kind !== 'later') return told;
  const nowMs = ports.clock.now();
  const inMs = told.turn.turnAtMs - nowMs;
  if (inMs >= togetherMs + aheadMs || nowMs - beganAtMs > tooLateToWaitMs) return told;
  await ports.sleep(Math.max(0, inMs));
  return turns.ask(askNow(), asNow);
};
