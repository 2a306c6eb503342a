import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Loss } from '../../../core/returning/memory.ts';
import type { Member } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { spread, tiered } from '../selector/tree-builders.ts';
import { asgView, nowMs, reservation } from '../views.ts';
import { atRest, type Beside, minute, onDemandIn, spotIn } from './returning-views.ts';

const [spotA, spotB] = [spotIn('a'), spotIn('b')];
const [onDemandA, onDemandB] = [onDemandIn('a'), onDemandIn('b')];
const pools = [spotA, spotB, onDemandA, onDemandB];
const owing = (floor: number): Beside['group'] => ({ onDemand: { floor, percent: 0 } });
const movesOf = ({ moves }: Decision) => moves?.map(({ pool, instances }) => [pool, instances]);

describe('members that move because the group owes members on demand', () => {
  const tree = spread('zone', ...pools.map(({ name }) => name));

  it('go where the tree puts them once they have left their own places', () => {
    const there = [...members(spotA, 2), ...members(spotB, 3, { launchedAtMs: nowMs - minute })];
    const { placements, reasons, moves } = decide(atRest(tree, pools, there, { group: { ...owing(2), removal: { order: 'newest-first' } } }));
    expect(moves).toEqual([
      { pool: 'od-a', instances: ['spot-b#1'], why: { code: 'on-demand-owed', owed: 2, held: 0 } },
      { pool: 'od-b', instances: ['spot-b#2'], why: { code: 'on-demand-owed', owed: 2, held: 0 } },
    ]);
    expect(placements.map(({ pool, count, moves: leaving }) => [pool, count, leaving])).toEqual([
      ['od-a', 1, ['spot-b#1']],
      ['od-b', 1, ['spot-b#2']],
    ]);
    const turn = { kind: 'spread', by: 'zone' };
    expect(reasons).toEqual([
      { pool: 'od-a', count: 1, turns: [{ ...turn, name: 'a', held: 2 }], owed: { onDemand: 2, held: 0 } },
      { pool: 'od-b', count: 1, turns: [{ ...turn, name: 'b', held: 1 }], owed: { onDemand: 2, held: 0 } },
    ]);
  });

  it('go beside the launches on demand that are still in flight', () => {
    const placement = { pool: 'od-a', count: 1, offerings: [{ instanceType: 'm7g.large', zone: 'a', market: 'on-demand' as const }] };
    const coming = reservation({ placement, instances: ['n-1'] });
    const there = members(spotIn('c'), 3);
    const beside: Beside = { group: owing(2), state: { desired: 4, reservations: [coming] } };
    expect(movesOf(decide(atRest(spread('pool', 'od-a', 'od-b', 'spot-c'), [...pools, spotIn('c')], there, beside)))).toEqual([
      ['od-b', ['spot-c#1']],
    ]);
  });

  it('are as many as the minimum of their Auto Scaling group lets go', () => {
    const own = pools.map((pool) => ({ ...pool, asg: `in-${pool.name}` }));
    const there = members(spotA, 5, { asg: 'in-spot-a' });
    const moved = (min: number) => {
      const asgs = own.map(({ asg: name }) => asgView({ name, desired: 0, held: 0 }));
      asgs[0] = asgView({ name: 'in-spot-a', min, desired: 5, held: 5, holds: there.map(({ instance }) => instance) });
      const beside: Beside = { group: { ...owing(2), holding: { kind: 'launch-instances' } }, view: { asgs } };
      return (
        decide(atRest(spread('pool', ...pools.map(({ name }) => name)), own, there, beside)).moves?.flatMap(({ instances }) => instances).length ?? 0
      );
    };
    expect([moved(5), moved(4), moved(3)]).toEqual([0, 1, 2]);
  });
});

describe('members of an Auto Scaling group that others join', () => {
  const attached: Beside['group'] = { ...owing(1), holding: { kind: 'attach', asg: 'web-asg' } };
  const decided = (there: readonly Member[]) => {
    const holds = there.flatMap(({ asg, instance }) => (asg === undefined ? [] : [instance]));
    const asgs = [asgView({ desired: holds.length, held: holds.length, holds })];
    return decide(atRest(tree, pools, there, { group: attached, view: { asgs } }));
  };
  const tree = spread('pool', ...pools.map(({ name }) => name));

  it('move also where the group does not show them', () => {
    expect(movesOf(decided(members(spotA, 1, { unshown: true, reservation: 'r-1' })))).toEqual([['od-a', ['spot-a#1']]]);
  });

  it('stay where no pool of the policy is theirs', () => {
    const foreign = members(spotA, 2, { asg: 'web-asg', pool: undefined });
    expect(decided(foreign).moves).toBeUndefined();
    expect(movesOf(decided(members(spotA, 2, { asg: 'web-asg' })))).toEqual([['od-a', ['spot-a#1']]]);
  });
});

