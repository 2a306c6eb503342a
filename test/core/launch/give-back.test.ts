import { describe, expect, it } from 'vitest';
import { owedAfterDenial } from '../../../core/launch/give-back.ts';
import type { AsgView, View } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { group, nowMs, onDemandB, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs - 10_000, untilMs: nowMs + 50_000 };
const everything = Object.fromEntries([spotA, spotB, onDemandB].map(({ name }) => [name, denial]));
const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
const asg = (rest: Partial<AsgView> = {}): AsgView => ({
  ...{ name: 'web-asg', min: 0, max: 10, desired: 2, held: 2, holds: ['i-1', 'i-2'], suspended: [] },
  ...rest,
});
const denied = state({ desired: 6, denials: everything });
const two = ['i-1', 'i-2'].map((id) => member(id, spotA));
const look = (rest: Partial<View> = {}): View => view({ group: attached, state: denied, members: two, asgs: [asg()], ...rest });
const owed = (rest: Partial<View> = {}, missing = 4, lowered: readonly string[] = []) => owedAfterDenial(look(rest), missing, new Set(lowered));
const raised = (to: number) => [{ asg: 'web-asg', from: 2, to }];

describe('a desired capacity that fell before launches were denied', () => {
  it('rises again by as many as nothing gives', () => {
    expect(owed()).toEqual(raised(6));
    expect(owed({}, 1)).toEqual(raised(3));
    expect(owed({ asgs: [asg({ desired: 6 })] })).toEqual([]);
  });

  it('does not rise for those that are beside their group, or on their way', () => {
    expect(owed({ members: [...two, member('i-3', spotA)] })).toEqual(raised(5));
    expect(owed({ state: { ...denied, reservations: [reservation()] } })).toEqual(raised(4));
    expect(owed({ members: [...two, member('i-3', spotA)], swaps: [swapOf('i-3')] })).toEqual(raised(6));
  });

  it('rises only while launches are denied', () => {
    expect(owed({ state: state({ desired: 6 }) })).toEqual([]);
    expect(owed({ state: state({ desired: 6, denials: { 'pool-of-another-policy': denial } }) })).toEqual([]);
  });

  it('keeps to its maximum, and to the cap of its pool', () => {
    expect(owed({ asgs: [asg({ max: 4 })] })).toEqual(raised(4));
    const pools = { 'spot-a': { ...spotA, asg: 'a', cap: 3 }, 'spot-b': { ...spotB, asg: 'b' } };
    const held = group({ holding: { kind: 'launch-instances' }, pools });
    const asgs = [asg({ name: 'a', desired: 1, holds: ['i-1'] }), asg({ name: 'b', desired: 1, holds: ['i-2'] })];
    expect(owed({ group: held, asgs })).toEqual([
      { asg: 'a', from: 1, to: 3 },
      { asg: 'b', from: 1, to: 3 },
    ]);
  });

  it('rises first where it is lowest, and by the cap of its own pool alone', () => {
    const of = (cap?: number) => ({ 'spot-a': { ...spotA, asg: 'a', ...(cap !== undefined && { cap }) }, 'spot-b': { ...spotB, asg: 'b' } });
    const held = (cap?: number) => group({ holding: { kind: 'launch-instances' }, pools: of(cap) });
    const asgs = [asg({ name: 'a', desired: 3, holds: ['i-1'] }), asg({ name: 'b', desired: 1, holds: ['i-2'] })];
    expect(owed({ group: held(), asgs }, 1)).toEqual([{ asg: 'b', from: 1, to: 2 }]);
    expect(owed({ group: held(3), asgs, state: { ...denied, desired: 8 } })).toEqual([{ asg: 'b', from: 1, to: 5 }]);
  });

  it('is left alone where others set it, where the policy names it no more, and where this look has set it', () => {
    const outside = { ...attached, size: { ...attached.size, from: 'asg' as const } };
    expect(owed({ group: outside })).toEqual([]);
    expect(owed({ asgs: [asg({ name: 'old-asg' })] })).toEqual([]);
    expect(owed({}, 4, ['web-asg'])).toEqual([]);
  });
});
