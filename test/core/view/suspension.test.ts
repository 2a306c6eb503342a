import { expect, test } from 'vitest';
import { isToResume, mayBeSuspendedYet, openSuspensions, type Suspension, suspendedNow, withAnswered } from '../../../core/view/suspension.ts';
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

test('a note is marked as answered unless the function of an earlier note may still call AWS', () => {
  const { resumedAtMs: _never, ...note } = noted(1_000, 0);
  const marked = [{ ...note, isAnswered: true }];
  const earlier = (agoMs: number, rest: Partial<Suspension> = {}): Suspension => ({ ...note, atMs: nowMs - 1_000 - agoMs, ...rest });
  expect(withAnswered([note], [note])).toEqual(marked);
  expect(withAnswered([note], [note], [earlier(35_000)])).toEqual(marked);
  expect(withAnswered([note], [note], [earlier(34_999)])).toEqual([note]);
  expect(withAnswered([note], [note], [earlier(34_999, { isAnswered: true })])).toEqual(marked);
  expect(withAnswered([note], [note], [earlier(34_999, { asg: 'other' })])).toEqual(marked);
  expect(withAnswered([note], [note], [{ asg: 'web-asg', processes: ['Launch'] }])).toEqual(marked);
  expect(withAnswered([note], [{ ...note, asg: 'other' }])).toEqual([note]);
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
