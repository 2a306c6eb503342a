import { ownRefill } from '../asg-ledger.ts';
import { isOnDemand, onDemandNow, owedIn } from '../on-demand.ts';
import { pricesIn } from '../price.ts';
import { chooseRemovals } from '../removal.ts';
import { noReturns } from '../returning/memory.ts';
import { planOnDemand } from '../returning/plan-on-demand.ts';
import { leaveOf, type ReturnPlan } from '../returning/plan-return.ts';
import { askAtMostEveryMs } from '../returning/rule.ts';
import { movesUnderWay } from '../returning/under-way.ts';
import type { Member } from '../view.ts';
import type { Draft, Proposal, Rule, Situation } from './rule.ts';

const placedIn = ({ placements }: Pick<ReturnPlan, 'placements'>): number =>
  placements.reduce((sum, { count }) => sum + count, 0);

const movingNow = ({ view, headcount }: Situation): ReadonlySet<string> =>
  new Set(movesUnderWay(view, headcount).flatMap(({ leaving }) => leaving));

/**
 * Whether the group is not at its size, or something is under way that may change what it has on demand: members come
 * or leave by the same decision, an Auto Scaling group launches by itself, or a launch was requested a moment ago.
 */
const isUnsettled = (situation: Situation, soFar: Draft, moving: number): boolean => {
  const { view, headcount } = situation;
  const { staying, waiting, inFlight, inFlightCount } = headcount;
  const above = staying.length - waiting.length + inFlightCount - view.state.desired - (soFar.keptByMinimum ?? 0);
  const { askedAtMs = 0 } = view.state.returns ?? noReturns;
  return (
    soFar.lack > 0 ||
    soFar.placements.length + soFar.removals.length + soFar.drains.length > 0 ||
    above > moving ||
    ownRefill(view) > 0 ||
    inFlightCount > inFlight.reduce((sum, { count }) => sum + count, 0) ||
    view.nowMs - askedAtMs < askAtMostEveryMs
  );
};

/** Members on spot that may leave for one on demand, in the policy's order of removal. */
const leavingFor = ({ view, arbiter }: Situation, moving: ReadonlySet<string>, most: number): readonly Member[] => {
  const members = arbiter.unclaimed();
  const byId = new Map(members.map((member) => [member.instance, member]));
  const { mayLeave, leave } = leaveOf(view);
  const ordered = chooseRemovals({
    count: members.length,
    members,
    group: view.group,
    prices: pricesIn(view),
    nowMs: view.nowMs,
    memory: view.state.memory,
  });
  const leaving: Member[] = [];
  for (const { instance } of ordered) {
    const member = byId.get(instance);
    if (leaving.length >= most || member === undefined) break;
    if (isOnDemand(member) || moving.has(instance) || !mayLeave(member)) continue;
    leaving.push(member);
    leave(member);
  }
  return leaving;
};

/** How many are still missing on demand because nothing gives them. It is said when the number changes. */
const told = (
  { view }: Situation,
  short: number,
  floor: { readonly owed: number; readonly held: number },
): Proposal => ({
  onDemandShort: short,
  ...(short !== view.state.onDemandShort && { remarks: [{ code: 'on-demand-short', ...floor }] }),
});

/**
 * A group at its size that has less on demand than it owes: members on spot are replaced on demand, launch-first, as
 * many at once as the surge allows. A launch that is refused is followed by none elsewhere in the same look.
 */
export const onDemandFloor: Rule = {
  name: 'on-demand floor',
  propose: (situation, soFar) => {
    const { view, headcount, arbiter } = situation;
    const owed = owedIn(view);
    const held = onDemandNow(headcount);
    if (owed <= held) return {};
    const moving = movingNow(situation);
    const { onDemandShort } = view.state;
    const as = onDemandShort === undefined ? {} : { onDemandShort };
    const most = Math.min(owed - held, arbiter.toOnDemand.left() - moving.size, arbiter.launches.left());
    if (most <= 0 || isUnsettled(situation, soFar, moving.size)) return as;
    let leaving: readonly Member[] | undefined;
    const plan = planOnDemand(view, headcount, { owed, held }, () => {
      leaving = leavingFor(situation, moving, most);
      return leaving;
    });
    const placed = arbiter.toOnDemand.take(placedIn(plan));
    arbiter.launches.take(placed);
    const short = placed < (leaving?.length ?? most) ? told(situation, owed - held - placed, { owed, held }) : {};
    return placed === 0 ? short : { ...plan, ...short };
  },
};
