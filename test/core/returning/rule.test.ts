import { describe, expect, it } from 'vitest';
import { chooseReturns } from '../../../core/returning/rule.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { cheapest, spread, tiered, weighted } from '../selector/tree-builders.ts';
import { asgView, nowMs, reservation, swapOf } from '../views.ts';
import { atRest, type Beside, minute, onDemandIn, refusal, rule, spotIn } from './returning-views.ts';

const [spotA, spotB] = [spotIn('a'), spotIn('b')];
const [onDemandA, onDemandB] = [onDemandIn('a'), onDemandIn('b')];
const pools = [spotA, spotB, onDemandB];
const there = [...members(spotA, 3), member('od', onDemandB)];
const look = (beside: Beside = {}, list = there): View => atRest(tiered('spot-a', 'od-b'), pools, list, beside);
const chosen = (view: View, most = 2) => chooseReturns(view, takeHeadcount(view), most);
const movesIn = (view: View, most = 2) => chosen(view, most).plan.moves.flatMap(({ instances }) => instances);
const none = { plan: { placements: [], reasons: [], moves: [] }, leaving: [] };

describe('members move while the group rests', () => {
  it('and not while members are missing, or surplus', () => {
    expect(movesIn(look())).toEqual(['od']);
    expect(chosen(look({ state: { desired: 5 } }))).toEqual(none);
    expect(movesIn(look({ state: { desired: 3 } }))).toEqual([]);
  });

  it('and not while a launch is in flight, a swap waits, or one holds its place', () => {
    const waits = swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' });
    expect(movesIn(look({ state: { desired: 4, reservations: [reservation()] } }))).toEqual([]);
    expect(movesIn(look({ view: { swaps: [waits] } }))).toEqual([]);
    expect(
      movesIn(look({ state: { reservations: [reservation({ placement: { pool: 'spot-a', count: 1, offerings: [] } })] }, view: { swaps: [waits] } })),
    ).toEqual([]);
    const { deadlineMs: _none, ...soft } = swapOf('spot-a#1', { reason: 'rebalance', state: 'draining' });
    const drainFirst = { group: { swap: { order: 'drain-first', maxSurge: 3 } as const }, state: { desired: 3 }, view: { swaps: [soft] } };
    expect(movesIn(look(drainFirst))).toEqual([]);
  });

  it('and while members that a move replaced drain, but not before their drain begins', () => {
    const returned = (state: 'leaving' | 'draining' | 'gone') =>
      movesIn(look({ state: { desired: 4 }, view: { swaps: [swapOf('left', { reason: 'return', state })] } }));
    expect([returned('leaving'), returned('draining'), returned('gone')]).toEqual([[], ['od'], ['od']]);
    const taken = (state: 'draining' | 'gone') => movesIn(look({ view: { swaps: [swapOf('left', { state })] } }));
    expect([taken('draining'), taken('gone')]).toEqual([[], ['od']]);
  });

  it('and not in a mode that does not act', () => {
    expect([chosen(look({ group: { mode: 'pause' } })), chosen(look({ group: { mode: 'observe' } }))]).toEqual([none, none]);
  });

  it('once in fifty seconds', () => {
    const asked = (agoMs: number) => movesIn(look({ returns: { askedAtMs: nowMs - agoMs } }));
    expect([asked(49_999), asked(50_000)]).toEqual([[], ['od']]);
  });

  it('within the budget, and a remark reports when it is used up', () => {
    expect(chosen(look(), 0)).toEqual({ ...none, notMoved: { code: 'budget', withinMs: rule.everyMs } });
  });

  it('and not while a breaker is open', () => {
    const breakers = { 'spot/c7g': { openedAtMs: nowMs - minute, untilMs: nowMs + minute, interruptions: 5 } } as const;
    const breaker = { interruptions: 5, withinMs: 10 * minute, holdMs: 60 * minute };
    expect(chosen(look({ state: { breakers }, group: { breaker } }))).toEqual({
      ...none,
      notMoved: { code: 'breaker-open', breaker: 'spot/c7g', untilMs: nowMs + minute },
    });
    expect(movesIn(look({ state: { breakers } }))).toEqual(['od']);
  });

  it('again at the very time from which moves may be tried after three that did not pay', () => {
    const losses = [60, 50, 41].map((ago) => ({ offering: 'm7g.large/c/spot' as const, atMs: nowMs - ago * minute, livedMs: minute }));
    expect(movesIn(look({ returns: { losses } }))).toEqual(['od']);
  });

  it('one at a time where the move tests whether a breaker can be closed', () => {
    const breakers = { spot: { openedAtMs: nowMs - 60 * minute, untilMs: nowMs - minute, interruptions: 5 } };
    const breaker = { interruptions: 5, withinMs: 10 * minute, holdMs: 60 * minute };
    const two = [...members(spotA, 3), ...members(onDemandB, 2)];
    const { plan } = chosen(look({ state: { breakers }, group: { breaker } }, two));
    expect(plan.placements.map(({ count, trial, moves }) => [count, trial, moves])).toEqual([[1, true, ['od-b#1']]]);
    expect(plan.reasons.map(({ lastResort }) => lastResort)).toEqual(['trial']);
    const calm = chosen(look({}, two)).plan;
    expect(calm.placements).toStrictEqual([
      { pool: 'spot-a', count: 2, offerings: [{ instanceType: 'm7g.large', zone: 'a', market: 'spot' }], moves: ['od-b#1', 'od-b#2'] },
    ]);
    expect(calm.reasons.map((reason) => Object.keys(reason))).toEqual([['pool', 'count', 'turns']]);
  });
});

