import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { afterTakingDown, isAsAdded } from '../../../core/group/attached-number.ts';
import type { Group } from '../../../core/group/group.ts';
import {
  addedNow,
  asOthersSet,
  believedAgainAtMs,
  desiredNow,
  isBeyondMaximum,
  noted,
  outsideAsgOf,
  outsideSizeOf,
  takenDownAgain,
  toTakeDown,
  toTakeDownNow,
  withOutsideSize,
  withTries,
} from '../../../core/group/outside-size.ts';
import { againAtMs } from '../../../core/times/again.ts';
import type { Added } from '../../../core/view/added.ts';
import { groupsToTakeOver } from '../../../core/view/asg-ledger.ts';
import type { AsgView, View } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, state, swapOf, view } from '../views.ts';

const outside = group({ size: { min: 0, max: 20, desired: 0, from: 'asg' }, holding: { kind: 'attach', asg: 'web-asg' } });

const asg = (desired: number, holds: readonly string[], rest: Partial<AsgView> = {}): AsgView => ({
  name: 'web-asg',
  min: 0,
  max: 20,
  desired,
  held: holds.length,
  holds,
  suspended: [],
  ...rest,
});

const own = ['n-1', 'n-2'];
const note = (rest: Partial<Added> = {}): Added => ({ asg: 'web-asg', from: 3, instances: own, atMs: nowMs - 1_000, ...rest });
const three = ['i-1', 'i-2', 'i-3'];

const read = (desired: number, holds: readonly string[], added: readonly Added[] = []) =>
  outsideSizeOf(outside, state({ added }), { asgs: [asg(desired, holds)] }, nowMs);

