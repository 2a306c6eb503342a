import { describe, expect, it } from 'vitest';
import type { Group } from '../../../core/group/group.ts';
import { catchUp, followPolicy, followView, initialState, learnFromLosses, withRefusedRefills } from '../../../core/group-state/state.ts';
import type { View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const follow = (rest: Partial<View> = {}, heard: Partial<Parameters<typeof followView>[1]> = {}) =>
  followView(view(rest), { ended: [], refusedAsgs: [], ...heard });

describe('a policy that is followed', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' }, drain: { timeoutMs: 1, loadBalancers: ['tg-1'] } });

  it('adds the Auto Scaling groups and target groups that it names to those of earlier ones', () => {
    expect(followPolicy(state({ holders: ['old', 'web-asg'], targetGroups: ['tg-0'] }), attached)).toMatchObject({
      holders: ['old', 'web-asg'],
      targetGroups: ['tg-0', 'tg-1'],
    });
    expect(followPolicy(state(), attached).holders).toEqual(['web-asg']);
    expect(followPolicy(state(), group())).not.toHaveProperty('holders');
    const { holders, targetGroups } = followPolicy(state(), group());
    expect([holders, targetGroups]).toEqual([undefined, undefined]);
  });
});

describe('a state that may be older than what is there', () => {
  const of = (launched: string, instance = `i-${launched}`) => member(instance, spotA, { reservation: launched });
  const look = (...there: readonly ReturnType<typeof of>[]) => ({ members: there, swaps: [], comesBack: false });

  it('catches up with the latest reservation of any member', () => {
    expect(catchUp(state({ lastReservation: 'b' }), group(), look(of('a'), of('d'), of('c'))).lastReservation).toBe('d');
  });

  it('counts members whose swap waits, and no spares', () => {
    const swaps = [swapOf('i-1', { state: 'waiting' }), swapOf('i-2')];
    const there = ['i-1', 'i-2', ...Array.from({ length: 12 }, (_, index) => `i-x${index}`)].map((instance) => of('c', instance));
    expect(catchUp(state(), group(), { members: there, swaps, comesBack: false }).desired).toBe(13);
    expect(catchUp(state(), group({ spare: 2 }), { members: there, swaps, comesBack: false }).desired).toBe(11);
  });
});

describe('a loss records', () => {
  const launchedAtMs = nowMs - 3_600_000;
  const learned = (offering: string, launched: readonly { instance: string; launchedAtMs: number }[]) =>
    learnFromLosses(state(), { warned: [{ instance: 'i-1', offering }], launched, swaps: [] }, nowMs).memory;

  it('that an offering was interrupted, and nothing where it is not known', () => {
    expect(learned('m7g.large/a/spot', [{ instance: 'i-1', launchedAtMs }])['m7g.large/a/spot']?.kind).toBe('interrupted');
    expect(learned('unknown', [])).toEqual({});
  });

  it('more where the instance lived for less time than the lesson before it lasts', () => {
    const atOnce = learned('m7g.large/a/spot', [{ instance: 'i-1', launchedAtMs: nowMs - 1_000 }])['m7g.large/a/spot'];
    expect(atOnce?.takenAtOnceMs).toBe(nowMs);
    const withLife = learned('m7g.large/a/spot', [{ instance: 'i-1', launchedAtMs }]);
    const without = learned('m7g.large/a/spot', [{ instance: 'i-2', launchedAtMs }]);
    expect(Object.keys(withLife)).toEqual(Object.keys(without));
  });
});

describe('strays', () => {
  const stray = member('i-stray', spotA, { pool: undefined });
  const sighted = (sightings: number, firstSeenAtMs: number) => ({ 'i-stray': { sightings, firstSeenAtMs } });
  const sighting = (strays: View['state']['strays'], rest: Partial<View> = {}) =>
    follow({ members: [stray, ...members(spotA, 2)], state: state({ strays }), ...rest }).strays;

  it('are members that no reservation accounts for and that do not leave', () => {
    expect(sighting({})).toEqual(sighted(1, nowMs));
    expect(sighting({}, { swaps: [swapOf('i-stray')] })).toEqual({});
    expect(sighting(sighted(3, nowMs - 1), { members: members(spotA, 2) })).toEqual({});
  });

  it('are sighted at most once in fifty seconds', () => {
    expect(sighting(sighted(1, nowMs - 49_999))).toEqual(sighted(1, nowMs - 49_999));
    expect(sighting(sighted(1, nowMs - 50_000))).toEqual(sighted(2, nowMs - 50_000));
    expect(sighting(sighted(2, nowMs - 50_000))).toEqual(sighted(2, nowMs - 50_000));
    expect(sighting(sighted(2, nowMs - 100_000))).toEqual(sighted(3, nowMs - 100_000));
  });
});