describe('a better place', () => {
  it('avoids the subnets without free addresses, and rests when all of its subnets have none', () => {
    const wide = { ...spotA, subnets: [...spotA.subnets, { id: 'subnet-a2', zone: 'a' }] };
    const without = (...subnets: readonly string[]) => {
      const memory = Object.fromEntries(subnets.map((id) => [`subnet/${id}`, refusal(minute)]));
      return chosen(atRest(tiered('spot-a', 'od-b'), [wide, onDemandB], there, { state: { memory } })).plan.placements;
    };
    expect(without('subnet-a2').map(({ avoidSubnets }) => avoidSubnets)).toEqual([['subnet-a2']]);
    expect(without('subnet-a', 'subnet-a2')).toEqual([]);
  });

  it('is asked again only after a day where its zone does not sell it', () => {
    const day = 24 * 60 * minute;
    const refused = (agoMs: number, restMs: number) => movesIn(look({ state: { memory: { 'm7g.large/a/spot': refusal(agoMs, restMs) } } }));
    expect([refused(11 * minute, 60 * minute), refused(11 * minute, day), refused(day, day)]).toEqual([['od'], [], ['od']]);
  });

  it('of an Auto Scaling group rests when EC2 warned of any of its types, and not when EC2 refused another type', () => {
    const wide = { ...spotA, instanceTypes: ['m7g.large', 'm6g.large'], asg: 'in-a' };
    const behind = { ...onDemandB, asg: 'in-b' };
    const list = [member('od', behind, { asg: 'in-b' })];
    const asgs = [asgView({ name: 'in-a', desired: 0, held: 0 }), asgView({ name: 'in-b', desired: 1, held: 1, holds: ['od'] })];
    const heard = (kind: 'refused' | 'interrupted') => {
      const memory = { 'm6g.large/a/spot': { ...refusal(minute), kind } };
      const beside: Beside = { state: { memory }, view: { asgs }, group: { holding: { kind: 'launch-instances' } } };
      return movesIn(atRest(tiered('spot-a', 'od-b'), [wide, behind], list, beside));
    };
    expect([heard('interrupted'), heard('refused')]).toEqual([[], ['od']]);
  });

  it('in an earlier tier is worth a move, whatever it costs', () => {
    expect(movesIn(look({ prices: { 'm7g.large/a/spot': 0.2, 'm7g.large/b/on-demand': 0.1 } }))).toEqual(['od']);
  });

  it('is the one that the tree chose last, until another saves enough', () => {
    const spotC = spotIn('c');
    const prices = { 'm7g.large/a/spot': 0.0505, 'm7g.large/b/spot': 0.05, 'm7g.large/c/spot': 0.1 };
    const placed = (last: Readonly<Record<string, string>>) =>
      chosen(
        atRest(cheapest('spot-a', 'spot-b', 'spot-c'), [spotA, spotB, spotC], members(spotC, 1), { prices, state: { cheapest: last } }),
      ).plan.placements.map(({ pool }) => pool);
    expect([placed({}), placed({ cheapest: 'spot-a' })]).toEqual([['spot-b'], ['spot-a']]);
  });

  it('keeps its share for a member that has no better place itself', () => {
    const other = { ...onDemandB, instanceTypes: ['c7g.large'] };
    const tree = tiered(spread('pool', 'spot-a', 'od-a'), 'od-b');
    const young = { launchedAtMs: nowMs - 10 * minute };
    const list = [member('s', spotA), member('o', onDemandA, young), ...members(other, 2)];
    const limited = (instanceType: number) => movesIn(atRest(tree, [spotA, onDemandA, other], list, { group: { maxShare: { instanceType } } }), 1);
    expect([limited(50), limited(75)]).toEqual([[], ['od-b#1']]);
  });

  it('on demand takes no member on spot that is kept as a spare', () => {
    const prices = { 'm7g.large/a/spot': 0.1, 'm7g.large/b/on-demand': 0.1 };
    const paid = { ...onDemandB, priceFactor: 0.1 };
    const moved = (spare: number, desired: number) =>
      movesIn(atRest(cheapest('spot-a', 'od-b'), [spotA, paid], members(spotA, 3), { prices, group: { spare }, state: { desired } }), 3);
    expect([moved(1, 2), moved(0, 3), moved(2, 1)]).toEqual([['spot-a#1', 'spot-a#2'], ['spot-a#1', 'spot-a#2', 'spot-a#3'], ['spot-a#1']]);
    const mixed = [...members(spotA, 2), member('od', onDemandA)];
    const among = atRest(cheapest('spot-a', 'od-b'), [spotA, paid, onDemandA], mixed, { prices, group: { spare: 1 }, state: { desired: 2 } });
    expect(movesIn(among, 3)).toEqual(['spot-a#1']);
  });
});

