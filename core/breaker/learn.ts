import type { Group } from '../group/group.ts';
import { isBelieved } from '../launch/reservation-life.ts';
import { parseOfferingKey } from '../pool/offering.ts';
import { offeringsOf } from '../pool/pool.ts';
import type { Ending } from '../pool-memory/boot-memory.ts';
import type { Swap, Warned } from '../swap/swap.ts';
import type { GroupState, Member } from '../view/view.ts';
import {
  type Breaker,
  type BreakerKey,
  type BreakerMemory,
  type BreakerRule,
  type Breakers,
  entriesOf,
  familyOf,
  type InterruptionTally,
  provesAfterMs,
  type Trial,
} from './breaker.ts';

/** How a breaker changed at a look. */
export type BreakerNews =
  /** This many interruptions within the time, or an interruption of the test launch (`trial`). */
  | {
      readonly code: 'breaker-opened';
      readonly breaker: BreakerKey;
      readonly why: 'interruptions' | 'trial';
      readonly interruptions: number;
      readonly withinMs: number;
      readonly untilMs: number;
    }
  /** The test launch lives (`trial`), or there was no interruption for as long again (`quiet`). */
  | { readonly code: 'breaker-closed'; readonly breaker: BreakerKey; readonly why: 'trial' | 'quiet' };

/** What a look shows. */
export type BreakerLook = {
  readonly group: Pick<Group, 'breaker' | 'pools'>;
  readonly warned: readonly Warned[];
  /** Those of them that were not counted yet. */
  readonly fresh: readonly Warned[];
  readonly members: readonly Member[];
  readonly swaps: readonly Swap[];
  readonly endings?: Readonly<Record<string, Ending>> | undefined;
  readonly nowMs: number;
};

/** The time of the rule is counted in this many parts, so that a storm leaves no long list. */
const parts = 30;
const mostTallies = 300;

type Dated = { readonly atMs: number };

/** Warnings count from the time that EC2 gives them: functions may fail for minutes before one of them counts these. */
const toldIn = (warned: readonly Warned[], nowMs: number): readonly (Dated & { readonly family: string })[] =>
  warned.flatMap(({ offering, warnedAtMs: atMs = nowMs }) => {
    const known = parseOfferingKey(offering);
    return known?.market === 'spot' ? [{ family: familyOf(known), atMs }] : [];
  });

const youngIn = <T extends Dated>(tallies: readonly T[], { withinMs }: BreakerRule, nowMs: number): readonly T[] =>
  tallies.filter(({ atMs }) => nowMs - atMs < withinMs);

/** Adds these interruptions. */
const withWarned = (
  { interruptions: before = [] }: BreakerMemory,
  warned: readonly Warned[],
  rule: BreakerRule,
  nowMs: number,
): readonly InterruptionTally[] => {
  const young = youngIn(before, rule, nowMs);
  const told = youngIn(toldIn(warned, nowMs), rule, nowMs);
  // Old ones are dropped when others come, or all at once: a look that changes nothing writes nothing.
  if (told.length === 0) return young.length === 0 ? [] : before;
  const partOf = (atMs: number): number => Math.floor((atMs * parts) / rule.withinMs);
  const next = [...young];
  for (const { family, atMs } of told) {
    const index = next.findLastIndex((one) => one.family === family && partOf(one.atMs) === partOf(atMs));
    const same = next[index];
    if (same === undefined) next.push({ family, atMs, count: 1 });
    else next[index] = { ...same, atMs: Math.max(same.atMs, atMs), count: same.count + 1 };
  }
  return next.slice(-mostTallies);
};

const spotFamilies = ({ pools }: BreakerLook['group']): ReadonlySet<string> =>
  new Set(
    Object.values(pools)
      .filter(({ market }) => market === 'spot')
      .flatMap(offeringsOf)
      .map(familyOf),
  );

const silentlyTaken = 'Server.SpotInstanceTermination';

type Fate = 'waits' | 'lives' | 'interrupted' | 'unknown';

/** The fate of the launch that tests whether interruptions are over. */
const fateOf = (trial: Trial, rule: BreakerRule, state: GroupState, look: BreakerLook): Fate => {
  const { warned, members, swaps, endings = {}, nowMs } = look;
  const member = members.find(
    ({ instance, reservation }) => instance === trial.instance || reservation === trial.reservation,
  );
  const instance = trial.instance ?? member?.instance;
  if (instance === undefined) {
    const isComing = state.reservations.some((one) => one.id === trial.reservation && isBelieved(nowMs)(one));
    return isComing ? 'waits' : 'unknown';
  }
  if (warned.some((one) => one.instance === instance) || endings[instance]?.code === silentlyTaken)
    return 'interrupted';
  const leaves = swaps.some((swap) => swap.instance === instance && swap.state !== 'waiting');
  if (leaves || endings[instance] !== undefined) return 'unknown';
  if (member === undefined) return nowMs - trial.atMs < provesAfterMs(rule) ? 'waits' : 'unknown';
  return nowMs - member.launchedAtMs >= provesAfterMs(rule) ? 'lives' : 'waits';
};

