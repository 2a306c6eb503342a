import { announcements } from '../../../../core/contract.ts';
import type { Chronicle } from '../../chronicle.ts';
import type { Finding } from '../../finding.ts';
import { lookedSince } from '../../members/staying.ts';
import { inWords, refusalsSaid } from '../../said/decisions.ts';
import { swapsOf } from '../../said/stored.ts';
import { tellsEnd } from '../../told/leaving.ts';
import { type End, endless, goneAtMs, isFunction, type Life } from '../../world/life.ts';
import { wasRefused } from './decisions.ts';

type Broken = Omit<Finding, 'rule'>;
type Detail = Readonly<Record<string, unknown>>;

const announced = (chronicle: Chronicle, detailType: string) => chronicle.of('announced').filter((event) => event.detailType === detailType);
const idsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const mapsIn = (value: unknown): readonly Detail[] =>
  (Array.isArray(value) ? value : []).filter((one): one is Detail => typeof one === 'object' && one !== null);

type DrainEnd = { readonly drain: string; readonly toldMs: number };

/** When it last stopped and ran again, if this drain was ordered since: its swap did not name the drain before. */
const stoppedBeforeMs = (life: Life, { drain, toldMs }: DrainEnd): number | undefined => {
  const orderedMs = life.claims.find((claim) => claim.drain === drain)?.atMs ?? endless;
  const runs: readonly End[] = [life, ...life.restarts];
  const stops = life.restarts.flatMap(({ atMs }, index) => (atMs <= toldMs ? [runs[index]?.ended?.atMs ?? endless] : []));
  return orderedMs <= toldMs ? stops.findLast((stoppedMs) => stoppedMs <= orderedMs) : undefined;
};

/**
 * Whether it still took requests when it ended, because its work had not been taken off. A later drain is judged by the work that began after the stop.
 * An end by Holdfast has a rule of its own.
 */
const endedAtWork = (life: Life, end: DrainEnd): boolean => {
  const cut = life.services.filter(({ why, fromMs, untilMs }) => why === 'ending' && untilMs > fromMs);
  const stoppedMs = stoppedBeforeMs(life, end);
  if (stoppedMs === undefined) return cut.some(({ untilMs }) => untilMs >= goneAtMs(life) - 1);
  return cut.some(({ fromMs, untilMs, by }) => fromMs >= stoppedMs && untilMs <= end.toldMs && !isFunction(by));
};

/**
 * Whether the step that recorded it as drained could know its end: from a describe, or because a message had reported the end before the event was sent.
 * An instance that others took out of its target groups, and that describes show as running, has drained as far as a look can tell.
 */
const isEndKnown = (chronicle: Chronicle, life: Life, { drain, toldMs }: DrainEnd): boolean => {
  const seen = life.claims.findLast((claim) => claim.state === 'drained' && claim.drain === drain && claim.atMs <= toldMs);
  if (seen === undefined || life.deliveries.some((one) => tellsEnd(one) && one.atMs <= toldMs)) return true;
  return goneAtMs(life) <= lookedSince(chronicle, seen.by, seen.atMs) - chronicle.times.lagMs;
};

const untrueOfDrain = (chronicle: Chronicle, detail: Detail, atMs: number): readonly string[] => {
  const end: DrainEnd = { drain: String(detail.drain), toldMs: atMs };
  const fallen = new Set(mapsIn(detail.shortfalls).flatMap(({ instances }) => idsIn(instances)));
  const alive = idsIn(detail.gone).filter((instance) => chronicle.lives.some((life) => life.instance === instance && goneAtMs(life) > atMs));
  const worked = idsIn(detail.drained).filter((instance) => {
    const life = chronicle.life(instance);
    if (fallen.has(instance) || life === undefined || goneAtMs(life) > atMs || isFunction(life.ending?.by)) return false;
    return endedAtWork(life, end) && isEndKnown(chronicle, life, end);
  });
  const named = new Set([...idsIn(detail.gone), ...idsIn(detail.drained)]);
  const kept = [...fallen].filter((instance) => !named.has(instance));
  return [
    ...alive.map((instance) => `the event says that ${instance} is gone, and it runs`),
    ...worked.map((instance) => `the event says that ${instance} has drained, and it still had work when it ended`),
    ...kept.map((instance) => `the event has a shortfall of ${instance}, and the drain does not name ${instance}`),
  ];
};

