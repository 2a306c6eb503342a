import { describe, expect, it } from 'vitest';
import { countsOtherUnits, type UnfitSetting, unfitNow, unfitSince } from '../../../core/group/unfit.ts';
import type { AsgView } from '../../../core/view/view.ts';

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

describe('settings of an Auto Scaling group that acceptance refuses', () => {
  it('are found in the groups that the policy names: all where others set the size, and otherwise units alone', () => {
    const all = ['capacity-rebalancing', 'warm-pool', 'weights'] as const;
    expect(unfitNow(outside, [asg(all)])).toEqual([{ asg: 'web-asg', found: all }]);
    expect(unfitNow(own, [asg(all)])).toEqual([{ asg: 'web-asg', found: ['weights'] }]);
    expect(unfitNow(outside, [asg(all, 'former-asg'), asg([])])).toEqual([]);
  });

  it('are of other units with weights, vCPUs and memory', () => {
    const counts = (...found: readonly UnfitSetting[]) => countsOtherUnits(outside, [asg(found)]);
    expect([counts('weights'), counts('vcpu'), counts('memory-mib')]).toEqual([true, true, true]);
    expect([counts('capacity-rebalancing', 'warm-pool'), counts()]).toEqual([false, false]);
  });

  it('are news once each', () => {
    const now = [{ asg: 'web-asg', found: ['capacity-rebalancing', 'weights'] as const }];
    expect(unfitSince(now)).toEqual(now);
    expect(unfitSince(now, [{ asg: 'web-asg', found: ['weights'] }])).toEqual([{ asg: 'web-asg', found: ['capacity-rebalancing'] }]);
    expect(unfitSince(now, now)).toEqual([]);
  });
});
