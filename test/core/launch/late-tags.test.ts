import { describe, expect, it } from 'vitest';
import type { Group } from '../../../core/group/group.ts';
import { untaggedIn } from '../../../core/launch/late-tags.ts';
import type { Reservation } from '../../../core/launch/reservation.ts';
import { stillKnown, withReservations } from '../../../core/launch/reservation-life.ts';
import type { Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { group, nowMs, reservation, spotA, spotB, state, view } from '../views.ts';

const launched = (rest: Partial<Member> = {}): readonly Member[] => ['i-1', 'i-2'].map((id) => member(id, spotA, { asg: 'in-a', ...rest }));
const throughAsg = group({ pools: { 'spot-b': { ...spotB, asg: 'in-a' } } });
const untagged = (members: readonly Member[], ageMs = 10_000, instances: readonly string[] = ['i-1', 'i-3'], of = throughAsg) =>
  lookOf(members, [reservation({ atMs: nowMs - ageMs, instances })], of).map((one) => one.instances);
/** As a look gathers its members. */
const lookOf = (members: readonly Member[], reservations: readonly Reservation[], of: Group) =>
  untaggedIn(view({ group: of, members: withReservations(members, reservations), state: state({ reservations }) }));

describe('instances that an Auto Scaling group launched for us without tags', () => {
  it('are those of a reservation that describes show in a group and without it', () => {
    expect(untagged(launched())).toEqual([['i-1']]);
    expect(untagged(launched(), 10_000, ['i-2', 'i-1'])).toEqual([['i-2', 'i-1']]);
  });
  it('are not looked for before describes show their tags', () => {
    expect(untagged(launched(), 9_999)).toEqual([]);
  });
  it('are none that carry a reservation, that are in no group, or that no reservation names', () => {
    expect(untagged(launched({ reservation: 'r-1' }))).toEqual([]);
    const { asg: _asg, ...alone } = member('i-1', spotA, { asg: 'in-a' });
    expect(untagged([alone])).toEqual([]);
    expect(untagged(launched(), 10_000, ['i-9'])).toEqual([]);
  });
  it('leave out a pool that EC2 Fleet launches: it tags them, so their user took the tags off', () => {
    expect(untagged(launched(), 10_000, ['i-1'], group())).toEqual([]);
    expect(untagged(launched(), 10_000, ['i-1'], group({ pools: {} }))).toEqual([['i-1']]);
  });
  it('keep their reservation until they are tagged, for an hour at most', () => {
    const old = (ageMs: number, rest = {}) => reservation({ atMs: nowMs - ageMs, forgetAtMs: nowMs - 1, instances: ['i-1', 'i-3'], ...rest });
    const kept = (one: Reservation, members = launched(), of = throughAsg) =>
      stillKnown(one, { nowMs, group: of, members: withReservations(members, [one]) });
    const shown = { ...old(900_000), instances: ['i-1'] };
    expect(kept(old(900_000))).toEqual(shown);
    expect(kept(old(3_600_000))).toBeUndefined();
    expect(kept(old(900_000), launched({ reservation: 'r-1' }))).toBeUndefined();
    const { asg: _asg, ...alone } = member('i-1', spotA, { asg: 'in-a' });
    expect(kept(old(900_000), [alone])).toBeUndefined();
    expect(kept(old(900_000), launched(), group())).toBeUndefined();
    expect(kept(old(900_000, { instances: undefined, leaseUntilMs: nowMs - 1 }))).toBeUndefined();
    expect(kept(old(900_000, { forgetAtMs: nowMs + 1 }))?.instances).toEqual(['i-1', 'i-3']);
  });
});
