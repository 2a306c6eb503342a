import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { SaidSwap } from '../../said/stored.ts';
import { times } from '../../times.ts';
import { endless, goneAtMs, isAlive, type Life, lastRefusalMs, type Service } from '../../world/life.ts';
import { isSurgeMute } from '../../world/mute.ts';
import { overLives, slackOf } from './said.ts';

type Broken = Omit<Finding, 'rule'>;

/** Whether its last request had ended before it was gone. */
const isEmptied = (life: Life, { targetGroup, untilMs }: Service): boolean =>
  life.empties.some((empty) => empty.targetGroup === targetGroup && empty.atMs >= untilMs && empty.atMs <= goneAtMs(life));

/**
 * Whether it lived when its swap became history, which was then said to be later: the clock of a function may be ahead by the drawn error.
 */
const livedWhenWritten = (chronicle: Chronicle, life: Life, { instance, withdrawnAtMs = 0 }: SaidSwap): boolean =>
  chronicle
    .of('item-written')
    .some(({ item, atMs }) => item === items.past(instance) && isAlive(life, atMs) && withdrawnAtMs - atMs <= chronicle.times.clockMs);

/** Whether it was only stopped then, or ran again. A stopped instance may start again. */
const wasOnlyStopped = (chronicle: Chronicle, { instance, withdrawnAtMs = 0 }: SaidSwap): boolean => {
  const last = [...chronicle.of('ending'), ...chronicle.of('ended'), ...chronicle.of('running')]
    .filter((one) => one.instance === instance && one.atMs <= withdrawnAtMs)
    .toSorted((one, other) => one.atMs - other.atMs)
    .at(-1);
  return last !== undefined && last.kind !== 'ending' && (last.kind !== 'ended' || last.state === 'stopped');
};

/** A swap is withdrawn only while its instance lives. If the instance left later, that was by another swap. */
const saidWithdrawn = (chronicle: Chronicle, life: Life, swap: SaidSwap): string | undefined =>
  isAlive(life, swap.withdrawnAtMs ?? 0) || livedWhenWritten(chronicle, life, swap) || wasOnlyStopped(chronicle, swap)
    ? undefined
    : `the swap of ${swap.instance} is withdrawn, and it had ended`;

/** Whether it stays for the hour after EC2 refused to end it, as its swap says. */
const isKept = (chronicle: Chronicle, life: Life, { state, keptUntilMs }: SaidSwap): boolean => {
  const refusedMs = lastRefusalMs(life, chronicle.history.endedAtMs);
  const isSaid = keptUntilMs !== undefined && Math.abs(keptUntilMs - refusedMs - times.keptForMs) <= slackOf(chronicle);
  return state === 'drained' && isSaid && isAlive(life, chronicle.history.endedAtMs);
};

/** Whether EC2 stopped it and nobody has ended it since. */
const isOnlyStopped = (chronicle: Chronicle, { instance }: SaidSwap): boolean => {
  const last = chronicle.of('ended').findLast((one) => one.instance === instance);
  if (last?.state !== 'stopped') return false;
  return !chronicle.of('ending').some((one) => one.instance === instance && one.atMs > last.atMs);
};

/** Whether its member serves on because replacements that never answer, and that their user protects, take the whole surge. */
const waitsForMute = (chronicle: Chronicle, life: Life, { group, reason, state }: SaidSwap): boolean => {
  const { endedAtMs } = chronicle.history;
  return state === 'waiting' && reason === 'rebalance' && chronicle.servesAt(life, endedAtMs) && isSurgeMute(chronicle, group, endedAtMs);
};

/** Swaps that became history while their instances lived and waited on a terminating hook. A look that began before may still have closed one. */
const closedOnHook = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life) =>
    life.hooks.flatMap(({ atMs: fromMs, over }): readonly Broken[] => {
      const untilMs = over?.atMs ?? chronicle.history.endedAtMs;
      const closed = chronicle
        .of('item-written')
        .find(
          ({ item, group, atMs }) =>
            item === items.past(life.instance) &&
            atMs > fromMs + times.tickMs &&
            atMs < untilMs &&
            isAlive(life, atMs) &&
            chronicle.policyAt(group, atMs) !== undefined,
        );
      if (closed === undefined) return [];
      const { group, atMs } = closed;
      return [{ group, instance: life.instance, atMs, detail: `${life.instance} waits on a hook, and its swap is closed` }];
    }),
  );

const saidAtTheEnd = overLives((chronicle, swap, life) => {
  const { endedAtMs } = chronicle.history;
  const { instance, state, drainedAtMs, shortfall } = swap;
  if (state === 'gone' && isAlive(life, endedAtMs)) return `${instance} lives on, and its swap is closed`;
  if (state === 'gone' && isOnlyStopped(chronicle, swap)) return `${instance} is only stopped, and its swap is closed`;
  if (state === 'withdrawn') return saidWithdrawn(chronicle, life, swap);
  if (isKept(chronicle, life, swap) || waitsForMute(chronicle, life, swap)) return undefined;
  if (state !== 'gone') return `the swap of ${instance} (${swap.reason}) stays ${state}`;
  const outs = life.services.filter(({ untilMs }) => untilMs < endless);
  if (drainedAtMs === undefined) {
    const hadWork = outs.some((service) => service.untilMs >= swap.claimedAtMs - slackOf(chronicle) && !isEmptied(life, service));
    return hadWork && shortfall === undefined && goneAtMs(life) > swap.claimedAtMs + slackOf(chronicle)
      ? `${instance} left undrained, and nothing says why`
      : undefined;
  }
  // An instance that its user put back into service later was still drained.
  const workedUntilMs = Math.max(0, ...outs.filter(({ fromMs }) => fromMs < drainedAtMs).map(({ untilMs }) => untilMs));
  return drainedAtMs < Math.min(workedUntilMs, goneAtMs(life)) - slackOf(chronicle)
    ? `${instance} is said to be drained before it was taken out of service`
    : undefined;
});

export const timesAreTrue: Rule = {
  name: 'what a swap says about the end is true',
  meaning:
    'A swap is closed once its instance has ended, and never before. While an instance waits on a terminating hook, no look closes its swap. An instance that is only stopped has not ended. It is withdrawn only while its instance lives, and stays open for an hour after EC2 refused to end the instance. A swap for advice stays open while its member serves, as many members as `maxSurge` names never answer and are protected from scale-in by their user, and no more others serve than must. It says drained only after work was taken off. A swap without a drain that had work to take off names a shortfall.',
  broken: (chronicle) => [...saidAtTheEnd(chronicle), ...closedOnHook(chronicle)],
};
