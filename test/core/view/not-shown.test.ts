import { describe, expect, it } from 'vitest';
import type { InFlight } from '../../../core/view/headcount.ts';
import { notShown } from '../../../core/view/not-shown.ts';
import type { Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { nowMs, view } from '../views.ts';

const base = view({});
const [first, second] = Object.values(base.group.pools);
if (first === undefined || second === undefined) throw new Error('Two pools are needed.');
const inAsg = { ...first, asg: 'one-asg' };

const open = (rest: Partial<InFlight> = {}): InFlight => ({
  reservation: 'r-1',
  pool: first.name,
  count: 2,
  offerings: [],
  atMs: nowMs - 10_000,
  isOpen: true,
  ...rest,
});
const fresh = (instance: string, rest: Partial<Member> = {}) => member(instance, first, { asg: 'one-asg', launchedAtMs: nowMs - 8_000, ...rest });

const left = (
  launches: readonly InFlight[],
  members: readonly Member[],
  {
    pool = inAsg,
    unseen = [],
  }: { readonly pool?: typeof inAsg & { readonly cap?: number }; readonly unseen?: readonly { asg: string; count: number }[] } = {},
): readonly number[] => {
  const group = { ...base.group, pools: { ...base.group.pools, [pool.name]: pool } };
  return notShown({ group, members }, { inFlight: launches, unseen }).map(({ count }) => count);
};

describe('launches in flight that no describe may show', () => {
  it('leave out new members of the Auto Scaling group without tags, while there is no response', () => {
    expect(left([open()], [fresh('i-1')])).toEqual([1]);
    expect(
      left(
        [open()],
        ['i-1', 'i-2', 'i-3'].map((id) => fresh(id)),
      ),
    ).toEqual([0]);
    const { isOpen: _, ...granted } = open();
    expect(left([granted], [fresh('i-1')])).toEqual([2]);
  });
  it('leave out members that the group holds and EC2 does not show', () => {
    const unseen = [
      { asg: 'one-asg', count: 1 },
      { asg: 'other-asg', count: 5 },
    ];
    expect(left([open()], [], { unseen })).toEqual([1]);
    expect(left([open(), open()], [fresh('i-1')], { unseen })).toEqual([0, 2]);
  });
  it('keep members that tell where they come from, are older, or are elsewhere', () => {
    expect(left([open()], [fresh('i-1', { reservation: 'r-2' })])).toEqual([2]);
    expect(left([open()], [fresh('i-1', { launchedAtMs: nowMs - 14_001 })])).toEqual([2]);
    // EC2 reports whole seconds, and clocks differ.
    expect(left([open()], [fresh('i-1', { launchedAtMs: nowMs - 14_000 })])).toEqual([1]);
    expect(left([open()], [fresh('i-1', { asg: 'other-asg' })])).toEqual([2]);
  });
  it('count each member for one request only, the oldest first', () => {
    expect(left([open({ count: 1 }), open({ count: 1 })], [fresh('i-1')])).toEqual([0, 1]);
  });
  it('are all launches in flight where a pool has a cap, or is launched by CreateFleet', () => {
    expect(left([open()], [fresh('i-1')], { pool: { ...inAsg, cap: 4 } })).toEqual([2]);
    expect(left([open({ pool: second.name })], [fresh('i-1')])).toEqual([2]);
  });
});
