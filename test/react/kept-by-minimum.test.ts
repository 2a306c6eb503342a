import { expect, test } from 'vitest';
import type { ActionResult } from '../../core/ports/capacity-provider.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { nowMs, state, swapOf, view } from '../core/views.ts';

const notReleased = { code: 'not-released', awsCode: 'BelowMinSize' } as const;

/** Lets all these members go, and returns what was written about them. */
const letGo = async (swaps: readonly Swap[], failed: ActionResult['failed'] = [], ended: readonly string[] = []) =>
  (await letGoOf({ swaps, failed, ended })).written;

type Told = {
  readonly swaps: readonly Swap[];
  readonly failed?: ActionResult['failed'];
  readonly ended?: readonly string[];
  readonly unplaced?: number;
};

/** What is written, and who is asked to leave, where EC2 has refused so many replacements. */
const letGoOf = async ({ swaps, failed = [], ended = [], unplaced = 0 }: Told) => {
  const asked: string[] = [];
  const written: (SwapChange & { readonly instance: string })[] = [];
  const ids = swaps.map(({ instance }) => instance);
  const refused = new Set(failed.map(({ instance }) => instance));
  const run = {
    group: { name: 'web', holding: { kind: 'tag' } },
    turns: { learn: () => {} },
    provider: {
      release: async (_group: unknown, leaving: readonly Swap[]): Promise<ActionResult> => {
        asked.push(...leaving.map(({ instance }) => instance));
        return { done: ids.filter((instance) => !refused.has(instance)), failed };
      },
    },
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
  const decision = { unnoticed: ids, unplaced: 0, admissions: [], raise: [], restore: [] };
  const round = { decision, view: view({ swaps, ended }), sizes: [], launched: [], state: state() };
  const last = { ...round, decision: { ...decision, unplaced } };
  await carryOutRounds({ ...run, rounds: [round, last] } as unknown as Run & { readonly rounds: readonly Round[] });
  return { written, asked };
};

test('of members whose replacements EC2 has refused, the living stay and the dead are let go', async () => {
  const swaps = ['i-1', 'i-2', 'i-3'].map((instance) => swapOf(instance, { state: 'drained' }));
  expect((await letGoOf({ swaps, unplaced: 1 })).asked).toEqual(['i-1', 'i-2']);
  expect((await letGoOf({ swaps, unplaced: 2, ended: ['i-1', 'i-3'] })).asked).toEqual(['i-1', 'i-3']);
  expect((await letGoOf({ swaps })).asked).toEqual(['i-1', 'i-2', 'i-3']);
});

test('a member that the minimum size kept in service, and that may leave now, is no longer recorded as cut', async () => {
  const kept = swapOf('i-1', { state: 'drained', shortfall: notReleased });
  const other = swapOf('i-2', { state: 'drained', shortfall: { code: 'drain-broke', error: 'AccessDenied' } });
  expect(await letGo([kept, other])).toEqual([{ instance: 'i-1', from: ['drained'], set: {}, clear: ['shortfall'] }]);
});

test('a member that is still refused, or had ended before, stays as it was recorded', async () => {
  const kept = swapOf('i-1', { state: 'drained', shortfall: notReleased });
  expect(await letGo([kept], [{ instance: 'i-1', code: 'BelowMinSize', retry: 'later' }])).toEqual([]);
  expect(await letGo([kept], [], ['i-1'])).toEqual([]);
});
