import { describe, expect, it } from 'vitest';
import { backsOffUntil, noReturns } from '../../../core/returning/memory.ts';
import { rememberUndone } from '../../../core/returning/undone.ts';
import type { AsgView, GroupState, Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { asgView, nowMs, onDemandB, reservation, spotA, state } from '../views.ts';

const minute = 60_000;
const move = { reservation: 'r-1', atMs: nowMs - 2 * minute, leaving: [], count: 1 };
const moved = state({ returns: { ...noReturns, moves: [move] } });
const came = member('i-came', spotA, { asg: 'web-asg', reservation: 'r-1' });
const evens = (rest: Partial<Member> = {}): Member => member('i-zones', onDemandB, { asg: 'web-asg', launchedAtMs: nowMs - minute, ...rest });
const above: Partial<AsgView> = { desired: 10, held: 11 };
const lossesOf = (members: readonly Member[], asg = above, from: GroupState = moved) =>
  rememberUndone(from, { members, asgs: [asgView(asg)] }, nowMs).returns?.losses;

describe('a move that an Auto Scaling group undoes, because it evens out its zones', () => {
  const loss = { offering: 'm7g.large/a/spot' as const, atMs: nowMs - minute, livedMs: minute };
  it('counts as a loss where it went to, so the next one waits for longer', () => {
    expect(lossesOf([came, evens()])).toEqual([loss]);
    expect(backsOffUntil([loss], loss.offering, 5 * minute)).toBe(nowMs + 9 * minute);
  });
  it('counts once, however often it is seen, and by its request where describes do not show who came', () => {
    const once = rememberUndone(moved, { members: [came, evens()], asgs: [asgView(above)] }, nowMs);
    expect(lossesOf([came, evens()], above, once)).toEqual([loss]);
    const asked = state({ ...moved, reservations: [reservation({ placement: { pool: 'spot-a', count: 1, offerings: [came.offering] } })] });
    expect(lossesOf([evens()], above, asked)).toEqual([loss]);
    expect(lossesOf([evens()])).toEqual([]);
  });
  it('is none where the group launched for its size, before the move, or long after it', () => {
    expect(lossesOf([came, evens()], { desired: 10, held: 10 })).toEqual([]);
    expect(lossesOf([came, evens({ launchedAtMs: nowMs - 3 * minute })])).toEqual([]);
    const long = state({ returns: { ...noReturns, moves: [{ ...move, atMs: nowMs - 16 * minute }] } });
    expect(lossesOf([came, evens()], above, long)).toEqual([]);
  });
  it('counts by its own request, and where it was launched at the very time of the move', () => {
    const others = [
      reservation({ id: 'r-7' }),
      reservation({ placement: { pool: 'spot-a', count: 1, offerings: [] } }),
      reservation({ placement: { pool: 'spot-a', count: 1, offerings: [came.offering] } }),
    ];
    expect(lossesOf([evens()], above, state({ ...moved, reservations: others }))).toEqual([loss]);
    expect(lossesOf([came, evens({ launchedAtMs: move.atMs })])).toEqual([{ ...loss, atMs: move.atMs, livedMs: 0 }]);
  });
  it('changes nothing in the state where there is none', () => {
    expect(rememberUndone(moved, { members: [came], asgs: [asgView(above)] }, nowMs)).toBe(moved);
  });
  it('is none when Holdfast launched the instance, or when no member was moved', () => {
    expect(lossesOf([came, evens({ reservation: 'r-2' })])).toEqual([]);
    expect(lossesOf([came, evens()], above, state())).toBeUndefined();
  });
});
