import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Reservation } from '../../../core/launch/reservation.ts';
import {
  countForgotten,
  forgetLaunches,
  launchRoom,
  rememberLaunches,
  rememberWarnings,
  withoutLaunches,
} from '../../../core/limits/launch-limit.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, reservation, spotA, state, view } from '../views.ts';

const minuteMs = 60_000;
const usual = group();
const looked = (of: GroupState, atMs = nowMs, rest: Partial<View> = {}) => launchRoom(view({ state: of, nowMs: atMs, ...rest }));
const launched = (count: number, before = state(), atMs = nowMs): GroupState => rememberLaunches(before, usual, count, atMs);

describe('the limit of launches', () => {
  it('is three times the size within ten minutes when the policy sets no limit, and ten at least', () => {
    expect(looked(state()).left).toBe(30);
    expect(looked(state({ desired: 2 })).left).toBe(10);
    expect(looked(launched(28)).left).toBe(2);
    expect(looked(launched(31)).left).toBe(0);
    expect(looked(launched(1), nowMs + minuteMs).untilMs).toBe(nowMs + 10 * minuteMs);
    expect(looked(state(), nowMs + minuteMs).untilMs).toBe(nowMs + 11 * minuteMs);
  });

  it('is the limit that the policy sets', () => {
    const limited = group({ launches: { atMost: { kind: 'count', by: 4 }, withinMs: minuteMs } });
    const of = rememberLaunches(state(), limited, 3, nowMs);
    expect(looked(of, nowMs, { group: limited }).left).toBe(1);
    expect(looked(of, nowMs + minuteMs, { group: limited }).left).toBe(4);
  });

  it('counts requests without a response, and no request twice', () => {
    const open = reservation({ placement: { pool: 'spot-b', count: 5, offerings: [] } });
    const answered = reservation({ id: 'r-2', instances: ['i-1'] });
    expect(looked(state({ reservations: [open, answered] })).left).toBe(25);
  });

  it('does not count what a request without a response launched before the policy was written', () => {
    const placement = { pool: 'spot-b', count: 5, offerings: [] };
    const born = (id: string, agoMs: number): Member => member(id, spotA, { launchedAtMs: nowMs - agoMs, reservation: 'r-1' });
    const shown = [born('i-1', 30_000), born('i-2', 20_000), born('i-3', 10_000)];
    const left = (open: Partial<Reservation>) =>
      looked(state({ reservations: [reservation({ id: 'r-1', placement, ...open })] }), nowMs, { members: shown }).left;
    expect(left({ rewrittenAtMs: nowMs - 20_000 })).toBe(27);
    expect(left({})).toBe(25);
    expect(left({ id: 'r-2', rewrittenAtMs: nowMs - 20_000 })).toBe(25);
  });

  it('does not count what a request without a response from before the policy was written launched, and has ended', () => {
    const placement = { pool: 'spot-b', count: 5, offerings: [] };
    const left = (open: Partial<Reservation>) =>
      looked(state({ reservations: [reservation({ id: 'r-1', placement, ...open })] }), nowMs, { endedUnder: { 'r-1': 2 } }).left;
    expect(left({ rewrittenAtMs: nowMs - 20_000 })).toBe(27);
    expect(left({})).toBe(25);
    expect(left({ id: 'r-2', rewrittenAtMs: nowMs - 20_000 })).toBe(25);
  });

  it('grows by each member that EC2 warns about, while the warning is young', () => {
    const of = rememberWarnings(launched(30), usual, 6, nowMs);
    expect(looked(of).left).toBe(6);
    expect(looked(of, nowMs + 10 * minuteMs - 1).left).toBe(6);
    expect(looked(launched(30, of, nowMs + 5 * minuteMs), nowMs + 10 * minuteMs).left).toBe(0);
  });

  it('is a share of the largest size within the time', () => {
    const shrunk = { ...launched(40, state({ desired: 20 })), desired: 4 };
    expect(looked(shrunk)).toMatchObject({ left: 20, launched: 40, atMost: 60, untilMs: nowMs + 10 * minuteMs });
    expect(looked(shrunk, nowMs + 10 * minuteMs).atMost).toBe(12);
  });

  it('counts launches of one part of the time together, as of the last of them', () => {
    const storm = Array.from({ length: 900 }, (_, index) => index).reduce((of, index) => launched(1, of, nowMs + 1_000 * index), state());
    expect(storm.launches?.length).toBeLessThanOrEqual(31);
    const two = launched(1, launched(1), nowMs + 5_000);
    expect(two.launches).toEqual([{ atMs: nowMs + 5_000, count: 2, desired: 10 }]);
  });

  it('keeps launches and warnings of different parts of the time apart', () => {
    const later = nowMs + 5 * minuteMs;
    expect(launched(2, launched(1), later).launches).toEqual([
      { atMs: nowMs, count: 1, desired: 10 },
      { atMs: later, count: 2, desired: 10 },
    ]);
    const warned = (before: GroupState, count: number, atMs: number) => rememberWarnings(before, usual, count, atMs);
    const first = warned(state(), 1, nowMs);
    expect(warned(first, 0, later)).toBe(first);
    expect(warned(first, 2, nowMs + 1_000).warnings).toEqual([{ atMs: nowMs, count: 3 }]);
    const two = warned(first, 2, later);
    expect(two.warnings).toEqual([
      { atMs: nowMs, count: 1 },
      { atMs: later, count: 2 },
    ]);
    expect(warned(two, 4, later + 1_000).warnings).toEqual([
      { atMs: nowMs, count: 1 },
      { atMs: later, count: 6 },
    ]);
  });

  it('counts the instances that describes show for a request without a response', () => {
    const open = state({ reservations: [reservation()] });
    const shown = view({ state: open, members: members(spotA, 2, { reservation: 'r-1' }) });
    expect(countForgotten(shown, new Set()).launches).toEqual([{ atMs: nowMs, count: 2, desired: 10 }]);
    expect(countForgotten(shown, new Set(['r-1']))).toBe(open);
  });

  it('notes on open requests from before a write of the policy when that was, and counts no launch from before it', () => {
    const rewritten = (atMs: number, writtenAtMs: number, rest: Partial<Reservation> = {}) =>
      withoutLaunches(state({ reservations: [reservation({ atMs, ...rest })] }), writtenAtMs, nowMs).reservations[0]?.rewrittenAtMs;
    expect(rewritten(nowMs - 9, nowMs - 5)).toBe(nowMs - 5);
    expect(rewritten(nowMs - 9, Number.POSITIVE_INFINITY)).toBe(nowMs);
    expect(rewritten(nowMs - 5, nowMs - 9)).toBeUndefined();
    expect(rewritten(nowMs - 9, nowMs - 5, { instances: ['i-1'] })).toBeUndefined();
    const [old, young] = [10_000, 1_000].map((agoMs) => member(`i-${agoMs}`, spotA, { reservation: 'r-1', launchedAtMs: nowMs - agoMs }));
    const open = state({ reservations: [reservation({ rewrittenAtMs: nowMs - 5_000 })] });
    expect(countForgotten(view({ state: open, members: [old ?? young, young] as Member[] }), new Set()).launches).toMatchObject([{ count: 1 }]);
  });

  it('drops launches and warnings once all of them are over, and when the policy is written', () => {
    const of = rememberWarnings(launched(3), usual, 1, nowMs);
    expect(forgetLaunches(of, usual, nowMs + 9 * minuteMs)).toBe(of);
    const [onlyWarned, onlyLaunched] = [rememberWarnings(state(), usual, 1, nowMs), launched(3)];
    expect(forgetLaunches(onlyWarned, usual, nowMs + minuteMs)).toBe(onlyWarned);
    expect(forgetLaunches(onlyLaunched, usual, nowMs + minuteMs)).toBe(onlyLaunched);
    expect(forgetLaunches(of, usual, nowMs + 10 * minuteMs)).toEqual(state());
    expect(withoutLaunches(of, nowMs, nowMs)).toEqual(state());
    const warnedLater = rememberWarnings(launched(3), usual, 1, nowMs + 5 * minuteMs);
    expect(forgetLaunches(warnedLater, usual, nowMs + 10 * minuteMs)).toEqual(state({ warnings: [{ atMs: nowMs + 5 * minuteMs, count: 1 }] }));
    const launchedLater = launched(3, rememberWarnings(state(), usual, 1, nowMs), nowMs + 5 * minuteMs);
    expect(forgetLaunches(launchedLater, usual, nowMs + 10 * minuteMs)).toEqual(
      state({ launches: [{ atMs: nowMs + 5 * minuteMs, count: 3, desired: 10 }] }),
    );
  });
});

describe('a group at its limit', () => {
  const ends = [{ awsCode: 'Client.InternalError', awsMessage: 'Client.InternalError: Client error on launch', count: 29 }];
  const atLimit = (count: number) =>
    decide(view({ members: members(spotA, 4), state: launched(count), news: { detached: [], adviceNotFollowed: [], ends } }));

  it('launches what is left, counts the rest as not placed, and records why', () => {
    const { placements, unplaced, remarks } = atLimit(28);
    expect(placements.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    expect(unplaced).toBe(4);
    expect(remarks).toEqual([{ code: 'launches-bounded', count: 4, launched: 28, atMost: 30, withinMs: 600_000, untilMs: nowMs + 600_000, ends }]);
  });

  it('makes no remark while there is room', () => {
    expect(atLimit(24)).toMatchObject({ unplaced: 0, remarks: [] });
  });
});
