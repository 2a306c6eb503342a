import { expect, test } from 'vitest';
import type { ActionResult, SwapChange } from '../../core/ports.ts';
import type { Swap } from '../../core/swap.ts';
import { act } from '../../functions/react/act.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { nowMs, state, swapOf, view } from '../core/views.ts';

const notReleased = { code: 'not-released', awsCode: 'BelowMinSize' } as const;

/** Lets all these members go, and returns what was written about them. */
const letGo = async (swaps: readonly Swap[], failed: ActionResult['failed'] = [], ended: readonly string[] = []) => {
  const written: (SwapChange & { readonly instance: string })[] = [];
  const ids = swaps.map(({ instance }) => instance);
  const refused = new Set(failed.map(({ instance }) => instance));
  const run = {
    group: { name: 'web', holding: { kind: 'tag' } },
    turns: { learn: () => {} },
    provider: { release: async (): Promise<ActionResult> => ({ done: ids.filter((instance) => !refused.has(instance)), failed }) },
    ports: {
      clock: { now: () => nowMs },
      store: {
        advance: async ({ instance }: Swap, change: SwapChange) => {
          written.push({ instance, ...change });
          return 'done';
        },
      },
    },
    groupsAtOnce: 1,
  };
  const decision = { unnoticed: ids, admissions: [], raise: [], restore: [] };
  const round = { decision, view: view({ swaps, ended }), sizes: [], launched: [], state: state() };
  await act({ ...run, rounds: [round] } as unknown as Run & { readonly rounds: readonly Round[] });
  return written;
};

test('a member that the minimum size kept in service, and that is let go now, is no longer said to be cut', async () => {
  const kept = swapOf('i-1', { state: 'drained', shortfall: notReleased });
  const other = swapOf('i-2', { state: 'drained', shortfall: { code: 'drain-broke', error: 'AccessDenied' } });
  expect(await letGo([kept, other])).toEqual([{ instance: 'i-1', from: ['drained'], set: {}, clear: ['shortfall'] }]);
});

test('one that is still refused, or was dead before, stays as it was said', async () => {
  const kept = swapOf('i-1', { state: 'drained', shortfall: notReleased });
  expect(await letGo([kept], [{ instance: 'i-1', code: 'BelowMinSize', retry: 'later' }])).toEqual([]);
  expect(await letGo([kept], [], ['i-1'])).toEqual([]);
});
