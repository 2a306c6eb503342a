import { largeFrom } from '../../aws/providers/large-groups.ts';
import { howHeld } from '../../core/group/holding.ts';
import { modeOf } from '../../core/group/mode.ts';
import { grantedBy, missingAfter, unmovedAfter } from '../../core/group-state/answers.ts';
import { begunBy } from '../../core/group-state/binding.ts';
import { learnsWithinMs } from '../../core/limits/account-budget.ts';
import { foundCapacity } from '../../core/pool-memory/ask-again.ts';
import { isDeniedIn } from '../../core/pool-memory/denials.ts';
import type { Swap, Warned } from '../../core/swap/swap.ts';
import { reactTimeoutMs } from '../../core/times/times.ts';
import type { GroupState } from '../../core/view/view.ts';
import { claimLost } from './carry-out/claims.ts';
import { asLowered, giveBack } from './carry-out/lowered-sizes.ts';
import { asTreatedIn, type Gathered, gather } from './look/gather.ts';
import { readInForce } from './look/in-force.ts';
import { withLessons } from './look/lessons.ts';
import { type Lost, playRound } from './play-round.ts';
import { mostConflicts } from './record/put-state.ts';
import type { Round, Run } from './run.ts';
import { canHandOver } from './turns/hand-over.ts';

/** Decisions in one run: the first, and one after each refusal. */
const mostRounds = 8;

/** An invocation plans to end within half of its time limit, so that calls may take twice as long as usual. */
export const endsWithinMs = reactTimeoutMs / 2;
/** No call waits for its token any longer. The rest is for that call, and for what follows without a token. */
export const waitsWithinMs = endsWithinMs - 1_000;

/**
 * What a second look at a large group takes: the environment keeps what the first one read, and reads what changed
 * since. That takes 0.1 to 2 s.
 */
const changesMs = 2_000;

/** How long the next look may take, after the first one of a run. */
const nextLookMs = ({ lookedAtMs, holdings }: Gathered, nowMs: number): number =>
  Math.min(nowMs - lookedAtMs, holdings.members.length >= largeFrom ? changesMs : Number.POSITIVE_INFINITY);

/** What a round that launches takes. The rounds of a run that lost its races so far have launched nothing. */
const launchingMs = 2_000;

/**
 * Whether there is time for another round that launches, or one like the longest one of this run, and for the work
 * after the rounds, which takes no longer. Otherwise a wake handles members that are still missing.
 *
 * @param lookMs the time of a look before that round
 */
const hasTime = ({ ports, beganAtMs }: Run, longestRoundMs: number, lookMs = 0): boolean =>
  ports.clock.now() - beganAtMs + lookMs + 2 * Math.max(longestRoundMs, launchingMs) <= endsWithinMs;

/** The result of the rounds of a run. `run` has the policy that they were decided with. */
export type Played =
  | {
      readonly kind: 'played';
      readonly run: Run;
      readonly rounds: readonly Round[];
      /** Members may be missing: there was no time for another round, or others counted wrongly. A wake continues. */
      readonly isCut?: true;
    }
  /** Too many races were lost, or there was no time for another attempt. */
  | { readonly kind: 'contended' }
  /** The policy was deleted before anything was decided with it. */
  | { readonly kind: 'let-go' };

/**
 * The function that has the turn of a group writes its decision after a few calls, or launches for seconds. So after a
 * few attempts this run ends, and a wake continues sooner. If facts would be lost otherwise, this run stores them with
 * a decision that launches nothing, and a wake continues too.
 */
const lostForTurn = 3;
const lostBy = (what: Lost, { facts, group }: Run): number =>
  what === 'turn' && canHandOver(facts, group) ? lostForTurn : 1;
const isLate = (lost: number, { facts, group }: Run): boolean => lost >= lostForTurn && !canHandOver(facts, group);

/**
 * A look is used again after a lost race while it is younger than this. The function that wrote first stored its
 * launches and removals, and these count even if a describe does not show them yet.
 */
const sameLookMs = 2_000;

/**
 * Whether a look may be used again for another round. A decision may have waited for what other groups learn. This wait
 * makes no look old. Whoever has the turn may have waited too.
 */
