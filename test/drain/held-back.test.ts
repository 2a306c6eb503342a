import { describe, expect, it, test } from 'vitest';
import type { Swap } from '../../core/swap/swap.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { endDrain } from '../../functions/end-drain/end-drain.ts';
import { execute } from './execution.ts';
import { createFleet, group, member, noonMs, order, swap } from './fleet.ts';

const web = group({ drain: { timeoutMs: 600_000, loadBalancers: 'auto' } });

/** A member that the minimum size of its Auto Scaling group holds back so often. */
const held = (changes: Partial<Swap>, times: number) => {
  const fleet = createFleet([swap('i-1', changes)]);
  fleet.group = web;
  fleet.failRelease.set('i-1', { code: 'BelowMinSize', retry: 'later', times });
  return fleet;
};
const secondsOf = (visits: readonly { readonly state: string; readonly atMs: number }[]): readonly string[] =>
  visits.map(({ state, atMs }) => `${state} ${(atMs - noonMs) / 1000}`);

test('a surplus that a minimum size holds back is tried after steps that double, and called off soon', async () => {
  const fleet = held({ reason: 'scale-in' }, 100);
  const { visits } = await execute(fleet, order());
  expect(secondsOf(visits)).toEqual(['begin 0', 'begin 5', 'begin 10', 'begin 20', 'begin 40', 'begin 80', 'end 80']);
  expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', shortfall: { code: 'not-released', awsCode: 'BelowMinSize' } });
  expect(fleet.calls).not.toContain('end');
});

test('a surplus that AWS does not let go in time is called off, where one call takes it out of service', async () => {
  const failing = async (changes: Partial<Swap>, rest: object = { holding: { kind: 'attach', asg: 'web-asg' } }) => {
    const fleet = createFleet([swap('i-1', changes)]);
    fleet.group = { ...web, ...rest };
    fleet.failRelease.set('i-1', { code: 'InternalError', retry: 'later', times: 8 });
    await execute(fleet, order());
    return fleet;
  };
  const calledOff = await failing({ reason: 'scale-in' });
  expect(calledOff.stateOf('i-1')).toMatchObject({ state: 'drained', shortfall: { code: 'not-released', awsCode: 'InternalError' } });
  expect(calledOff.calls).not.toContain('end');
  const goesOn = [
    await failing({ reason: 'moved' }),
    await failing({ reason: 'scale-in' }, { holding: { kind: 'tag' } }),
    await failing({ reason: 'scale-in' }, { holding: { kind: 'attach', asg: 'web-asg' }, drain: { ...web.drain, loadBalancers: ['tg-1'] } }),
  ];
  for (const fleet of goesOn) expect(fleet.releasedAtMs.has('i-1')).toBe(true);
});

test('a surplus leaves where the minimum size lets it go by then', async () => {
  const fleet = held({ reason: 'scale-in' }, 2);
  await execute(fleet, order());
  expect(fleet.releasedAtMs.get('i-1')).toBe(noonMs + 10_000);
  expect([...fleet.ended]).toEqual(['i-1']);
});

// The end tries it for the last time, so no try comes right before that.
test('a member that is replaced waits for its replacement to join, for as long as its drain lasts', async () => {
  const { visits } = await execute(held({ reason: 'moved', asg: 'web-asg' }, 100), order());
  expect(secondsOf(visits).slice(-4)).toEqual(['begin 400', 'begin 520', 'check 600', 'end 600']);
  expect(visits.length).toBeLessThan(14);
});

test('a time that is over for the step before is over for an end whose clock is behind', async () => {
  const fleet = held({ reason: 'moved', asg: 'web-asg' }, 100);
  fleet.nowMs = noonMs + 600_500;
  const { step } = await beginDrain(fleet.ports, order());
  expect(step).toEqual({ next: 'end', untilIso: '2026-01-19T12:10:01Z' });
  fleet.nowMs = noonMs + 597_000;
  await endDrain(fleet.ports, order(), undefined, { overAtMs: Date.parse('2026-01-19T12:10:01Z') });
  expect(fleet.wakes).toEqual([]);
  expect(fleet.stateOf('i-1').state).toBe('drained');
});

