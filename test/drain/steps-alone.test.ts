import { describe, expect, test } from 'vitest';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { judge, longestDelay } from '../../functions/begin-drain/judge.ts';
import { checkDrain } from '../../functions/check-drain/check-drain.ts';
import { endDrain } from '../../functions/end-drain/end-drain.ts';
import { awsError } from '../aws/fake-aws.ts';
import { createFleet, type Fleet, group, member, noonMs, order, swap } from './fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;
const isoOf = (seconds: number) => new Date(inMs(seconds)).toISOString().replace('.000Z', 'Z');
const warned = { deadlineMs: inMs(120) };
const throttled = async (): Promise<never> => Promise.reject(awsError('RequestLimitExceeded'));

describe('whether a drain begins', () => {
  const judging = (fleet: Fleet, own: readonly Swap[], rest: { readonly knownDelayMs?: number; readonly mayGrow?: boolean } = {}) => {
    const { store, clock, missed } = fleet.ports;
    const state = fleet.desired === undefined ? undefined : ({ desired: fleet.desired, reservations: fleet.reservations } as never);
    const batch = { group: fleet.group, state, own, all: own, gone: [], isLetGo: false } as never;
    const { knownDelayMs, mayGrow = false } = rest;
    return judge({ store, clock, missed, provider: fleet.provider }, { group: fleet.group ?? group(), batch, knownDelayMs, mayGrow });
  };
  const waiting = () => {
    const fleet = createFleet([swap('i-1', warned)], 30_000);
    fleet.desired = 2;
    return fleet;
  };

  test('now, because enough others serve', async () => {
    const fleet = waiting();
    fleet.members = [member('i-1'), member('i-2'), member('i-3')];
    expect(await judging(fleet, [swap('i-1', warned)])).toEqual({ kind: 'begin', because: 'enough-serving' });
  });

  test('now, because it has begun, or because its time has come, without any look', async () => {
    const fleet = waiting();
    expect(await judging(fleet, [swap('i-1', { ...warned, state: 'draining' })])).toEqual({ kind: 'begin', because: 'begun' });
    fleet.nowMs = inMs(110);
    expect(await judging(fleet, [swap('i-1', warned)])).toEqual({ kind: 'begin', because: 'latest-start' });
    expect(await judging(fleet, [swap('i-1', { reason: 'unwanted' })])).toMatchObject({ kind: 'begin' });
    expect(fleet.calls).toEqual([]);
  });

  test('later: the delay that was read goes on to the next step', async () => {
    const verdict = await judging(waiting(), [swap('i-1', warned)]);
    expect(verdict).toMatchObject({ kind: 'later', delayMs: 30_000, mayGrow: false });
  });

  test('later: a delay of none may pass while a member of the batch may come to serve, and is read again then', async () => {
    const fleet = waiting();
    fleet.deregistrationDelayMs = 0;
    fleet.members = [member('i-1', { serving: false })];
    expect(await judging(fleet, [swap('i-1', warned)])).toMatchObject({ kind: 'later', delayMs: 0, mayGrow: true });
    fleet.members = [member('i-1')];
    expect(await judging(fleet, [swap('i-1', warned)])).toMatchObject({ kind: 'later', delayMs: 0, mayGrow: false });
    fleet.members = [member('i-1'), member('i-9', { serving: false })];
    expect(await judging(fleet, [swap('i-1', warned)])).toMatchObject({ kind: 'later', delayMs: 0, mayGrow: false });
  });

  test('later: while replacements boot, the group is not looked at before they may serve, and a delay of none may pass', async () => {
    const fleet = waiting();
    fleet.reservations = [{ atMs: noonMs, replaces: ['i-1'] }];
    expect(await judging(fleet, [swap('i-1', warned)])).toEqual({ kind: 'later', delayMs: 30_000, mayGrow: false, lookAtMs: inMs(20) });
    fleet.deregistrationDelayMs = 0;
    expect(await judging(fleet, [swap('i-1', warned)])).toEqual({ kind: 'later', delayMs: 0, mayGrow: true, lookAtMs: inMs(20) });
    expect(fleet.calls).not.toContain('describe');
    fleet.nowMs = inMs(20);
    fleet.members = [member('i-1')];
    await judging(fleet, [swap('i-1', warned)]);
    expect(fleet.calls).toContain('describe');
  });

  test('later: a look has to wait for its turn, for three reads at first and for one once the delay is known', async () => {
    const fleet = waiting();
    fleet.group = group({ drain: { timeoutMs: 300_000, loadBalancers: ['tg-1'] } });
    const tokens = (left: number): void => {
      fleet.ports.store.budget = async () => ({ ...emptyBudget, levels: { health: { tokens: left, atMs: fleet.nowMs } } });
    };
    const looks = async (rest: { readonly knownDelayMs?: number } = {}): Promise<boolean> => {
      fleet.calls.length = 0;
      expect((await judging(fleet, [swap('i-1', warned)], rest)).kind).toBe('later');
      return fleet.calls.includes('describe');
    };
    tokens(2);
    expect([await looks(), await looks({ knownDelayMs: 30_000 })]).toEqual([false, true]);
    tokens(0);
    expect(await looks({ knownDelayMs: 30_000 })).toBe(false);
    // The replacement was requested so long ago that it may serve.
    fleet.reservations = [{ atMs: noonMs, replaces: ['i-1'] }];
    fleet.nowMs = inMs(20);
    tokens(0);
    expect(await looks({ knownDelayMs: 30_000 })).toBe(false);
  });

  test('later: a look that AWS refuses keeps what is known of the delay, and comes again soon, at the latest start at the latest', async () => {
    const fleet = waiting();
    fleet.provider.describe = throttled;
    expect(await judging(fleet, [swap('i-1', warned)], { knownDelayMs: 30_000, mayGrow: true })).toEqual({
      kind: 'later',
      delayMs: 30_000,
      mayGrow: true,
      lookAtMs: inMs(5),
    });
    fleet.nowMs = inMs(85);
    expect(await judging(fleet, [swap('i-1', warned)], { knownDelayMs: 30_000 })).toMatchObject({ lookAtMs: inMs(87) });
  });

  test('by the longest delay of the batch, which is unknown where one of them is, or where they cannot be read', async () => {
    const fleet = waiting();
    const ports = { ...fleet.ports, provider: fleet.provider };
    const read = () => longestDelay(ports, { group: group(), batch: { own: [swap('i-1'), swap('i-2')] } as never, knownDelayMs: undefined });
    const shows = (...seen: readonly object[]): void => {
      fleet.provider.inspectDrain = async () => seen.map((one, index) => ({ instance: `i-${index + 1}`, drained: false, gone: false, ...one }));
    };
    shows({ deregistrationDelayMs: 20_000 }, { deregistrationDelayMs: 90_000 });
    expect(await read()).toBe(90_000);
    shows({ deregistrationDelayMs: 20_000 }, { drained: true });
    expect(await read()).toBe(20_000);
    shows({ deregistrationDelayMs: 20_000 }, {});
    expect(await read()).toBeUndefined();
    fleet.provider.inspectDrain = throttled;
    expect(await read()).toBeUndefined();
    const known = { group: group(), batch: { own: [] } as never, knownDelayMs: 7_000 };
    expect(await longestDelay(ports, known)).toBe(7_000);
  });
});

