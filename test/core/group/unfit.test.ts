import { describe, expect, it } from 'vitest';
import { asCounted, countsOtherUnits, type UnfitSetting, unfitNow, unfitSince } from '../../../core/group/unfit.ts';
import type { Suspension } from '../../../core/view/suspension.ts';
import type { AsgView } from '../../../core/view/view.ts';
import { nowMs } from '../views.ts';

const asg = (unfit: readonly UnfitSetting[], name = 'web-asg'): AsgView => ({
  name,
  min: 0,
  max: 9,
  desired: 4,
  held: 4,
  holds: [],
  suspended: [],
  ...(unfit.length > 0 && { unfit }),
});
const outside = { size: { from: 'asg', min: 0, max: 9, desired: 4 }, holding: { kind: 'attach', asg: 'web-asg' }, pools: [] } as never;
const own = { size: { min: 0, max: 9, desired: 4 }, holding: { kind: 'attach', asg: 'web-asg' }, pools: [] } as never;

const look = (group: never, asgs: readonly AsgView[], suspended: readonly Suspension[] = []) =>
  unfitNow({ group, asgs, nowMs, state: { suspended } });

describe('settings of an Auto Scaling group that acceptance refuses', () => {
  it('are found in the groups that the policy names: all where others set the size, and otherwise units alone', () => {
    const all = ['capacity-rebalancing', 'warm-pool', 'weights'] as const;
    expect(look(outside, [asg(all)])).toEqual([{ asg: 'web-asg', found: all }]);
    expect(look(own, [asg(all)])).toEqual([{ asg: 'web-asg', found: ['weights'] }]);
    expect(look(outside, [asg(all, 'former-asg'), asg([])])).toEqual([]);
  });

  it('include Launch where their owner suspends it, whoever sets the size, and not where Holdfast suspends it or just resumed it', () => {
    const closed = [{ ...asg([]), suspended: ['Launch', 'Terminate'] }];
    const ours = { asg: 'web-asg', processes: ['Launch', 'Terminate'], atMs: nowMs - 60_000 };
    const found = [{ asg: 'web-asg', found: ['launch-suspended'] }];
    expect([look(outside, closed), look(own, closed)]).toEqual([found, found]);
    expect(look(outside, closed, [{ ...ours, processes: ['Terminate'] }])).toEqual(found);
    expect(look(outside, closed, [ours])).toEqual([]);
    expect(look(outside, closed, [{ ...ours, resumedAtMs: nowMs - 19_999 }])).toEqual([]);
    expect(look(outside, closed, [{ ...ours, resumedAtMs: nowMs - 20_000 }])).toEqual(found);
    expect(look(outside, [{ ...asg([]), suspended: ['Terminate'] }])).toEqual([]);
    expect(look(outside, [{ ...asg([], 'former-asg'), suspended: ['Launch'] }])).toEqual([]);
  });

  it('are of other units with weights, vCPUs and memory', () => {
    const counts = (...found: readonly UnfitSetting[]) => countsOtherUnits(outside, [asg(found)]);
    expect([counts('weights'), counts('vcpu'), counts('memory-mib')]).toEqual([true, true, true]);
    expect([counts('capacity-rebalancing', 'warm-pool'), counts()]).toEqual([false, false]);
  });

  it('let a group with other units be treated as paused, and as nothing else', () => {
    const paused = { mode: 'pause', countsUnits: true };
    expect(asCounted(outside, [asg(['weights'])])).toMatchObject(paused);
    expect(asCounted(own, [asg(['vcpu'])])).toMatchObject(paused);
    expect(asCounted(own, [asg(['warm-pool']), asg(['weights'], 'former-asg')])).toBe(own);
    const observed = { ...(own as object), mode: 'observe' } as never;
    expect(asCounted(observed, [asg(['weights'])])).toBe(observed);
  });

  it('are news once each', () => {
    const now = [{ asg: 'web-asg', found: ['capacity-rebalancing', 'weights'] as const }];
    expect(unfitSince(now)).toEqual(now);
    expect(unfitSince(now, [{ asg: 'web-asg', found: ['weights'] }])).toEqual([{ asg: 'web-asg', found: ['capacity-rebalancing'] }]);
    expect(unfitSince(now, now)).toEqual([]);
  });
});