const isYoung = ({ group, ports, turns }: Run, { lookedAtMs }: Gathered, what: Lost): boolean => {
  const waitedMs = Math.max(turns.heldMs(group.name), what === 'turn' ? learnsWithinMs : 0);
  return ports.clock.now() - lookedAtMs - waitedMs < sameLookMs;
};

/**
 * Whether the state explains the desired capacity that a look found as it did then. A note of an attach is dropped when
 * its addition was taken off. The look may show this addition still, and would take it for a size that others set.
 */
const hasSameNotes = ({ stored: { added } }: Gathered, now: GroupState | undefined): boolean =>
  JSON.stringify(added) === JSON.stringify(now?.added);

/**
 * Whether the stored size is the one that a look found, or the one that it replaces. Otherwise another function has
 * found since what others set, and this look would undo that.
 */
const hasSameSize = ({ outside, stored, state }: Gathered, now: GroupState | undefined): boolean =>
  outside === undefined || now === undefined || [stored.desired, state.desired].includes(now.desired);

/** Gathers anew after a lost race, with the policy in force now. Undefined when there is none any more. */
const lookAgain = async (
  run: Run,
  before: Gathered,
  { what, warned }: { readonly what: Lost; readonly warned: readonly Warned[] },
): Promise<{ readonly run: Run; readonly gathered: Gathered } | undefined> => {
  const { facts, ports } = run;
  const now = await readInForce(run.group.name, ports);
  if (now === undefined) return undefined;
  const renewed = { ...run, group: now.group, provider: ports.providerFor(now.group.holding) };
  const isSamePolicy = now.group.policyVersion === run.group.policyVersion;
  const isKnown = hasSameNotes(before, now.state) && hasSameSize(before, now.state);
  const isSame = isSamePolicy && isYoung(run, before, what) && isKnown;
  const known = { ...now, ...(isSame && { look: async () => before.holdings, lookedAtMs: before.lookedAtMs }) };
  const found = await gather(now.group, facts, renewed.provider, ports, known);
  const { putBack } = before;
  const counted = asTreatedIn(renewed, found);
  return { run: counted, gathered: withLessons({ ...found, ...(putBack && { putBack }) }, counted, warned) };
};

type Again = { readonly kind: 'again'; readonly run: Run; readonly gathered: Gathered };

/**
 * All rounds are decided with one policy and one size. If either changes after the first round, a wake continues. The
 * signal of that policy may have been handled already, with the launches of this run counted. And a look from before
 * the first round may be older than the size.
 */
const afterLostRace = async (
  run: Run,
  rounds: readonly Round[],
  {
    what,
    lost,
    longestRoundMs,
    lookMs,
    before,
    warned,
  }: {
    readonly what: Lost;
    readonly lost: number;
    readonly longestRoundMs: number;
    /** How long the next look may take, by those of the run so far. */
    readonly lookMs: number;
    readonly before: Gathered;
    readonly warned: readonly Warned[];
  },
): Promise<Again | Played> => {
  const cut: Played = { kind: 'played', run, rounds, isCut: true };
  if (lost >= mostConflicts || !hasTime(run, longestRoundMs, isYoung(run, before, what) ? 0 : lookMs))
    return rounds.length > 0 ? cut : { kind: 'contended' };
  const again = await lookAgain(run, before, { what, warned });
  if (again === undefined) return rounds.length > 0 ? { kind: 'played', run, rounds } : { kind: 'let-go' };
  // Other signals are claimed in another mode, so they are delivered again.
  if (rounds.length === 0 && modeOf(again.run.group) !== modeOf(run.group)) return { kind: 'contended' };
  const isChanged = again.run.group.policyVersion !== run.group.policyVersion || again.gathered.sizes.length > 0;
  return rounds.length > 0 && isChanged ? cut : { kind: 'again', ...again };
};

/**
 * The input of the round after a refusal. A launch call takes seconds. Members that were claimed meanwhile leave. The
 * function that claimed them counted the launches of this run, so this run replaces them. Members whose swaps were
 * withdrawn meanwhile stay, so nothing more is launched for them. Swaps that the table has lost are written again.
 */
