import { learnBreakers } from '../../../core/breaker/learn.ts';
import { isAdmittedRunning } from '../../../core/group/holders.ts';
import { modeOf } from '../../../core/group/mode.ts';
import { type Launched, rememberLives } from '../../../core/group-state/returns.ts';
import { learnFromLosses } from '../../../core/group-state/state.ts';
import { launchedByUs } from '../../../core/launch/launched-by-us.ts';
import { withoutEnded } from '../../../core/launch/reservation-life.ts';
import { countOnce, uncounted, warnedIn } from '../../../core/limits/counted-warnings.ts';
import { rememberWarnings } from '../../../core/limits/launch-limit.ts';
import { offeringKey } from '../../../core/pool/offering.ts';
import { adviseAgainst } from '../../../core/pool-memory/advice.ts';
import { type BootNews, type Lessons, learnBoots } from '../../../core/pool-memory/failed-boots.ts';
import { learnRefills } from '../../../core/pool-memory/failing-refills.ts';
import { learnGivenUp } from '../../../core/pool-memory/given-up.ts';
import { rememberRefusals } from '../../../core/pool-memory/refusals.ts';
import type { Refusal } from '../../../core/ports/launches.ts';
import { isGivenUp, traitsOf } from '../../../core/removal/leave-reason.ts';
import { rememberUndone } from '../../../core/returning/undone.ts';
import type { Swap, Warned } from '../../../core/swap/swap.ts';
import type { GroupState, Member } from '../../../core/view/view.ts';
import type { Facts } from '../messages/facts.ts';
import type { Run } from '../run.ts';
import type { Gathered } from './gather.ts';

const refusalOf = ({ code, message, offering }: Lessons['refused'][number]): Refusal => ({
  offering,
  code,
  message,
  scope: 'offering',
});

/** Pool memory after the fates of launched instances. Pools whose instances end before they serve rest for a while. */
const withBoots = (
  state: GroupState,
  { holdings, group }: Gathered,
  ran: readonly string[],
  nowMs: number,
): { readonly state: GroupState; readonly failedBoots: readonly BootNews[] } => {
  const shown = { ...holdings, ran, admitsRunning: isAdmittedRunning(group) };
  const { newcomers: _n, failedBoots: _f, deaths: _d, refills: _r, failing: _g, latestRefill: _l, ...rest } = state;
  const refills = learnRefills(state, shown, launchedByUs(state), nowMs);
  const { memory, news, refused } = learnBoots(state, shown, group.pools, nowMs);
  const learned = rememberRefusals(rest.memory, refused.map(refusalOf), group.pools, nowMs);
  return { state: { ...rest, memory: learned, ...memory, ...refills }, failedBoots: news };
};

/** Members that this run gave up. */
const givenUpBy = (decision: string, { swaps, holdings, state }: Gathered): readonly Member[] => {
  const claimed = swaps.filter(
    (swap) =>
      swap.decision === decision &&
      isGivenUp(swap) &&
      // After a lost race, an earlier attempt of the run has already counted it.
      swap.claimedAtMs > (state.failedBoots?.[swap.pool]?.atMs ?? 0),
  );
  const instances = new Set(claimed.map(({ instance }) => instance));
  return holdings.members.filter(({ instance }) => instances.has(instance));
};

/** Members that EC2 advises to replace and that are not claimed, because the budget for advice is spent. */
const advisedOverBudget = ({ group, swaps, holdings }: Gathered, { leaving }: Facts): readonly Member[] => {
  if (!group.rebalance.act || group.rebalance.atMostPerHour === undefined || modeOf(group) !== 'act') return [];
  const claimed = new Set(swaps.map(({ instance }) => instance));
  const advised = new Set(leaving.filter((fact) => traitsOf(fact).isAdvice).map(({ instance }) => instance));
  return holdings.members.filter(({ instance }) => advised.has(instance) && !claimed.has(instance));
};

