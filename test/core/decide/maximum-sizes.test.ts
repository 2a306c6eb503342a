import { describe, expect, it } from 'vitest';
import { maximumSizes } from '../../../core/decide/maximum-sizes.ts';
import type { Draft } from '../../../core/decide/rule.ts';
import type { Reservation } from '../../../core/launch/reservation.ts';
import type { RaisedMax } from '../../../core/view/raised-max.ts';
import type { AsgView, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, spotB, state } from '../views.ts';
import { proposed } from './situations.ts';

const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ max: 10, ...rest });
const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
const launching = group({
  holding: { kind: 'launch-instances' },
  pools: { 'spot-a': { ...spotA, asg: 'a-asg' }, 'spot-b': { ...spotB, asg: 'b-asg' } },
});
const placed = (pool: string, count: number) => ({ pool, count, offerings: [] });
const ids = (count: number) => Array.from({ length: count }, (_, index) => `i-${index}`);
const coming = (count: number) => ids(count).map((id) => member(id, spotA, { admitted: false }));
const of = (rest: Partial<View>, soFar: Partial<Draft> = {}) => proposed(maximumSizes, { group: attached, asgs: [asg()], ...rest }, soFar);

describe('a maximum is raised', () => {
  it('for members that join now, and with them for all that are on their way', () => {
    const rest = { members: [...members(spotA, 5), ...coming(4)], state: state({ reservations: [reservation({ instances: ['i-x'] })] }) };
    expect(of(rest, { admissions: ids(1), placements: [placed('spot-a', 3)] }).raise).toEqual([{ asg: 'web-asg', fromMax: 10, toMax: 18 }]);
  });

  it('not while no member joins now, whatever is on the way', () => {
    expect(of({ members: coming(4) }, { placements: [placed('spot-a', 3)] }).raise).toEqual([]);
    expect(of({ members: coming(4), asgs: [asg({ desired: 12 })] }).raise).toEqual([]);
  });

  it('only where those that join now do not fit', () => {
    const at = (max: number) => of({ members: coming(2), asgs: [asg({ max })] }, { admissions: ids(2) }).raise;
    expect(at(12)).toEqual([]);
    expect(at(11)).toEqual([{ asg: 'web-asg', fromMax: 11, toMax: 12 }]);
  });

  it('in the Auto Scaling groups that launch by themselves, each for its own launches', () => {
    const asgs = [asg({ name: 'a-asg', desired: 8 }), asg({ name: 'b-asg', desired: 9 })];
    const placements = [placed('spot-a', 1), placed('spot-b', 2), placed('spot-a', 2), placed('spot-c', 4)];
    expect(of({ group: launching, asgs, members: coming(3) }, { placements, admissions: ids(3) }).raise).toEqual([
      { asg: 'a-asg', fromMax: 10, toMax: 11 },
      { asg: 'b-asg', fromMax: 10, toMax: 11 },
    ]);
    expect(of({ group: launching, asgs, members: [] }, { placements: [placed('spot-a', 2)] }).raise).toEqual([]);
  });

  it('also for what was requested for it and is not in it by the look, as after an earlier round of the same run', () => {
    const raise = (before: Partial<Reservation>, holds: readonly string[] = []) =>
      of(
        {
          group: launching,
          members: [],
          asgs: [asg({ name: 'a-asg', desired: 9, holds })],
          state: state({ reservations: [reservation({ placement: placed('spot-a', 1), ...before })] }),
        },
        { placements: [placed('spot-a', 1)] },
      ).raise;
    const one = [{ asg: 'a-asg', fromMax: 10, toMax: 11 }];
    expect([raise({}), raise({ instances: ['i-x'] })]).toEqual([one, one]);
    expect(raise({ instances: ['i-x'] }, ['i-x'])).toEqual([]);
    expect(raise({ instances: [] })).toEqual([]);
    expect(raise({ instances: ['i-x'], forgetAtMs: nowMs })).toEqual([]);
    expect(raise({ placement: placed('spot-b', 1) })).toEqual([]);
  });

  it('nowhere for members that join no Auto Scaling group', () => {
    expect(of({ group: group(), members: coming(3) }, { admissions: ids(3), placements: [placed('spot-a', 3)] }).raise).toEqual([]);
  });
});

