import { describe, expect, it } from 'vitest';
import { followLook } from '../../../core/group-state/look.ts';
import { initialState } from '../../../core/group-state/state.ts';
import { member, members } from '../members.ts';
import { group, nowMs, spotA, swapOf } from '../views.ts';

const web = group({ scaling: [{ alarm: 'busy', adjust: { kind: 'instances', by: 3 }, cooldownMs: 120_000 }] });
const stored = { ...initialState(web), version: 3 };
const alarms = [{ alarm: 'busy', atMs: nowMs, isOn: true }];
const nothing = { members: [], asgs: [], aside: [], ended: [], stopped: [] };
type Look = Parameters<typeof followLook>[0];
const followed = (rest: Partial<Look> = {}) =>
  followLook({
    group: web,
    stored,
    known: rest.stored ?? stored,
    inherited: { raised: [] },
    swaps: [],
    holdings: nothing,
    alarms: [],
    nowMs,
    ...rest,
  });

describe('the state after a look', () => {
  it('follows a policy with another size, and then alarms, and records both', () => {
    const larger = { ...web, size: { min: 0, max: 20, desired: 12 } };
    const { state, sizes, desired } = followed({ group: larger, alarms });
    expect([state.desired, desired]).toEqual([15, 15]);
    expect(sizes).toMatchObject([
      { code: 'policy', from: 10, to: 12 },
      { code: 'alarm', from: 12, to: 15 },
    ]);
  });
  it('keeps the note of an attach to the Auto Scaling group that an earlier policy named, until its addition is taken off', () => {
    const added = [{ asg: 'old', from: 1, instances: ['i-2'], atMs: nowMs - 1_000 }];
    const old = { name: 'old', min: 0, max: 9, desired: 2, held: 2, holds: ['i-1', 'i-2'], suspended: [] };
    const notes = (desired: number) => followed({ stored: { ...stored, added }, holdings: { ...nothing, asgs: [{ ...old, desired }] } }).state.added;
    expect(notes(2)).toEqual(added);
    expect(notes(1)).toEqual([{ ...added[0], takenDownAtMs: nowMs, joined: ['i-2'] }]);
    expect(notes(4)).toBeUndefined();
  });
  it('has as many members as there are when its item was lost or restored, and records that', () => {
    const there = members(spotA, 12, { reservation: 'b' });
    const { state, sizes } = followed({ stored: { ...stored, lastReservation: 'a' }, holdings: { ...nothing, members: there } });
    expect(state.desired).toBe(12);
    expect(sizes).toEqual([{ code: 'caught-up', from: 10, to: 12 }]);
  });
  it('drops an alarm that went off before the group was let go, or before its state item was restored', () => {
    const lasts = { ...stored, alarmStates: { busy: { atMs: nowMs - 600_000, isOn: true } } };
    const [found] = members(spotA, 1);
    const later = { ...lasts, lastReservation: 'a' };
    const holdings = { members: found ? [{ ...found, reservation: 'b' }] : [], asgs: [], aside: [], ended: [], stopped: [] };
    expect(followed({ stored: lasts }).state.desired).toBe(13);
    for (const { state } of [followed({ stored: { ...lasts, policySize: '' } }), followed({ stored: later, holdings })]) {
      expect([state.desired, state.alarmStates]).toEqual([10, undefined]);
    }
    expect(followed({ stored: { ...lasts, policySize: '' }, alarms }).state).toMatchObject({ desired: 13, alarmStates: { busy: { atMs: nowMs } } });
  });
  it('follows no alarm that went off before its item was found to be restored, because it may have acted then', () => {
    const renewed = { ...stored, renewedAtMs: nowMs - 30_000 };
    const since = (agoMs: number) => [{ alarm: 'busy', atMs: nowMs - agoMs, isOn: true }];
    expect(followed({ stored: renewed, alarms: since(90_000) }).state).toMatchObject({ desired: 10, alarms: {} });
    expect(followed({ stored: renewed, alarms: since(90_000) }).state.alarmStates).toBeUndefined();
    expect(followed({ stored: renewed, alarms: since(34_000) }).state.desired).toBe(13);
    const foundNow = [
      { ...renewed, policyVersion: 0 },
      { ...renewed, version: 0 },
    ];
    for (const found of foundNow) expect(followed({ stored: found, alarms: since(90_000) }).state.desired).toBe(13);
  });
  it('learns from a late message that an alarm is over, after its item was restored', () => {
    const known = { busy: { atMs: nowMs - 90_000, isOn: true } };
    const over = [{ alarm: 'busy', atMs: nowMs - 80_000, isOn: false }];
    const { state } = followed({ stored: { ...stored, renewedAtMs: nowMs - 30_000, alarmStates: known }, alarms: over });
    expect(state).toMatchObject({ desired: 10, alarmStates: { busy: { isOn: false } } });
  });
  it('of an observed group does not keep what alarms would change', () => {
    const { state, desired } = followed({ group: { ...web, mode: 'observe' }, alarms });
    expect([state.desired, desired]).toEqual([10, 13]);
  });
  it('of an observed group says that the size stays what others set, whatever its policy says', () => {
    const observed: Look['group'] = { ...web, mode: 'observe', holding: { kind: 'attach', asg: 'web-asg' }, size: { ...web.size, desired: 2 } };
    const asg = { name: 'web-asg', min: 0, max: 20, desired: 7, held: 7, holds: [], suspended: [] };
    const holdings = { members: [], asgs: [asg], aside: [], ended: [], stopped: [] };
    const { state, sizes } = followed({ group: observed, holdings });
    expect(state.desired).toBe(7);
    expect(sizes).toEqual([
      { code: 'policy', from: 10, to: 2 },
      { code: 'outside', from: 2, to: 7 },
    ]);
  });
  it('follows the size that others set, and no alarm', () => {
    const outside: Look['group'] = { ...web, holding: { kind: 'attach', asg: 'web-asg' }, size: { ...web.size, from: 'asg' } };
    const asg = { name: 'web-asg', min: 0, max: 20, desired: 7, held: 7, holds: [], suspended: [] };
    const holdings = { members: [], asgs: [asg], aside: [], ended: [], stopped: [] };
    const { state, sizes, outside: found } = followed({ group: outside, holdings, alarms });
    expect([state.desired, found?.asg]).toEqual([7, 'web-asg']);
    expect(sizes).toEqual([{ code: 'outside', from: 10, to: 7 }]);
  });
  it('drops what EC2 refused when the policy is written, and only then', () => {
    const lesson = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 60_000, streak: 1 } as const;
    const refused = { ...stored, memory: { 'm7g.large/a/spot': lesson } };
    expect(Object.keys(followed({ stored: refused }).state.memory)).toHaveLength(1);
    expect(Object.keys(followed({ stored: refused, writtenAtMs: nowMs }).state.memory)).toHaveLength(0);
    const newer = { ...web, policyVersion: web.policyVersion + 1 };
    expect(Object.keys(followed({ stored: refused, group: newer }).state.memory)).toHaveLength(0);
    const denial = { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs - 5_000, untilMs: nowMs + 55_000 };
    const denied = { ...stored, denials: { 'spot-a': denial } };
    expect(followed({ stored: denied, known: denied }).state.denials).toEqual({ 'spot-a': denial });
    // It counts until a launch is answered, and its pool may be asked at once.
    const { denials } = followed({ stored: denied, known: denied, writtenAtMs: nowMs }).state;
    expect(denials).toEqual({ 'spot-a': { ...denial, untilMs: nowMs - 5_000 } });
  });
  it('keeps what was learned after the policy was written, where the message about the write comes later', () => {
    const lesson = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 60_000, streak: 1 } as const;
    const failed = { code: 'Client.InternalError', message: 'no', atMs: nowMs, restsUntilMs: nowMs + 60_000, streak: 1 };
    const learned = {
      ...stored,
      memory: { 'm7g.large/a/spot': lesson },
      failedBoots: { 'spot-a': failed, 'spot-b': { ...failed, atMs: nowMs - 9_000 } },
      deaths: [
        { atMs: nowMs - 9_000, count: 1 },
        { atMs: nowMs, count: 2 },
      ],
      denials: { 'spot-a': { code: 'UnauthorizedOperation', message: 'no', atMs: nowMs, untilMs: nowMs + 55_000 } },
      launches: [
        { atMs: nowMs - 9_000, count: 3, desired: 10 },
        { atMs: nowMs, count: 4, desired: 10 },
      ],
    };
    const { state } = followed({ stored: learned, writtenAtMs: nowMs - 5_000 });
    const { memory, denials } = learned;
    expect(state).toMatchObject({ memory, denials, failedBoots: { 'spot-a': failed }, deaths: [{ count: 2 }], launches: [{ count: 4 }] });
    expect(Object.keys(state.failedBoots ?? {})).toEqual(['spot-a']);
    // A look that follows another version learned all of it under the version before.
    const newer = { ...web, policyVersion: web.policyVersion + 1 };
    const { state: first } = followed({ stored: learned, group: newer, writtenAtMs: nowMs - 5_000 });
    expect([first.memory, first.failedBoots, first.deaths, first.launches]).toEqual([{}, undefined, undefined, undefined]);
  });
  it('lets no member move for a while after its item was lost or restored, as after a change', () => {
    const returning = { afterMs: 600_000, everyMs: 300_000, atMost: { kind: 'count' as const, by: 1 }, timezone: 'UTC' };
    const moving = { ...web, returning };
    const first = { ...stored, version: 0 };
    const shown = (...reservations: readonly string[]) => ({
      members: reservations.map((reservation) => member(`i-${reservation}`, spotA, { reservation })),
      ...{ asgs: [], aside: [], ended: [], stopped: [] },
    });
    const changedAtMs = (rest: Partial<Look>) => followed({ group: moving, ...rest }).state.returns?.changedAtMs;
    for (const before of [first, stored]) expect(changedAtMs({ stored: before, holdings: shown('r-1') })).toBe(nowMs);
    expect(changedAtMs({ stored: { ...stored, lastReservation: 'r-1' }, holdings: shown('r-1') })).toBeUndefined();
    expect(changedAtMs({ stored: first })).toBeUndefined();
    expect(changedAtMs({ stored, alarms })).toBe(nowMs);
    expect(changedAtMs({ stored: first, alarms })).toBeUndefined();
    expect(changedAtMs({ group: web, stored, holdings: shown('r-1') })).toBeUndefined();
  });
  it('is as one that was just restored where the members alone show that its item is an older one', () => {
    const holdings = { members: [member('i-1', spotA, { reservation: 'r-1' })], asgs: [], aside: [], ended: [], stopped: [] };
    expect(followed({ stored, holdings }).state.renewedAtMs).toBe(nowMs);
    expect(followed({ stored: { ...stored, lastReservation: 'r-1' }, holdings }).state.renewedAtMs).toBeUndefined();
  });
  it('counts a member that EC2 did not take among those that stay, where its item is an older one', () => {
    const launched = (instance: string) => member(instance, spotA, { reservation: 'r-1', launchedAtMs: nowMs - 900_000 });
    const ids = Array.from({ length: 9 }, (_, index) => `i-${index}`);
    const holdings = { members: ids.map(launched), asgs: [], aside: [], ended: [], stopped: [] };
    const warned = (agoMs: number) => [swapOf('i-0', { reason: 'interruption', state: 'drained', deadlineMs: nowMs - agoMs })];
    const sizes = [300_000, 299_000].map((agoMs) => followed({ stored: { ...stored, desired: 1 }, holdings, swaps: warned(agoMs) }).state.desired);
    expect(sizes).toEqual([9, 8]);
  });
  it('has the maximum sizes that an earlier holder raised, besides its own', () => {
    const own = { ...stored, raised: [{ asg: 'a', fromMax: 1, toMax: 2 }] };
    const inherited = { raised: [{ asg: 'b', fromMax: 3, toMax: 4 }] };
    expect(followed({ stored: own, inherited }).state.raised.map(({ asg }) => asg)).toEqual(['a', 'b']);
  });
  it('has no note of a maximum that was put back once every describe shows that', () => {
    const put = (agoMs: number) => ({ asg: 'a', fromMax: 1, toMax: 2, putBackAtMs: nowMs - agoMs });
    const raisedAfterLook = (agoMs: number) => followed({ stored: { ...stored, raised: [put(agoMs)] } }).state.raised;
    expect([raisedAfterLook(19_999), raisedAfterLook(20_000)]).toEqual([[put(19_999)], []]);
  });
  describe('a maximum that was put back with what an attach had added', () => {
    const agoMs = (ms: number) => nowMs - ms;
    const raise = { asg: 'web-asg', fromMax: 5, toMax: 6, putBackAtMs: agoMs(10_000), withSize: true } as const;
    const added = { asg: 'web-asg', from: 5, instances: ['i-5'], atMs: agoMs(11_000), takenDownAtMs: agoMs(9_990), joined: ['i-5'] };
    const shown = { name: 'web-asg', min: 0, max: 6, desired: 5, held: 2, holds: ['i-1', 'i-5'], suspended: [] };
    type Found = { asg?: object; note?: object; lowered?: object };
    const raisedAfterLook = ({ asg, note, lowered }: Found) => {
      const of = { ...stored, raised: [{ ...raise, ...note }], added: [{ ...added, ...lowered }] };
      return followed({ stored: of, holdings: { ...nothing, asgs: [{ ...shown, ...asg }] } }).state.raised;
    };
    const kept = [raise];
    it('is its owner’s where a describe that shows the lower number shows our value: its owner has set it since (fight 20200006)', () => {
      expect(raisedAfterLook({})).toEqual([]);
      const launchedSince = { desired: 6, untagged: { 'i-9': agoMs(6_000) } };
      expect(raisedAfterLook({ asg: launchedSince })).toEqual([]);
      expect(raisedAfterLook({ asg: { desired: 6, holds: ['i-1', 'i-5', 'i-6'] }, lowered: { later: ['i-6'] } })).toEqual([]);
    });
    it('may be ours in a describe that is older: from before the lowering, or from before the attach', () => {
      expect(raisedAfterLook({ asg: { desired: 6 } })).toEqual(kept);
      expect(raisedAfterLook({ asg: { holds: ['i-1'] } })).toEqual(kept);
      expect(raisedAfterLook({ lowered: { joined: ['i-5', 'i-6'] } })).toHaveLength(1);
      expect(raisedAfterLook({ lowered: { joined: [] } })).toHaveLength(1);
    });
    it('may be ours in the next describe where this one shows the value that was put back', () => {
      expect(raisedAfterLook({ asg: { max: 5 } })).toEqual(kept);
    });
    it('says nothing of one that another call put back, or that was lowered before, or of another group', () => {
      expect(raisedAfterLook({ note: { withSize: undefined } })).toHaveLength(1);
      expect(raisedAfterLook({ lowered: { takenDownAtMs: agoMs(10_001) } })).toHaveLength(1);
      expect(raisedAfterLook({ lowered: { asg: 'other' } })).toHaveLength(1);
      expect(raisedAfterLook({ asg: { name: 'other' } })).toEqual(kept);
    });
  });
  it('has the size that others set without what an earlier holder attached, and takes that off', () => {
    const outside = group({ size: { min: 0, max: 9, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const added = [{ asg: 'web-asg', from: 1, instances: ['i-2'], atMs: nowMs - 90_000 }];
    const asgs = [{ name: 'web-asg', min: 0, max: 9, desired: 2, held: 2, holds: ['i-1', 'i-2'], suspended: [] }];
    const look = { group: outside, stored: initialState(outside), holdings: { ...nothing, asgs } };
    expect(followed({ ...look, inherited: { raised: [], added } }).state).toMatchObject({ desired: 1, added });
    expect(followed(look).state.desired).toBe(2);
  });
  it('keeps choices that still hold, and drops those whose swaps are written', () => {
    const chosen = [{ decision: 'd', instances: ['i-1'], untilMs: nowMs + 1_000 }];
    expect(followed({ stored: { ...stored, chosen } }).state.chosen).toEqual(chosen);
    expect(followed({ stored: { ...stored, chosen }, swaps: [swapOf('i-1')] }).state).not.toHaveProperty('chosen');
  });
  it('remembers the members that were detached now, and no others', () => {
    const holdings = { members: members(spotA, 1), asgs: [], aside: [], ended: [], stopped: [], detached: ['i-2'] };
    expect(followed({ holdings }).state.detached).toEqual(['i-2']);
    expect(followed({ holdings: { ...holdings, stillTagged: ['i-2'] } }).state).not.toHaveProperty('detached');
    expect(followed({ stored: { ...stored, detached: ['i-1'] } }).state).not.toHaveProperty('detached');
  });
});
