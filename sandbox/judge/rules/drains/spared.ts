import { items } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import { comesUpMsIn } from '../../members/serves-again.ts';
import { lookedSince } from '../../members/staying.ts';
import { wasIdle } from '../../policy/modes.ts';
import { times } from '../../times.ts';
import { draining, health, isHindered, launching, look, type Way, ways } from '../../told/hindrance.ts';
import { isAlive, isFunction, isToldBy, type Life, stayAt, takenOutAtMs, type Warning, warnedAtMs } from '../../world/life.ts';
import { wasRestored } from '../../world/restores.ts';

type Broken = Omit<Finding, 'rule'>;

/** A tick finds it, or the next tick if the first lost a race. */
const foundWithinMs = 2 * times.tickMs + times.messageAgainMs + times.reactMs;

/** When Holdfast has put it back at the latest, where nothing hinders it. */
const dueMs = (chronicle: Chronicle, sparedAtMs: number): number =>
  sparedAtMs + times.outlivedMs + foundWithinMs + chronicle.times.lagMs + 2 * chronicle.times.clockMs;

/** Looks that see who runs and serves, its drain, and the calls that take it in again. */
const wayBack: Way = { ...ways(look, health, launching, draining), events: 'needed' };

/** Nothing but the warning happened to it, and no fault hindered that. */
const isPlain = (chronicle: Chronicle, group: string, life: Life, untilMs: number, way: Way = wayBack): boolean => {
  const { endedAtMs } = chronicle.history;
  const sinceMs = Math.min(warnedAtMs(life), ...life.sparedAtMs);
  return (
    untilMs <= endedAtMs &&
    isAlive(life, untilMs) &&
    life.advisedAtMs.length + life.hooks.length === 0 &&
    life.stays.every(({ how }) => how === undefined) &&
    !isHindered(chronicle, way, sinceMs, untilMs) &&
    chronicle.policiesIn(group, sinceMs, untilMs).length === 1 &&
    !wasRestored(chronicle, untilMs) &&
    !wasIdle(chronicle, group, sinceMs, untilMs)
  );
};

/** Members that EC2 spared and that stay out of service. */
const leftOut = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life) =>
    life.sparedAtMs.flatMap((sparedAtMs): readonly Broken[] => {
      const group = chronicle.groupAt(life, sparedAtMs);
      const untilMs = dueMs(chronicle, sparedAtMs);
      if (group === undefined || !isPlain(chronicle, group, life, untilMs) || warnedAtMs(life, sparedAtMs) <= untilMs) return [];
      const isBack = life.backAtMs.some((backMs) => backMs > sparedAtMs) || life.claims.length === 0;
      return isBack
        ? []
        : [{ group, instance: life.instance, atMs: untilMs, detail: `EC2 did not take ${life.instance}, and it is not put back into service` }];
    }),
  );

/** Members that were put back and get no requests from a target group, although no decision chose them to leave. */
const backInName = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life) =>
    life.backAtMs.flatMap((backMs): readonly Broken[] => {
      const group = chronicle.groupAt(life, backMs);
      if (group === undefined) return [];
      const untilMs = backMs + comesUpMsIn(chronicle, group) + foundWithinMs;
      const isChosen = takenOutAtMs(life, backMs) <= untilMs || life.claims.some(({ atMs }) => atMs > backMs && atMs <= untilMs);
      if (isChosen || !isPlain(chronicle, group, life, untilMs) || chronicle.servesAt(life, untilMs)) return [];
      return [{ group, instance: life.instance, atMs: untilMs, detail: `${life.instance} was put back, and takes no work` }];
    }),
  );

/** Members that Holdfast ended because of a warning that did not come true. */
const endedAnyway = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life): readonly Broken[] => {
    const { ending } = life;
    const sparedAtMs = life.sparedAtMs.at(-1);
    if (ending === undefined || sparedAtMs === undefined || !isFunction(ending.by) || ending.atMs < sparedAtMs) return [];
    const group = chronicle.groupAt(life, sparedAtMs);
    const wasBack = life.backAtMs.some((backMs) => backMs >= sparedAtMs);
    if (group === undefined || wasBack || stayAt(life, sparedAtMs) !== undefined || !isPlain(chronicle, group, life, ending.atMs - 1)) return [];
    return [
      { group, instance: life.instance, atMs: ending.atMs, detail: `${life.instance} was ended, because EC2 had announced to take it and did not` },
    ];
  });

