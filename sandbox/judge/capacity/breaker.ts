import { announcements } from '../../../core/contract.ts';
import type { Chronicle } from '../chronicle.ts';
import { isInWarmPool } from '../members/warm-pools.ts';
import type { BreakerRule, Policy } from '../policy/policy.ts';
import { offeringsOf } from '../policy/pools.ts';
import { rememberedBy } from '../remembered.ts';
import { times } from '../times.ts';
import { firstWarning } from '../told/first-warnings.ts';
import type { OfferingName } from '../world/cloud.ts';
import { goneAtMs, isFunction, type Life, type Span } from '../world/life.ts';
import { forgottenAtMs } from './boots.ts';

/** `m7g` of `m7g.large`. */
export const familyOf = (instanceType: string): string => instanceType.split('.')[0] ?? instanceType;

/** Whether a breaker, as events name it, is one over this offering. */
export const isOver = (breaker: string, { market, instanceType }: OfferingName): boolean =>
  market === 'spot' && (breaker === 'spot' || breaker === `spot/${familyOf(instanceType)}`);

/** A launch that lives for so long closes a half-open breaker (docs/policy.md, breaker). */
export const provesAfterMs = ({ withinMs }: BreakerRule): number => Math.min(withinMs, 15 * 60_000);

/** The time from receiving a warning to the decision that uses it. */
export const slackOf = (chronicle: Chronicle): number => times.reactMs + chronicle.times.launchCallMs + 2 * chronicle.times.clockMs;

/** `happenedAtMs`: the time that EC2 gave the warning. */
export type HeardWarning = { readonly life: Life; readonly atMs: number; readonly happenedAtMs: number };

/** Spot instances whose warnings may count for a group: its members, and what waits in a warm pool of it when a warning is received. */
export const spotOf = rememberedBy((chronicle: Chronicle, group: string): readonly Life[] => {
  const isWarmWhenWarned = (life: Life): boolean =>
    life.deliveries.some(({ told, atMs }) => told.about === 'warning' && isInWarmPool(chronicle, life, { group, sinceMs: atMs, atMs }));
  const all = new Set([...chronicle.livesIn(group), ...chronicle.lives.filter(isWarmWhenWarned)]);
  return [...all].filter(({ market }) => market === 'spot');
});

/** Warnings of these, by when a function could first know. */
export const warningsHeard = (chronicle: Chronicle, group: string): readonly HeardWarning[] =>
  spotOf(chronicle, group)
    .flatMap((life): readonly HeardWarning[] => {
      const first = firstWarning(life, chronicle.times.clockMs);
      return first === undefined ? [] : [{ life, atMs: first.atMs, happenedAtMs: first.happenedAtMs }];
    })
    .toSorted((one, other) => one.atMs - other.atMs);

export const spotFamilies = ({ pools }: Policy): ReadonlySet<string> =>
  new Set(
    Object.values(pools)
      .filter(({ market }) => market === 'spot')
      .flatMap((pool) => offeringsOf(pool).map(({ instanceType }) => familyOf(instanceType))),
  );

/** Until when a breaker that these warnings may have opened may cover an offering. */
const mayCoverUntil = (chronicle: Chronicle, rule: BreakerRule, offering: OfferingName, heard: readonly HeardWarning[]): number => {
  const slackMs = slackOf(chronicle);
  const forMs = 2 * rule.holdMs + provesAfterMs(rule) + slackMs;
  return heard.reduce((untilMs, { atMs }, index) => {
    const recent = heard.slice(0, index + 1).filter((one) => one.atMs > atMs - rule.withinMs - slackMs);
    const families = new Set(recent.map(({ life }) => familyOf(life.instanceType)));
    const isOthersAlone = families.size === 1 && !families.has(familyOf(offering.instanceType));
    const opens = recent.length >= rule.interruptions && !isOthersAlone;
    return opens || atMs <= untilMs ? Math.max(untilMs, atMs + forMs) : untilMs;
  }, Number.NEGATIVE_INFINITY);
};

/** When the memory of Holdfast about a group was lost: its state item was deleted, or the table was restored. */
export const lossesOfMemory = (chronicle: Chronicle, group: string): readonly number[] => [
  ...(chronicle.groups.get(group)?.lostAtMs ?? []),
  ...chronicle.of('step').flatMap(({ step, atMs }) => (step === 'state-restored' ? [atMs] : [])),
];