describe('a raised maximum is put back', () => {
  const raised = { asg: 'web-asg', fromMax: 10, toMax: 12 };
  const back = (rest: Partial<View>, soFar: Partial<Draft> = {}) =>
    of({ members: [], asgs: [asg({ max: 12 })], ...rest, state: { ...(rest.state ?? state()), raised: [raised] } }, soFar).restore;

  it('once the group fits again', () => {
    expect(back({})).toEqual([raised]);
    expect(back({ asgs: [asg({ max: 12, desired: 11 })] })).toEqual([]);
  });

  it('whatever the desired capacity is, where its owner has set another one', () => {
    expect(back({ asgs: [asg({ max: 14, desired: 13 })] })).toEqual([raised]);
    expect(back({ asgs: [asg({ max: 14, desired: 13 })], members: coming(1) })).toEqual([]);
  });

  it('once no function that noted it can raise it any more, if none has', () => {
    const noted = (ageMs: number, max: number) => {
      const note = { ...raised, atMs: nowMs - ageMs };
      return of({ members: [], asgs: [asg({ max })], state: { ...state(), raised: [note] } }).restore?.length;
    };
    expect([noted(34_999, 10), noted(35_000, 10), noted(1_000, 12)]).toEqual([0, 1, 1]);
  });

  it('once no member is on the way into it', () => {
    expect(back({ members: coming(1) })).toEqual([]);
    expect(back({ state: state({ reservations: [reservation()] }) })).toEqual([]);
    expect(back({ group: attached, members: members(spotA, 3) })).toEqual([raised]);
  });

  it('once nothing is on the way, where Auto Scaling groups launch by themselves', () => {
    const own = { asg: 'a-asg', fromMax: 10, toMax: 12 };
    const restored = (desired: number, soFar: Partial<Draft> = {}) =>
      of(
        {
          group: launching,
          members: [],
          asgs: [asg({ name: 'a-asg', max: 12, desired })],
          state: state({ raised: [own], reservations: [reservation({ placement: placed('spot-a', 1) })] }),
        },
        soFar,
      ).restore;
    expect([restored(9), restored(10)]).toEqual([[own], []]);
    const another = { placements: [placed('spot-a', 1)] };
    expect([restored(8, another), restored(9, another)]).toEqual([[own], []]);
  });

  it('not while members are coming and no describe shows the group', () => {
    expect(back({ members: coming(1), asgs: [] })).toEqual([]);
  });

  it('although members are coming, when the group has room for all of them', () => {
    const room = (desired: number, soFar: Partial<Draft> = {}) => back({ members: coming(3), asgs: [asg({ max: 12, desired })] }, soFar);
    expect(room(7)).toEqual([raised]);
    expect(room(8)).toEqual([]);
    expect(room(6, { placements: [placed('spot-a', 1)] })).toEqual([raised]);
    expect(room(7, { placements: [placed('spot-a', 1)] })).toEqual([]);
  });

  it('not once more after it was put back for good: a describe is old, or the owner has set that value since', () => {
    const put = { ...raised, putBackAtMs: nowMs - 1_000 };
    expect(of({ members: [], asgs: [asg({ max: 12 })], state: { ...state(), raised: [put] } }).restore).toEqual([]);
  });

  it('although a member is coming, when the policy no longer names the group', () => {
    expect(back({ group: group(), members: coming(1) })).toEqual([raised]);
  });

  it('although a member is coming, when others wrote a size beyond it', () => {
    expect(back({ members: coming(1), asgs: [asg({ max: 12, shown: 11 })] })).toEqual([raised]);
    expect(back({ members: coming(1), asgs: [asg({ max: 12, shown: 10 })] })).toEqual([]);
  });

  it('when no describe shows the group any more', () => {
    expect(back({ asgs: [asg({ name: 'other' })] })).toEqual([raised]);
  });

  it('not while the same decision raises it, and in any other group all the same', () => {
    const other = { asg: 'b-asg', fromMax: 4, toMax: 6 };
    const own = { asg: 'a-asg', fromMax: 10, toMax: 12 };
    const asgs = [asg({ name: 'a-asg', max: 12, desired: 10 }), asg({ name: 'b-asg', max: 6, desired: 4 })];
    const rest = { group: launching, asgs, members: [], state: state({ raised: [own, other] }) };
    expect(of(rest, { placements: [placed('spot-a', 3)] })).toEqual({
      raise: [{ asg: 'a-asg', fromMax: 10, toMax: 13, earlier: [12] }],
      restore: [other],
    });
    const lowered = back({ members: coming(1), asgs: [asg({ max: 5, desired: 5 })] }, { admissions: ids(1) });
    expect(lowered).toEqual([]);
  });
});

