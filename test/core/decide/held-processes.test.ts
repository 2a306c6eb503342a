import { describe, expect, it } from 'vitest';
import { addedSizes, heldProcesses } from '../../../core/decide/held-processes.ts';
import type { Draft } from '../../../core/decide/rule.ts';
import type { Reservation } from '../../../core/launch/reservation.ts';
import { repeatAfterMs } from '../../../core/launch/reservation-life.ts';
import type { Added } from '../../../core/view/added.ts';
import type { Suspension } from '../../../core/view/suspension.ts';
import type { AsgView, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, state, swapOf } from '../views.ts';
import { proposed } from './situations.ts';

const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
const own = { asg: 'web-asg' };
const ten = members(spotA, 10, own);
const idsOf = (all: readonly Member[]): readonly string[] => all.map(({ instance }) => instance);
const asg = (rest: Partial<AsgView> = {}): AsgView => asgView({ holds: idsOf(ten), ...rest });
const other = asg({ name: 'other', holds: [] });
const note: Added = { asg: 'web-asg', from: 9, instances: ['spot-a#1'], atMs: nowMs - 1_000 };
const both = { asg: 'web-asg', processes: ['Launch', 'Terminate'], atMs: nowMs };
/** The same, where members are attached: `Launch` is resumed for that. */
const opened = { ...both, opensForAttach: true };
const held = (rest: Partial<View>, soFar: Partial<Draft> = {}) =>
  proposed(heldProcesses, { group: outside, members: ten, asgs: [other, asg()], ...rest }, soFar);