/** A breaker that was reported as open, until it was reported as closed, or its memory was lost. */
export type ToldOpen = { readonly breaker: string; readonly fromMs: number; readonly untilMs: number; readonly overMs: number };

/** Every time that a breaker of a group was reported as open. `overMs`: from then on its state is unknown. */
export const toldOpenIn = (chronicle: Chronicle, group: string): readonly ToldOpen[] => {
  const told = chronicle.of('announced').filter(({ detail }) => detail.group === group);
  const policies = chronicle.groups.get(group)?.policies ?? [];
  // A policy without breakers ends them. A policy that is deleted, and comes back, does not.
  const lost = [
    ...lossesOfMemory(chronicle, group),
    ...policies.flatMap(({ atMs, policy }) => (policy !== undefined && policy.breaker === undefined ? [atMs] : [])),
  ];
  return told.flatMap(({ detailType, detail, atMs }): readonly ToldOpen[] => {
    if (detailType !== announcements.breakerOpened) return [];
    const later = told.filter((one) => one.atMs > atMs && one.detail.breaker === detail.breaker);
    const next = later.find((one) => one.detailType === announcements.breakerClosed || one.detailType === announcements.breakerOpened);
    const overMs = Math.min(next?.atMs ?? Number.POSITIVE_INFINITY, ...lost.filter((lostMs) => lostMs > atMs));
    return [{ breaker: String(detail.breaker), fromMs: atMs, untilMs: Number(detail.untilMs), overMs }];
  });
};

/** The times in which a launch below a half-open breaker tests whether the breaker can be closed. */
const trialsOf = (chronicle: Chronicle, group: string, { breaker, untilMs, overMs }: ToldOpen, provesMs: number): readonly Span[] =>
  chronicle
    .livesIn(group)
    .filter((life) => isOver(breaker, life) && isFunction(life.by) && life.launchedAtMs >= untilMs && life.launchedAtMs < overMs)
    .map((life) => ({
      fromMs: life.askedAtMs ?? life.launchedAtMs,
      untilMs: Math.min(goneAtMs(life), life.launchedAtMs + provesMs + slackOf(chronicle), overMs),
    }));

/** When reported breakers prevented launches of any of these offerings: while they were open, and during a test launch. */
export const breakersStoodIn = (chronicle: Chronicle, group: string, rule: BreakerRule, offerings: readonly OfferingName[]): readonly Span[] =>
  toldOpenIn(chronicle, group)
    .filter(({ breaker }) => offerings.some((offering) => isOver(breaker, offering)))
    .flatMap((open) => [
      { fromMs: open.fromMs, untilMs: Math.min(open.untilMs, open.overMs) },
      ...trialsOf(chronicle, group, open, provesAfterMs(rule)),
    ]);

/**
 * Whether Holdfast may pass over an offering because a breaker that covers it is open or half-open. One that opened by the rule of an earlier policy keeps its
 * time.
 */
export const breakerMayCover = (chronicle: Chronicle, group: string, offering: OfferingName, sinceMs: number, atMs: number): boolean => {
  if (offering.market !== 'spot') return false;
  const heard = warningsHeard(chronicle, group).filter((one) => one.atMs <= atMs);
  return chronicle
    .policiesIn(group, sinceMs, atMs)
    .some(
      ({ breaker }) =>
        breaker !== undefined &&
        (mayCoverUntil(chronicle, breaker, offering, heard) > sinceMs ||
          breakersStoodIn(chronicle, group, breaker, [offering]).some(({ fromMs, untilMs }) => fromMs <= atMs && untilMs > sinceMs)),
    );
};

/** Whether the memory of Holdfast about a group was lost in a time. */
export const wasLost = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  lossesOfMemory(chronicle, group).some((atMs) => atMs > fromMs && atMs <= untilMs);

/** Whether Holdfast may have forgotten the signals of a time. */
export const mayHaveForgotten = (chronicle: Chronicle, group: string, fromMs: number, untilMs: number): boolean =>
  forgottenAtMs(chronicle, group, untilMs) > fromMs || wasLost(chronicle, group, fromMs, untilMs);
