import { expect, test } from 'vitest';
import { decide } from '../../core/decide/decide.ts';
import type { Decision } from '../../core/decision/decision.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import { isNews } from '../../functions/react/record/is-news.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { group, state, view } from '../core/views.ts';
import { factsOf } from './facts.ts';

const run = (facts: Partial<Facts>): Run => ({ facts: factsOf(facts), group: group() }) as unknown as Run;
const wake = run({ isTick: true, messages: [] });
const atRest = decide(view());
const short = (missing: number, rest: Partial<Decision> = {}): Decision => ({ ...atRest, unplaced: missing, uncovered: missing, ...rest });
const round = (decision: Decision, rest: Partial<Round> = {}) => ({ decision, sizes: [], launched: [], ...rest });

test('a shortage that was stored already is no news in a look that only a wake caused', () => {
  const stored = state({ uncovered: 2 });
  expect(isNews(wake, round(short(2)), stored)).toBe(false);
  // The tick of each minute stores and reports it, and so does every signal.
  expect(isNews(run({ isTick: true, isMinute: true, messages: [] }), round(short(2)), stored)).toBe(true);
  expect(isNews(run({ isTick: true, messages: ['m-1'] }), round(short(2)), stored)).toBe(true);
  expect(isNews(run({ isTick: false, messages: [] }), round(short(2)), stored)).toBe(true);
});

test('a shortage that is new, or larger or smaller than the last one, is news in any look', () => {
  expect(isNews(wake, round(short(2)), state())).toBe(true);
  for (const before of [1, 3]) expect(isNews(wake, round(short(2)), state({ uncovered: before }))).toBe(true);
});

test('whatever a look does besides is news', () => {
  const stored = state({ uncovered: 2 });
  expect(isNews(wake, round(short(2, { admissions: ['i-1'] })), stored)).toBe(true);
  expect(isNews(wake, round(short(2), { launched: [{}] as unknown as Round['launched'] }), stored)).toBe(true);
  expect(isNews(wake, round(short(2), { sizes: [{ code: 'policy', from: 1, to: 2 }] }), stored)).toBe(true);
});

test('a look that finds nothing to do is none', () => {
  expect(isNews(run({ isTick: true, isMinute: true, messages: [] }), round(atRest), state())).toBe(false);
});
