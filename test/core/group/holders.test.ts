import { describe, expect, it } from 'vitest';
import { asgsFor, asgsOf, holdersNow, isAdmittedRunning, targetGroupsNow, withFormer } from '../../../core/group/holders.ts';
import type { AsgView } from '../../../core/view/view.ts';
import { asgView, group, reservation, state, view } from '../views.ts';

const attached = group({ holding: { kind: 'attach', asg: 'next' } });
const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ name: 'fleet', max: 6, desired: 0, held: 0, ...rest });
const look = (asgs: readonly AsgView[], rest: Parameters<typeof state>[0] = {}) =>
  holdersNow(view({ group: attached, asgs, state: state(rest) }), ['fleet', 'next']);

describe('Auto Scaling groups that hold members', () => {
  it('are those that the policy names, and those that an earlier one named', () => {
    expect(asgsOf(attached)).toEqual(['next']);
    expect(asgsOf(withFormer(attached, state({ holders: ['fleet', 'next'] })))).toEqual(['next', 'fleet']);
    expect(asgsOf(withFormer(group(), state({ holders: ['fleet'] })))).toEqual(['fleet']);
    expect(withFormer(attached, undefined)).toBe(attached);
    expect(asgsOf(withFormer({ ...attached, former: ['fleet'] }, state({ holders: ['next'] })))).toEqual(['next']);
  });

  it('and its target groups are remembered, of earlier policies too, the latest ten', () => {
    const serving = (...loadBalancers: readonly string[]) => group({ drain: { timeoutMs: 1, loadBalancers } });
    expect(targetGroupsNow({ targetGroups: ['tg-1', 'tg-2'] }, serving('tg-1', 'tg-3'))).toEqual(['tg-2', 'tg-1', 'tg-3']);
    expect(targetGroupsNow({ targetGroups: Array.from({ length: 10 }, (_, n) => `tg-${n}`) }, serving('tg-new'))).toHaveLength(10);
    expect(withFormer(serving('tg-1'), state({ targetGroups: ['tg-1', 'tg-2'] })).formerTargetGroups).toEqual(['tg-2']);
  });

  it('leave nothing to do for a member that runs, unless it is attached or registered', () => {
    const drain = { timeoutMs: 1, loadBalancers: ['tg-1'] };
    expect([group(), group({ holding: { kind: 'launch-instances' } }), attached, group({ drain })].map(isAdmittedRunning)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('are those of leaving instances too', () => {
    expect(asgsFor(attached, [{ asg: 'fleet' }, {}, { asg: 'next' }])).toEqual(['next', 'fleet']);
  });

  it('are dropped once they are empty, put back, and nothing is on its way into them', () => {
    expect(look([asg()])).toEqual(['next']);
    expect(look([])).toEqual(['next']);
    expect(look([asg({ desired: 1 })])).toEqual(['next', 'fleet']);
    expect(look([asg({ inside: 1 })])).toEqual(['next', 'fleet']);
    expect(look([asg()], { raised: [{ asg: 'fleet', fromMax: 6, toMax: 8 }] })).toEqual(['next', 'fleet']);
    expect(look([asg()], { raised: [{ asg: 'next', fromMax: 6, toMax: 8 }] })).toEqual(['next']);
    const intoADroppedPool = reservation({ placement: { pool: 'dropped', count: 1, offerings: [] } });
    expect(look([asg()], { reservations: [intoADroppedPool] })).toEqual(['next', 'fleet']);
  });
});

describe('a group in force', () => {
  const unserved = { 'i-1': { why: 'status-checks', sinceMs: 1 } } as const;
  const checked = group({ ready: { checks: 'ec2' } as never });

  it('names members that do not serve, where their status checks count', () => {
    expect(withFormer(checked, state({ unserved })).unserved).toEqual(['i-1']);
    expect(withFormer(checked, state())).toBe(checked);
    expect(withFormer(group(), state({ unserved })).unserved).toBeUndefined();
  });

  it('names former Auto Scaling groups and target groups apart', () => {
    const both = withFormer(attached, state({ holders: ['next', 'fleet'], targetGroups: ['tg-1'] }));
    expect([both.former, both.formerTargetGroups]).toEqual([['fleet'], ['tg-1']]);
    const { formerTargetGroups: none, former } = withFormer(attached, state({ holders: ['fleet'] }));
    expect([former, none]).toEqual([['fleet'], undefined]);
    expect(withFormer(attached, state({ targetGroups: ['tg-1'] })).former).toBeUndefined();
  });
});
