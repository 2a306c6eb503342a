import { wasLost } from '../../capacity/breaker.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { remembered } from '../../remembered.ts';
import { swapWrites, type SwapWrite as Write } from '../../said/swap-writes.ts';
import { times } from '../../times.ts';
import { nameOf } from '../../world/cloud.ts';
import { type Life, takenByMs } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Waits = Extract<HistoryEvent, { readonly kind: 'hook-waits' }>;

/** Each time that an Auto Scaling group began to wait on a hook of an instance, or waits longer after a heartbeat. */
const hookWaits = remembered((chronicle: Chronicle) => Map.groupBy(chronicle.of('hook-waits'), ({ instance }) => instance));

/** Events name whole seconds. */
const eventMs = 1_500;

/** When EC2 takes an instance by the messages that reached functions. One that repeats a warning may name a later time. */
const toldMs = ({ deliveries }: Life): readonly number[] =>
  deliveries.flatMap(({ told, happenedAtMs }) => (told.about === 'warning' ? [happenedAtMs, happenedAtMs + times.spotNoticeMs] : []));

/** Whether AWS announced this time for the instance. */
const isAnnounced = (life: Life, deadlineMs: number): boolean =>
  [...toldMs(life), ...life.warnings.map(takenByMs), ...life.scheduled.map(({ startsAtMs }) => startsAtMs)].some(
    (atMs) => Math.abs(atMs - deadlineMs) <= eventMs,
  );

/** Whether an Auto Scaling group held it, or launched it: one that is launched into a warm pool is not in service there. */
const isHeldIn = ({ stays, hooks, by }: Life, asg: string): boolean =>
  stays.some((stay) => stay.asg === asg) || hooks.some((hook) => hook.asg === asg) || (by.kind === 'asg' && by.asg === asg);

/** Whether its Auto Scaling group waits on this hook at a moment. */
const waitsOn = ({ hooks }: Life, name: string, atMs: number): boolean =>
  hooks.some(({ hook, atMs: fromMs, over }) => hook === name && fromMs <= atMs && (over?.atMs ?? Number.POSITIVE_INFINITY) > atMs);

/**
 * Until when a hook waits by the time-out that its group shows. The hook was put again while the instance waited: AWS shows the new time-out, nothing shows
 * the one of this wait, and no page of AWS says which of the two a heartbeat counts by. The time-out may be read until the swap is written.
 */
const shownEnds = (chronicle: Chronicle, { hooks }: Life, known: readonly Waits[], writtenMs: number): readonly number[] =>
  known.flatMap(({ asg, hook, atMs }) => {
    const began = hooks.findLast((wait) => wait.asg === asg && wait.hook === hook && wait.atMs <= atMs);
    if (began === undefined) return [];
    const readByMs = began.atMs === atMs ? writtenMs : atMs;
    return chronicle
      .of('hook-written')
      .filter((put) => put.asg === asg && put.hook === hook && put.atMs >= began.atMs && put.atMs <= readByMs)
      .map(({ timeoutMs }) => atMs + timeoutMs);
  });

/** A hook of which it says that it waits for longer than it does. Nobody would keep it alive meanwhile. Of one that ends now, it says no such thing. */
const prolongedHook = (chronicle: Chronicle, life: Life, { atMs, swap: { facts } }: Write): string | undefined => {
  const waits = hookWaits(chronicle).get(life.instance) ?? [];
  return Object.entries(facts.hookEnds ?? {}).find(([name, endsMs]) => {
    const known = waits.filter((one) => one.hook === name && one.atMs <= atMs);
    const endMs = Math.max(atMs, ...known.map(({ expiresAtMs }) => expiresAtMs), ...shownEnds(chronicle, life, known, atMs));
    return known.length > 0 && endsMs > endMs + eventMs + chronicle.times.clockMs;
  })?.[0];
};

const untrue = (chronicle: Chronicle, life: Life, write: Write): string | undefined => {
  const { offering, asg, deadlineMs } = write.swap.facts;
  const prolonged = prolongedHook(chronicle, life, write);
  if (offering !== 'unknown' && offering !== nameOf(life)) return `names the offering ${offering}, and it is ${nameOf(life)}`;
  if (asg !== undefined && !isHeldIn(life, asg)) return `names ${asg}, which never held it`;
  if (deadlineMs !== undefined && !isAnnounced(life, deadlineMs)) return 'names a deadline that nobody announced';
  return prolonged === undefined ? undefined : `says that ${prolonged} waits for longer than it does`;
};

const changedWrongly = (chronicle: Chronicle, life: Life, before: Write, { atMs, group, swap: { facts } }: Write): string | undefined => {
  if (wasLost(chronicle, group, before.atMs, atMs)) return undefined;
  const { deadlineMs: known = Number.POSITIVE_INFINITY, hooks } = before.swap.facts;
  if (atMs < known - chronicle.times.clockMs && known < Number.POSITIVE_INFINITY && (facts.deadlineMs ?? Number.POSITIVE_INFINITY) > known)
    return 'puts off a deadline that has not come';
  const lost = hooks.find((name) => !facts.hooks.includes(name) && waitsOn(life, name, atMs));
  return lost === undefined ? undefined : `no longer names ${lost}, which waits`;
};

/** Reasons by which a swap may leave once it names the time at which EC2 takes its instance. */
const ofWarned = new Set(['interruption', 'hook']);
/** In these states a warning still changes a swap. */
const openStates = new Set(['waiting', 'leaving', 'draining']);

/** Whether a swap names the time of a warning from now on, and says still that its instance leaves for another reason. */
const hidesWarning = (life: Life, before: Write | undefined, { swap: { reason, state, facts } }: Write): boolean => {
  const { deadlineMs } = facts;
  if (deadlineMs === undefined || before?.swap.facts.deadlineMs === deadlineMs || ofWarned.has(reason) || !openStates.has(state)) return false;
  return [...toldMs(life), ...life.warnings.map(takenByMs)].some((atMs) => Math.abs(atMs - deadlineMs) <= eventMs);
};

export const swapsNameTruly: Rule = {
  name: 'what a swap says of its instance is true',
  meaning:
    'A swap names the offering of its instance, an Auto Scaling group that held or launched it, and a deadline that AWS announced for it. It puts off no deadline that has not come, and names each terminating hook that it named before for as long as the instance waits on it. The swap of an instance in another group is another one. It says of no hook that it waits for longer than it does; if the hook was put again meanwhile, the wait or a heartbeat may count by the new time-out. One that comes to name the time at which EC2 takes its instance leaves for that warning, or for its hook.',
  broken: (chronicle) =>
    [...swapWrites(chronicle)].flatMap(([instance, writes]) => {
      const life = chronicle.life(instance);
      if (life === undefined) return [];
      return writes
        .flatMap((write, index): readonly Broken[] => {
          const before = writes.slice(0, index).findLast(({ group }) => group === write.group);
          const hidden = hidesWarning(life, before, write) ? `names the time of a warning, and ${write.swap.reason} as its reason` : undefined;
          const why = untrue(chronicle, life, write) ?? hidden ?? (before && changedWrongly(chronicle, life, before, write));
          return why === undefined ? [] : [{ group: write.group, instance, atMs: write.atMs, detail: `the swap of ${instance} ${why}` }];
        })
        .slice(0, 1);
    }),
};
