import { describe, expect, it } from 'vitest';
import { readState } from '../../../aws/state/state-schema.ts';
import { surplus } from '../../../core/decide/surplus.ts';
import { followLook } from '../../../core/group-state/look.ts';
import { noteRefusedReleases } from '../../../core/removal/refused-releases.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { proposed } from '../decide/situations.ts';
import { members } from '../members.ts';
import { group, nowMs, spotA, spotB, state, swapOf } from '../views.ts';

const there = members(spotA, 2, { asg: 'web-asg' });

/** A surplus whose drain is over, and that its Auto Scaling group did not let go. */
const refusedSince = (ageMs: number, rest: Partial<Swap> = {}): Swap => {
  const { deadlineMs: _none, ...swap } = swapOf('spot-a#1', { reason: 'scale-in', state: 'drained', asg: 'web-asg', claimedAtMs: nowMs - ageMs });
  return { ...swap, shortfall: { code: 'not-released', awsCode: 'InternalError' }, ...rest };
};

const noted = (swaps: readonly Swap[], before: Partial<GroupState> = {}): GroupState['refusedReleases'] =>
  noteRefusedReleases(state(before), { members: there, swaps, nowMs }).refusedReleases;

describe('a surplus that its Auto Scaling group did not let go', () => {
  it('is followed by a pause as long as it has been refused, and two minutes at most', () => {
    expect(noted([refusedSince(50_000)])).toEqual({ 'web-asg': { sinceMs: nowMs - 50_000, untilMs: nowMs + 50_000 } });
    expect(noted([refusedSince(500_000)])?.['web-asg']?.untilMs).toBe(nowMs + 120_000);
  });

  it('counts from the first refusal in a row', () => {
    const earlier = { 'web-asg': { sinceMs: nowMs - 100_000, untilMs: nowMs - 30_000 } };
    expect(noted([refusedSince(25_000)], { refusedReleases: earlier })).toEqual({
      'web-asg': { sinceMs: nowMs - 100_000, untilMs: nowMs + 100_000 },
    });
    const over = { 'web-asg': { sinceMs: nowMs - 900_000, untilMs: nowMs - 600_000 } };
    expect(noted([refusedSince(25_000)], { refusedReleases: over })?.['web-asg']?.sinceMs).toBe(nowMs - 25_000);
    expect(noted([], { refusedReleases: earlier })).toEqual(earlier);
    expect(noted([], { refusedReleases: over })).toBeUndefined();
  });

  it('is another thing than a member that left, one that was replaced, and one whose drain goes on', () => {
    expect(noted([refusedSince(50_000, { instance: 'gone#1' })])).toBeUndefined();
    expect(noted([refusedSince(50_000, { reason: 'rebalance' })])).toBeUndefined();
    expect(noted([refusedSince(50_000, { state: 'leaving' })])).toBeUndefined();
  });

  it('is noted by a look, and forgotten when a user writes the policy', () => {
    const web = group();
    const stored = state({ policySize: JSON.stringify(web.size) });
    const holdings = { members: there, asgs: [], aside: [], ended: [], stopped: [] };
    const look = { group: web, stored, known: stored, inherited: { raised: [] }, holdings, alarms: [], nowMs };
    const { state: after } = followLook({ ...look, swaps: [refusedSince(50_000)] });
    expect(after.refusedReleases).toBeDefined();
    expect(readState(JSON.parse(JSON.stringify(after)), 4)).toMatchObject({ state: { refusedReleases: after.refusedReleases }, lost: [] });
    expect(followLook({ ...look, known: after, swaps: [] }).state.refusedReleases).toEqual(after.refusedReleases);
    expect(followLook({ ...look, known: after, swaps: [], writtenAtMs: nowMs }).state.refusedReleases).toBeUndefined();
  });

  it('stays until the pause is over, and nobody leaves in its place', () => {
    const twelve = [...members(spotA, 7, { asg: 'web-asg' }), ...members(spotB, 5)];
    const removedAt = (untilMs: number): readonly string[] => {
      const refusedReleases = { 'web-asg': { sinceMs: nowMs - 60_000, untilMs } };
      const { removals = [] } = proposed(surplus, { members: twelve, state: state({ refusedReleases }) });
      return removals.map(({ instance }) => instance.split('#')[0] ?? '');
    };
    expect(removedAt(nowMs)).toEqual(['spot-a', 'spot-a']);
    expect(removedAt(nowMs + 1)).toEqual([]);
  });
});
