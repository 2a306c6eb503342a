import { expect, test } from 'vitest';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { SwapState } from '../../core/swap/swap.ts';
import type { InForce } from '../../functions/react/look/in-force.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { putOff } from '../../functions/react/turns/put-off.ts';
import { group, nowMs, state, swapOf } from '../core/views.ts';
import { factsOf } from './facts.ts';

/** Whether a group that waits for its turn is put off, when a member with a swap in this state ends. */
const isPutOff = async (swapState: SwapState, facts: Partial<Facts> = {}): Promise<boolean> => {
  const turnAtMs = nowMs + 60_000;
  const need = { urgency: 'missing', size: 4 } as const;
  const waiting = [{ group: 'web', bucket: 'createFleet', calls: 1, instances: 1, need, sinceMs: nowMs, turnAtMs } as const];
  const store = { budget: async () => ({ ...emptyBudget, waiting }), putBudget: async () => 'done' } as unknown as ReactPorts['store'];
  const inForce = { group: group(), state: state(), swaps: [swapOf('i-1', { state: swapState })] } as unknown as InForce;
  const heard = { facts: factsOf({ ended: ['i-1'], ...facts }), inForce };
  return (await putOff([heard], { store, clock: { now: () => nowMs } })).groups.has('web');
};

test('a look waits for the next common one where only members ended that were leaving', async () => {
  for (const swapState of ['leaving', 'draining', 'drained', 'gone'] as const) expect(await isPutOff(swapState)).toBe(true);
  expect(await isPutOff('leaving', { ended: ['i-1', 'i-2'] })).toBe(false);
  expect(await isPutOff('leaving', { isTick: true })).toBe(false);
});

test('the end of a member that waits to leave, or that was put back into service, causes a look at once', async () => {
  expect(await isPutOff('waiting')).toBe(false);
  expect(await isPutOff('withdrawn')).toBe(false);
});
