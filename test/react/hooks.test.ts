import { describe, expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import type { DecisionRecord } from '../../core/decision/decision-record.ts';
import type { CapacityIn, Holdings } from '../../core/ports/capacity-provider.ts';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { LeavingFact } from '../../core/swap/claim.ts';
import type { LifecycleHook, Swap } from '../../core/swap/swap.ts';
import { converge } from '../../functions/react/converge.ts';
import type { Facts } from '../../functions/react/messages/facts.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { awsError } from '../aws/fake-aws.ts';
import { members } from '../core/members.ts';
import { nowMs, onDemandB, swapOf } from '../core/views.ts';
import { factsOf, silent } from './facts.ts';
import { worldOf as plainWorld, policy, stored } from './world.ts';

const [first = '', second = '', third = ''] = members(onDemandB, 3).map(({ instance }) => instance);
const hookOf = (token: string): LifecycleHook => ({ asg: 'web-asg', hook: 'h', token, expiresAtMs: nowMs + 600_000 });
const hooked = (instance: string, token: string): LeavingFact => ({ instance, reason: 'hook', atMs: nowMs, hook: hookOf(token) });
const warned = (instance: string): LeavingFact => ({ instance, reason: 'interruption', atMs: nowMs, deadlineMs: nowMs + 120_000 });

/** One look at a group of six: the hooks that it completes, the drains that it starts, its counts, and its records. */
const lookOf = async (
  facts: Partial<Facts>,
  {
    holdings = {},
    swaps = [],
    trouble,
  }: { holdings?: Partial<Holdings>; swaps?: readonly Swap[]; trouble?: { readonly error?: Error; readonly unwritten?: Error } } = {},
) => {
  const seen = {
    advanced: [] as string[],
    failed: undefined as unknown,
    completed: [] as string[],
    started: [] as string[],
    counted: {} as Record<string, number>,
    decided: [] as DecisionRecord[],
  };
  const { world, ports } = plainWorld({ putState: async () => 'done' });
  const provider = {
    ...ports.providerFor(policy.holding),
    describe: async () => ({ members: members(onDemandB, 6), asgs: [], ended: [], aside: [], stopped: [], ...holdings }),
  } as CapacityIn;
  const telemetry = {
    ...silent,
    count: (name: string, by = 1) => {
      seen.counted[name] = (seen.counted[name] ?? 0) + by;
    },
  } as unknown as ReactPorts['telemetry'];
  const looked = converge(factsOf(facts), {
    ...ports,
    store: {
      ...ports.store,
      swaps: async () => swaps,
      stateAndSwaps: async () => ({ state: stored, swaps }),
      swapOf: async (instance) => swaps.find((one) => one.instance === instance),
      swapNow: async ({ instance }) => swaps.find((one) => one.instance === instance),
      advance: async ({ instance }, { set: { state } }) => {
        if (trouble?.unwritten) throw trouble.unwritten;
        if (state !== undefined) seen.advanced.push(`${instance} ${state}`);
        return 'done';
      },
      retire: async () => 'done',
      putDecision: async (record) => void seen.decided.push(record),
    },
    owners: { ownersOf: async () => new Map() },
    lifecycle: {
      complete: async (instance, { token }) => {
        if (trouble?.error && instance === first) throw trouble.error;
        seen.completed.push(`${instance}/${token}`);
        return 'done';
      },
      terminating: async () => [],
    },
    drains: {
      start: async ({ drain }: DrainOrder) => {
        seen.started.push(drain);
        return 'running';
      },
    },
    providerFor: () => provider,
    telemetry,
  });
  await looked.catch((error: unknown) => {
    seen.failed = error;
  });
  return { ...seen, launched: world.launched };
};

describe('a lifecycle hook', () => {
  test('of a member that runs is left to its drain', async () => {
    const { completed, started } = await lookOf({ leaving: [hooked(first, 't-1')] });
    expect([completed, started]).toEqual([[], [expect.stringMatching(/^web-hook-/)]]);
  });

  test('of an instance that has ended is completed at once: its Auto Scaling group waits on, and no drain comes', async () => {
    const left = members(onDemandB, 6).slice(1);
    const leaving = [hooked(first, 't-1'), hooked(second, 't-2')];
    const byDescribe = await lookOf({ leaving }, { holdings: { members: left, ended: [first] } });
    expect(byDescribe.completed).toEqual([`${first}/t-1`]);
    const bySignal = await lookOf({ leaving, ended: [first] }, { holdings: { members: left } });
    expect(bySignal.completed).toEqual([`${first}/t-1`]);
  });

  test('of an instance that has ended is completed although its swap cannot be closed', async () => {
    const holdings = { members: members(onDemandB, 6).slice(1), ended: [first] };
    const unwritten = awsError('InternalServerError', 'Try again.', 500);
    const { completed, failed } = await lookOf({ leaving: [hooked(first, 't-1')] }, { holdings, trouble: { unwritten } });
    expect([completed, failed]).toEqual([[`${first}/t-1`], unwritten]);
  });

  test('of an instance without a drain is completed by the next look, if the one that claimed it broke off before', async () => {
    const { drain: _, ...claimed } = swapOf(first, { reason: 'hook', pool: 'od-b', hooks: [hookOf('t-1')] });
    const holdings = { members: members(onDemandB, 6).slice(1), ended: [first] };
    const { completed, advanced } = await lookOf({ isTick: true }, { holdings, swaps: [claimed] });
    expect([completed, advanced]).toEqual([[`${first}/t-1`], [`${first} gone`]]);
    const drained = await lookOf({ isTick: true }, { holdings, swaps: [{ ...claimed, drain: 'd-runs' }] });
    expect(drained.completed).toEqual([]);
  });

  test('of an instance whose swap is closed by this look is completed too', async () => {
    const gone = swapOf(first, { state: 'gone', goneAtMs: nowMs - 1_000, pool: 'od-b' });
    const { completed, started } = await lookOf(
      { leaving: [hooked(first, 't-1')] },
      { holdings: { members: members(onDemandB, 6).slice(1) }, swaps: [gone] },
    );
    expect([completed, started]).toEqual([[`${first}/t-1`], []]);
  });

  test('that did not wait is no reason to complete anything', async () => {
    const { completed } = await lookOf({ leaving: [warned(first)] }, { holdings: { members: members(onDemandB, 6).slice(1), ended: [first] } });
    expect(completed).toEqual([]);
  });
});

describe('a hook that AWS does not let us complete now', () => {
  const throttled = awsError('ThrottlingException', 'Try later.', 400);
  const left = members(onDemandB, 6).slice(2);
  const ended = { members: left, ended: [first, second] };

  test('holds up neither launches nor other hooks, and its message comes again', async () => {
    const { completed, launched, failed } = await lookOf(
      { leaving: [hooked(first, 't-1'), hooked(second, 't-2')] },
      { holdings: ended, trouble: { error: throttled } },
    );
    expect([completed, launched, failed]).toEqual([[`${second}/t-2`], 2, throttled]);
  });

  test('is completed by a later look, if its drain left it open: its swap stays as it is', async () => {
    const drained = (instance: string, token: string): Swap =>
      swapOf(instance, { state: 'drained', pool: 'od-b', shortfall: { code: 'not-seen' }, hooks: [hookOf(token)] });
    const swaps = [drained(first, 't-1'), drained(second, 't-2')];
    const { completed, launched, failed, advanced, counted } = await lookOf({}, { holdings: ended, swaps, trouble: { error: throttled } });
    expect([completed, launched, failed, advanced]).toEqual([[`${second}/t-2`], 2, undefined, [`${second} gone`]]);
    expect(counted[metrics.actionsFailed]).toBe(1);
    const denied = await lookOf({}, { holdings: ended, swaps, trouble: { error: awsError('AccessDenied', 'No.', 403) } });
    expect(denied.advanced).toEqual([`${first} gone`, `${second} gone`]);
  });
});

describe('the drains of a look', () => {
  test('are one for the members that EC2 warned about together, and are counted', async () => {
    const { started, counted } = await lookOf({ leaving: [warned(first), warned(second)] });
    expect(started).toHaveLength(1);
    expect(counted[metrics.drainsStarted]).toBe(1);
    expect(counted[metrics.interruptions]).toBe(2);
  });

  test('are stored with the members that they drain and with how many they are', async () => {
    const { decided } = await lookOf({ leaving: [warned(first), hooked(second, 't-2')] });
    const outcome = decided.at(-1)?.outcome;
    expect(outcome).toMatchObject({ code: 'carried-out', drainsStarted: 2 });
    expect(outcome?.code === 'carried-out' && outcome.claimed.map(({ instance, reason }) => `${instance} ${reason}`)).toEqual([
      `${first} interruption`,
      `${second} hook`,
    ]);
  });

  test('do not start for swaps that are over, that wait, or whose drain runs already', async () => {
    const swaps = [
      swapOf(first, { state: 'gone', goneAtMs: nowMs - 1_000, pool: 'od-b', drain: 'd-gone' }),
      { ...swapOf(second, { state: 'waiting', reason: 'rebalance', pool: 'od-b' }), drain: undefined, deadlineMs: undefined } as unknown as Swap,
      swapOf(third, { state: 'draining', pool: 'od-b', drain: 'd-runs', drainStartedAtMs: nowMs - 5_000, drainOrderedAtMs: nowMs - 9_000 }),
    ];
    const { started, counted } = await lookOf({ isTick: true }, { swaps, holdings: { members: members(onDemandB, 6).slice(1) } });
    expect(started).not.toContain('d-gone');
    expect(started).not.toContain('d-runs');
    expect(counted[metrics.interruptions] ?? 0).toBe(0);
  });

  test('of an interruption that only advice announced are counted as no interruption', async () => {
    const { counted } = await lookOf({ leaving: [{ instance: first, reason: 'rebalance', atMs: nowMs }] });
    expect(counted[metrics.interruptions] ?? 0).toBe(0);
  });
});

test('a look that finds nothing stores nothing', async () => {
  expect((await lookOf({ isTick: true })).decided).toEqual([]);
});
