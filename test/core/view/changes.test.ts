import { expect, it } from 'vitest';
import { changesIn } from '../../../core/view/changes.ts';
import { nowMs, reservation, state, swapOf } from '../views.ts';

const granted = reservation({ instances: ['i-1', 'i-2'] });

it('returns what a group was granted, and the reservations whose requests have no response', () => {
  const { instances: _, ...open } = granted;
  const reservations = [granted, { ...granted, instances: ['i-3'] }, open];
  expect(changesIn(state({ reservations, desired: 4 }), {})).toEqual({ size: 4, granted: ['i-1', 'i-2', 'i-3'], open: [granted.id], ended: [] });
  expect(changesIn(undefined, { ended: ['i-1'] })).toBeUndefined();
});

it('returns whom the state notes as registered, and under which policy', () => {
  const registered = { 'i-1': nowMs, 'i-2': nowMs };
  expect(changesIn(state({ registered, policyVersion: 3 }), {})?.registered).toEqual({ policyVersion: 3, instances: ['i-1', 'i-2'] });
});

it('returns whose end signals report now, whose end is stored, and whose swap is over', () => {
  const swaps = [swapOf('i-3', { state: 'gone' }), swapOf('i-4', { state: 'draining' })];
  const { ended } = changesIn(state({ ended: { 'i-2': nowMs } }), { swaps, ended: ['i-1'] }) ?? {};
  expect(ended).toEqual(['i-1', 'i-2', 'i-3']);
});
