import { describe, expect, it } from 'vitest';
import { emptyDraft } from '../../../core/decide/draft.ts';
import { aboveDesired, surplus } from '../../../core/decide/surplus.ts';
import type { Group } from '../../../core/group/group.ts';
import type { AsgView, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { spread, weighted } from '../selector/tree-builders.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf } from '../views.ts';
import { proposed, situationOf } from './situations.ts';

const removed = (rest: Partial<View>): readonly string[] => (proposed(surplus, rest).removals ?? []).map(({ instance }) => instance);
const asg: AsgView = { name: 'web-asg', min: 0, max: 30, desired: 10, held: 10, holds: [], suspended: [] };
const idsOf = (all: readonly Member[]): readonly string[] => all.map(({ instance }) => instance);
const idle = (count: number) => Array.from({ length: count }, (_, index) => member(`idle-${index}`, spotA, { serving: false }));

const oldest = group({ removal: { order: 'oldest-first' } });

describe('a surplus', () => {
  it('is the unclaimed members above the size, less those that Auto Scaling groups end by themselves', () => {
    const twelve = [...members(spotA, 6), ...members(spotB, 6)];
    expect(aboveDesired(situationOf({ members: twelve }))).toBe(2);
    expect(aboveDesired(situationOf({ members: twelve, swaps: [swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' })] }))).toBe(1);
    const ends = { ...asg, held: 11, holds: idsOf(twelve).slice(0, 11) };
    expect(aboveDesired(situationOf({ members: twelve, asgs: [ends] }))).toBe(1);
  });

  it('is nothing in a group that has too few, however many of them do not serve', () => {
    expect(removed({ members: [...members(spotA, 3), ...idle(4)] })).toEqual([]);
    expect(removed({ members: [...members(spotA, 6), ...idle(4)] })).toEqual([]);
    expect(removed({ members: [...members(spotA, 6), ...idle(5)] })).toHaveLength(1);
  });

  it('is not what was launched in place of a protected member that never served, while another waits', () => {
    const mute = member('mute', spotA, { serving: false, protected: true });
    const fresh = member('fresh', spotA, { serving: false, launchedAtMs: nowMs - 30_000 });
    const unserved = { mute: { why: 'target-health' as const, sinceMs: nowMs - 1_200_000 } };
    const removedWith = (waits: readonly Member[], kept = mute) =>
      removed({
        members: [...members(spotA, 10), kept, fresh],
        state: state({ desired: 10, unserved }),
        swaps: waits.map(({ instance }) => swapOf(instance, { reason: 'rebalance', state: 'waiting' })),
      });
    const waiting = members(spotA, 1);
    expect([removedWith(waiting), removedWith([]), removedWith(waiting, { ...mute, protected: false })]).toEqual([[], ['fresh'], ['fresh']]);
  });

  it('stays for three minutes while a table that was lost or restored may lack the swaps of warned members', () => {
    const removedAt = (ms: number) => removed({ members: members(spotA, 12), state: state({ desired: 10, renewedAtMs: nowMs - ms }) });
    expect(removedAt(0)).toEqual([]);
    expect(removedAt(179_999)).toEqual([]);
    expect(removedAt(180_000)).toHaveLength(2);
  });

  it('is first what a group launched by itself and does not run yet, where such launches keep ending early', () => {
    const pending = { serving: false, admitted: false, state: 'pending' as const };
    const fresh = (id: string, more: Partial<Member> = {}) => member(id, onDemandB, { ...pending, ...more });
    const all = [...members(spotA, 8), ...members(onDemandB, 2), fresh('of-holdfast'), fresh('own-group', { asg: 'web-asg' })];
    const leaves = (sinceMs: number, asgs: readonly AsgView[] = []) => {
      const refills = { 'own-group': { asg: 'web-asg', atMs: nowMs } };
      const failing = { 'web-asg': { sinceMs, atMs: nowMs } };
      return removed({ group: oldest, members: all, asgs, state: state({ desired: 11, refills, failing }) });
    };
    expect(leaves(nowMs - 90_001)).toEqual(['own-group']);
    expect(leaves(nowMs - 90_000)).toEqual(['of-holdfast']);
    // The minimum size keeps it. It keeps ending by itself, so nobody leaves in its place.
    const full = { ...asg, min: 1, desired: 1, held: 1, holds: ['own-group'] };
    expect(leaves(nowMs - 90_001, [full])).toEqual([]);
    expect(leaves(nowMs - 90_000, [full])).toEqual(['of-holdfast']);
  });

  it('leaves those that may go, where the first of the order have to stay', () => {
    const held = [...members(onDemandB, 3)];
    const all = [...held, ...members(spotA, 9)];
    const full = { ...asg, min: 3, desired: 3, held: 3, holds: idsOf(held) };
    expect(removed({ members: all }).every((id) => id.startsWith('od-b'))).toBe(true);
    expect(removed({ members: all, asgs: [full] }).map((id) => id.split('#')[0])).toEqual(['spot-a', 'spot-a']);
  });

  it('chooses serving members so that the tree stays even, also where idle members leave in any case', () => {
    const capacity = spread('pool', weighted(['spot-a', 6], ['spot-b', 1]), 'od-b');
    const even = group({ capacity, removal: { order: 'same-order' }, size: { min: 0, max: 99, desired: 13 } });
    const of = (offering: typeof spotA, serve: number, doNot: number) =>
      members(offering, serve + doNot).map((one, index) => (index < serve ? one : { ...one, serving: false }));
    const all = [...of(spotA, 3, 7), ...of(spotB, 3, 5), ...of(onDemandB, 12, 44)];
    const gone = new Set(removed({ group: even, members: all, state: state({ desired: 13 }) }));
    expect(gone.size).toBe(61);
    const served = all.filter(({ serving, instance }) => serving && gone.has(instance));
    expect(served.map(({ pool }) => pool)).toEqual(Array.from({ length: 5 }, () => 'od-b'));
  });

  it('is not made up by a member on spot that would be launched again as a spare, where those on demand have to stay', () => {
    const spared = (spare: number, spots: readonly Member[], stay = true) => {
      const held = members(onDemandB, 3).map((one) => ({ ...one, protected: stay }));
      const size = group({ spare, size: { min: 0, max: 9, desired: 2 } });
      return removed({ group: size, members: [...held, ...spots], state: state({ desired: 2 }) });
    };
    expect(spared(2, members(spotA, 1))).toEqual([]);
    expect(spared(1, members(spotA, 1))).toEqual(['spot-a#1']);
    expect(spared(2, members(spotA, 2))).toHaveLength(1);
    expect(spared(2, members(spotA, 1), false)).toEqual(['od-b#1']);
    expect(spared(2, [member('unfit', spotA, { unhealthy: true })])).toEqual(['unfit']);
    // Without spares the order decides.
    expect(spared(0, members(spotA, 1))).toEqual(['spot-a#1']);
  });

  it('does not remove a member ahead of its turn because its health could not be read', () => {
    const unread = member('unread', spotA, { serving: false, mayServe: true });
    expect(removed({ members: [...members(spotA, 10), ...members(onDemandB, 1), unread] })).toEqual(['od-b#1']);
  });

  it('takes the first of the order while enough others serve, although another member does not serve', () => {
    const eleven = [...members(spotA, 10), ...members(onDemandB, 1)];
    const ends = { ...asg, desired: 9, held: 10, holds: idsOf(eleven).slice(0, 10) };
    expect(removed({ members: [...eleven, ...idle(1)], asgs: [ends] })).toEqual(['od-b#1']);
  });

  it('counts no replacement of a move before its member has left', () => {
    const returns = { moves: [{ reservation: 'r-9', atMs: 0, leaving: ['od-b#1'], count: 1 }], losses: [] };
    const moving = [...members(onDemandB, 1), ...members(spotA, 9), member('new', spotB, { reservation: 'r-9' })];
    expect(removed({ members: moving })).toHaveLength(1);
    expect(removed({ members: moving, state: state({ returns }) })).toEqual([]);
    // The member that moves leaves, and so one more is above the size.
    const more = [...moving, member('more', spotB)];
    expect(removed({ members: more, state: state({ returns }) })).toEqual(['od-b#1', 'spot-a#1']);
  });

  it('is a replacement of a move whose member leaves in the same decision, and no other one', () => {
    const move = (reservation: string, instance: string) => ({ reservation, atMs: 0, leaving: [instance], count: 1 });
    const returns = { moves: [move('r-8', 'young'), move('r-9', 'old')], losses: [] };
    const [young, old] = [member('young', onDemandB, { launchedAtMs: nowMs - 60_000 }), member('old', onDemandB, { launchedAtMs: 0 })];
    const fresh = (name: string, reservation: string) => member(name, spotB, { reservation, launchedAtMs: nowMs - 10_000, serving: false });
    const all = [young, old, ...members(spotA, 8), fresh('for-young', 'r-8'), fresh('for-old', 'r-9')];
    const leaving = (desired: number, removal: Group['removal']) =>
      removed({ group: group({ removal }), members: all, state: state({ desired, returns }) });
    expect(leaving(9, { order: 'newest-first' })).toEqual(['young', 'for-young']);
    expect(leaving(9, { order: 'oldest-first' })).toEqual(['old', 'for-old']);
    expect(leaving(10, { order: 'newest-first' })).toEqual([]);
  });

  describe('of a group with spares whose shares hold too many', () => {
    // A zone may hold three of the size of four.
    const shared = group({ spare: 2, maxShare: { zone: 75 }, removal: { order: 'oldest-first' }, size: { min: 0, max: 20, desired: 4 } });
    const left = (inA: readonly Member[], inB: readonly Member[]) =>
      removed({ group: shared, state: state({ desired: 4 }), members: [...inA, ...inB] });
    const booting = members(spotB, 2, { serving: false });
    it('leaves the full zone once enough others serve', () => {
      expect(left(members(spotA, 4), members(spotB, 2))).toEqual([expect.stringContaining('spot-a')]);
      expect(left(members(spotA, 3), members(spotB, 3))).toEqual([]);
    });
    it('is no spare of another zone, where nobody in the full zone may leave yet', () => {
      expect(left(members(spotA, 4), booting)).toEqual([]);
      expect(left(members(spotA, 4), [booting[0] as Member, { ...(booting[1] as Member), unhealthy: true }])).toEqual([booting[1]?.instance]);
    });
    it('is a member of another zone only as far as there are more than size and spares', () => {
      expect(left(members(spotA, 5), booting)).toEqual([expect.stringContaining('spot-a')]);
      const kept = member('kept', spotA, { serving: false, protected: true });
      expect(left([...members(spotA, 4), kept], booting)).toHaveLength(1);
      expect(left(members(spotA, 4), [...booting, member('more', spotB, { serving: false })])).toHaveLength(1);
    });
  });

  describe('of a group whose size others set', () => {
    const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });
    const within = members(spotA, 10, { asg: 'web-asg' });
    const also = member('also', spotB, { asg: 'web-asg', serving: false, unhealthy: true });
    const eleven = { ...asg, held: 11, holds: [...idsOf(within), 'also'], suspended: ['Terminate'] };
    const look = (others: readonly Member[], of: AsgView = { ...asg, holds: idsOf(within) }) =>
      removed({ group: outside, asgs: [of], members: [...within, ...others] });
    const out = member('out', spotB, { reservation: 'r-1', admitted: false, serving: false });
    it('is not ours to end where its Auto Scaling group holds it, or may hold it', () => {
      expect(look([also], eleven)).toEqual([]);
      const unshown = member('unshown', spotA, { reservation: 'r-2', unshown: true, serving: false, unhealthy: true });
      expect(look([unshown, out])).toEqual(['out']);
    });
    it('leaves where it has not joined, or is in another Auto Scaling group', () => {
      expect(look([out])).toEqual(['out']);
      expect(look([member('elsewhere', spotB, { reservation: 'r-1', asg: 'old', serving: false })])).toEqual(['elsewhere']);
    });
    it('is never reported as kept by a minimum', () => {
      const full = { group: outside, asgs: [{ ...eleven, min: 11 }], members: [...within, also] };
      expect(aboveDesired(situationOf(full))).toBe(1);
      expect(proposed(surplus, full)).not.toHaveProperty('keptByMinimum');
    });
  });

  it('is claimed: no later rule lets the same members go', () => {
    const situation = situationOf({ members: [...members(spotA, 6), ...members(spotB, 6)] });
    const { removals = [] } = surplus.propose(situation, emptyDraft);
    expect(removals).toHaveLength(2);
    expect(idsOf(situation.arbiter.unclaimed())).not.toContain(removals[0]?.instance);
    expect(situation.arbiter.unclaimed()).toHaveLength(10);
  });

  it('is reported as kept by a minimum as far as the minimum keeps it', () => {
    const all = members(spotA, 10);
    const kept = (min: number, desired: number) =>
      proposed(surplus, { members: all, asgs: [{ ...asg, min, held: 10, holds: idsOf(all) }], state: state({ desired }) }).keptByMinimum;
    expect([kept(8, 6), kept(8, 8), kept(8, 9), kept(11, 10)]).toEqual([2, undefined, undefined, undefined]);
  });
});