/** Pool memory counts advice beyond the budget like advice that is followed. */
const withAdvised = (state: GroupState, members: readonly Member[], nowMs: number): GroupState =>
  members.length === 0
    ? state
    : {
        ...state,
        memory: adviseAgainst(
          state.memory,
          members.map(({ offering }) => offeringKey(offering)),
          nowMs,
        ),
      };

/** Launch times of instances that leave, from their swaps, and as EC2 showed them with their signals. */
const launchedBy = ({ leaving }: Facts, swaps: readonly Swap[]): readonly Launched[] =>
  [...swaps, ...leaving.map(({ instance, owner }) => ({ instance, launchedAtMs: owner?.launchedAtMs }))].flatMap(
    ({ instance, launchedAtMs }) => (launchedAtMs === undefined ? [] : [{ instance, launchedAtMs }]),
  );

const forever = Number.POSITIVE_INFINITY;

/**
 * Whether EC2's warning found a member that was to stay, or that only waited to leave: nobody had chosen it, nobody had
 * requested its end, and its drain had not begun. So nothing replaces it yet.
 */
const isWarnedFirst = (swap: Swap): boolean => {
  const { warnedAtMs = forever, chosenAtMs = forever, releaseAskedAtMs = forever, drainStartedAtMs = forever } = swap;
  return traitsOf(swap).endedBy === 'ec2' && warnedAtMs <= Math.min(chosenAtMs, releaseAskedAtMs, drainStartedAtMs);
};

/**
 * How many of the warned are members. What stands by or is in a warm pool is not replaced, so it allows no launch. What
 * its Auto Scaling group terminates may have to be replaced, unless it left before the warning.
 */
const warnedMembers = ({ holdings: { aside, standby = [] }, swaps }: Gathered, warned: readonly Warned[]): number => {
  const first = new Set(swaps.filter(isWarnedFirst).map(({ instance }) => instance));
  const mayBeOwed = (instance: string): boolean => first.has(instance) && !standby.includes(instance);
  return warned.filter(({ instance }) => !aside.includes(instance) || mayBeOwed(instance)).length;
};

/**
 * The state after the facts of signals, besides claims: offerings that EC2 takes instances from, and failed launches.
 */
export const withLessons = (gathered: Gathered, { facts, ports, id }: Run, heard: readonly Warned[]): Gathered => {
  const nowMs = ports.clock.now();
  const taken = warnedIn(gathered.swaps);
  const told = new Set(heard.map(({ instance }) => instance));
  const warned = [...heard, ...uncounted(gathered.state, taken).filter(({ instance }) => !told.has(instance))];
  const ended = [...gathered.holdings.ended, ...facts.ended];
  const { state: known, fresh } = countOnce(withoutEnded(gathered.state, ended), warned, taken);
  const counted = rememberWarnings(known, gathered.group, warnedMembers(gathered, fresh), nowMs);
  const launched = [...launchedBy(facts, gathered.swaps), ...gathered.holdings.members];
  const losses = learnFromLosses(counted, { warned, launched, swaps: gathered.swaps }, nowMs);
  const overBudget = advisedOverBudget(gathered, facts);
  const advised = withAdvised(losses, overBudget, nowMs);
  const undone = rememberUndone(advised, gathered.holdings, nowMs);
  const lived = rememberLives(undone, { group: gathered.group, launched }, warned, nowMs);
  const { state: booted, failedBoots } = withBoots(lived, gathered, facts.ran, nowMs);
  const { news: givenUp, ...boots } = learnGivenUp(booted, givenUpBy(id, gathered), gathered.group.pools, nowMs);
  const { members, endings } = gathered.holdings;
  const look = { group: gathered.group, warned, fresh, members, swaps: gathered.swaps, endings, nowMs };
  const { state, news: breakers } = learnBreakers({ ...booted, ...boots }, look);
  return { ...gathered, state, failedBoots, givenUp, breakers, overBudget };
};
