import { expect, test } from 'vitest';
import type { Swap } from '../../core/swap/swap.ts';
import { claimedMeanwhile } from '../../functions/react/carry-out/claimed-meanwhile.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { decisionOf } from '../core/decisions.ts';
import { nowMs, swapOf, view } from '../core/views.ts';

const claimed = (stored: readonly Swap[], drains: readonly string[] = ['i-1']): Promise<readonly string[]> => {
  const ports = { store: { swaps: async () => stored } } as unknown as Pick<ReactPorts, 'store'>;
  return claimedMeanwhile(decisionOf({ drains }), view({ swaps: [swapOf('i-2')] }), ports);
};

test('members that others claimed since the look are returned, and nothing is read when no member leaves', async () => {
  expect(await claimed([swapOf('i-2'), swapOf('i-3')])).toEqual(['i-3']);
  expect(await claimed([swapOf('i-3')], [])).toEqual([]);
});

test('a kept member was hidden from the decision, and counts as unclaimed', async () => {
  expect(await claimed([swapOf('i-2'), swapOf('i-4', { state: 'drained', keptUntilMs: nowMs + 60_000 })])).toEqual([]);
});
