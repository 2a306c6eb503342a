import { describe, expect, it } from 'vitest';
import type { DrainOrder } from '../../core/ports/drains.ts';
import type { Owner } from '../../core/ports/owners.ts';
import type { SwapChange } from '../../core/ports/state-store.ts';
import type { LifecycleHook, Swap } from '../../core/swap/swap.ts';
import { closeLetGo } from '../../functions/react/let-go/open-swaps.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { awsError } from '../aws/fake-aws.ts';
import { group, noonMs, swap } from '../drain/fleet.ts';
import { silent } from './facts.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;
const offering = { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' } as const;
const running: Owner = { group: 'web', offering, state: 'running' };

/** Closes these swaps of a group that was let go; EC2 shows the named instances in these states, and all others as running. */
const closed = async (
  swaps: readonly Swap[],
  atS: number,
  states: Readonly<Record<string, string | undefined>> = {},
  { troubled, wasLetGo = true }: { readonly troubled?: string; readonly wasLetGo?: boolean } = {},
) => {
  const advanced: (readonly [string, SwapChange])[] = [];
  const retired: Swap[] = [];
  const started: DrainOrder[] = [];
  const completed: string[] = [];
  const ports = {
    store: {
      swaps: async () => swaps,
      lastGroup: async () => group(),
      advance: async ({ instance }: Swap, change: SwapChange) => {
        advanced.push([instance, change]);
        return 'done';
      },
      retire: async (one: Swap) => void retired.push(one),
    },
    owners: {
      ownersOf: async (instances: readonly string[]) =>
        new Map(
          instances.flatMap((instance) => {
            const state = instance in states ? states[instance] : 'running';
            return state === undefined ? [] : [[instance, { ...running, state }] as const];
          }),
        ),
    },
    lifecycle: {
      complete: async (instance: string, { token }: LifecycleHook) => {
        if (instance === troubled) throw awsError('ThrottlingException', 'Try later.', 400);
        completed.push(`${instance}/${token}`);
      },
    },
    telemetry: silent,
    drains: { start: async (order: DrainOrder) => void started.push(order) },
    clock: { now: () => inMs(atS) },
    random: () => 0,
  } as unknown as ReactPorts;
  const open = await closeLetGo({ group: 'web', stoppedDrains: [], wasLetGo }, ports);
  return { open: open.map(({ instance }) => instance), advanced, retired, started, completed };
};

const warned = swap('i-1', { reason: 'interruption', deadlineMs: inMs(120) });
const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: inMs(600), timeoutMs: 600_000 };

