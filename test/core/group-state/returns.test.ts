import { describe, expect, it } from 'vitest';
import { followReturns, noteChange, rememberLives, withMoves } from '../../../core/group-state/returns.ts';
import type { Returns } from '../../../core/returning/memory.ts';
import { members } from '../members.ts';
import { group, nowMs, reservation, spotA, state, view } from '../views.ts';

const hourMs = 3_600_000;
const returning = group({ returning: { afterMs: hourMs } } as never);
const returns: Returns = { moves: [], losses: [], changedAtMs: 5 };
const moveOf = (id: string, leaving: readonly string[] = ['i-1'], atMs = nowMs) => ({ reservation: id, atMs, leaving, count: leaving.length });
const moving = (id: string, ...moves: readonly string[]) =>
  reservation({ id, placement: { ...reservation().placement, count: moves.length, moves } });
const standIn = { instance: 'i-9', reason: 'scale-in', why: { code: 'stand-in', pool: 'spot-a' } } as const;
const surplus = { instance: 'i-8', reason: 'scale-in', why: { code: 'surplus', rank: { order: 'same-order' } } } as const;

describe('moves that launches begin', () => {
  const begin = (...fresh: Parameters<typeof withMoves>[1]) => withMoves(state({ returns }), fresh, { decision: 'd-1', removals: [] }, nowMs).returns;

  it('are noted beside those under way, and other launches are none', () => {
    const before = state({ returns: { ...returns, moves: [moveOf('r-0')] } });
    expect(withMoves(before, [reservation({ id: 'r-1' }), moving('r-2', 'i-1', 'i-2')], { decision: 'd-1', removals: [] }, nowMs)).toEqual({
      returns: { ...returns, moves: [moveOf('r-0'), moveOf('r-2', ['i-1', 'i-2'])], askedAtMs: nowMs },
    });
    expect(begin(reservation())).toBeUndefined();
    expect(withMoves(state(), [moving('r-2', 'i-1')], { decision: 'd-1', removals: [] }, nowMs).returns?.moves).toHaveLength(1);
  });

  it('are members too that leave because one that serves takes their place', () => {
    const begun = (...removals: readonly (typeof standIn | typeof surplus)[]) =>
      withMoves(state(), [], { decision: 'd-1', removals }, nowMs).returns?.moves;
    expect(begun(standIn, surplus)).toEqual([{ reservation: 'd-1', atMs: nowMs, leaving: [], count: 1 }]);
    expect(begun(surplus)).toBeUndefined();
    const both = withMoves(state(), [moving('r-2', 'i-1')], { decision: 'd-1', removals: [standIn] }, nowMs);
    expect(both.returns?.moves).toHaveLength(2);
  });
});

describe('what is remembered of moves', () => {
  it('is updated at each look: moves that are over and old interruptions are dropped', () => {
    const loss = (atMs: number) => ({ offering: 'm7g.large/a/spot', atMs, livedMs: 1 }) as const;
    const before = { ...returns, moves: [moveOf('r-0', [], nowMs - 48 * hourMs)], losses: [loss(nowMs - 25 * hourMs), loss(nowMs - hourMs)] };
    expect(followReturns(view({ group: returning, state: state({ returns: before }) })).returns).toEqual({
      ...returns,
      losses: [loss(nowMs - hourMs)],
    });
    expect(followReturns(view())).toEqual({});
  });

  it('is kept while replacements are to come', () => {
    const before = { ...returns, moves: [moveOf('r-1', ['spot-a#1'])] };
    const seen = view({
      group: returning,
      members: members(spotA, 10),
      state: state({ returns: before, reservations: [moving('r-1', 'spot-a#1')] }),
    });
    expect(followReturns(seen).returns?.moves).toEqual(before.moves);
  });
});

describe('a change of the desired size or the policy', () => {
  const stored = state({ version: 4, lastReservation: 'r-1', returns });
  const changed = (rest: Parameters<typeof state>[0], of = returning, before = stored) =>
    noteChange({ ...stored, ...rest }, before, of, nowMs).returns?.changedAtMs;

  it('is noted in a group whose members return, and so is a state that was lost or restored', () => {
    expect([changed({ desired: 11 }), changed({ policyVersion: 2 }), changed({ lastReservation: 'r-2' })]).toEqual([nowMs, nowMs, nowMs]);
    expect([changed({}), changed({ desired: 11 }, group())]).toEqual([5, 5]);
  });

  it('is noted where the state was lost, also in a group whose members Holdfast did not launch', () => {
    const { lastReservation: _last, ...lost } = { ...stored, version: 0, renewedAtMs: nowMs - 1 };
    expect([noteChange(lost, lost, returning, nowMs).returns?.changedAtMs, noteChange(lost, lost, group(), nowMs).returns?.changedAtMs]).toEqual([
      nowMs,
      5,
    ]);
    const { renewedAtMs: _renewed, ...first } = lost;
    expect(noteChange(first, first, returning, nowMs).returns?.changedAtMs).toBe(5);
    const since = { ...stored, renewedAtMs: nowMs - 1 };
    expect(noteChange(since, since, returning, nowMs).returns?.changedAtMs).toBe(5);
  });

  it('is none where the state is the first', () => {
    const { lastReservation: _last, ...first } = { ...stored, version: 0 };
    expect(noteChange({ ...first, desired: 11 }, first, returning, nowMs).returns?.changedAtMs).toBe(5);
    expect(noteChange({ ...first, returns: undefined, lastReservation: 'r-1' }, first, returning, nowMs).returns).toEqual({
      moves: [],
      losses: [],
      changedAtMs: nowMs,
    });
  });
});

describe('the lives of warned instances', () => {
  const warned = (instance: string, offering = 'm7g.large/a/spot') => ({ instance, offering });
  const launched = [{ instance: 'i-1', launchedAtMs: nowMs - hourMs }];
  const lossesAfter = (of: readonly ReturnType<typeof warned>[], from = returning, before = state({ returns })) =>
    rememberLives(before, { group: from, launched }, of, nowMs).returns?.losses;

  it('are remembered in a group whose members return, where their launch and their offering are known', () => {
    expect(lossesAfter([warned('i-1'), warned('i-2'), warned('i-1', 'unknown')])).toEqual([
      { offering: 'm7g.large/a/spot', atMs: nowMs, livedMs: hourMs },
    ]);
    expect(lossesAfter([warned('i-1')], returning, state())).toHaveLength(1);
  });

  it('are not remembered in other groups', () => {
    const before = state();
    expect(rememberLives(before, { group: group(), launched }, [warned('i-1')], nowMs)).toBe(before);
    expect(rememberLives(before, { group: returning, launched }, [], nowMs)).toBe(before);
  });
});