describe('in an Auto Scaling group', () => {
  const joined = { asg: 'web-asg', reservation: 'r-1' };
  const attach: Beside['group'] = { holding: { kind: 'attach', asg: 'web-asg' } };

  it('that the replacement joins, a member may move at the minimum size', () => {
    const list = there.map((one) => ({ ...one, ...joined }));
    const asg = asgView({ min: 4, desired: 4, held: 4, holds: list.map(({ instance }) => instance) });
    expect(movesIn(look({ group: attach, view: { asgs: [asg] } }, list))).toEqual(['od']);
  });

  it('that still holds a member that has ended, nobody moves until the group has replaced it', () => {
    const list = there.map((one) => ({ ...one, ...joined }));
    const held = list.map(({ instance }) => instance);
    const holding = (holds: readonly string[]) =>
      movesIn(look({ group: attach, view: { ended: ['i-ended'], asgs: [asgView({ desired: holds.length, held: holds.length, holds })] } }, list));
    expect([holding(held), holding([...held, 'i-ended'])]).toEqual([['od'], []]);
  });

  it('of its pool, a member may move that the group does not show yet', () => {
    const own = [
      { ...spotA, asg: 'in-a' },
      { ...onDemandB, asg: 'in-b' },
    ];
    const asgs = own.map(({ asg: name }) => asgView({ name, desired: 0, held: 0 }));
    const list = [member('od', onDemandB, { launchedAtMs: nowMs - 4 * minute })];
    const beside: Beside = { group: { holding: { kind: 'launch-instances' } }, view: { asgs } };
    expect(movesIn(atRest(tiered('spot-a', 'od-b'), own, list, beside))).toEqual(['od']);
  });

  it('whose size others set, members are not evened out: the group balances its zones itself', () => {
    const list = members(onDemandA, 4).map((one) => ({ ...one, ...joined }));
    const holds = list.map(({ instance }) => instance);
    const asgs = [asgView({ desired: 4, held: 4, holds })];
    const sized = (from?: 'asg') =>
      movesIn(
        atRest(spread('pool', 'od-a', 'od-b'), [onDemandA, onDemandB], list, {
          group: { ...attach, size: { min: 0, max: 20, desired: 4, ...(from && { from }) } },
          view: { asgs },
        }),
      );
    expect([sized(), sized('asg')]).toEqual([['od-a#1', 'od-a#2'], []]);
  });
});

