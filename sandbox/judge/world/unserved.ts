import type { Chronicle } from '../chronicle.ts';
import { endless, isAlive, type Life, staysAgainAtMs } from './life.ts';

/** When it may have become ready: it came into service, booted, passed its checks, or its warm-up was over. */
const readyMoments = (chronicle: Chronicle, life: Life, atMs: number): readonly number[] => {
  const { ready } = chronicle.policyAt(chronicle.groupAt(life, atMs) ?? '', atMs) ?? {};
  return [
    ...life.services.map(({ fromMs }) => fromMs),
    life.bootedAtMs ?? endless,
    life.passedAtMs ?? endless,
    life.launchedAtMs + (ready?.afterMs ?? 0),
  ];
};

/** Whether it was ready at no moment between two. */
const wasNeverReady = (chronicle: Chronicle, life: Life, fromMs: number, untilMs: number): boolean =>
  ![fromMs, ...readyMoments(chronicle, life, untilMs).filter((atMs) => atMs > fromMs && atMs <= untilMs)].some((atMs) =>
    chronicle.isReadyAt(life, atMs),
  );

/** The age by which a new member must serve. */
const withinMs = (chronicle: Chronicle, life: Life, atMs: number): number =>
  chronicle.policyAt(chronicle.groupAt(life, atMs) ?? '', atMs)?.ready.withinMs ?? endless;

/** Launch times have whole seconds. */
const slackMs = 1_000;

/** Whether Holdfast may give it up: it is as old as its policy says, and has not been ready since it was half as old. */
export const mayBeGivenUp = (chronicle: Chronicle, life: Life, atMs: number): boolean => {
  const group = chronicle.groupAt(life, atMs);
  const ageMs = withinMs(chronicle, life, atMs);
  if (group === undefined || !isAlive(life, atMs) || atMs < life.launchedAtMs + ageMs - slackMs - chronicle.times.clockMs) return false;
  return wasNeverReady(chronicle, life, life.launchedAtMs + ageMs / 2, atMs);
};

/** Whether a group shows at one of these moments that an instance can serve there. While none does, one member at a time is given up. */
export const othersServe = (chronicle: Chronicle, life: Life, moments: readonly number[]): boolean =>
  moments.some((atMs) =>
    chronicle.membersAt(chronicle.groupAt(life, atMs) ?? '', atMs).some((one) => one !== life && chronicle.isReadyAt(one, atMs)),
  );

/**
 * Its claims that were the first ones: of all, or since its swap was over or lost. A drain that is ordered again, because the one before could not take the
 * member out of service, writes the swap again.
 */
const firstClaims = (life: Life): Life['claims'] => {
  const overAtMs = staysAgainAtMs(life);
  return life.claims.filter(({ atMs }, index) => {
    const beforeMs = life.claims[index - 1]?.atMs;
    return beforeMs === undefined || overAtMs.some((overMs) => overMs >= beforeMs && overMs <= atMs);
  });
};

/**
 * Whether a swap may give its member up. One that names another reason does not: it takes no turn from members that never served, and the rules about
 * that reason judge it. A surplus leaves only where more stay than the desired size, whether it ever served or not.
 */
const mayGiveUp = ({ state, reason = 'never-served' }: Life['claims'][number]): boolean =>
  (state === 'waiting' || state === 'leaving') && reason === 'never-served';

/** When it was given up: its swap was written for the first time, and it may be. A member that leaves already is not given up. */
export const givenUpAtMs = (chronicle: Chronicle, life: Life): number =>
  Math.min(
    endless,
    ...firstClaims(life)
      .filter((claim) => mayGiveUp(claim) && mayBeGivenUp(chronicle, life, claim.atMs))
      .map(({ atMs }) => atMs),
  );