describe('a size that others set', () => {
  it('is that of the Auto Scaling group that the policy names', () => {
    expect(outsideAsgOf(outside)).toBe('web-asg');
    expect(outsideAsgOf(group({ holding: { kind: 'attach', asg: 'web-asg' } }))).toBeUndefined();
    expect(outsideSizeOf(group(), state(), { asgs: [asg(3, three)] }, nowMs)).toBeUndefined();
    expect(outsideSizeOf(outside, state(), { asgs: [] }, nowMs)).toEqual({ asg: 'web-asg', size: 0, isUnshown: true, added: [] });
  });
  it('is the desired capacity where nothing is noted', () => {
    expect(read(5, three)).toEqual({ asg: 'web-asg', size: 5, added: [] });
  });
  it('is its value before an attach, while others have not written since', () => {
    expect(read(5, [...three, ...own], [note()])?.size).toBe(3);
    expect(read(4, [...three, 'n-1'], [note()])?.size).toBe(3);
    expect(read(3, three, [note()])?.size).toBe(3);
  });
  it('is the number that others made of it, where they ended a member of the attach with its capacity', () => {
    const shown = (aside: readonly string[]) => ({ asgs: [asg(4, [...three, 'n-1'], { aside })] });
    const found = (aside: readonly string[]) => outsideSizeOf(outside, state({ added: [note()] }), shown(aside), nowMs);
    expect(found(['n-2'])).toMatchObject({ size: 4, added: [] });
    expect(found(['i-9'])).toMatchObject({ size: 3, added: [note()] });
  });
  it.each([
    ['smaller than before', 2],
    ['between', 4],
    ['one more than the attach made it', 6],
  ])('is the value that others wrote after an attach: %s', (_what, desired) => {
    expect(read(desired, [...three, ...own], [note()])).toEqual({ asg: 'web-asg', size: desired, added: [] });
  });
  it('does not count an attach that a describe still shows after it was taken down', () => {
    const taken = [note({ takenDownAtMs: nowMs - 5_000 })];
    expect(read(5, [...three, ...own], taken)?.size).toBe(3);
    expect(read(3, [...three, ...own], taken)?.size).toBe(3);
    expect(read(6, [...three, ...own], taken)?.size).toBe(6);
  });
  it.each([
    ['ended', { ended: ['n-2'] }],
    ['on its way out', { aside: ['n-2'] }],
  ])('is what others wrote after a member that was attached has left: it is %s', (_how, left) => {
    const taken = state({ added: [note({ takenDownAtMs: nowMs - 5_000, joined: own })] });
    const sizeOf = (desired: number, holds: readonly string[]) =>
      outsideSizeOf(outside, taken, { asgs: [asg(desired, [...three, ...holds])], ...left }, nowMs)?.size;
    expect(sizeOf(4, ['n-1'])).toBe(4);
    // An older describe still shows the one that has left.
    expect(sizeOf(5, own)).toBe(3);
    // Nothing says that any has left: a describe from between two attaches shows the same.
    expect(read(4, [...three, 'n-1'], [note({ takenDownAtMs: nowMs - 5_000, joined: own })])?.size).toBe(3);
  });
  it('is not what an attach made where another member of its note had left before the lowering, or died before it could join', () => {
    const taken = state({ added: [note({ takenDownAtMs: nowMs - 5_000, joined: ['n-1'] })] });
    const shown = { asgs: [asg(4, [...three, 'n-1'])], ended: ['n-2'] };
    expect(outsideSizeOf(outside, taken, shown, nowMs)?.size).toBe(3);
    // Its group may have dropped it before the lowering: the number of the attach stood without it (24311136).
    const sizeOf = (desired: number) => outsideSizeOf(outside, taken, { ...shown, asgs: [asg(desired, [...three, 'n-1'])] }, nowMs)?.size;
    expect([sizeOf(5), sizeOf(6), sizeOf(2)]).toEqual([3, 6, 2]);
  });
  it('is the desired capacity of a describe that shows a member that was attached after the lowering', () => {
    const later = [note({ takenDownAtMs: nowMs - 5_000, later: ['n-3'] })];
    expect(read(5, [...three, ...own, 'n-3'], later)?.size).toBe(5);
    // Without that member the describe may be older than the lowering.
    expect(read(5, [...three, ...own], later)?.size).toBe(3);
  });
  it('is the desired capacity of a describe that shows a member that the group launched after the lowering', () => {
    const taken = state({ added: [note({ takenDownAtMs: nowMs - 8_000 })] });
    const sizeOf = (launchedAgoMs: number) =>
      outsideSizeOf(outside, taken, { asgs: [asg(5, [...three, ...own, 'i-9'], { untagged: { 'i-9': nowMs - launchedAgoMs } })] }, nowMs)?.size;
    expect(sizeOf(4_000)).toBe(5);
    // The clocks of AWS and of the function that lowered it may differ.
    expect(sizeOf(5_000)).toBe(3);
    expect(sizeOf(9_000)).toBe(3);
  });
  it('is the desired capacity once no describe can be so old', () => {
    expect(read(5, [...three, ...own], [note({ takenDownAtMs: nowMs - 20_000 })])).toEqual({ asg: 'web-asg', size: 5, added: [] });
  });
  it('is not what an attach made where a look found it lowered, and the function that did this could not note it', () => {
    const left = read(3, [...three, ...own], [note()]);
    expect(left).toEqual({ asg: 'web-asg', size: 3, added: [note({ takenDownAtMs: nowMs, joined: own })] });
    expect(read(3, [...three, 'n-1'], [note()])?.added).toEqual([note({ takenDownAtMs: nowMs, joined: ['n-1'] })]);
    // The next describe is older.
    expect(read(5, [...three, ...own], left?.added)?.size).toBe(3);
  });
  it('drops a note whose members were not attached in time', () => {
    expect(read(3, three, [note()])?.added).toEqual([note()]);
    expect(read(3, three, [note({ atMs: nowMs - 60_000 })])?.added).toEqual([]);
  });
  it('keeps a note of which a describe shows no member, whatever number an older one shows', () => {
    const earlier = note({ instances: ['n-3', 'n-4', 'n-5'], takenDownAtMs: nowMs - 3_000 });
    const found = read(6, [...three, 'n-3', 'n-4', 'n-5'], [earlier, note()]);
    expect(found).toEqual({ asg: 'web-asg', size: 3, added: [earlier, note()] });
    expect(read(7, three, [note({ atMs: nowMs - 60_000 })])?.added).toEqual([]);
  });
  it('keeps a note that was taken down while a later describe may be older than this one', () => {
    const taken = [note({ takenDownAtMs: nowMs - 5_000 })];
    for (const [desired, holds] of [
      [5, [...three, ...own]],
      [3, [...three, ...own]],
      [3, three],
    ] as const)
      expect(read(desired, holds, taken)?.added).toEqual(taken);
    expect(read(3, [...three, ...own], [note({ takenDownAtMs: nowMs - 20_000 })])?.added).toEqual([]);
  });
  it('keeps a note of members that are there and not taken down, however old', () => {
    const old = note({ atMs: nowMs - 600_000 });
    expect(read(5, [...three, ...own], [old])?.added).toEqual([old]);
  });
  it('is the size that a look at a drain goes by', () => {
    expect(desiredNow(outside, state({ desired: 3 }), { asgs: [asg(5, three)] }, nowMs)).toBe(5);
    expect(desiredNow(outside, undefined, { asgs: [asg(30, three)] }, nowMs)).toBe(20);
    // A look that does not show the Auto Scaling group counts only in decisions, as 0.
    expect(desiredNow(outside, state({ desired: 3 }), { asgs: [] }, nowMs)).toBe(3);
    expect(desiredNow(group(), state({ desired: 3 }), { asgs: [] }, nowMs)).toBe(3);
    expect(desiredNow(group(), undefined, { asgs: [] }, nowMs)).toBe(10);
  });
  it('stays within the maximum of the policy, and replaces what was noted', () => {
    const found = { asg: 'web-asg', size: 30, added: [] };
    expect(withOutsideSize(state({ desired: 3, added: [note()] }), outside, found)).toEqual(state({ desired: 20, beyondMax: found.size }));
    expect(withOutsideSize(state({ beyondMax: 30 }), outside, { ...found, size: 20 })).toEqual(state({ desired: 20 }));
    expect(withOutsideSize(state(), outside, { ...found, size: 4, added: [note()] })).toEqual(state({ desired: 4, added: [note()] }));
  });
  it('is what decisions see of its Auto Scaling group, and of no other', () => {
    const other = asg(9, [], { name: 'other' });
    const seen = asOthersSet([asg(5, []), other], { asg: 'web-asg', size: 3, added: [] });
    expect(seen.map(({ desired }) => desired)).toEqual([3, 9]);
    expect(asOthersSet([other], undefined)).toEqual([other]);
  });
});

