import { expect, test } from 'vitest';
import { withLosses } from '../../core/group-state/returns.ts';
import type { Loss } from '../../core/returning/memory.ts';
import type { GroupState } from '../../core/view/view.ts';
import { inherit } from '../../functions/react/look/inherited.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, nowMs, state } from '../core/views.ts';

const lossAt = (atMs: number): Loss => ({ offering: 'm7g.large/a/spot', atMs, livedMs: 60_000 });
const held = group({ holding: { kind: 'attach', asg: 'web-asg' }, after: ['web', 'old'] });
const lossesFrom = async (states: Readonly<Record<string, GroupState>>, own = state()) => {
  const store = { state: async (name: string) => states[name], swaps: async () => [] };
  const { losses } = await inherit(held, own, { store, clock: { now: () => nowMs } } as unknown as ReactPorts);
  return losses.map(({ atMs }) => atMs);
};
const lost = (...atMs: readonly number[]) => state({ returns: { moves: [], losses: atMs.map(lossAt) } });

test('a group that takes an Auto Scaling group over knows where EC2 took the members of those before, the first first', async () => {
  expect(await lossesFrom({ web: lost(3, 5), old: lost(4) })).toEqual([3, 4, 5]);
  expect(await lossesFrom({ web: lost(3) }, state({ holders: ['web-asg'] }))).toEqual([]);
});

test('what is known of interruptions so is part of what members move by, where the policy lets them move', () => {
  const returning = { afterMs: 600_000, everyMs: 300_000, atMost: { kind: 'count' as const, by: 1 }, timezone: 'UTC' };
  const moving = { ...held, returning };
  expect(withLosses(lost(7), moving, [lossAt(3)]).returns?.losses).toEqual([lossAt(3), lossAt(7)]);
  expect(withLosses(state(), moving, [lossAt(3)]).returns).toEqual({ moves: [], losses: [lossAt(3)] });
  expect(withLosses(lost(7), moving, [])).toEqual(lost(7));
  expect(withLosses(state(), held, [lossAt(3)])).toEqual(state());
});
