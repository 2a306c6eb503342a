import { type Delivery, type End, endless, goneAtMs, isAlive, isToldBy, type Life, takenByMs } from './life.ts';

/** A warning belongs to the time in which EC2 is to take the member: another one may come just before the member is put back. */
const chapterOf = ({ ending, ended, ...life }: Life, sinceMs: number, untilMs: number): Life => {
  const isBetween = (atMs: number): boolean => atMs > sinceMs && atMs <= untilMs;
  const isIn = ({ atMs }: { readonly atMs: number }): boolean => isBetween(atMs);
  const isHeardIn = ({ told, atMs, happenedAtMs }: Delivery): boolean => {
    const warning = told.about === 'warning' ? life.warnings.find((one) => isToldBy(one, happenedAtMs)) : undefined;
    return isBetween(warning === undefined ? atMs : takenByMs(warning));
  };
  const isLast = untilMs === endless;
  return {
    ...life,
    ...(isLast && ending !== undefined && { ending }),
    ...(isLast && ended !== undefined && { ended }),
    warnings: life.warnings.filter((warning) => isBetween(takenByMs(warning))),
    deliveries: life.deliveries.filter(isHeardIn),
    claims: life.claims.filter(isIn),
    drains: life.drains.filter(isIn),
    services: life.services.filter((service) => service.untilMs > sinceMs && service.fromMs < untilMs),
  };
};

/** The times of a member until it was put back into service, and from then on, each as a life of its own. */
export const chaptersOf = (life: Life): readonly Life[] => {
  const bounds = [Number.NEGATIVE_INFINITY, ...life.backAtMs, endless];
  return life.backAtMs.length === 0 ? [life] : bounds.slice(1).map((untilMs, index) => chapterOf(life, bounds[index] ?? 0, untilMs));
};

/** The run of an instance until it was first stopped, and each one since it was started again, as a life of its own. */
export const runsOf = (life: Life): readonly Life[] => {
  const { restarts } = life;
  if (restarts.length === 0) return [life];
  const ends: readonly End[] = [life, ...restarts];
  return ends.map(({ ending, ended }, index): Life => {
    const [sinceMs, untilMs] = [restarts[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY, restarts[index]?.atMs ?? endless];
    const { ending: _ending, ended: _ended, ...run } = chapterOf(life, sinceMs, untilMs);
    // It is a member again when the swap of an earlier run becomes history.
    const again = index > 0 && { runsAgainMs: sinceMs, backAtMs: life.historyAtMs.filter((atMs) => atMs > sinceMs && atMs <= untilMs) };
    return { ...run, restarts: [], ...again, ...(ending !== undefined && { ending }), ...(ended !== undefined && { ended }) };
  });
};

/** What a swap from a moment on is about: if the instance had been stopped before and ran again, only the run that was the present one then, or the next. */
export const runFrom = (life: Life, atMs: number): Life => {
  if (life.restarts.length === 0 || atMs < goneAtMs(life)) return life;
  const runs = runsOf(life);
  return runs.find((run) => goneAtMs(run) > atMs) ?? runs.at(-1) ?? life;
};

/** Whether an instance runs again that was stopped before, and has not ended since. */
export const runsAgainAt = ({ restarts }: Life, atMs: number): boolean => restarts.some((run) => run.atMs <= atMs && goneAtMs(run) > atMs);

/** Whether a swap that was written before a run began decides about the instance: it is not history yet. */
const isClaimedBefore = ({ claims, historyAtMs }: Life, runsAgainMs: number, atMs: number): boolean => {
  const claim = claims.findLast((one) => one.atMs <= runsAgainMs);
  return claim !== undefined && !historyAtMs.some((overMs) => overMs >= claim.atMs && overMs <= atMs);
};

/**
 * What of an instance is a member at a moment: its life, until it first ended, or the run since it was started again. While a swap of an earlier run is
 * open, that swap decides about the instance, and the new run is no member.
 */
export const presentRuns = (lives: readonly Life[]): ((life: Life, atMs: number) => readonly Life[]) => {
  const runs = new Map(lives.filter(({ restarts }) => restarts.length > 0).map((life) => [life, runsOf(life).slice(1)]));
  return (life, atMs) => {
    if (isAlive(life, atMs)) return [life];
    const run = runs.get(life)?.find((one) => (one.runsAgainMs ?? endless) <= atMs && goneAtMs(one) > atMs);
    return run === undefined || isClaimedBefore(life, run.runsAgainMs ?? endless, atMs) ? [] : [run];
  };
};