describe('the first step of a drain', () => {
  test('leaves members that have begun to drain to the next step, if others of their batch were left behind', async () => {
    const moved = swap('i-2', { ...warned, drain: 'd-1', state: 'withdrawn' as never });
    const fleet = createFleet([swap('i-1', { ...warned, state: 'draining', drainStartedAtMs: noonMs }), moved], 30_000);
    const { step, begun } = await beginDrain(fleet.ports, order());
    expect([step.next, begun]).toEqual(['check', 0]);
  });

  test('takes the rest out of service where some have begun: these are looked at, and not begun again', async () => {
    const fleet = createFleet([swap('i-1', { ...warned, state: 'draining', drainStartedAtMs: noonMs }), swap('i-2', warned)], 30_000);
    fleet.releasedAtMs.set('i-1', noonMs);
    const outcome = await beginDrain(fleet.ports, order());
    expect(outcome).toMatchObject({ step: { next: 'check' }, because: 'begun', begun: 1, failed: [] });
    expect(fleet.releasedAtMs.has('i-2')).toBe(true);
  });

  test('tries a release that was put off again, and only looks once the time of all of them is over', async () => {
    const failing = (changes: Partial<Swap>) => {
      const fleet = createFleet([swap('i-1', changes)], 30_000);
      fleet.desired = 0;
      fleet.failRelease.set('i-1', { code: 'Throttling', retry: 'later', times: 9 });
      return fleet;
    };
    const soon = await beginDrain(failing(warned).ports, order());
    expect(soon.step).toEqual({ next: 'begin', untilIso: isoOf(5) });
    expect(soon.failed).toEqual([{ instance: 'i-1', code: 'Throttling', retry: 'later' }]);
    const over = failing({ deadlineMs: inMs(10) });
    over.nowMs = inMs(120);
    expect((await beginDrain(over.ports, order())).step.next).not.toBe('begin');
  });
});

