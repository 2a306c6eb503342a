import { expect, it } from 'vitest';
import type { SwapState } from '../../../core/swap/swap.ts';
import { enteredFrom, isForward } from '../../../core/swap/transitions.ts';

const states = Object.keys(enteredFrom) as readonly SwapState[];

it('states never move backwards', () => {
  expect(states.filter((state) => isForward(state, 'waiting'))).toEqual(['waiting']);
  expect(states.filter((state) => isForward(state, 'draining'))).toEqual(['waiting', 'leaving', 'draining']);
  expect(states.filter((state) => isForward('gone', state))).toEqual(['gone', 'withdrawn']);
});

it('a state is entered from earlier ones alone', () => {
  for (const to of states) for (const from of enteredFrom[to]) expect([from, to, isForward(from, to) && from !== to]).toEqual([from, to, true]);
});

it('a drain takes no waiting member out of service', () => {
  expect(states.filter((to) => enteredFrom[to].includes('waiting'))).toEqual(['leaving']);
});