describe('a member that Holdfast alone ends, and that cannot be taken out of service', () => {
  const failing = (code: string, retry: 'later' | 'never', times: number, changes: Partial<Swap> = { reason: 'rebalance' }) => {
    const fleet = createFleet([swap('i-1', changes)]);
    fleet.group = group({ drain: { timeoutMs: 60_000, loadBalancers: 'auto' } });
    fleet.members = ['i-2', 'i-3'].map((instance) => member(instance));
    fleet.failRelease.set('i-1', { code, retry, times });
    return fleet;
  };
  const shortfall = { code: 'still-in-service', awsCode: 'ServiceUnavailable' };
  const text = 'could not be taken out of service (ServiceUnavailable): it stays in service, and Holdfast tries again';

  it.each(['rebalance', 'scale-in', 'never-served', 'moved', 'return', 'unwanted'] as const)(
    'serves on, and an event reports it: %s',
    async (reason) => {
      const fleet = failing('ServiceUnavailable', 'later', 100, { reason });
      const { visits } = await execute(fleet, order());
      expect(secondsOf(visits)).toEqual(['begin 0', 'begin 5', 'begin 10', 'begin 20', 'begin 40', 'end 40']);
      expect(fleet.ended.size).toBe(0);
      expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', shortfall });
      expect(fleet.told.map(({ detailType }) => detailType)).toEqual(['Holdfast Drain Finished', 'Holdfast Swap Failed']);
      expect(fleet.told[1]?.detail).toEqual({ drain: 'd-1', instances: ['i-1'], ...shortfall, text });
      // The tick tries again. A wake would repeat the drain at once.
      expect(fleet.wakes).toEqual([]);
    },
  );

  it('is tried once by each drain where AWS refuses for good', async () => {
    const fleet = failing('AccessDenied', 'never', 100);
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'end 0']);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', shortfall: { ...shortfall, awsCode: 'AccessDenied' } });
  });

  it('keeps the error of a drain that failed, beside the code of AWS before it and after it', async () => {
    const fleet = failing('AccessDenied', 'later', 1);
    fleet.swaps.set('i-1', { ...fleet.stateOf('i-1'), shortfall: { code: 'still-in-service', awsCode: 'Throttling' } });
    await endDrain(fleet.ports, order(), { Error: 'ThrottlingException' });
    expect(fleet.stateOf('i-1').shortfall).toEqual({ code: 'still-in-service', awsCode: 'Throttling', error: 'ThrottlingException' });
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').shortfall).toEqual({ code: 'still-in-service', awsCode: 'AccessDenied', error: 'ThrottlingException' });
  });

  it('is drained in full by a later drain, and nothing falls short', async () => {
    const fleet = failing('AccessDenied', 'never', 1);
    await execute(fleet, order());
    fleet.swaps.set('i-1', { ...fleet.stateOf('i-1'), drain: 'd-2', drainOrderedAtMs: fleet.nowMs + 60_000 });
    fleet.nowMs += 60_000;
    await execute(fleet, order({ drain: 'd-2' }));
    expect([...fleet.ended]).toEqual(['i-1']);
    expect(fleet.nowMs - (fleet.releasedAtMs.get('i-1') ?? 0)).toBeGreaterThanOrEqual(30_000);
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });

  it('holds up no other member of its drain', async () => {
    const fleet = failing('AccessDenied', 'never', 100);
    fleet.swaps.set('i-4', swap('i-4', { reason: 'rebalance' }));
    await execute(fleet, order());
    expect([...fleet.ended]).toEqual(['i-4']);
  });

  it('is called off like any other where its group is let go or paused', async () => {
    for (const [change, code] of [[undefined, 'let-go'] as const, [group({ mode: 'pause' }), 'held-back'] as const]) {
      const fleet = failing('AccessDenied', 'never', 1);
      await execute(fleet, order());
      fleet.group = change;
      await endDrain(fleet.ports, order());
      expect(fleet.stateOf('i-1').shortfall?.code).toBe(code);
    }
  });
});