describe('a look at a draining batch', () => {
  test('goes back to the first step while a member is not out of service and has time left', async () => {
    const fleet = createFleet([swap('i-1', warned), swap('i-2', { ...warned, state: 'draining', drainStartedAtMs: noonMs })], 30_000);
    fleet.releasedAtMs.set('i-2', noonMs);
    expect((await checkDrain(fleet.ports, order())).step).toEqual({ next: 'begin', untilIso: isoOf(0) });
    fleet.nowMs = inMs(121);
    const late = await checkDrain(fleet.ports, order());
    expect(late.step).toEqual({ next: 'end', untilIso: isoOf(121) });
    expect(late).toMatchObject({ open: 0, drained: 1, gone: 0 });
  });

  test('ends a drain without members, and one whose members are done, without a time that its end has to wait for', async () => {
    expect(await checkDrain(createFleet([], 0).ports, order())).toEqual({ step: { next: 'end' }, open: 0, drained: 0, gone: 0 });
    const fleet = createFleet([swap('i-1', { ...warned, state: 'draining', drainStartedAtMs: noonMs })], 10_000);
    fleet.releasedAtMs.set('i-1', noonMs);
    fleet.nowMs = inMs(10);
    expect(await checkDrain(fleet.ports, order())).toEqual({ step: { next: 'end' }, open: 0, drained: 1, gone: 0 });
  });

  test('counts members that EC2 stopped as drained, those that ended as gone, and leaves the others open', async () => {
    const draining = (id: string) => swap(id, { ...warned, state: 'draining', drainStartedAtMs: noonMs });
    const fleet = createFleet(['i-1', 'i-2', 'i-3', 'i-4'].map(draining), 60_000);
    for (const id of ['i-1', 'i-2', 'i-3', 'i-4']) fleet.releasedAtMs.set(id, noonMs);
    fleet.stopped.add('i-2');
    fleet.goneAtMs.set('i-3', noonMs);
    fleet.releasedAtMs.set('i-4', inMs(-60));
    fleet.nowMs = inMs(1);
    expect(await checkDrain(fleet.ports, order())).toMatchObject({ open: 1, drained: 2, gone: 1 });
    expect(fleet.stateOf('i-3').state).toBe('gone');
    expect(fleet.stateOf('i-1').state).toBe('draining');
  });
});