export const sentWithoutShortfall = 'was sent without its shortfall';

/**
 * A shortfall that a swap ends with has been sent with the end of its drain: one of its group, because a group that is renamed has a swap of its own.
 * A drain that ends after the same instance was claimed again is that of the later swap, and so is one that the later swap names: the clock of the function
 * that claimed it may be ahead.
 */
const shortfallsUntold = (chronicle: Chronicle): readonly Broken[] => {
  const ends = announced(chronicle, announcements.drainFinished);
  const swaps = swapsOf(chronicle.history);
  return swaps.flatMap(({ instance, group, shortfall, claimedAtMs }): readonly Broken[] => {
    const later = swaps.filter((other) => other.instance === instance && other.group === group && other.claimedAtMs > claimedAtMs);
    const untilMs = Math.min(endless, ...later.map((other) => other.claimedAtMs));
    const laterDrains = new Set(later.map(({ drain }) => drain));
    const own = ends.filter(
      ({ detail, atMs }) =>
        detail.group === group &&
        atMs < untilMs &&
        !laterDrains.has(String(detail.drain)) &&
        [...idsIn(detail.drained), ...idsIn(detail.gone)].includes(instance),
    );
    const isTold = own.some(({ detail }) => mapsIn(detail.shortfalls).some(({ instances }) => idsIn(instances).includes(instance)));
    const last = own.at(-1);
    return shortfall === undefined || last === undefined || isTold
      ? []
      : [{ group, instance, atMs: last.atMs, detail: `the end of the drain of ${instance} ${sentWithoutShortfall}` }];
  });
};

/** Each part of an event about a large batch counts the whole. */
const miscounted = (chronicle: Chronicle): readonly Broken[] => {
  const sent = Map.groupBy(announced(chronicle, announcements.drainFinished), ({ detail, atMs }) => `${String(detail.drain)} ${atMs}`);
  return [...sent.values()].flatMap((parts): readonly Broken[] => {
    const [first] = parts;
    if (first === undefined || parts.length !== first.detail.parts) return [];
    const { counts } = first.detail as { readonly counts?: Readonly<Record<'drained' | 'gone', number>> };
    const isSo = (['drained', 'gone'] as const).every(
      (what) => counts?.[what] === parts.reduce((sum, { detail }) => sum + idsIn(detail[what]).length, 0),
    );
    return isSo
      ? []
      : [{ atMs: first.atMs, detail: `the end of drain ${String(first.detail.drain)} was sent with counts that are not those of its members` }];
  });
};

/** The reason on the bus is the one that the claim was written with. */
const misreported = (chronicle: Chronicle): readonly Broken[] =>
  announced(chronicle, announcements.swapStarted).flatMap(({ detail, atMs }) =>
    idsIn(detail.instances).flatMap((instance): readonly Broken[] => {
      const reasons = (chronicle.life(instance)?.claims ?? []).flatMap((claim) => (claim.atMs <= atMs ? (claim.reason ?? []) : []));
      return reasons.length === 0 || reasons.includes(String(detail.reason))
        ? []
        : [{ instance, atMs, detail: `the swap of ${instance} was sent as ${String(detail.reason)}, and it is ${reasons.join()}` }];
    }),
  );

const inventedRefusals = (chronicle: Chronicle): readonly Broken[] =>
  announced(chronicle, announcements.fallback).flatMap(({ detail, atMs }) =>
    refusalsSaid(detail.refused)
      .filter((said) => !wasRefused(chronicle, said, atMs))
      .map((said) => ({ group: String(detail.group), atMs, detail: `a fallback was sent after ${inWords(said)}, which did not happen` })),
  );

/** What events say besides that something happened. */
export const detailsAreTrue = (chronicle: Chronicle): readonly Broken[] => [
  ...announced(chronicle, announcements.drainFinished).flatMap(({ detail, atMs }) =>
    untrueOfDrain(chronicle, detail, atMs).map((text) => ({ group: String(detail.group), atMs, detail: text })),
  ),
  ...shortfallsUntold(chronicle),
  ...miscounted(chronicle),
  ...misreported(chronicle),
  ...inventedRefusals(chronicle),
];