describe('a raised maximum of a group whose size others set', () => {
  const raised = { asg: 'web-asg', fromMax: 10, toMax: 12 };
  const outside = { ...attached, size: { ...attached.size, from: 'asg' as const } };
  const back = (note: object) => {
    const added = [{ asg: 'web-asg', from: 10, instances: ['i-1', 'i-2'], atMs: nowMs - 1_000, ...note }];
    return of({ group: outside, members: [], asgs: [asg({ max: 12 })], state: { ...state(), raised: [raised], added } }).restore;
  };

  it('is not put back while the addition of an attach may still count, whatever a describe shows', () => {
    expect(back({})).toEqual([]);
    expect(back({ takenDownAtMs: nowMs })).toEqual([raised]);
    expect(back({ asg: 'other-asg' })).toEqual([raised]);
  });
});

describe('a raised maximum is lowered', () => {
  const raised = { asg: 'web-asg', fromMax: 10, toMax: 15, atMs: nowMs - 180_000 };
  const lowered = (rest: Partial<View> = {}, note: Partial<RaisedMax> = {}) =>
    of({
      members: members(spotA, 12, { asg: 'web-asg' }),
      asgs: [asg({ max: 15, desired: 12 })],
      ...rest,
      state: { ...state({ desired: 12 }), ...rest.state, raised: [{ ...raised, ...note }] },
    }).lower;

  it('to the size that has outgrown the owner’s value', () => {
    expect(lowered()).toEqual([{ asg: 'web-asg', fromMax: 10, toMax: 12, earlier: [15] }]);
    expect(lowered({ state: state({ desired: 13 }) })).toMatchObject([{ toMax: 13 }]);
  });

  it('not below what Auto Scaling is to hold, and not where that needs it all', () => {
    expect(lowered({ state: state({ desired: 11 }) })).toMatchObject([{ toMax: 12 }]);
    expect(lowered({ asgs: [asg({ max: 15, desired: 15 })] })).toBeUndefined();
    expect(lowered({ state: state({ desired: 15 }) })).toBeUndefined();
  });

  it('not once it was put back: what a describe shows is old, or of the owner', () => {
    expect(lowered({}, { putBackAtMs: nowMs - 1_000 })).toBeUndefined();
  });

  it('once describes show whom the last raise was for', () => {
    expect(lowered({}, { atMs: nowMs - 179_999 })).toBeUndefined();
  });

  it('while nobody is on the way', () => {
    const all = members(spotA, 12, { asg: 'web-asg' });
    expect(lowered({ members: [...all, ...coming(1)] })).toBeUndefined();
    expect(lowered({ state: state({ desired: 12, reservations: [reservation()] }) })).toBeUndefined();
  });

  it('only where the policy names the group, we gave its value, and others do not set its size', () => {
    expect(lowered({ group: group() })).toBeUndefined();
    expect(lowered({ asgs: [asg({ max: 14, desired: 12 })] })).toBeUndefined();
    expect(lowered({ group: { ...attached, size: { ...attached.size, from: 'asg' } } })).toBeUndefined();
  });

  it('to what it holds, where Auto Scaling groups launch by themselves', () => {
    const own = { ...raised, asg: 'a-asg' };
    const asgs = [asg({ name: 'a-asg', max: 15, desired: 12 })];
    expect(of({ group: launching, members: [], asgs, state: state({ raised: [own] }) }).lower).toMatchObject([{ toMax: 12 }]);
  });

  it('not where it is put back', () => {
    expect(lowered({ asgs: [asg({ max: 15, desired: 10 })] })).toBeUndefined();
  });
});
