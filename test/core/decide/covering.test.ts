import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { AsgView, GroupState, View } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { asgView, group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const attached = group({ holding: { kind: 'attach', asg: 'web-asg' }, size: { min: 0, max: 20, desired: 4 } });
const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ max: 10, desired: 4, held: 4, holds: ['i-1', 'i-2', 'i-3', 'i-4'], ...rest });
const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs - 10_000, untilMs: nowMs + 50_000 };
const everything = Object.fromEntries([spotA, spotB, onDemandB].map(({ name }) => [name, denial]));
const over = Object.fromEntries(Object.entries(everything).map(([pool, one]) => [pool, { ...one, untilMs: nowMs - 1 }]));
const look = (rest: Partial<View>, more: Partial<GroupState> = {}): View =>
  view({ group: attached, state: state({ desired: 4, ...more }), members: [], asgs: [asg()], ...rest });
const taken = swapOf('i-4', { state: 'drained', drain: 'd', asg: 'web-asg' });

describe('while launches are denied', () => {
  const three = ['i-1', 'i-2', 'i-3'].map((id) => member(id, spotA));

  it('the dead are left to their Auto Scaling group, which keeps its desired capacity', () => {
    const dead = { members: three, swaps: [taken], ended: ['i-4'] };
    expect(decide(look(dead, { denials: everything }))).toMatchObject({ unnoticed: [], leftToGroups: ['i-4'], unplaced: 1, uncovered: 1 });
    expect(decide(look(dead))).toMatchObject({ unnoticed: ['i-4'], unplaced: 0 });
  });

  it('what was left to its group is not launched by us', () => {
    const left = { members: three, swaps: [{ ...taken, leftToGroup: true as const }], ended: ['i-4'] };
    expect(decide(look(left, { denials: everything }))).toMatchObject({ unplaced: 0, placements: [], unnoticed: [] });
  });

  it('a repeated launch covers no member', () => {
    const drained = { members: [...three, member('i-4', spotA)], swaps: [taken] };
    const { placements, unnoticed, uncovered } = decide(look(drained, { denials: over }));
    expect(placements).toMatchObject([{ count: 1 }]);
    expect({ unnoticed, uncovered }).toEqual({ unnoticed: [], uncovered: 1 });
  });

  it('a launch from a pool that was not denied yet covers no member, until another pool gets a response', () => {
    const drained = { members: [...three, member('i-4', spotA)], swaps: [taken] };
    const { [onDemandB.name]: _, ...others } = everything;
    expect(decide(look(drained, { denials: others }))).toMatchObject({
      unnoticed: [],
      placements: [{ pool: onDemandB.name, count: 1 }],
      uncovered: 1,
    });
    const { [spotB.name]: __, ...one } = others;
    expect(decide(look(drained, { denials: one }))).toMatchObject({ unnoticed: [], placements: [{ count: 1 }], uncovered: 1 });
    const own = { [spotA.name]: { ...denial, isItsOwn: true as const } };
    expect(decide(look(drained, { denials: own }))).toMatchObject({ unnoticed: ['i-4'], placements: [{ count: 1 }] });
  });

  it('nothing is launched for the dead that the same decision leaves to their Auto Scaling group', () => {
    const dead = { members: three, swaps: [taken], ended: ['i-4'] };
    expect(decide(look(dead, { denials: over }))).toMatchObject({ unnoticed: [], leftToGroups: ['i-4'], placements: [], unplaced: 0 });
  });

  it('one is launched for one missing member beside the dead that are left, and for the dead of a group that replaces none', () => {
    const dead = { members: three, swaps: [taken], ended: ['i-4'] };
    const larger = look(dead, { denials: over, desired: 5 });
    expect(decide(larger)).toMatchObject({ leftToGroups: ['i-4'], placements: [{ count: 1 }], uncovered: 1 });
    const idle = look({ ...dead, asgs: [asg({ suspended: ['ReplaceUnhealthy'] })] }, { denials: over });
    expect(decide(idle)).toMatchObject({ leftToGroups: ['i-4'], placements: [{ count: 1 }] });
  });

  it('no group that does not refill itself is taken over', () => {
    const short = { members: three, asgs: [asg({ held: 3, holds: ['i-1', 'i-2', 'i-3'], suspended: ['Launch'] })] };
    expect(decide(look(short, { denials: everything })).takeOver).toEqual([]);
    expect(decide(look(short)).takeOver).toEqual([{ asg: 'web-asg', desired: 3 }]);
  });

  it('a pool whose instances died covers no member until one comes up', () => {
    const failed = { template: 'web', code: 'Client.InternalError', message: '', atMs: nowMs - 90_000, restsUntilMs: nowMs - 1, streak: 1 };
    const failedBoots = Object.fromEntries(Object.keys(everything).map((pool) => [pool, failed]));
    const dead = { members: three, swaps: [taken], ended: ['i-4'] };
    expect(decide(look(dead, { failedBoots })).unnoticed).toEqual([]);
  });

  it('a new member of such a pool is in doubt until it leaves', () => {
    const failed = { template: 'web', code: 'Client.InternalError', message: '', atMs: nowMs - 10_000, restsUntilMs: nowMs + 50_000, streak: 1 };
    const dead = (...swaps: View['swaps']) => ({ members: [...three, member('i-5', spotA)], swaps: [taken, ...swaps], ended: ['i-4'] });
    const learned = { desired: 5, failedBoots: { [spotA.name]: failed }, newcomers: { 'i-5': { pool: spotA.name, atMs: nowMs - 30_000 } } };
    expect(decide(look(dead(), learned))).toMatchObject({ placements: [], uncovered: 1, leftToGroups: ['i-4'], unnoticed: [] });
    const left = decide(look(dead(swapOf('i-5', { drain: 'd' })), { ...learned, desired: 4 }));
    expect(left).toMatchObject({ placements: [{ count: 1 }], unnoticed: ['i-4'] });
    expect(left).not.toHaveProperty('uncovered');
  });

  it('an instance that EC2 shows and its full Auto Scaling group does not covers no member: it may have been replaced', () => {
    const replaced = member('i-0', spotA, { unshown: true, admitted: false, serving: false });
    const drained = { members: [...three, member('i-4', spotA), replaced], swaps: [taken] };
    expect(decide(look(drained, { denials: everything }))).toMatchObject({ unnoticed: [], placements: [], uncovered: 1 });
    expect(decide(look(drained))).toMatchObject({ unnoticed: ['i-4'], placements: [] });
    const gap = { ...drained, asgs: [asg({ desired: 5 })] };
    expect(decide(look(gap, { denials: everything }))).not.toHaveProperty('uncovered');
    const own = { [spotA.name]: { ...denial, isItsOwn: true as const } };
    expect(decide(look(drained, { denials: own }))).toMatchObject({ unnoticed: ['i-4'] });
  });

  it('with drain-first a member at risk waits, and one launch finds out whether it may be replaced', () => {
    const four = [...three, member('i-4', spotA)];
    const waiting = { ...swapOf('i-1', { reason: 'rebalance' }), state: 'waiting' as const, deadlineMs: undefined };
    const { deadlineMs: _, ...swap } = waiting;
    const drainFirst = { ...attached, swap: { order: 'drain-first' as const, maxSurge: 2 } };
    const at = { group: drainFirst, members: four, swaps: [swap] };
    expect(decide(look(at, { denials: over }))).toMatchObject({ drains: [], placements: [{ count: 1 }] });
    expect(decide(look(at))).toMatchObject({ drains: ['i-1'], placements: [] });
  });
});
