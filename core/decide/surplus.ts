import type { Leaving } from '../decision/decision.ts';
import { howHeld } from '../group/holding.ts';
import { outsideAsgOf } from '../group/outside-size.ts';
import { mayLackSwaps } from '../group-state/restored.ts';
import { sharedIn } from '../placement/shares.ts';
import { keptAmong, keptButForShares } from '../placement/spare.ts';
import { pricesIn } from '../pool/price.ts';
import { releasableNow } from '../removal/refused-releases.ts';
import { chooseRemovals } from '../removal/removal.ts';
import { arrived, keptFor, movesUnderWay } from '../returning/under-way.ts';
import { isOfFailing, notShownYet, ownShrink } from '../view/asg-ledger.ts';
import { cannotJoin } from '../view/size-now.ts';
import { isIdle } from '../view/unserved.ts';
import type { Member } from '../view/view.ts';
import { beyondSpares } from './beyond-spares.ts';
import { takeFrom } from './releasable.ts';
import type { Rule, Situation } from './rule.ts';
import { neverToServe } from './to-be-replaced.ts';

/**
 * How many unclaimed members the group has above what it keeps. Three kinds do not count: members that Auto Scaling
 * groups are about to terminate by themselves, members that only a newer describe can confirm, and members that can
 * neither serve nor leave while others wait for a replacement that serves.
 */
export const aboveDesired = ({ view, headcount, arbiter }: Situation): number => {
  const candidates = arbiter.unclaimed();
  const count = candidates.length - neverToServe({ view, headcount });
  return count - keptAmong(view, candidates) - ownShrink(view) - notShownYet(view, candidates).length;
};

const idOf = ({ instance }: { readonly instance: string }): string => instance;

/** Whether a member is one of these. */
const isOneOf = (members: readonly Member[]): ((instance: string) => boolean) => {
  const ids = new Set(members.map(idOf));
  return (instance) => ids.has(instance);
};

/**
 * Members that Holdfast may remove. A replacement stays while the member that moves does. Where others set the size,
 * the Auto Scaling group removes its members itself, also those that its describe does not show yet. One that no
 * describe shows was deleted with its members, so only members that have not joined are removed.
 */
const removable = ({ view, headcount, arbiter }: Situation): readonly Member[] => {
  const outside = cannotJoin(view) ? howHeld(view.group).joins : outsideAsgOf(view.group);
  const unclaimed = arbiter.unclaimed();
  const replacing = keptFor(movesUnderWay(view, headcount), isOneOf(unclaimed));
  const all = unclaimed.filter(({ instance }) => !replacing.has(instance));
  if (outside === undefined) return all;
  const isUnsure = isOneOf(notShownYet(view, all));
  return all.filter(({ asg, instance }) => asg !== outside && !isUnsure(instance));
};

const without = (members: readonly Member[], leaving: readonly Leaving[]): readonly Member[] => {
  const gone = new Set(leaving.map(idOf));
  return members.filter((member) => !gone.has(idOf(member)));
};

/**
 * The first members in the policy's order that every budget allows to leave. Before all others, members leave that an
 * Auto Scaling group launched last whose own launches keep ending early: Holdfast launches in its place. If the budgets
 * allow too few serving members to leave, idle members are chosen next. The tree then chooses among the serving ones,
 * by the places of those that stay. Beyond `ofAnyShare`, a healthy member leaves only from a share that holds too many.
 */
const chosen = (situation: Situation, count: number, ofAnyShare: number): readonly Leaving[] => {
  if (count <= 0) return [];
  const { view, headcount, arbiter } = situation;
  const shared = sharedIn(view, headcount);
  const serving = arbiter.releasable.forRemovals();
  const spares = beyondSpares(view, arbiter.unclaimed());
  const accounts = [serving, arbiter.aboveMinimum(), arbiter.beyondFloor(), spares];
  const first = (
    members: readonly Member[],
    atMost: number,
    { anyShare = ofAnyShare, among = new Set(members.map(idOf)) } = {},
  ): readonly Leaving[] =>
    chooseRemovals({
      count: atMost,
      ofAnyShare: anyShare,
      members,
      group: view.group,
      prices: pricesIn(view),
      nowMs: view.nowMs,
      memory: view.state.memory,
      ...(shared && { shared }),
      mayLeave: (instance) => among.has(instance) && takeFrom(accounts, instance),
    });
  const members = removable(situation);
  const ofFailing = arbiter.unclaimed().filter((member) => isOfFailing(view, member));
  const failing = first(members, Math.min(count, ofAnyShare), { among: new Set(ofFailing.map(idOf)) });
  // Those of them that have to stay are no surplus of the others, because they keep ending by themselves.
  const most = count - ofFailing.length;
  const anyShare = ofAnyShare - ofFailing.length;
  const others = without(members, failing);
  const forced = Math.max(0, Math.min(most, anyShare) - serving.room);
  const idle = first(others, forced, { anyShare, among: new Set(others.filter(isIdle).map(idOf)) });
  const rest = first(without(others, idle), most - idle.length, { anyShare: anyShare - idle.length });
  return [...failing, ...idle, ...rest];
};

/** Replacements of a move whose old members have not left yet. They are no surplus. */
const replacements = ({ view, headcount, arbiter }: Situation): number =>
  arrived(movesUnderWay(view, headcount), isOneOf(arbiter.unclaimed()));

/** Who leaves of those that the group has above what it keeps: at most so many. */
const leaveNow = (situation: Situation, most = Number.POSITIVE_INFINITY) => {
  const { view, arbiter } = situation;
  const count = aboveDesired(situation) - replacements(situation);
  const room = arbiter.aboveMinimum().total;
  const ofAnyShare = count - keptButForShares(view, arbiter.unclaimed());
  const removals = releasableNow(chosen(situation, Math.min(count, room, most), ofAnyShare), view);
  arbiter.leave(removals.map(idOf));
  const kept = outsideAsgOf(view.group) === undefined ? Math.max(0, count - room) : 0;
  return { removals, kept };
};

/**
 * Members above the desired size, in the policy's order. A serving member is chosen only while the remaining ones serve
 * the desired size, because members that still boot do not replace it yet. Members with waiting swaps are not chosen
 * here. The minimum size of an Auto Scaling group belongs to its user and is kept. The decision says how many members
 * it keeps. After an Auto Scaling group did not let a surplus go, none is chosen there for a while. Nobody is chosen
 * while the table may lack the swaps of members that EC2 takes.
 */
export const surplus: Rule = {
  name: 'surplus',
  propose: (situation) => {
    const { view } = situation;
    if (mayLackSwaps(view.state, view.nowMs)) return {};
    const before = replacements(situation);
    const first = leaveNow(situation);
    // A replacement whose member leaves is above the desired size from then on.
    const freed = before - replacements(situation);
    const { removals, kept } = freed > 0 ? leaveNow(situation, freed) : { removals: [], kept: first.kept };
    return { removals: [...first.removals, ...removals], ...(kept > 0 && { keptByMinimum: kept }) };
  },
};
