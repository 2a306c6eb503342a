import { expect, test } from 'vitest';
import {
  isToResume,
  mayBeSuspendedYet,
  openSuspensions,
  type Suspension,
  suspendedFrom,
  suspendedNow,
  withAnswered,
} from '../../../core/view/suspension.ts';
import { asgView, nowMs } from '../views.ts';

const noted = (agoMs: number, resumedAgoMs: number): Suspension => ({
  asg: 'web-asg',
  processes: ['Launch'],
  atMs: nowMs - agoMs,
  resumedAtMs: nowMs - resumedAgoMs,
});

test('a note is open until every describe shows that its processes were resumed, and no function can suspend them', () => {
  const isOpen = (one: Suspension): boolean => openSuspensions([one], nowMs).length > 0;
  expect([isOpen(noted(300_000, 19_999)), isOpen(noted(300_000, 20_000))]).toEqual([true, false]);
  // They were resumed within 55 s of the note. So they are resumed once more.
  expect(isOpen(noted(300_000, 250_000))).toBe(true);
  expect(isOpen({ asg: 'web-asg', processes: ['Launch'], atMs: nowMs - 300_000 })).toBe(true);
});

test('a note is over as soon as its processes are resumed where AWS has answered the calls that suspended them', () => {
  const answered: Suspension = { ...noted(30_000, 1_000), isAnswered: true };
  const shown = [asgView({ name: 'web-asg', suspended: ['Launch'] })];
  expect([mayBeSuspendedYet(noted(30_000, 1_000), nowMs), mayBeSuspendedYet(answered, nowMs)]).toEqual([true, false]);
  expect([isToResume(noted(30_000, 1_000), shown, nowMs), isToResume(answered, shown, nowMs)]).toEqual([true, false]);
  expect(openSuspensions([{ ...answered, resumedAtMs: nowMs - 20_000 }], nowMs)).toEqual([]);
  const { resumedAtMs: _never, ...open } = answered;
  expect([isToResume(open, shown, nowMs), openSuspensions([open], nowMs)]).toEqual([true, [open]]);
});

test('a note is marked as answered where AWS has answered its call', () => {
  const { resumedAtMs: _never, ...note } = noted(1_000, 0);
  const marked = [{ ...note, isAnswered: true }];
  expect(withAnswered([note], [note])).toEqual(marked);
  expect(withAnswered(marked as readonly Suspension[], [note])).toEqual(marked);
  expect(withAnswered([note], [{ ...note, asg: 'other' }])).toEqual([note]);
});

test('an answer is for the note of its call: a later note of another function stands for it no more, and is open itself', () => {
  const earlier: Suspension = { asg: 'web-asg', processes: ['Launch'], atMs: nowMs - 1_000 };
  const later: Suspension = { ...earlier, atMs: nowMs, beforeMs: nowMs - 1_000 };
  const { beforeMs: _answered, ...alone } = later;
  expect(withAnswered([later], [earlier])).toEqual([alone]);
  expect(withAnswered([{ ...later, isAnswered: true }], [earlier])).toEqual([{ ...alone, isAnswered: true }]);
  expect(withAnswered([later], [later])).toEqual([{ ...later, isAnswered: true }]);
  expect(withAnswered([later], [earlier, later])).toEqual([{ ...alone, isAnswered: true }]);
  const notes = [later];
  expect(withAnswered(notes, [{ ...earlier, atMs: nowMs - 2_000 }])).toBe(notes);
});

test('processes that were resumed before AWS answered the call are resumed once more, because the call may have taken effect later', () => {
  const resumed: Suspension = { ...noted(1_000, 0), resumedAtMs: nowMs - 500 };
  const [answered] = withAnswered([resumed], [resumed]);
  expect(answered && isToResume(answered, [], nowMs)).toBe(true);
  expect(openSuspensions(withAnswered([resumed], [resumed]), nowMs + 300_000)).toHaveLength(1);
});

test('a note also stands for the function of an earlier note that may still call AWS, and no longer than that one would', () => {
  const asked: Suspension = { asg: 'web-asg', processes: ['Launch'], opensForAttach: true };
  const { opensForAttach: _decided, ...fresh } = asked;
  const beforeOf = (earlier: Omit<Suspension, 'processes' | 'asg'>, asg = 'web-asg') =>
    suspendedFrom(asked, [{ asg, processes: ['Launch'], ...earlier }], nowMs).beforeMs;
  expect(suspendedFrom(asked, [], nowMs)).toEqual({ ...fresh, atMs: nowMs });
  expect([beforeOf({ atMs: nowMs - 34_999 }), beforeOf({ atMs: nowMs - 35_000 })]).toEqual([nowMs - 34_999, undefined]);
  expect(beforeOf({ atMs: nowMs - 20_000, isAnswered: true })).toBeUndefined();
  expect(beforeOf({ atMs: nowMs - 20_000, isAnswered: true, beforeMs: nowMs - 30_000 })).toBe(nowMs - 30_000);
  expect(beforeOf({ atMs: nowMs - 20_000, beforeMs: nowMs - 30_000 })).toBe(nowMs - 20_000);
  expect(beforeOf({ atMs: nowMs - 20_000 }, 'other')).toBeUndefined();
  expect(beforeOf({})).toBeUndefined();
  const isOpen = (rest: Partial<Suspension>) => mayBeSuspendedYet({ ...fresh, atMs: nowMs - 40_000, ...rest }, nowMs);
  const [open, over] = [nowMs - 54_999, nowMs - 55_000];
  expect([isOpen({ isAnswered: true, beforeMs: open }), isOpen({ isAnswered: true, beforeMs: over })]).toEqual([true, false]);
  expect(isOpen({ beforeMs: over })).toBe(true);
});

test('processes that were resumed for good are not resumed again: what a look shows may be old, or their owner’s', () => {
  const shown = [asgView({ name: 'web-asg', suspended: ['Launch'] })];
  expect(isToResume(noted(300_000, 19_999), shown, nowMs)).toBe(false);
  expect(isToResume(noted(300_000, 250_000), shown, nowMs)).toBe(true);
});

test('a look does not count what we resumed within the last 20 s as suspended', () => {
  const now = (one: Suspension, name = 'web-asg') => suspendedNow({ name, suspended: ['Launch', 'AZRebalance'] }, [one], nowMs);
  expect(now(noted(300_000, 19_999))).toEqual(['AZRebalance']);
  expect(now(noted(300_000, 20_000))).toEqual(['Launch', 'AZRebalance']);
  expect(now(noted(300_000, 0), 'other')).toEqual(['Launch', 'AZRebalance']);
});
