import { expect, it } from 'vitest';
import { unreportedEnds } from '../../../core/decision/unreported-ends.ts';
import { decisionOf } from '../decisions.ts';
import { state, swapOf, view } from '../views.ts';

const boot = { pool: 'spot-a', code: 'Server.InternalError', message: '', atMs: 0, restsUntilMs: 0, streak: 1, instances: ['i-b'] };
const short = decisionOf({ unplaced: 1 });

it('ends that no signal reported are named where members are missing', () => {
  const look = view({ ended: ['i-a', 'i-b', 'i-a'], state: state({ ended: { 'i-b': 0 } }) });
  expect(unreportedEnds(look, short, [])).toEqual(['i-a']);
  expect(unreportedEnds(look, short, ['i-a'])).toEqual([]);
  expect(unreportedEnds(look, decisionOf({ placements: [{ pool: 'spot-a', count: 1, offerings: [] }] }), [])).toEqual(['i-a']);
  expect(unreportedEnds(look, decisionOf({}), [])).toEqual([]);
  expect(unreportedEnds(look, undefined, [])).toEqual([]);
});

it('unreported ends leave out an end that has a swap, or that is reported as a failed boot', () => {
  const look = view({ ended: ['i-a', 'i-b', 'i-c'], swaps: [swapOf('i-a')], news: { detached: [], adviceNotFollowed: [], failedBoots: [boot] } });
  expect(unreportedEnds(look, short, [])).toEqual(['i-c']);
});

it('unreported ends leave out what a warm pool has stopped', () => {
  expect(unreportedEnds(view({ ended: ['i-a', 'i-b'], aside: ['i-a'] }), short, [])).toEqual(['i-b']);
});

it('of many, the first 300 are named', () => {
  const look = view({ ended: Array.from({ length: 310 }, (_, index) => `i-${index}`) });
  expect(unreportedEnds(look, short, [])).toHaveLength(300);
});