type Learned = { readonly breaker?: Breaker; readonly news?: BreakerNews };

const opened = (
  key: BreakerKey,
  why: 'interruptions' | 'trial',
  interruptions: number,
  { withinMs, holdMs }: BreakerRule,
  nowMs: number,
): Required<Learned> => {
  const untilMs = nowMs + holdMs;
  return {
    breaker: { openedAtMs: nowMs, untilMs, interruptions },
    news: { code: 'breaker-opened', breaker: key, why, interruptions, withinMs, untilMs },
  };
};

/** A breaker after its trial and its time. */
const followed = (
  key: BreakerKey,
  breaker: Breaker,
  rule: BreakerRule,
  state: GroupState,
  look: BreakerLook,
): Learned => {
  const { trial, ...rest } = breaker;
  if (trial === undefined)
    return look.nowMs >= breaker.untilMs + rule.holdMs
      ? { news: { code: 'breaker-closed', breaker: key, why: 'quiet' } }
      : { breaker };
  switch (fateOf(trial, rule, state, look)) {
    case 'waits':
      return { breaker };
    case 'unknown':
      return { breaker: rest };
    case 'lives':
      return { news: { code: 'breaker-closed', breaker: key, why: 'trial' } };
    case 'interrupted':
      return opened(key, 'trial', 1, rule, look.nowMs);
  }
};

/**
 * The interruptions without those that these breakers cover. A breaker that opens uses up what it counted. Times would
 * not show what that was, because each function reads a clock of its own.
 */
const withoutUsed = (
  tallies: readonly InterruptionTally[],
  breakers: Breakers,
  opening: readonly BreakerKey[],
): readonly InterruptionTally[] =>
  opening.length === 0
    ? tallies
    : tallies.filter(({ family }) => !opening.includes(breakers[`spot/${family}`] ? `spot/${family}` : 'spot'));

const countOf = (tallies: readonly InterruptionTally[], isCounted: (family: string) => boolean): number =>
  tallies.filter(({ family }) => isCounted(family)).reduce((sum, { count }) => sum + count, 0);

/**
 * Breakers that open now. If one family has that many interruptions and the group has other families, this family
 * rests. If the interruptions are of several families, all of spot rests.
 */
const openings = (
  breakers: Partial<Record<BreakerKey, Breaker>>,
  tallies: readonly InterruptionTally[],
  rule: BreakerRule,
  { group, nowMs }: BreakerLook,
): readonly (readonly [BreakerKey, Required<Learned>])[] => {
  const families = spotFamilies(group);
  const told = new Set(tallies.map(({ family }) => family));
  const byFamily = [...told].flatMap((family) => {
    if ([...families].every((one) => one === family)) return [];
    const key: BreakerKey = `spot/${family}`;
    const count = countOf(tallies, (one) => one === family);
    return count >= rule.interruptions ? [[key, opened(key, 'interruptions', count, rule, nowMs)] as const] : [];
  });
  const own = new Set([...byFamily.map(([key]) => key), ...Object.keys(breakers)]);
  const rest = countOf(tallies, (family) => !own.has(`spot/${family}`));
  return rest >= rule.interruptions
    ? [...byFamily, ['spot', opened('spot', 'interruptions', rest, rule, nowMs)]]
    : byFamily;
};

const stored = (state: GroupState, breakers: Breakers, interruptions: readonly InterruptionTally[]): GroupState => {
  const { breakers: _b, interruptions: _i, ...rest } = state;
  const memory: BreakerMemory = {
    ...(Object.keys(breakers).length > 0 && { breakers }),
    ...(interruptions.length > 0 && { interruptions }),
  };
  return { ...rest, ...memory };
};

/** The state after a look, as far as breakers go, and what is new about them. */
export const learnBreakers = (
  state: GroupState,
  look: BreakerLook,
): { readonly state: GroupState; readonly news: readonly BreakerNews[] } => {
  const rule = look.group.breaker;
  if (rule === undefined) return { state: stored(state, {}, []), news: [] };
  const { breakers = {} } = state;
  const after = entriesOf(breakers).map(([key, breaker]) => [key, followed(key, breaker, rule, state, look)] as const);
  const kept: Breakers = Object.fromEntries(after.flatMap(([key, { breaker }]) => (breaker ? [[key, breaker]] : [])));
  const reopened = after.flatMap(([key, { news }]) => (news?.code === 'breaker-opened' ? [key] : []));
  const tallies = withoutUsed(withWarned(state, look.fresh, rule, look.nowMs), kept, reopened);
  const fresh = openings(kept, youngIn(tallies, rule, look.nowMs), rule, look);
  const now: Breakers = { ...kept, ...Object.fromEntries(fresh.map(([key, { breaker }]) => [key, breaker])) };
  const used = fresh.map(([key]) => key);
  const news = [...after, ...fresh].flatMap(([, one]) => one.news ?? []);
  return { state: stored(state, now, withoutUsed(tallies, now, used)), news };
};