describe('a look', () => {
  it('notes ends of members without a swap for as long as describes may lag', () => {
    const ended = { 'spot-a#1': nowMs - 179_999, 'spot-a#2': nowMs - 180_000 };
    expect(follow({ state: state({ ended }) }).ended).toEqual({ 'spot-a#1': nowMs - 179_999 });
    expect(follow({ swaps: [swapOf('spot-a#3')] }, { ended: ['spot-a#3', 'spot-a#4', 'i-unknown'] }).ended).toEqual({ 'spot-a#4': nowMs });
    expect(follow({ state: state({ ended: { 'spot-a#1': nowMs - 1 } }) }, { ended: ['spot-a#4'] }).ended).toEqual({
      'spot-a#4': nowMs,
      'spot-a#1': nowMs - 1,
    });
    expect(follow().ended).toBeUndefined();
  });

  it('drops an end when the instance was started after it, and keeps it when both have the same time', () => {
    const of = (launchedAtMs: number) =>
      follow({ members: [member('i-1', spotB, { launchedAtMs })], state: state({ ended: { 'i-1': nowMs - 10 } }) }).ended;
    expect(of(nowMs - 9)).toBeUndefined();
    expect(of(nowMs - 10)).toEqual({ 'i-1': nowMs - 10 });
  });

  it('drops reservations whose time is over, and counts what they launched', () => {
    const over = reservation({ id: 'r-over', leaseUntilMs: nowMs, forgetAtMs: nowMs });
    const came = member('i-1', spotB, { reservation: 'r-over' });
    const open = member('i-2', spotB, { reservation: 'r-1' });
    const next = follow({ members: [came, open], state: state({ reservations: [over, reservation()] }) });
    expect(next.reservations.map(({ id }) => id)).toEqual(['r-1']);
    expect(next.launches).toMatchObject([{ count: 1 }]);
  });

  it('notes Auto Scaling groups that hold fewer than they should, and those that could not launch', () => {
    const attached: Group = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    const short = { group: attached, asgs: [asgView({ held: 8 })] };
    expect(follow(short).asgGaps).toEqual({ 'web-asg': { sinceMs: nowMs, refused: false } });
    expect(follow(short, { refusedAsgs: ['web-asg'] }).asgGaps).toEqual({ 'web-asg': { sinceMs: nowMs, refused: true } });
  });

  it('keeps a refusal that was noted without a look, where the look finds the gap, and drops it where it finds none', () => {
    const attached: Group = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    const noted = withRefusedRefills(state({ asgGaps: { 'web-asg': { sinceMs: nowMs - 9_000, refused: false } } }), ['web-asg'], nowMs);
    expect(noted.asgGaps).toEqual({ 'web-asg': { sinceMs: nowMs - 9_000, refused: true } });
    expect(withRefusedRefills(noted, ['web-asg'], nowMs + 1)).toBe(noted);
    expect(withRefusedRefills(state(), ['web-asg'], nowMs).asgGaps).toEqual({ 'web-asg': { sinceMs: nowMs, refused: true } });
    expect(follow({ group: attached, asgs: [asgView({ held: 8 })], state: noted }).asgGaps).toEqual(noted.asgGaps);
    expect(follow({ group: attached, asgs: [asgView()], state: noted }).asgGaps).toEqual({});
  });

  it('drops former Auto Scaling groups once they are empty', () => {
    const holders = ['old', 'older'];
    expect(
      follow({ asgs: [asgView({ name: 'old', desired: 1 }), asgView({ name: 'older', desired: 0, held: 0 })], state: state({ holders }) }).holders,
    ).toEqual(['old']);
    expect(follow().holders).toBeUndefined();
  });

  it('of a group without a state begins with its policy', () => {
    expect(initialState(group({ former: ['old'] })).holders).toEqual(['old']);
    expect(initialState(group()).holders).toBeUndefined();
  });
});
