import { expect, test } from 'vitest';
import { isToResume, openSuspensions, type Suspension, suspendedNow } from '../../../core/view/suspension.ts';
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
