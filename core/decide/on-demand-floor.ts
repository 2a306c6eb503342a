import { isOnDemand, onDemandNow, owedIn } from '../placement/on-demand.ts';
import type { Floor } from '../placement/plan-with-floor.ts';
import { sharedIn } from '../placement/shares.ts';
import { keptAmong } from '../placement/spare.ts';
import { pricesIn } from '../pool/price.ts';
import { chooseRemovals } from '../removal/removal.ts';
import { noReturns } from '../returning/memory.ts';
import { givesOnDemand, onDemandGround, planOnDemand, restsFromMoves } from '../returning/plan-on-demand.ts';
import type { ReturnPlan } from '../returning/plan-return.ts';
import { askAtMostEveryMs } from '../returning/rule.ts';
import { movesUnderWay } from '../returning/under-way.ts';
import { ownRefill } from '../view/asg-ledger.ts';
import type { Member } from '../view/view.ts';
import type { Draft, Proposal, Rule, Situation } from './rule.ts';

const placedIn = ({ placements }: Pick<ReturnPlan, 'placements'>): number =>
  placements.reduce((sum, { count }) => sum + count, 0);

const movingNow = ({ view, headcount }: Situation): ReadonlySet<string> =>
  new Set(movesUnderWay(view, headcount).flatMap(({ leaving }) => leaving));

/**
 * Whether the group is not at its size, or its number on demand may be about to change: this decision launches or
 * removes members, an Auto Scaling group launches by itself, or a launch was requested a moment ago.
 */
const isUnsettled = (situation: Situation, soFar: Draft, moving: number): boolean => {
  const { view, headcount } = situation;
  const { staying, waiting, inFlight, inFlightCount } = headcount;
  const above = staying.length - waiting.length + inFlightCount - keptAmong(view, staying) - (soFar.keptByMinimum ?? 0);
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

/** Members on spot that stay so far, in the policy's order of removal. */
const onSpotInOrder = ({ view, headcount, arbiter }: Situation, moving: ReadonlySet<string>): readonly Member[] => {
  const members = arbiter.unclaimed();
  const movable = members.filter((member) => !isOnDemand(member) && !moving.has(member.instance));
  const byId = new Map(movable.map((member) => [member.instance, member]));
  const ordered = chooseRemovals({
    count: members.length,
    members,
    group: view.group,
    prices: pricesIn(view),
    nowMs: view.nowMs,
    memory: view.state.memory,
    shared: sharedIn(view, headcount),
  });
  return ordered.flatMap(({ instance }) => byId.get(instance) ?? []);
};

/** How many are missing on demand because no pool gives them. A remark reports it when the number changes. */
const told = ({ view }: Situation, short: number, floor: Floor): Proposal => {
  const [rests] = restsFromMoves(view);
  return {
    onDemandShort: short,
    ...(short !== view.state.onDemandShort && { remarks: [{ code: 'on-demand-short', ...floor, ...rests }] }),
  };
};

/** Moves for as many members as may move now, and the remark when no pool gives some of them. */
const movesFor = (situation: Situation, floor: Floor, most: number, moving: ReadonlySet<string>): Proposal => {
  const { view, headcount, arbiter } = situation;
  const short = floor.owed - floor.held;
  const ground = onDemandGround(view, headcount);
  if (!givesOnDemand(view, ground)) return told(situation, short, floor);
  const inOrder = onSpotInOrder(situation, moving);
  const plan = planOnDemand(view, ground, floor, { inOrder, most });
  const placed = arbiter.launches.take(arbiter.toOnDemand.take(placedIn(plan)));
  return {
    ...(placed > 0 && plan),
    ...(placed < Math.min(most, inOrder.length) && told(situation, short - placed, floor)),
  };
};

/**
 * A group at its size may have fewer members on demand than it owes. Then members on spot are replaced on demand,
 * launch-first, as many at once as the surge allows. After a refusal, the same look launches nowhere else.
 */
export const onDemandFloor: Rule = {
  name: 'on-demand floor',
  propose: (situation, soFar) => {
    const { view, headcount, arbiter } = situation;
    const floor = { owed: owedIn(view), held: onDemandNow(headcount) };
    if (floor.owed <= floor.held) return {};
    const moving = movingNow(situation);
    const { onDemandShort } = view.state;
    const most = Math.min(floor.owed - floor.held, arbiter.toOnDemand.left() - moving.size, arbiter.launches.left());
    return most <= 0 || isUnsettled(situation, soFar, moving.size)
      ? { onDemandShort }
      : movesFor(situation, floor, most, moving);
  },
};