describe('notes of attaches', () => {
  const look = (rest: Partial<View> = {}): View =>
    view({ group: outside, state: state({ desired: 3 }), members: [], asgs: [asg(3, three)], ...rest });

  it('hold the size and the members', () => {
    expect(noted(look(), own)).toEqual([{ asg: 'web-asg', from: 3, instances: own, atMs: nowMs }]);
    expect(noted(look({ asgs: [asg(3, three, { shown: 5 })] }), own)[0]?.from).toBe(3);
    expect(noted(look(), [])).toEqual([]);
    expect(noted(view({ asgs: [asg(3, three)] }), own)).toEqual([]);
  });
  it('join one that is open, and leave one that was taken down', () => {
    const taken = note({ takenDownAtMs: nowMs - 5_000 });
    const open = note({ instances: ['n-3'] });
    expect(noted(look({ state: state({ added: [taken, open] }) }), own)).toEqual([
      taken,
      { asg: 'web-asg', from: 3, instances: ['n-3', ...own], atMs: nowMs },
    ]);
  });
  it('that were taken down in this Auto Scaling group name the other members that are attached later, once each', () => {
    const taken = note({ takenDownAtMs: nowMs - 5_000 });
    const others = [note({ asg: 'other', takenDownAtMs: nowMs - 5_000 }), note({ asg: 'third' })];
    const laterOf = (added: readonly Added[], joining: readonly string[]) =>
      noted(look({ state: state({ added }) }), joining)
        .slice(0, added.length)
        .map(({ later }) => later);
    expect(laterOf([taken, ...others], ['n-2', 'n-3'])).toEqual([['n-3'], undefined, undefined]);
    expect(laterOf([{ ...taken, later: ['n-3'] }], ['n-3', 'n-4'])).toEqual([['n-3', 'n-4']]);
  });
  it('are taken down when their members are there', () => {
    const of = (added: Added, holds: readonly string[]) => toTakeDown(look({ state: state({ added: [added] }), asgs: [asg(3, holds)] }));
    expect(of(note(), [...three, ...own])).toEqual([note()]);
    expect(of(note(), three)).toEqual([]);
    expect(of(note({ takenDownAtMs: nowMs }), [...three, ...own])).toEqual([]);
  });
  it('have a look when a number like theirs is believed again, if a look shows that number before', () => {
    const taken = note({ takenDownAtMs: nowMs - 5_000 });
    const times = (shown: number) => believedAgainAtMs(look({ state: state({ added: [taken] }), asgs: [asg(3, [...three, ...own], { shown })] }));
    expect(times(5)).toEqual([nowMs + 15_000]);
    expect(times(3)).toEqual([]);
    expect(times(4)).toEqual([]);
  });
  it('are tried again as rarely as whatever else fails, also if looks come before that', () => {
    const at = (rest: Partial<Added>) => toTakeDownNow(look({ state: state({ added: [note(rest)] }), asgs: [asg(5, [...three, ...own])] }));
    const tried = { atMs: nowMs - 50_000, triedAtMs: nowMs - 4_000 };
    expect(at({ atMs: nowMs - 50_000 })).toHaveLength(1);
    expect(at(tried)).toEqual([]);
    expect(at({ ...tried, triedAtMs: nowMs - 20_000 })).toHaveLength(1);
    const wake = (rest: Partial<Added>) => takenDownAgain([note(rest)], nowMs).wakeAtMs;
    expect(wake(tried)).toBe(againAtMs(tried.triedAtMs, tried.atMs));
    expect(wake({ ...tried, triedAtMs: nowMs - 20_000 })).toBe(againAtMs(nowMs, tried.atMs));
    expect(wake({ ...tried, takenDownAtMs: nowMs })).toBeUndefined();
    const [one, two] = [note(), note({ atMs: nowMs - 2_000 })];
    expect(withTries([one, two], [one], nowMs)).toEqual([{ ...one, triedAtMs: nowMs }, two]);
  });
  it('are marked as taken down, or dropped where others wrote over them', () => {
    const [one, two, left] = [note(), note({ atMs: nowMs - 2_000 }), note({ atMs: nowMs - 3_000 })];
    expect(afterTakingDown([one, two, left], { done: [one], unseen: [left], overwritten: [two] }, nowMs)).toEqual([
      { ...one, takenDownAtMs: nowMs, joined: [] },
      { ...left, takenDownAtMs: nowMs, joined: [] },
    ]);
    // It names those that are in the group, and so not one that died before it could join.
    const [taken] = afterTakingDown([one], { done: [one], unseen: [], overwritten: [] }, nowMs, ['i-1', 'n-2']);
    expect(taken?.joined).toEqual(['n-2']);
  });
  it('explain a desired capacity only as it was made', () => {
    expect(isAsAdded(note(), asg(5, [...three, ...own]))).toBe(true);
    expect(isAsAdded(note(), asg(5, three))).toBe(false);
  });
  it('is what its members count by the weights of now, by those of the note, or as one each', () => {
    const weighed = { units: { 'n-1': 3, 'n-2': 2 } };
    const is = (desired: number, now: Partial<AsgView> = {}, rest: Partial<Added> = {}) =>
      isAsAdded(note(rest), asg(desired, [...three, ...own], now));
    expect([is(8, weighed), is(8, {}, weighed), is(5, weighed)]).toEqual([true, true, true]);
    expect([is(8), is(7, weighed), is(5, { units: { 'n-1': 3 } })]).toEqual([false, false, true]);
    expect(isAsAdded(note(weighed), asg(6, [...three, 'n-1']))).toBe(true);
  });
});

