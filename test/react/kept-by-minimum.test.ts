import { describe, expect, test } from 'vitest';
import { asGone } from '../../core/drain/shortfall.ts';
import type { ActionResult, Releasing } from '../../core/ports/capacity-provider.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { awsError } from '../aws/fake-aws.ts';
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
  /** What the table cannot store now. */
  readonly isLost?: (change: SwapChange) => boolean;
  /** Other functions have changed all swaps since the look. */
  readonly isLate?: boolean;
};

/** What is written, and who is asked to leave, where EC2 has refused so many replacements. */
const letGoOf = async ({ swaps, failed = [], ended = [], unplaced = 0, isLost = () => false, isLate = false }: Told) => {
  const asked: string[] = [];
  const written: (SwapChange & { readonly instance: string })[] = [];
  const ids = swaps.map(({ instance }) => instance);
  const refused = new Set(failed.map(({ instance }) => instance));
  const run = {
    group: { name: 'web', holding: { kind: 'tag' } },
    turns: { learn: () => {} },
    provider: {
      release: async (_group: unknown, leaving: readonly Swap[], { beforeEnding }: Required<Releasing>): Promise<ActionResult> => {
        const may = await beforeEnding(leaving.map(({ instance }) => instance));
        asked.push(...may);
        return { done: may.filter((instance) => !refused.has(instance)), failed };
      },
    },
    ports: {
      clock: { now: () => nowMs },
      wakes: { wake: async () => {} },
      drains: {},
      store: {
        advance: async ({ instance }: Swap, change: SwapChange) => {
          if (isLost(change)) throw awsError('InternalServerError', 'try again', 500);
          if (isLate) return 'conflict';
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

test('what cannot be stored about members that were let go holds up nothing else', async () => {
  const isLost = ({ clear = [] }: SwapChange): boolean => clear.length > 0;
  const kept = swapOf('i-1', { state: 'drained', shortfall: notReleased });
  expect((await letGoOf({ swaps: [kept], isLost })).asked).toEqual(['i-1']);
  const failed = [{ instance: 'i-1', code: 'Throttling', retry: 'later' as const }];
  expect((await letGoOf({ swaps: [{ ...kept, state: 'draining' }], failed, isLost })).asked).toEqual(['i-1']);
});

describe('a member that its Auto Scaling group ends while it drains', () => {
  const draining = swapOf('i-1', { state: 'draining', reason: 'rebalance', asg: 'web-asg' });
  const asked = { instance: 'i-1', from: ['draining'], set: { releaseAskedAtMs: nowMs } };

  test('is stored as ended by us, so its connections do not count as cut by EC2', async () => {
    const [note] = await letGo([draining]);
    expect(note).toEqual(asked);
    expect(asGone({ ...draining, ...note?.set }, nowMs + 1_000).shortfall).toBeUndefined();
    expect(asGone(draining, nowMs + 1_000).shortfall).toMatchObject({ by: 'ec2' });
  });

  test('is not stored so once more, or when it has ended before', async () => {
    expect(await letGo([{ ...draining, releaseAskedAtMs: nowMs - 1 }])).toEqual([]);
    expect(await letGo([draining], [], ['i-1'])).toEqual([]);
  });

  test('is no longer stored so where the call was certainly not carried out', async () => {
    const failed = (code: string) => [{ instance: 'i-1', code, retry: 'later' as const }];
    expect(await letGo([draining], failed('Throttling'))).toEqual([
      asked,
      { instance: 'i-1', from: ['draining'], set: {}, clear: ['releaseAskedAtMs'] },
    ]);
    expect(await letGo([draining], failed('InternalFailure'))).toEqual([asked]);
  });

  test('stays for now if that cannot be stored', async () => {
    expect(await letGoOf({ swaps: [draining], isLost: () => true })).toEqual({ written: [], asked: [] });
  });

  test('stays for now if its swap moved on, because it may be back in service', async () => {
    expect((await letGoOf({ swaps: [draining], isLate: true })).asked).toEqual([]);
  });
});
