import { expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Group } from '../../../core/group/group.ts';
import type { AsgView } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, view } from '../views.ts';

const pools = { 'spot-a': { ...spotA, asg: 'a' }, 'spot-b': { ...spotB, asg: 'b' }, 'od-b': { ...onDemandB, asg: 'c' } };
const asg = (name: string, max: number, held: number): AsgView => ({ name, min: 0, max, desired: held, held, holds: [], suspended: [] });
const lacking = (count: number, maxima: readonly [number, number, number], more: Parameters<typeof state>[0] = {}, of: Group['pools'] = pools) =>
  decide(
    view({
      group: group({ holding: { kind: 'launch-instances' }, pools: of }),
      state: state({ desired: 4 + count, ...more }),
      members: [...members(spotA, 2), ...members(spotB, 2)],
      asgs: [asg('a', maxima[0], 2), asg('b', maxima[1], 2), asg('c', maxima[2], 0)],
    }),
  );
const counts = ({ placements }: ReturnType<typeof decide>) => Object.fromEntries(placements.map(({ pool, count }) => [pool, count]));

it('members go where the maxima of Auto Scaling groups leave room, and the decision names those that are full', () => {
  const decision = lacking(2, [2, 3, 9]);
  expect(counts(decision)).toEqual({ 'spot-b': 1, 'od-b': 1 });
  expect(decision.raise).toEqual([]);
  expect(decision.rejected).toEqual(expect.arrayContaining([expect.objectContaining({ pool: 'spot-a', code: 'at-maximum', held: 2, max: 2 })]));
});

it('what does not fit anywhere is placed beyond them by the tree, and only that', () => {
  const decision = lacking(4, [2, 3, 1]);
  expect(counts(decision)).toEqual({ 'spot-a': 2, 'spot-b': 1, 'od-b': 1 });
  expect(decision.raise).toEqual([{ asg: 'a', fromMax: 2, toMax: 4 }]);
  // The one from `od-b` needs a reason.
  expect(decision.rejected).toEqual(['spot-a', 'spot-b', 'od-b'].map((pool) => expect.objectContaining({ pool, code: 'at-maximum' })));
});

it('a maximum that we raised leaves no more room than its owner gave', () => {
  const decision = lacking(1, [5, 5, 9], {
    raised: [
      { asg: 'a', fromMax: 2, toMax: 5 },
      { asg: 'b', fromMax: 2, toMax: 5 },
    ],
  });
  expect(counts(decision)).toEqual({ 'od-b': 1 });
});

it('a pool with a cap is not called full when its offering rests', () => {
  const refused = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 60_000, streak: 1 } as const;
  const capped = { ...pools, 'spot-a': { ...pools['spot-a'], cap: 5 } };
  const { rejected } = lacking(1, [9, 9, 9], { memory: { 'm7g.large/a/spot': refused } }, capped);
  expect(rejected).toMatchObject([{ pool: 'spot-a', code: 'refused', offering: 'm7g.large/a/spot' }]);
});

it('nothing is placed in a pool whose Auto Scaling group is told as gone, also beyond the maxima of the others', () => {
  const planned = (agoMs: number, isThere = false) =>
    decide(
      view({
        group: group({ holding: { kind: 'launch-instances' }, pools }),
        state: state({ desired: 8, goneAsgs: { a: { sinceMs: nowMs - agoMs } } }),
        members: members(spotB, 4),
        asgs: [...(isThere ? [asg('a', 9, 0)] : []), asg('b', 4, 4), asg('c', 2, 0)],
      }),
    );
  expect(counts(planned(20_000))).toMatchObject({ 'od-b': expect.any(Number) });
  expect(counts(planned(20_000))['spot-a']).toBeUndefined();
  expect(planned(20_000).rejected).toEqual(expect.arrayContaining([expect.objectContaining({ pool: 'spot-a', code: 'asg-gone', asg: 'a' })]));
  expect([counts(planned(19_999))['spot-a'], counts(planned(20_000, true))['spot-a']]).toEqual([4, 4]);
});