describe('deciding where others set the size', () => {
  const inGroup = (count: number) => members(spotA, count, { asg: 'web-asg' });
  const loose = members(onDemandB, 1, { admitted: false, serving: false, reservation: 'r-1' });
  const idsOf = (list: readonly { readonly instance: string }[]) => list.map(({ instance }) => instance);
  const look = (desired: number, rest: Partial<View> = {}): View => {
    const there = rest.members ?? inGroup(3);
    return view({
      group: outside,
      state: state({ desired }),
      members: there,
      asgs: [asg(desired, idsOf(there.filter((member) => member.asg !== undefined)))],
      ...rest,
    });
  };
  const held = [{ asg: 'web-asg', processes: ['Launch', 'Terminate'] }];

  it('lets no member go that is in the group, however many there are', () => {
    expect(decide(look(1))).toMatchObject({ removals: [], drains: [], takeOver: [] });
    expect(decide(look(1)).keptByMinimum).toBeUndefined();
  });
  it('removes members that have not joined and are no longer wanted', () => {
    const view3 = look(3, { members: [...inGroup(3), ...loose] });
    expect(decide(view3).removals.map(({ instance }) => instance)).toEqual(idsOf(loose));
    expect(decide(view3).admissions).toEqual([]);
  });
  it('removes no member that the group launched by itself and does not show yet, however many there are', () => {
    const launched = members(spotA, 6).map(({ asg: _none, ...member }) => member);
    const late = look(3, { members: [...inGroup(5), ...launched.slice(5)], asgs: [asg(10, idsOf(inGroup(5)))] });
    expect(decide(late).removals).toEqual([]);
    // One that Holdfast launched has not joined.
    expect(idsOf(decide({ ...late, members: [...late.members, ...loose] }).removals)).toEqual(idsOf(loose));
  });
  it('launches what the group was refused, and does not touch its size', () => {
    const refused = { 'web-asg': { sinceMs: nowMs - 1_000, refused: true } };
    const short = look(5, { state: state({ desired: 5, asgGaps: refused }) });
    expect(decide(short)).toMatchObject({ takeOver: [], suspend: held });
    expect(decide(short).placements.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(groupsToTakeOver(short)).toEqual([]);
  });
  it('leaves to the group what it has not been refused', () => {
    expect(decide(look(5))).toMatchObject({ placements: [] });
    expect(decide(look(5)).suspend).toBeUndefined();
  });
  it('looks again at once where it suspends a group that was about to launch by itself', () => {
    const [lost, warned] = [['i-dead'], swapOf('spot-a#3', { reason: 'interruption', state: 'leaving' })];
    const there = inGroup(3);
    const wakeOf = (ended: readonly string[], desired: number) =>
      decide(look(desired, { members: there, swaps: [warned], ended, asgs: [asg(desired, [...idsOf(there), ...ended])] })).wakeAtMs;
    expect(wakeOf(lost, 4)).toBe(nowMs + 2_000);
    expect(wakeOf([], 3)).not.toBe(nowMs + 2_000);
  });
  it('suspends what its owner has not suspended, and notes nothing else', () => {
    const owners = asg(3, idsOf(inGroup(3)), { suspended: ['Launch'] });
    const joining = look(4, { members: [...inGroup(3), ...loose], asgs: [owners] });
    expect(decide(joining).suspend).toEqual([{ asg: 'web-asg', processes: ['Terminate'], atMs: nowMs }]);
  });
  it('holds the group while it holds a member that is being replaced besides its size, and resumes it after', () => {
    const doubled = inGroup(4);
    const leaving = swapOf(doubled[0]?.instance ?? '', { reason: 'interruption', state: 'draining' });
    const noted3 = state({ desired: 3, suspended: held });
    const asgs = [asg(3, idsOf(doubled), { suspended: ['Launch', 'Terminate'] })];
    expect(decide(look(3, { members: doubled, swaps: [leaving], asgs, state: noted3 }))).toMatchObject({ suspend: [], resume: [] });
    expect(decide(look(3, { asgs: [asg(3, idsOf(inGroup(3)))], state: noted3 })).resume).toEqual(held);
  });
  it('resumes what a policy that is no longer in force suspended', () => {
    expect(decide(view({ state: state({ suspended: held }) })).resume).toEqual(held);
  });
  it('attaches no member before an earlier attach is taken down', () => {
    const there = [...inGroup(3), ...loose];
    const open = note({ instances: [there[2]?.instance ?? ''] });
    const crashed = look(4, { members: there, state: state({ desired: 4, added: [open] }) });
    expect(decide(crashed)).toMatchObject({ takeDown: [open], admissions: [], wakeAtMs: nowMs + 2_000 });
    expect(decide(look(4, { members: there })).admissions).toHaveLength(1);
  });
});

describe('notes of two Auto Scaling groups', () => {
  const other = note({ asg: 'old-asg' });

  it('count for their own group alone', () => {
    const seen = (added: readonly Added[]) =>
      outsideSizeOf({ ...outside, former: ['old-asg'] }, state({ added }), { asgs: [asg(5, [...three, ...own])] }, nowMs);
    expect(seen([other])).toEqual({ asg: 'web-asg', size: 5, added: [] });
    expect(seen([other, note()])?.added).toEqual([note()]);
  });

  it('are taken down in their own group alone', () => {
    const done = note();
    expect(afterTakingDown([done, other], { done: [], unseen: [], overwritten: [done] }, nowMs)).toEqual([other]);
    expect(afterTakingDown([done, other], { done: [done], unseen: [], overwritten: [] }, nowMs)).toEqual([
      { ...done, takenDownAtMs: nowMs, joined: [] },
      other,
    ]);
  });

  it('are open while the group holds their members, or no look shows it', () => {
    const look = view({ group: outside, asgs: [asg(0, [], { name: 'old-asg' }), asg(5, own)], state: state({ added: [other, note()] }) });
    expect(toTakeDown(look)).toEqual([note()]);
    expect(toTakeDown({ ...look, asgs: [] })).toEqual([other, note()]);
    expect(toTakeDown({ ...look, asgs: [], state: state({ added: [note({ takenDownAtMs: nowMs })] }) })).toEqual([]);
  });
});

describe('notes of an Auto Scaling group that an earlier policy named', () => {
  const now = { ...outside, holding: { kind: 'attach' as const, asg: 'new-asg' } };
  const held = [{ asg: 'web-asg', processes: ['Launch', 'Terminate'] }];
  const moved = (desired: number, holds = [...three, ...own]) => [asg(0, [], { name: 'new-asg' }), asg(desired, holds, { suspended: ['Launch'] })];

  it('stay as long as they explain its desired capacity', () => {
    const kept = (asgs: readonly AsgView[]) => outsideSizeOf(now, state({ added: [note()] }), { asgs }, nowMs)?.added;
    expect(kept(moved(5))).toEqual([note()]);
    expect(kept(moved(6))).toEqual([]);
  });

  it('are dropped once a look does not show it any more', () => {
    const gone = { ...now, former: ['web-asg'] };
    expect(outsideSizeOf(gone, state({ added: [note()] }), { asgs: moved(5).slice(0, 1) }, nowMs)?.added).toEqual([]);
  });

  it('stay for three minutes where the group does not look at it any more, because another group may have taken it over', () => {
    const kept = (rest: Partial<Added>) => outsideSizeOf(now, state({ added: [note(rest)] }), { asgs: moved(5).slice(0, 1) }, nowMs)?.added.length;
    expect(kept({ atMs: nowMs - 179_999 })).toBe(1);
    expect(kept({ atMs: nowMs - 180_000 })).toBe(0);
    expect(kept({ atMs: nowMs - 500_000, takenDownAtMs: nowMs - 1_000 })).toBe(1);
    expect(kept({ takenDownAtMs: nowMs - 180_000 })).toBe(0);
  });

  it('stay where the policy sets the size of another group, and are dropped where it sets the size of this one', () => {
    const notes = (by: Partial<Group>) => addedNow({ ...now, size: { min: 0, max: 20, desired: 3 }, ...by }, { added: [note()] }, moved(5), nowMs);
    expect(notes({})).toEqual([note()]);
    expect(notes({ holding: { kind: 'attach', asg: 'web-asg' } })).toEqual([]);
  });

  it('are taken down, and only then its processes are resumed', () => {
    const look = view({ group: now, asgs: moved(5), members: members(spotA, 3), state: state({ desired: 3, added: [note()], suspended: held }) });
    expect(decide(look)).toMatchObject({ takeDown: [note()], resume: [] });
    expect(decide({ ...look, state: state({ desired: 3, suspended: held }) }).resume).toEqual(held);
  });

  it('hold neither the new group nor members that join it', () => {
    const there = [...members(spotA, 2, { asg: 'new-asg' }), ...members(onDemandB, 1, { admitted: false, serving: false, reservation: 'r-1' })];
    const [, old] = moved(5);
    const asgs = [asg(3, ['spot-a#1', 'spot-a#2'], { name: 'new-asg' }), ...(old ? [old] : [])];
    const look = view({ group: now, asgs, members: there, state: state({ desired: 3, added: [note()] }) });
    expect(decide(look).admissions).toHaveLength(1);
    const quiet = view({ group: now, asgs, members: there.slice(0, 2), state: state({ desired: 2, added: [note()] }) });
    expect(decide(quiet).suspend ?? []).toEqual([]);
  });

  it('are not joined by members of the new group', () => {
    const look = view({ group: now, asgs: moved(5), state: state({ added: [note()] }) });
    expect(noted(look, ['n-3'])).toEqual([note(), { asg: 'new-asg', from: 0, instances: ['n-3'], atMs: nowMs }]);
  });
});

describe('a size beyond the maximum of the owner', () => {
  it('counts as that maximum, while Holdfast has raised it', () => {
    const sizeAt = (max: number) => {
      const raised = [{ asg: 'web-asg', fromMax: 4, toMax: 6 }];
      return outsideSizeOf(outside, state({ raised }), { asgs: [asg(6, three, { max })] }, nowMs)?.size;
    };
    expect(sizeAt(6)).toBe(4);
    expect(sizeAt(7)).toBe(6);
  });
  it('is found only where the maximum of that group is raised', () => {
    const raised = [{ asg: 'old-asg', fromMax: 3, toMax: 6 }] as never;
    const isBeyond = (rest: Partial<AsgView>) => isBeyondMaximum({ raised }, asg(5, own, { name: 'old-asg', max: 6, shown: 5, ...rest }));
    expect(isBeyond({})).toBe(true);
    expect(isBeyond({ name: 'web-asg' })).toBe(false);
    expect(isBeyond({ shown: 3 })).toBe(false);
  });
  it('is none once the owner has set another maximum that allows it', () => {
    const raised = [{ asg: 'web-asg', fromMax: 3, toMax: 6 }];
    const isBeyond = (max: number) => isBeyondMaximum({ raised }, asg(5, own, { max, shown: 5 }));
    expect([3, 4, 6, 7].map(isBeyond)).toEqual([true, true, true, false]);
  });
});