describe('a spare in an earlier tier', () => {
  const noSpot = { 'm7g.large/a/spot': refusal(0) };
  const spared = (list: View['members'], beside: Beside = {}, tree = tiered('spot-a', 'od-b')): View =>
    atRest(tree, pools, list, { ...beside, state: { desired: 3, memory: noSpot, ...beside.state }, group: { spare: 2, ...beside.group } });
  const leavingIn = (view: View, most = 9) => chosen(view, most).leaving.map(({ instance }) => instance);

  it('takes the place of as many on demand as the group has above its size', () => {
    expect(leavingIn(spared([...members(spotA, 3), ...members(onDemandB, 1)]))).toEqual(['od-b#1']);
    expect(leavingIn(spared([...members(spotA, 2), ...members(onDemandB, 2)]))).toEqual(['od-b#1']);
    expect(leavingIn(spared([...members(spotA, 2), ...members(onDemandB, 3)]))).toEqual(['od-b#1', 'od-b#2']);
    expect(leavingIn(spared([...members(spotA, 1), ...members(onDemandB, 2)]))).toEqual([]);
  });

  it('takes no more places than the budget allows', () => {
    expect(leavingIn(spared([...members(spotA, 2), ...members(onDemandB, 3)]), 1)).toEqual(['od-b#1']);
  });

  it('takes no place of a protected member, nor of one that the group owes on demand', () => {
    const kept = [...members(spotA, 3), member('od-1', onDemandB, { protected: true })];
    expect(leavingIn(spared(kept))).toEqual([]);
    const owing = { group: { onDemand: { floor: 2, percent: 0 } } };
    expect(leavingIn(spared([...members(spotA, 2), ...members(onDemandB, 3)], owing))).toEqual(['od-b#1']);
  });

  it('takes no place from a later tier, or from a pool that is no part of the tree', () => {
    expect(leavingIn(spared([...members(spotA, 3), member('od', onDemandB)], {}, tiered('od-b', 'spot-a')))).toEqual([]);
    const old = members({ ...spotA, name: 'old' }, 3);
    expect(leavingIn(spared([...old, member('od', onDemandB)]))).toEqual([]);
    expect(leavingIn(spared([...members(spotA, 3), member('od', { ...onDemandB, name: 'old' })]))).toEqual([]);
  });

  it('takes the place of a member below the same child of weights', () => {
    const tree = weighted([tiered('spot-a', 'od-b'), 1], ['spot-b', 1]);
    expect(leavingIn(spared([...members(spotA, 1), ...members(spotB, 2), member('od', onDemandB)], {}, tree))).toEqual(['od']);
    expect(leavingIn(spared([...members(spotB, 3), member('od', onDemandB)], {}, tree))).toEqual([]);
  });

  it('leaves before another part of the tree is evened out', () => {
    const [spotC, spotD] = [spotIn('c'), spotIn('d')];
    const tree = weighted([tiered('spot-a', 'od-b'), 1], [spread('pool', 'spot-c', 'spot-d'), 1]);
    const list = [member('s', spotA), member('od', onDemandB), ...members(spotC, 2)];
    const both = atRest(tree, [...pools, spotC, spotD], list, { state: { desired: 3, memory: noSpot }, group: { spare: 1 } });
    expect([leavingIn(both), movesIn(both)]).toEqual([['od'], []]);
    expect(movesIn({ ...both, members: list.filter(({ instance }) => instance !== 'od') })).toEqual(['spot-c#1']);
  });
});