describe('a member that finds no place on demand', () => {
  const [other, otherB] = ['a', 'b'].map((zone) => spotIn(zone, { name: `other-${zone}`, instanceTypes: ['m6g.large'] }));
  if (other === undefined || otherB === undefined) throw new Error('expected two pools');
  const first = { launchedAtMs: nowMs - minute };

  it('keeps its place in the shares, so that no other member takes it', () => {
    // Zone a is full, and so is the other type. Who leaves zone a makes no room for the other type.
    const there = [...members(spotA, 2, first), ...members(otherB, 2)];
    const onDemand = onDemandIn('a', { instanceTypes: ['m6g.large'] });
    const beside: Beside = { group: { ...owing(2), removal: { order: 'newest-first' }, maxShare: { zone: 50, instanceType: 50 } } };
    const tree = spread('pool', 'spot-a', 'other-b', 'od-a');
    expect(decide(atRest(tree, [spotA, otherB, onDemand], there, beside)).placements).toEqual([]);
  });

  it('keeps its place in the tree, where the others are counted beside it', () => {
    const there = [...members(spotB, 1, first), ...members(spotIn('c'), 1), ...members(other, 2)];
    const onDemand = onDemandIn('c', {
      name: 'od',
      instanceTypes: ['m6g.large'],
      subnets: ['c', 'b'].map((zone) => ({ id: `subnet-${zone}`, zone })),
    });
    const beside: Beside = { group: { ...owing(1), removal: { order: 'newest-first' }, maxShare: { instanceType: 50 } } };
    const all = [spotB, spotIn('c'), other, onDemand];
    const tree = spread('zone', ...all.map(({ name }) => name));
    const { placements } = decide(atRest(tree, all, there, beside));
    expect(placements.map(({ moves, offerings }) => [moves, offerings.map(({ zone }) => zone)])).toEqual([[['other-a#1'], ['c']]]);
  });

  it('is reported although no member may leave, if no pool on demand gives', () => {
    const refused = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + minute, streak: 1 } as const;
    const there = members(spotA, 4, { protected: true });
    const beside: Beside = { group: owing(1), state: { memory: { 'm7g.large/a/on-demand': refused } } };
    const { onDemandShort, remarks } = decide(atRest(spread('pool', 'spot-a', 'od-a'), [spotA, onDemandA], there, beside));
    expect([onDemandShort, remarks]).toEqual([1, [{ code: 'on-demand-short', owed: 1, held: 0 }]]);
  });
});

describe('an offering on demand to which moves were undone', () => {
  const there = members(spotIn('c'), 4);
  const all = [spotIn('c'), onDemandA, onDemandB];
  const loss = { offering: 'm7g.large/a/on-demand', atMs: nowMs - 5 * minute, livedMs: minute } as const;
  /** The group moves nobody for its own sake, so `after` is ten minutes. */
  const decided = (losses: readonly Loss[], tree = tiered('spot-c', 'od-a', 'od-b'), group: Beside['group'] = owing(1)) =>
    decide(atRest(tree, all, there, { group: { returning: undefined, ...group }, state: { returns: { moves: [], losses } } }));

  it('gets none for twice as long as `after`, and longer after each further time', () => {
    expect(movesOf(decided([]))).toEqual([['od-a', ['spot-c#1']]]);
    expect(movesOf(decided([loss]))).toEqual([['od-b', ['spot-c#1']]]);
    expect(movesOf(decided([{ ...loss, atMs: nowMs - 20 * minute }]))).toEqual([['od-a', ['spot-c#1']]]);
    const again = [
      { ...loss, atMs: nowMs - 30 * minute },
      { ...loss, atMs: nowMs - 25 * minute },
    ];
    expect(movesOf(decided(again))).toEqual([['od-b', ['spot-c#1']]]);
    expect(movesOf(decided([{ ...loss, livedMs: 15 * minute }]))).toEqual([['od-a', ['spot-c#1']]]);
  });

  it('goes by `after` of the policy', () => {
    const returning = { afterMs: 2 * minute, everyMs: minute, atMost: { kind: 'count', by: 1 }, timezone: 'UTC' } as const;
    expect(movesOf(decided([loss], undefined, { ...owing(1), returning }))).toEqual([['od-a', ['spot-c#1']]]);
    expect(movesOf(decided([loss], undefined, { ...owing(1), returning: { ...returning, afterMs: 3 * minute } }))).toEqual([['od-b', ['spot-c#1']]]);
  });

  it('is named with the time of the next move, where no other pool gives', () => {
    const rest = { offering: loss.offering, untilMs: loss.atMs + 20 * minute };
    const { moves, onDemandShort, remarks } = decided([loss], tiered('spot-c', 'od-a'));
    expect([moves, onDemandShort, remarks]).toEqual([undefined, 1, [{ code: 'on-demand-short', owed: 1, held: 0, ...rest }]]);
    const later: Loss = { offering: 'm7g.large/b/on-demand', atMs: nowMs - minute, livedMs: minute };
    expect(decided([later, loss]).remarks).toEqual([{ code: 'on-demand-short', owed: 1, held: 0, ...rest }]);
  });
});