/** Looks and drains that end a member. Whatever takes it in again may fail. */
const wayOut: Way = { ...ways(look, draining), events: 'needed' };

/** Members that EC2 spared, that could not be put back, and that run on without work. No Auto Scaling group holds them. */
const leftIdle = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life) =>
    life.sparedAtMs.flatMap((sparedAtMs): readonly Broken[] => {
      const group = chronicle.groupAt(life, sparedAtMs);
      const policies = group === undefined ? [] : chronicle.policiesIn(group, sparedAtMs, chronicle.history.endedAtMs);
      const drainMs = Math.max(0, ...policies.map(({ drainTimeoutMs }) => drainTimeoutMs));
      const untilMs = dueMs(chronicle, sparedAtMs) + times.putBackForMs + drainMs + times.tickMs;
      const isOther = life.stays.length + life.protections.length > 0 || life.backAtMs.some((backMs) => backMs > sparedAtMs && backMs <= untilMs);
      // Where nothing keeps it from being put back, that is what is missing.
      const isKept = isHindered(chronicle, wayBack, sparedAtMs, untilMs);
      if (group === undefined || isOther || !isKept || !isPlain(chronicle, group, life, untilMs, wayOut) || warnedAtMs(life, sparedAtMs) <= untilMs)
        return [];
      const detail = `EC2 did not take ${life.instance}, which cannot be put back into service, and it is not ended`;
      return life.claims.length === 0 ? [] : [{ group, instance: life.instance, atMs: untilMs, detail }];
    }),
  );

/** When the function began to look that put it back. */
const lookedAtMs = (chronicle: Chronicle, { instance }: Life, backMs: number): number => {
  const written = chronicle.of('item-written').find(({ item, atMs }) => item === items.past(instance) && atMs === backMs);
  return written === undefined ? backMs : lookedSince(chronicle, written.by, backMs);
};

/** Announced warnings that a function had received by then. Nobody can know of a later one. */
const knownWarnings = ({ warnings, deliveries }: Life, byMs: number): readonly Warning[] =>
  warnings.filter(
    (warning) =>
      !warning.silent &&
      deliveries.some(({ told, atMs, happenedAtMs }) => told.about === 'warning' && isToldBy(warning, happenedAtMs) && atMs <= byMs),
  );

/** Members that are put back while EC2 may yet take them. */
const backTooSoon = (chronicle: Chronicle): readonly Broken[] =>
  chronicle.lives.flatMap((life) =>
    life.backAtMs.flatMap((backMs): readonly Broken[] => {
      const known = knownWarnings(life, lookedAtMs(chronicle, life, backMs));
      const saidMs = Math.max(...known.map(({ atMs }) => atMs));
      const earliestMs = saidMs + times.outlivedMs - 2 * chronicle.times.clockMs;
      const group = chronicle.groupAt(life, backMs);
      if (group === undefined || wasIdle(chronicle, group, saidMs, backMs) || backMs >= earliestMs || life.advisedAtMs.length > 0) return [];
      return [
        { group, instance: life.instance, atMs: backMs, detail: `${life.instance} was put back ${(backMs - saidMs) / 1_000} s after its warning` },
      ];
    }),
  );

export const sparedServeAgain: Rule = {
  name: 'a warning that does not come true is taken back',
  meaning:
    'A member that still runs five minutes after its deadline was not taken by EC2. The next looks put it back into service, and not before: it works again, and Holdfast does not end it because of the warning. Where it cannot be put back for ten minutes more, and no Auto Scaling group holds it, Holdfast ends it. A warning counts once a function has received it.',
  broken: (chronicle) => [
    ...leftOut(chronicle),
    ...backInName(chronicle),
    ...leftIdle(chronicle),
    ...endedAnyway(chronicle),
    ...backTooSoon(chronicle),
  ],
};