const afterRefusal = async ({ group, ports }: Run, gathered: Gathered, round: Round): Promise<Gathered> => {
  const { state } = round;
  const stored = await ports.store.swaps(group.name);
  const known = new Set(gathered.swaps.map(({ instance }) => instance));
  const open = new Set(stored.map(({ instance }) => instance));
  const isThere = (swap: Swap): boolean => swap.state === 'gone' || open.has(swap.instance);
  const lost = await claimLost(
    gathered.swaps.filter((swap) => !isThere(swap)),
    ports.store,
  );
  const others = stored.filter(({ instance }) => !known.has(instance));
  const swaps = [...gathered.swaps.filter(isThere), ...lost, ...others];
  const holdings = { ...gathered.holdings, asgs: asLowered(gathered.holdings.asgs, round) };
  return { ...gathered, swaps, holdings, stored: state, state };
};

/** Whether members are still missing after the last round, and its launches are denied. */
export const endDenied = (rounds: readonly Round[]): boolean => {
  const last = rounds.at(-1);
  return (
    last !== undefined &&
    last.decision.unplaced + missingAfter(last.launched) > 0 &&
    isDeniedIn(last.state.denials, last.view.group.capacity)
  );
};

/** Swaps that the first round let begin, and that wait on, because its launches are denied and nobody would come. */
export const heldBackIn = (rounds: readonly Round[]): readonly Swap[] => {
  const first = rounds[0];
  return first !== undefined && endDenied(rounds) ? begunBy(first.decision, first.view) : [];
};

/**
 * Whether functions that decided meanwhile may have counted these launches wrongly. `LaunchInstances` takes no tags. So
 * until its response is stored, its instances count as members, and the open request counts too. A move that was
 * refused counted as a member that comes, and a member that was warned meanwhile got no replacement of its own.
 */
const isMiscounted = ({ group }: Run, { isCrowded, launched }: Round): boolean =>
  isCrowded === true && (howHeld(group).launchesBy === 'autoScaling' || unmovedAfter(launched) > 0);

const grantedIn = ({ launched }: Round): number => launched.reduce((sum, one) => sum + grantedBy(one), 0);

/** Rounds until everything is placed, nothing eligible is left, or the time is up. */
export const playRounds = async (first: Run, found: Gathered, warned: readonly Warned[]): Promise<Played> => {
  const played = await playEach(first, found, warned);
  if (played.kind === 'played') await giveBack(played.run, played.rounds);
  return played;
};

const playEach = async (first: Run, found: Gathered, warned: readonly Warned[]): Promise<Played> => {
  const rounds: Round[] = [];
  let [run, gathered, lost, longestRoundMs] = [first, found, 0, 0];
  let lookMs = nextLookMs(found, run.ports.clock.now());
  while (rounds.length < mostRounds) {
    const beganAtMs = run.ports.clock.now();
    const played = await playRound(run, gathered, rounds, isLate(lost, run));
    longestRoundMs = Math.max(longestRoundMs, run.ports.clock.now() - beganAtMs);
    if (played === 'race' || played === 'turn') {
      lost += lostBy(played, run);
      const lostAtMs = run.ports.clock.now();
      const next = await afterLostRace(run, rounds, {
        what: played,
        lost,
        longestRoundMs,
        lookMs,
        before: gathered,
        warned,
      });
      if (next.kind !== 'again') return next;
      ({ run, gathered } = next);
      // A look may have read only what changed, and a later one everything.
      lookMs = Math.max(lookMs, run.ports.clock.now() - lostAtMs);
      continue;
    }
    rounds.push(played);
    if (missingAfter(played.launched) === 0 && !foundCapacity(played.decision, grantedIn(played)))
      return { kind: 'played', run, rounds, ...(isMiscounted(run, played) && { isCut: true }) };
    if (!hasTime(run, longestRoundMs)) break;
    gathered = await afterRefusal(run, gathered, played);
  }
  return { kind: 'played', run, rounds, isCut: true };
};