describe('swaps of a group that was let go', () => {
  it('stay open while EC2 is to take their instances, and are closed when it has', async () => {
    expect(await closed([warned], 60)).toMatchObject({ open: ['i-1'], advanced: [], retired: [] });
    const { open, advanced } = await closed([warned], 130, { 'i-1': 'terminated' });
    expect(open).toEqual([]);
    expect(advanced).toMatchObject([['i-1', { from: ['leaving'], set: { state: 'gone', shortfall: { code: 'let-go' } } }]]);
  });

  it('stay open while their instances are only stopped, and are dropped ten minutes after the deadline', async () => {
    const state = { 'i-1': 'stopped' };
    const drained = { ...warned, state: 'drained', drainStartedAtMs: noonMs } as const;
    for (const one of [warned, drained]) {
      expect(await closed([one], 130, { 'i-1': 'stopping' })).toMatchObject({ open: ['i-1'], advanced: [], retired: [] });
      // Nobody ends them: a running group does so once enough others serve.
      expect(await closed([one], 719, state)).toMatchObject({ open: ['i-1'], advanced: [], started: [] });
      expect(await closed([one], 720, state)).toMatchObject({ open: [], advanced: [], retired: [{ instance: 'i-1' }] });
    }
  });

  // Nothing tells the first look whether the instance ended before the policy was deleted or after it.
  it('do not say that the group was let go where the first look after that finds their instances ended', async () => {
    const { advanced } = await closed([warned], 60, { 'i-1': 'terminated' }, { wasLetGo: false });
    expect(advanced).toMatchObject([['i-1', { set: { state: 'gone', shortfall: { code: 'ended-before-drain' } } }]]);
  });

  it('that are over are left as they are, and are not open', async () => {
    const gone = swap('i-2', { reason: 'interruption', state: 'gone', goneAtMs: noonMs, deadlineMs: inMs(120) });
    expect(await closed([gone], 60)).toEqual({ open: [], advanced: [], retired: [], started: [], completed: [] });
    expect(await closed([gone, warned], 60, { 'i-2': 'terminated' })).toMatchObject({ open: ['i-1'], advanced: [], retired: [] });
  });

  it('are closed ten minutes after the deadline when no describe shows their instances any more', async () => {
    expect((await closed([warned], 719, { 'i-1': undefined })).open).toEqual(['i-1']);
    expect((await closed([warned], 720, { 'i-1': undefined })).advanced).toHaveLength(1);
  });

  it('are dropped where their end was our choice and had not begun', async () => {
    const { open, retired } = await closed([swap('i-1', { reason: 'rebalance', state: 'waiting' })], 0);
    expect(open).toEqual([]);
    expect(retired).toMatchObject([{ instance: 'i-1', shortfall: { code: 'let-go' } }]);
  });

  it('have their hooks completed if nothing has begun', async () => {
    expect((await closed([swap('i-1', { reason: 'hook', hooks: [hook] })], 1)).completed).toEqual(['i-1/t']);
  });

  it('have the hooks completed that their drains left open, once EC2 has taken their instances', async () => {
    const shortfall = { code: 'still-draining', cutAtMs: inMs(120), by: 'ec2' } as const;
    const drained = { ...warned, state: 'drained', drainStartedAtMs: noonMs, drainedAtMs: inMs(110), hooks: [hook], shortfall } as const;
    expect((await closed([drained], 121)).completed).toEqual([]);
    expect((await closed([drained], 121, { 'i-1': 'terminated' })).completed).toEqual(['i-1/t']);
  });

  it('have their hooks completed where their instances had ended before they were claimed, so that no drain does', async () => {
    const { drain: _, ...claimed } = swap('i-1', { reason: 'hook', hooks: [hook] });
    expect((await closed([claimed], 1, { 'i-1': 'terminated' })).completed).toEqual(['i-1/t']);
    expect((await closed([{ ...claimed, drain: 'd-1' }], 1, { 'i-1': 'terminated' })).completed).toEqual([]);
  });

  it('stay as they are until AWS completes these hooks, and hold up no others', async () => {
    const shortfall = { code: 'still-draining', cutAtMs: inMs(120), by: 'ec2' } as const;
    const drained = { ...warned, state: 'drained', drainStartedAtMs: noonMs, drainedAtMs: inMs(110), hooks: [hook], shortfall } as const;
    const both = [drained, { ...drained, instance: 'i-2' }];
    const { advanced, completed } = await closed(both, 121, { 'i-1': 'terminated', 'i-2': 'terminated' }, { troubled: 'i-1' });
    expect(completed).toEqual(['i-2/t']);
    expect(advanced).toMatchObject([['i-2', { set: { state: 'gone' } }]]);
  });

  it('have the drain started that a warning has moved them to, as long as its start may be missing', async () => {
    const moved = swap('i-1', { reason: 'interruption', state: 'draining', drainStartedAtMs: noonMs, deadlineMs: inMs(150), drain: 'web-swap-1' });
    const ordered = { ...moved, drainOrderedAtMs: inMs(9) };
    expect((await closed([ordered], 10)).started).toEqual([{ group: 'web', drain: 'web-swap-1' }]);
    expect((await closed([{ ...ordered, drainOrderedAtMs: noonMs }], 10)).started).toEqual([]);
    expect((await closed([ordered], 129)).started).toEqual([]);
  });

  it('go to another drain where one that had begun broke off', async () => {
    const stuck = swap('i-1', { reason: 'scale-in', state: 'draining', drainStartedAtMs: noonMs });
    expect((await closed([stuck], 719)).started).toEqual([]);
    expect((await closed([stuck], 720)).started).toMatchObject([{ group: 'web', drain: expect.stringContaining('web-mend') }]);
  });
});
