import { chunks } from '../../../aws/calls/chunks.ts';
import { eachInParallel, type Failed, throwIfFailed } from '../../../aws/calls/in-parallel.ts';
import { failedSoon } from '../../../aws/calls/unless-troubled.ts';
import { announcements, metrics } from '../../../core/contract.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Remark } from '../../../core/decision/remark.ts';
import { traitsOf } from '../../../core/removal/leave-reason.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { toldGone } from '../../../core/view/gone-asgs.ts';
import type { Round, Run } from '../run.ts';

/** One event names at most this many instance ids, so that it stays far below the bus's 256 KB. */
const idsPerEvent = 1_000;

const sendStarted = async (
  { group: { name: group }, id, ports }: Pick<Run, 'group' | 'id' | 'ports'>,
  claimed: readonly Swap[],
): Promise<void> => {
  const byReason = Map.groupBy(claimed, ({ reason }) => reason);
  const started = [...byReason].flatMap(([reason, swaps]) =>
    chunks(
      swaps.map(({ instance }) => instance),
      idsPerEvent,
    ).map((instances) => ({
      detailType: announcements.swapStarted,
      group,
      detail: { group, reason, instances, decision: id },
    })),
  );
  if (started.length > 0) await ports.announcer.announce(started);
};

/**
 * Counts the swaps of members that EC2 takes, and sends the events of all swaps that this run claimed. A claim is final
 * whatever happens to the decision, so this is done for each claim, by itself. A lost race, a deleted policy or a later
 * failure loses neither.
 */
export const announceStarted = (run: Pick<Run, 'group' | 'id' | 'ports'>, claimed: readonly Swap[]): Promise<void> => {
  run.ports.telemetry.count(metrics.interruptions, claimed.filter((swap) => traitsOf(swap).endedBy === 'ec2').length);
  return sendStarted(run, claimed);
};

/** Remarks that are sent to the bus. */
const newsTypes = {
  'put-back': announcements.putBack,
  'boots-failed': announcements.bootsFailed,
  'given-up': announcements.givenUp,
  'breaker-opened': announcements.breakerOpened,
  'breaker-closed': announcements.breakerClosed,
  'asg-gone': announcements.asgGone,
  'asg-back': announcements.asgBack,
} as const;

const isNews = (remark: Remark): remark is Extract<Remark, { readonly code: keyof typeof newsTypes }> =>
  remark.code in newsTypes;

const newsOf = ({ group: { name: group }, id }: Pick<Run, 'group' | 'id'>, { remarks = [] }: Decision) =>
  remarks.flatMap((remark) => {
    if (!isNews(remark)) return [];
    const { code, ...detail } = remark;
    return [{ detailType: newsTypes[code], group, detail: { group, decision: id, ...detail } }];
  });

/**
 * Sends the events of a look (pools whose instances died or never served, breakers that opened or closed, Auto Scaling
 * groups that are gone or back) as soon as the state that remembers them is written, because no later look finds them
 * again. The launches of that state wait for none of them, and are sent also where these events are not.
 */
export const tellNews = async (run: Run, decision: Decision): Promise<Failed> => {
  const { announcer, telemetry } = run.ports;
  const news = newsOf(run, decision);
  for (const remark of decision.remarks ?? []) {
    if (remark.code === 'boots-failed' || remark.code === 'given-up')
      telemetry.count(metrics.bootsFailed, remark.count);
    if (remark.code === 'breaker-opened') telemetry.count(metrics.breakersOpened);
  }
  return news.length === 0 ? {} : eachInParallel([news], 1, (events) => announcer.announce(events));
};

/**
 * Sends the events of looks that the bus refused for the moment, or that a broken connection lost, once more.
 *
 * @throws the error of those that it did not take
 */
export const tellUntold = async (run: Run, rounds: readonly Round[]): Promise<void> => {
  for (const { decision, told = {} } of rounds) {
    if (failedSoon(told.failure?.error)) await run.ports.announcer.announce(newsOf(run, decision));
    else throwIfFailed(told);
  }
};

/** Counts Auto Scaling groups that are gone, once a minute for as long as they are: the alarm lasts with them. */
export const countGone = ({ facts, ports }: Run, rounds: readonly Round[]): void => {
  const gone = toldGone(rounds[0]?.decision.goneAsgs);
  if (facts.isMinute === true) ports.telemetry.count(metrics.asgsGone, gone.length);
};

/**
 * Sends the events of claims while the work goes on, because a claim is final and no other step waits for its event.
 * Events that the bus refused for the moment, or that a broken connection lost, are sent again after the work, because
 * no later run knows that they were not sent. A bus that does not respond in time is not called again, because that
 * takes too long. A failure is thrown only when both are done.
 */
export const telling = async <T>(
  run: Pick<Run, 'group' | 'id' | 'ports'>,
  claimed: readonly Swap[] | Promise<readonly Swap[]>,
  work: () => Promise<T>,
): Promise<T> => {
  const by = async (send: typeof announceStarted): Promise<void> => send(run, await claimed);
  const first = by(announceStarted);
  const [done, told] = await Promise.allSettled([work(), first]);
  const announced = told.status === 'rejected' && failedSoon(told.reason) ? by(sendStarted) : first;
  if (done.status === 'fulfilled') {
    await announced;
    return done.value;
  }
  await Promise.allSettled([announced]);
  throw done.reason;
};
