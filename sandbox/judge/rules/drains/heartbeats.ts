import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { swapWrites } from '../../said/swap-writes.ts';
import { draining, isHindered, look, ways } from '../../told/hindrance.ts';
import { isLostByRestore } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;
type Waits = Extract<HistoryEvent, { readonly kind: 'hook-waits' }>;

/** A user who stops drains, or a policy under which the group does not act, holds up heartbeats. */
const isInterrupted = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  isHindered(chronicle, ways(look, draining), fromMs, untilMs) ||
  chronicle.of('step').some(({ step, atMs }) => step === 'drains-stopped' && atMs >= fromMs && atMs <= untilMs) ||
  chronicle.policiesIn(group, fromMs, untilMs).some(({ mode }) => mode !== 'act');

/** Two heartbeats in a row for one hook that nothing held up, and the time-out of the hook. */
type Pair = { readonly group: string; readonly before: Waits; readonly beat: Waits; readonly timeoutMs: number };

/** The first event of a hook is that it waits, and each later one is a heartbeat. */
const pairsOf = (chronicle: Chronicle): readonly Pair[] =>
  [...Map.groupBy(chronicle.of('hook-waits'), ({ instance, asg, hook }) => `${instance} ${asg} ${hook}`).values()].flatMap(([first, ...beats]) =>
    beats.flatMap((beat, index): readonly Pair[] => {
      const before = beats[index - 1];
      const life = chronicle.life(beat.instance);
      const group = (life && chronicle.groupAt(life, beat.atMs)) ?? '';
      if (first === undefined || before === undefined || isInterrupted(chronicle, group, before.atMs, beat.atMs)) return [];
      return [{ group, before, beat, timeoutMs: first.expiresAtMs - first.atMs }];
    }),
  );

const findingOf = ({ group, beat: { instance, asg, hook, atMs } }: Pair, how: string): Broken => ({
  group,
  instance,
  asg,
  atMs,
  detail: `the heartbeat for ${hook} of ${instance} came ${how}`,
});

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export const heartbeatsComeEarly: Rule = {
  name: 'heartbeats come well before a hook expires',
  meaning:
    'While Holdfast keeps a terminating hook waiting by heartbeats, each one after the first comes while a quarter of the hook’s time-out is left. That leaves time for a call that fails. The rule does not count heartbeats that faults, a user who stops drains, or a mode of the policy hold up.',
  broken: (chronicle) =>
    pairsOf(chronicle).flatMap((pair) => {
      const leftMs = pair.before.expiresAtMs - pair.beat.atMs;
      return leftMs >= pair.timeoutMs / 4 ? [] : [findingOf(pair, `${inSeconds(leftMs)} before the hook expired`)];
    }),
};

/**
 * Whether another function put the swap on a new drain while a heartbeat was under way. The step that sent it may not store it then, because the swap
 * names another drain, and the first step of that drain sends it again.
 */
const isOnNewDrain = (chronicle: Chronicle, { before: { instance, atMs } }: Pair): boolean => {
  const sent = chronicle
    .of('called')
    .filter((call) => call.operation === 'RecordLifecycleActionHeartbeat' && call.askedAtMs <= atMs && call.atMs >= atMs)
    .flatMap(({ invocation }) => chronicle.invocations.get(invocation) ?? []);
  const writes = swapWrites(chronicle).get(instance) ?? [];
  return writes.some((write, index) => {
    const isMoved = index > 0 && write.swap.drain !== writes[index - 1]?.swap.drain;
    return isMoved && sent.some(({ beganAtMs, ended }) => write.atMs >= beganAtMs && write.atMs <= (ended?.atMs ?? atMs));
  });
};

export const heartbeatsAreSpaced: Rule = {
  name: 'heartbeats come no more often than they are needed',
  meaning:
    'Two heartbeats for one hook are at least two fifths of its time-out apart. The last look of a drain may send one more for a member that EC2 takes, because nothing sends heartbeats from then on. The rule counts no heartbeats while faults meet looks or drains, or while somebody stops drains, and none that a restored state table lost. Neither does it count one that was sent while another function put the swap on a new drain, because the step that sent it stores nothing then.',
  broken: (chronicle) =>
    pairsOf(chronicle).flatMap((pair) => {
      const { before, beat, timeoutMs } = pair;
      const isTaken = (chronicle.life(beat.instance)?.warnings ?? []).some(({ atMs }) => atMs <= beat.atMs);
      const apartMs = beat.atMs - before.atMs;
      const isForgotten = isLostByRestore(chronicle, before.atMs, beat.atMs);
      return isTaken || isForgotten || isOnNewDrain(chronicle, pair) || apartMs >= 0.4 * timeoutMs
        ? []
        : [findingOf(pair, `${inSeconds(apartMs)} after the one before`)];
    }),
};