describe('an Auto Scaling group whose size others set is held', () => {
  it('not at rest, and not where the policy sets the size', () => {
    expect(held({})).toEqual({ resume: [] });
    const inside = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    expect(held({ group: inside, state: state({ reservations: [reservation()] }) })).toEqual({ resume: [] });
    expect(held({ asgs: [other], state: state({ reservations: [reservation()] }) })).toEqual({ resume: [] });
  });

  const moving = (rest: Partial<Reservation> = {}) => {
    const move = reservation(rest);
    const returns = { moves: [{ reservation: move.id, leaving: ['spot-a#1'], count: 1, atMs: nowMs }], losses: [] };
    return { state: state({ reservations: [move], returns }) };
  };
  const comes = (rest: Partial<Member>) => ({ members: [...ten, member('i-new', spotA, { admitted: false, ...rest })] });
  it.each<[string, Partial<View>, Partial<Draft>]>([
    ['a launch is requested', {}, { placements: [{ pool: 'spot-a', count: 1, offerings: [] }] }],
    ['a launch is on its way', { state: state({ reservations: [reservation()] }) }, {}],
    ['a move is granted', moving({ instances: ['i-new'] }), {}],
    ['a member is to join it', comes({}), {}],
    ['what joining added is not taken down', { state: state({ added: [{ ...note, takenDownAtMs: nowMs }, note] }) }, {}],
  ])('while %s', (_, rest, soFar) => {
    expect(held(rest, soFar)).toEqual({ suspend: [both], resume: [] });
  });

  it.each<[string, Partial<View>, Partial<Draft>]>([
    ['a move is only requested', {}, { placements: [{ pool: 'spot-a', count: 1, offerings: [], moves: ['spot-a#1'] } as never] }],
    ['another function has requested a move, and EC2 has not answered', moving(), {}],
    ['what joining added is taken down', { state: state({ added: [{ ...note, takenDownAtMs: nowMs }] }) }, {}],
    ['it launched a member itself', comes({ asg: 'web-asg' }), {}],
    ['a member has joined that it does not show', comes({ unshown: true }), {}],
    ['all have joined', comes({ admitted: true }), {}],
  ])('not while %s', (_, rest, soFar) => {
    expect(held(rest, soFar)).toEqual({ resume: [] });
  });

  describe('while a member of it is being replaced', () => {
    const replaced = (reason: 'rebalance' | 'hook', now: 'waiting' | 'draining' | 'gone' | 'withdrawn', holds: readonly string[], desired = 10) =>
      held({ asgs: [asg({ holds, desired })], swaps: [swapOf('spot-a#1', { reason, state: now })] }).suspend;
    const eleven = [...idsOf(ten), 'i-11'];
    it('and it holds more than its size', () => {
      expect(replaced('rebalance', 'waiting', eleven)).toEqual([both]);
      expect(replaced('rebalance', 'draining', eleven)).toEqual([both]);
      expect(replaced('rebalance', 'waiting', idsOf(ten))).toBeUndefined();
    });
    it('but not when it holds no such member, when it ends that itself, or when that is over', () => {
      expect(replaced('rebalance', 'waiting', eleven.slice(1), 9)).toBeUndefined();
      expect(replaced('hook', 'draining', eleven)).toBeUndefined();
      expect(replaced('rebalance', 'gone', eleven)).toBeUndefined();
      expect(replaced('rebalance', 'withdrawn', eleven)).toBeUndefined();
    });
  });

  it('by what its owner has not suspended, and what we suspended before is kept in mind', () => {
    const joining = { admissions: ['i-new'] };
    const suspended = (processes: readonly string[], before: readonly string[] = []) =>
      held(
        {
          asgs: [asg({ suspended: processes })],
          state: state({
            suspended: [{ asg: 'other', processes: ['Launch'] }, ...(before.length > 0 ? [{ asg: 'web-asg', processes: before }] : [])],
          }),
        },
        joining,
      ).suspend;
    expect(suspended(['Launch'])).toEqual([{ ...both, processes: ['Terminate'] }]);
    expect(suspended(['Launch'], ['Launch'])).toEqual([opened]);
    expect(suspended([], ['Launch'])).toEqual([opened]);
    expect(suspended(['Launch', 'Terminate', 'AZRebalance'])).toEqual([]);
  });

  it('while members join it now, and Launch is resumed meanwhile, where its owner has not suspended it', () => {
    expect(held({}, { admissions: ['i-new'] })).toEqual({ suspend: [opened], resume: [] });
    const suspends = (notes: readonly Suspension[], admissions: readonly string[] = ['i-new']) =>
      held({ asgs: [asg({ suspended: ['Launch', 'Terminate'] })], state: state({ suspended: notes }) }, { admissions }).suspend;
    expect(suspends([{ ...both, atMs: nowMs - 60_000 }])).toEqual([opened]);
    expect(suspends([{ asg: 'web-asg', processes: ['Terminate'] }])).toEqual([]);
    expect(suspends([{ ...both, resumedAtMs: nowMs - 60_000 }])).toEqual([]);
    expect(suspends([])).toEqual([]);
  });

  it('and suspended processes are resumed when no member joins, and in any other group at once', () => {
    const suspended = [{ asg: 'other', processes: ['Launch'] }, both];
    expect(held({ state: state({ suspended }) })).toEqual({ resume: suspended });
    expect(held({ state: state({ suspended }) }, { admissions: ['i-new'] }).resume).toEqual([{ asg: 'other', processes: ['Launch'] }]);
  });

  it('and processes that are resumed are resumed again where a look shows one suspended, and at last when no function can suspend them any more', () => {
    const resumedAgain = (agoMs: number, shown: readonly string[], name = 'web-asg') => {
      const one = { ...both, asg: name, atMs: nowMs - agoMs, resumedAtMs: nowMs - 1_000 };
      return held({ asgs: [asg({ suspended: shown })], state: state({ suspended: [one] }) }).resume?.length;
    };
    expect([resumedAgain(2_000, []), resumedAgain(2_000, ['AZRebalance']), resumedAgain(2_000, ['Terminate'])]).toEqual([0, 0, 1]);
    expect([resumedAgain(54_999, []), resumedAgain(55_000, [])]).toEqual([0, 1]);
    expect([resumedAgain(54_999, ['Launch'], 'gone'), resumedAgain(55_000, [], 'gone')]).toEqual([0, 1]);
  });

  it('and the next look comes soon when it was about to launch by itself', () => {
    const short = { asgs: [asg({ held: 9, holds: idsOf(ten).slice(1) })], members: ten.slice(1) };
    expect(held(short, { admissions: ['i-new'] }).wakeAtMs).toBe(nowMs + repeatAfterMs);
    expect(held({ ...short, asgs: [{ ...asg(), suspended: ['Launch', 'Terminate'] }] }, { admissions: ['i-new'] })).not.toHaveProperty('wakeAtMs');
    expect(held({}, { admissions: ['i-new'] })).not.toHaveProperty('wakeAtMs');
  });
});

describe('what joining added to a size that others set', () => {
  it('is taken down while a describe shows the members that joined, and the next look comes soon', () => {
    const at = (added: readonly Added[]) => proposed(addedSizes, { group: outside, members: ten, asgs: [asg()], state: state({ added }) });
    expect(at([note])).toEqual({ takeDown: [note], wakeAtMs: nowMs + repeatAfterMs });
    // Where AWS refuses it for long, the looks are rarer, and then left to the tick.
    expect(at([{ ...note, atMs: nowMs - 40_000 }])).toHaveProperty('wakeAtMs', nowMs + 10_000);
    const long = { ...note, atMs: nowMs - 180_000 };
    expect(at([long])).toEqual({ takeDown: [long] });
    // No describe shows the member yet, or it was taken down.
    const unshown = { ...note, instances: ['i-unseen'] };
    expect(at([unshown])).toEqual({ wakeAtMs: nowMs + repeatAfterMs });
    expect(at([{ ...unshown, takenDownAtMs: nowMs }])).toEqual({});
    expect(at([{ ...note, takenDownAtMs: nowMs }])).toEqual({});
    expect(at([])).toEqual({});
  });
});
