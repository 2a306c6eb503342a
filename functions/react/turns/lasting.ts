import { rememberedByKey } from '../../../aws/calls/remembered.ts';
import type { AccountBudget } from '../../../core/limits/account-budget.ts';
import { isAutoScalingShort, lastingLookAtMs, shortageLasts } from '../../../core/limits/common-looks.ts';
import type { ReactPorts } from '../ports.ts';
import type { Round, Run } from '../run.ts';
import { commonTime } from './wakes-together.ts';

/** What an environment knows of the account's budget is true for about this long. */
const knownForMs = 30_000;

const account = 'account';
/** When this environment read last that a shortage lasts. */
const readAtMs = rememberedByKey<ReactPorts['store'], number>();

/** When this environment read last that Auto Scaling's bucket is short, and how long that is true. */
const shortAtMs = rememberedByKey<ReactPorts['store'], number>();
const shortForMs = 5_000;

const note = (known: Map<string, number>, isSo: boolean, nowMs: number): void => {
  if (isSo) known.set(account, nowMs);
  else known.delete(account);
};

/** Remembers what the budget that was just read is short of. */
export const noteShortage = (store: ReactPorts['store'], budget: AccountBudget, nowMs: number): void => {
  note(readAtMs(store), shortageLasts(budget, nowMs), nowMs);
  note(shortAtMs(store), isAutoScalingShort(budget, nowMs), nowMs);
};

const isYoung = (known: Map<string, number>, forMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - (known.get(account) ?? Number.NEGATIVE_INFINITY)) < forMs;

/** Whether calls to Auto Scaling that can wait would take tokens from others, as far as this environment has read. */
export const knowsAutoScalingShort = (store: ReactPorts['store'], nowMs: number): boolean =>
  isYoung(shortAtMs(store), shortForMs, nowMs);

/** Whether a shortage lasts, as far as this environment has read. */
const knowsShortage = (store: ReactPorts['store'], nowMs: number): boolean =>
  isYoung(readAtMs(store), knownForMs, nowMs);

/** What comes sooner than this is due then. */
const dueWithinMs = 5_000;

/** Whether launches wait for their turn at the account's buckets. */
const waitForTurn = (rounds: readonly Round[]): boolean =>
  rounds.some(({ decision: { remarks = [] } }) =>
    remarks.some(({ code }) => code === 'waits-for-turn' || code === 'rest-waits-for-turn'),
  );

/** Whether a member must leave by a time that is still to come. */
const hasDeadline = (rounds: readonly Round[], nowMs: number): boolean =>
  rounds.some(({ view: { swaps } }) => swaps.some(({ deadlineMs = 0 }) => deadlineMs > nowMs));

/**
 * When and how a group is woken that is to be looked at next at this time. While a shortage lasts, few instances come
 * up at a time, and each look at one group takes as many reads as one at all of them. So groups of which nothing is due
 * are looked at together then, some seconds later.
 */
export const wakeOf = (
  { ports: { store, clock }, groupsAtOnce }: Pick<Run, 'ports' | 'groupsAtOnce'>,
  rounds: readonly Round[],
  soonestMs: number,
): { readonly atMs: number; readonly how?: 'together' } => {
  const nowMs = clock.now();
  const isDue = soonestMs - nowMs < dueWithinMs || waitForTurn(rounds) || hasDeadline(rounds, nowMs);
  if (isDue || !knowsShortage(store, nowMs)) return { atMs: commonTime(soonestMs, groupsAtOnce) };
  return { atMs: lastingLookAtMs(soonestMs), how: 'together' };
};
