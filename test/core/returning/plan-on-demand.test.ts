import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import { members } from '../members.ts';
import { spread } from '../selector/tree-builders.ts';
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