describe('the end of a drain', () => {
  test('that could not end all of its instances for an hour fails, and reports how many still run and why, each reason once', async () => {
    const drained = (id: string) => swap(id, { reason: 'scale-in', state: 'drained', drainedAtMs: noonMs });
    const fleet = createFleet(['i-1', 'i-2', 'i-3'].map(drained), 0);
    for (const [id, code] of [
      ['i-1', 'Throttling'],
      ['i-2', 'Throttling'],
      ['i-3', 'InternalError'],
    ] as const)
      fleet.failEnd.set(id, { code, retry: 'later', times: 1 });
    const { step } = await endDrain(fleet.ports, order(), undefined, { failsSinceMs: inMs(-3_900) });
    expect(step).toEqual({
      next: 'fail',
      error: 'InstancesNotEnded',
      cause:
        '3 drained instances still run (Throttling, InternalError). They are recorded as drained. A tick puts them on a new drain two minutes after they drained.',
    });
  });

  test('that comes after looks have moved its swaps into history sends its event from there, and is repeated where the bus fails', async () => {
    const fleet = createFleet([swap('i-9', { drain: 'd-2' })]);
    const gone = { state: 'gone', goneAtMs: noonMs } as const;
    fleet.history.push(swap('i-1', { ...gone, shortfall: { code: 'not-seen' } }), swap('i-2', gone), swap('i-3', { ...gone, drain: 'd-0' }));
    const over = { next: 'over' };
    expect(await endDrain(fleet.ports, order())).toEqual({ step: over, drained: 0, gone: 2, ended: 0, late: 1, failed: [] });
    expect(fleet.told).toMatchObject([{ detailType: 'Holdfast Drain Finished', detail: { drain: 'd-1', drained: [], gone: ['i-1', 'i-2'] } }]);
    const announcer = { announce: throttled };
    const untold = (failsSinceMs: number) => endDrain({ ...fleet.ports, announcer }, order(), undefined, { failsSinceMs });
    expect((await untold(noonMs)).step).toMatchObject({ next: 'end', failsSinceMs: noonMs });
    expect((await untold(inMs(-3_900))).step).toMatchObject({ next: 'fail', error: 'EndNotTold' });
    const ours = { announce: () => Promise.reject(new TypeError('ours')) };
    await expect(endDrain({ ...fleet.ports, announcer: ours }, order())).rejects.toThrow('ours');
  });

  test('whose members are back in service, because EC2 did not take them, sends its event from history', async () => {
    const fleet = createFleet([]);
    const over = { state: 'withdrawn', drainedAtMs: noonMs } as const;
    fleet.history.push(swap('i-1', over), swap('i-2', { ...over, shortfall: { code: 'not-seen' } }));
    const counts = { drained: 2, gone: 0, ended: 0, late: 1, failed: [] };
    expect(await endDrain(fleet.ports, order())).toEqual({ step: { next: 'over' }, ...counts });
    expect(fleet.told).toMatchObject([{ detailType: 'Holdfast Drain Finished', detail: { drained: ['i-1', 'i-2'], gone: [] } }]);
    expect(fleet.calls).not.toContain('wake');
  });

  test('all of whose members another drain took over sends no event', async () => {
    const fleet = createFleet([swap('i-9', { drain: 'd-2' })]);
    expect(await endDrain(fleet.ports, order())).toEqual({ step: { next: 'over' }, drained: 0, gone: 0, ended: 0, late: 0, failed: [] });
    expect(fleet.told).toEqual([]);
  });

  test('whose last look AWS refuses does not report that connections were cut', async () => {
    const fleet = createFleet([swap('i-1', { ...warned, state: 'draining', drainStartedAtMs: noonMs })], 30_000);
    fleet.nowMs = inMs(119);
    fleet.provider.inspectDrain = throttled;
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').shortfall).toMatchObject({ code: 'not-seen' });
    const seen = createFleet([swap('i-1', { ...warned, state: 'draining', drainStartedAtMs: noonMs })], 300_000);
    seen.releasedAtMs.set('i-1', noonMs);
    seen.nowMs = inMs(119);
    await endDrain(seen.ports, order());
    expect(seen.stateOf('i-1').shortfall?.code).not.toBe('not-seen');
    expect(seen.stateOf('i-1').shortfall).toBeDefined();
  });
});
