import { describe, expect, it } from 'vitest';
import { admissions } from '../../../core/decide/admissions.ts';
import type { Draft } from '../../../core/decide/rule.ts';
import { repeatAfterMs } from '../../../core/launch/reservation-life.ts';
import type { Added } from '../../../core/view/added.ts';
import type { AsgView, Member, View } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { group, nowMs, reservation, spotA, state } from '../views.ts';
import { proposed } from './situations.ts';

const asg: AsgView = { name: 'web-asg', min: 0, max: 40, desired: 5, held: 5, holds: [], suspended: [] };
const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
const ready = (count: number, rest: Partial<Member> = {}): readonly Member[] =>
  Array.from({ length: count }, (_, index) =>
    member(`i-${String(index).padStart(2, '0')}`, spotA, { admitted: false, serving: false, launchedAtMs: nowMs - 5_000, ...rest }),
  );
const booting = member('i-boots', spotA, { state: 'pending', admitted: false, serving: false, launchedAtMs: nowMs - 5_000 });
const idsOf = (members: readonly Member[]): readonly string[] => members.map(({ instance }) => instance);
const joining = (rest: Partial<View>, soFar: Partial<Draft> = {}) => proposed(admissions, rest, soFar).admissions;

describe('members join', () => {
  it('when they run and no others are coming, sorted by their ids', () => {
    expect(joining({ members: [...ready(3)].reverse() })).toEqual(['i-00', 'i-01', 'i-02']);
    expect(joining({ members: [] })).toEqual([]);
  });

  it('but neither those that have joined, nor those that boot, nor those that leave by the same decision', () => {
    const all = [...ready(2, { launchedAtMs: nowMs - 60_000 }), member('i-in', spotA), booting];
    const leaving = { instance: 'i-00', reason: 'scale-in' as const, why: { code: 'surplus' as const } } as never;
    expect(joining({ members: all }, { removals: [leaving] })).toEqual(['i-01']);
  });

  it('together: they wait for one that boots, and for a launch that no describe shows', () => {
    expect(joining({ members: [...ready(3), booting] })).toEqual([]);
    const granted = state({ reservations: [reservation({ instances: ['i-unseen'] })] });
    expect(joining({ members: ready(3), state: granted })).toEqual([]);
    expect(joining({ members: [...ready(3), booting], state: granted })).toEqual([]);
  });

  it('without the others once one of them has been coming for twenty seconds', () => {
    const with20 = (ageMs: number) => [...ready(1), member('i-old', spotA, { admitted: false, launchedAtMs: nowMs - ageMs }), booting];
    expect(joining({ members: with20(19_999) })).toEqual([]);
    expect(joining({ members: with20(20_000) })).toEqual(['i-00', 'i-old']);
  });

  it('by one decision as many as a full bucket of calls lets in; the next look goes on with the others', () => {
    const among = (rest: Partial<View>, count: number) => {
      const { admissions: now = [], wakeAtMs } = proposed(admissions, { ...rest, members: ready(count) });
      return [now.length, wakeAtMs];
    };
    const attaching = { group: attached, asgs: [asg] };
    expect([among(attaching, 400), among(attaching, 1_101)]).toEqual([
      [400, undefined],
      [400, nowMs + 4_000],
    ]);
    expect([among({}, 1_000), among({}, 3_000)]).toEqual([
      [1_000, undefined],
      [1_000, nowMs + 4_000],
    ]);
  });

  it('an Auto Scaling group as many as fill calls, while others are coming', () => {
    const among = (count: number) => joining({ group: attached, asgs: [asg], members: [...ready(count), booting] })?.length;
    expect([19, 20, 39, 40].map(among)).toEqual([0, 20, 20, 40]);
    expect(joining({ members: [...ready(20), booting] })).toEqual([]);
    expect(joining({ group: attached, asgs: [asg], members: ready(19) })).toEqual(idsOf(ready(19)));
  });

  it('unless the owner of their Auto Scaling group suspended Launch: it takes nobody in then', () => {
    const closed = (suspended: View['state']['suspended'], processes = ['Launch']) =>
      joining({
        group: attached,
        members: ready(1),
        asgs: [{ ...asg, suspended: processes }],
        state: state({ ...(suspended && { suspended }) }),
      });
    expect(closed(undefined)).toBeUndefined();
    expect(closed(undefined, ['AZRebalance'])).toEqual(['i-00']);
    expect(closed([{ asg: 'web-asg', processes: ['Launch'] }])).toEqual(['i-00']);
    expect(closed([{ asg: 'other', processes: ['Launch'] }])).toBeUndefined();
    expect(closed([{ asg: 'web-asg', processes: ['Launch'], resumedAtMs: nowMs - 60_000 }])).toBeUndefined();
  });

  it('unless another decision attaches them at this moment', () => {
    const outside = group({ size: { min: 0, max: 40, desired: 5, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const among = (rest: Partial<Added>) =>
      joining({
        group: outside,
        members: ready(2),
        asgs: [{ ...asg, name: 'web-asg', holds: [] }],
        state: state({ added: [{ asg: 'web-asg', from: 5, instances: ['i-00'], atMs: nowMs - 1_000, ...rest }] }),
      });
    expect([among({}), among({ atMs: nowMs - repeatAfterMs })]).toEqual([['i-01'], ['i-00', 'i-01']]);
    expect([among({ takenDownAtMs: nowMs }), among({ asg: 'other' }), among({ atMs: nowMs + 60_000 })]).toEqual(
      Array.from({ length: 3 }, () => ['i-00', 'i-01']),
    );
  });
});

describe('members wait, and the group is looked at again soon,', () => {
  const added = { asg: 'web-asg', from: 5, instances: ['i-9'], atMs: nowMs - 1_000 };
  it('until what earlier ones added to a size of others is taken down', () => {
    const outside = group({ size: { min: 0, max: 40, desired: 5, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const holding = { ...asg, name: 'web-asg', holds: ['i-9'] };
    const among = (members: readonly Member[], rest: Partial<Added> = {}) =>
      proposed(admissions, {
        group: outside,
        members: [...members, member('i-9', spotA, { asg: 'web-asg' })],
        asgs: [holding],
        state: state({ added: [{ ...added, ...rest }] }),
      });
    expect(among(ready(1))).toEqual({ wakeAtMs: nowMs + repeatAfterMs });
    expect(among([])).toEqual({ admissions: [] });
    expect(among(ready(1), { asg: 'of an earlier policy' })).toEqual({ admissions: ['i-00'] });
    // Also while the next try is not due.
    expect(among(ready(1), { triedAtMs: nowMs - 500 })).toEqual({ wakeAtMs: nowMs + repeatAfterMs });
  });

  it('until the maximum of the group holds again', () => {
    const raised = state({ raised: [{ asg: 'web-asg', fromMax: 10, toMax: 12 }] });
    const at = (shown: number) =>
      proposed(admissions, {
        group: attached,
        asgs: [
          { ...asg, name: 'other' },
          { ...asg, max: 12, shown },
        ],
        members: ready(1),
        state: raised,
      });
    expect(at(10)).toEqual({ admissions: ['i-00'] });
    expect(at(11)).toEqual({ wakeAtMs: nowMs + repeatAfterMs });
  });
});
