import { describe, expect, it } from 'vitest';
import { followLook } from '../../../core/group-state/look.ts';
import { initialState } from '../../../core/group-state/state.ts';
import type { GroupState } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { group, spotA } from '../views.ts';

const schedule = [
  { at: '0 8 * * *', timezone: 'UTC', size: 20 },
  { at: '0 20 * * *', timezone: 'UTC', size: 4 },
];
const web = group({ size: { min: 2, max: 18, desired: 10 }, schedule });
const at = (text: string): number => Date.parse(`2026-11-${text}:00Z`);
type Look = Parameters<typeof followLook>[0];

const look = (nowMs: number, stored: GroupState, rest: Partial<Look> = {}) =>
  followLook({
    group: web,
    stored,
    known: stored,
    inherited: { raised: [] },
    swaps: [],
    holdings: { members: [], asgs: [], aside: [], ended: [], stopped: [] },
    alarms: [],
    nowMs,
    ...rest,
  });

const fresh: GroupState = { ...initialState(web), version: 3 };
const followedAt = (nowMs: number, stored: GroupState = fresh): GroupState => look(nowMs, stored).state;
const noon = followedAt(at('20T12:00'));

describe('a schedule', () => {
  it('sets nothing when it comes into force, whatever was due before', () => {
    expect(look(at('20T12:00'), fresh)).toMatchObject({ desired: 10, sizes: [], state: { scheduled: { atMs: at('20T12:00') } } });
  });

  it('sets its size when it is due, within the bounds, and records that', () => {
    expect(look(at('20T19:59'), noon).sizes).toEqual([]);
    const { state, sizes, desired } = look(at('20T20:01'), noon);
    expect([state.desired, desired]).toEqual([4, 4]);
    expect(sizes).toEqual([{ code: 'schedule', at: '0 20 * * *', timezone: 'UTC', atMs: at('20T20:00'), from: 10, to: 4 }]);
    expect(look(at('21T08:00'), state).state.desired).toBe(18);
  });

  it('that is due sets nothing where the group has its size already', () => {
    expect(look(at('20T20:01'), { ...noon, desired: 4 })).toMatchObject({ desired: 4, sizes: [], state: { scheduled: { atMs: at('20T20:00') } } });
  });

  it('sets it once', () => {
    const evening = { ...followedAt(at('20T20:01'), noon), desired: 7 };
    expect(look(at('20T20:02'), evening)).toMatchObject({ state: { desired: 7 }, sizes: [] });
  });

  it('writes nothing while nothing is due', () => {
    expect(followedAt(at('20T19:59'), noon)).toEqual(noon);
  });

  it('counts what was due last, after an outage', () => {
    expect(followedAt(at('25T09:00'), noon)).toMatchObject({ desired: 18, scheduled: { atMs: at('25T08:00') } });
  });

  it('that was changed applies from then on', () => {
    const other = { ...web, policyVersion: 2, schedule: [{ at: '0 6 * * *', timezone: 'UTC', size: 3 }] };
    const { state } = look(at('20T20:01'), noon, { group: other });
    expect(state).toMatchObject({ desired: 10, scheduled: { atMs: at('20T20:01') } });
    expect(look(at('21T06:00'), state, { group: other }).state.desired).toBe(3);
  });

  it('that was removed leaves no field in the state', () => {
    const { schedule: _gone, ...without } = web;
    expect(look(at('20T20:01'), noon, { group: without }).state).not.toHaveProperty('scheduled');
    const outside: Look['group'] = { ...without, holding: { kind: 'attach', asg: 'web-asg' }, size: { ...web.size, from: 'asg' } };
    const asg = { name: 'web-asg', min: 0, max: 20, desired: 7, held: 7, holds: [], suspended: [] };
    const holdings = { members: [], asgs: [asg], aside: [], ended: [], stopped: [] };
    expect(look(at('20T20:01'), noon, { group: outside, holdings }).state).not.toHaveProperty('scheduled');
  });

  it('does not change the present size after the state was restored from an older time', () => {
    const members = Array.from({ length: 6 }, (_, index) => member(`i-${index}`, spotA, { reservation: 'r-9' }));
    const holdings = { members, asgs: [], aside: [], ended: [], stopped: [] };
    const { state } = look(at('20T20:30'), { ...noon, desired: 5 }, { holdings });
    expect(state).toMatchObject({ desired: 6, scheduled: { atMs: at('20T20:30') } });
  });

  it('comes before the alarms of the same look', () => {
    const scaling = [{ alarm: 'busy', adjust: { kind: 'instances', by: 3 } as const, cooldownMs: 0 }];
    const alarms = [{ alarm: 'busy', atMs: at('20T20:01'), isOn: true }];
    expect(look(at('20T20:01'), noon, { group: { ...web, scaling }, alarms }).state.desired).toBe(7);
  });

  it('of an observed group is reported, and not stored', () => {
    const observed = { ...web, mode: 'observe' } as const;
    const first = look(at('20T20:01'), noon, { group: observed });
    expect(first).toMatchObject({ desired: 4, state: { desired: 10 }, sizes: [{ code: 'schedule' }] });
    expect(look(at('20T20:02'), first.state, { group: observed }).sizes).toEqual([]);
  });
});
