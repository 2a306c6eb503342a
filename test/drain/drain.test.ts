import { describe, expect, test } from 'vitest';
import { latestStartOf } from '../../core/drain/begin.ts';
import { latestDrainStart } from '../../core/drain/drain.ts';
import { asGone } from '../../core/drain/shortfall.ts';
import type { Group } from '../../core/group/group.ts';
import { emptyBudget } from '../../core/limits/account-budget.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { checkDrain } from '../../functions/check-drain/check-drain.ts';
import { endDrain } from '../../functions/end-drain/end-drain.ts';
import { readDrainInput } from '../../functions/runtime/drain/order.ts';
import { awsError } from '../aws/fake-aws.ts';
import { execute, knownAfter } from './execution.ts';
import { createFleet, type Fleet, group, member, noonMs, order, swap } from './fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1000;
const secondsOf = (visits: readonly { readonly state: string; readonly atMs: number }[]) =>
  visits.map(({ state, atMs }) => `${state} ${(atMs - noonMs) / 1000}`);
const pair = (changes = {}) => [swap('i-1', changes), swap('i-2', changes)];
const warned = { deadlineMs: inMs(120) };

describe('a drain under a spot notice', () => {
  test('waits for replacements, then for the deregistration delay, and leaves the end to EC2', async () => {
    const fleet = createFleet(pair(warned), 60_000);
    fleet.members = [member('i-3', { launchedAtMs: inMs(2), serving: false }), member('i-4')];
    const { describe: look } = fleet.provider;
    fleet.provider.describe = (one) => {
      if (fleet.nowMs >= inMs(20)) fleet.members = [member('i-3'), member('i-4')];
      return look(one);
    };
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'begin 22', 'check 83', 'end 83']);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: inMs(22), drainedAtMs: inMs(83) });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
    expect(fleet.ended.size).toBe(0);
    expect(fleet.told).toEqual([
      {
        detailType: 'Holdfast Drain Finished',
        group: 'web',
        detail: {
          ...{ drain: 'd-1', part: 1, parts: 1, counts: { drained: 2, gone: 0, shortfalls: 0 } },
          ...{ drained: ['i-1', 'i-2'], gone: [], shortfalls: [] },
        },
      },
    ]);
  });

  test('begins at the latest start when replacements do not come, without another look at the group', async () => {
    const fleet = createFleet(pair(warned), 60_000);
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'begin 20', 'begin 30', 'begin 45', 'begin 57', 'check 118', 'end 118']);
    expect(fleet.calls.filter((name) => name === 'describe').length).toBe(4);
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', drainStartedAtMs: inMs(57) });
  });

  test('that began too late for its own end reports no cut of connections that end before EC2 takes the instance', async () => {
    const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(600), timeoutMs: 600_000 };
    const fleet = createFleet([swap('i-1', { ...warned, hooks: [hook] }), swap('i-2', { ...warned, asg: 'web' })], 60_000);
    fleet.nowMs = inMs(55);
    const { visits, outcome } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 55', 'check 110', 'end 110']);
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', drainedAtMs: inMs(115) });
    expect(fleet.stateOf('i-2').shortfall).toBeUndefined();
    expect(outcome).toMatchObject({ drained: 2, late: 0 });
    expect(fleet.completed.size).toBe(0);
  });

  test('with a deregistration delay of 300 s it gives connections half of the notice and records what is cut', async () => {
    const awaitServingUntilMs = latestDrainStart({ nowMs: noonMs, deadlineMs: inMs(120), deregistrationDelayMs: 300_000, timeoutMs: 300_000 });
    const fleet = createFleet(pair(warned), 300_000);
    fleet.nowMs = awaitServingUntilMs;
    const { visits, outcome } = await execute(fleet, order());
    const shortfall = { code: 'delay-exceeds-deadline', delayMs: 300_000, leftMs: 65_000, cutAtMs: inMs(120), by: 'ec2' };
    const text = 'deregistration delay 300 s exceeds the 65 s left: connections still open at 12:02:00 UTC are cut by EC2';
    expect(secondsOf(visits)).toEqual(['begin 55', 'check 120', 'end 120']);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', shortfall });
    expect(outcome).toMatchObject({ drained: 2, late: 2 });
    expect(fleet.told[0]?.detail.shortfalls).toEqual([{ ...shortfall, text, instances: ['i-1', 'i-2'] }]);
  });

  test('records the shortfall as soon as the drain begins', async () => {
    const fleet = createFleet(pair(warned), 300_000);
    fleet.desired = 0;
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', shortfall: { code: 'delay-exceeds-deadline', leftMs: 120_000 } });
  });

  test('seen only just before the deadline, it is still taken out of service', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.nowMs = inMs(115);
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 115', 'check 120', 'end 120']);
    expect(fleet.releasedAtMs.get('i-1')).toBe(inMs(115));
    expect(fleet.stateOf('i-1').shortfall).toMatchObject({ code: 'delay-exceeds-deadline', leftMs: 5_000 });
  });

  test('nothing is registered anywhere: drained at once', async () => {
    const fleet = createFleet(pair(warned), 0);
    fleet.desired = 0;
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'end 0']);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: noonMs, drainedAtMs: noonMs });
  });

  test('an instance that goes in the middle is recorded as gone, the others drain on', async () => {
    const fleet = createFleet(pair(warned), 60_000);
    fleet.desired = 0;
    fleet.goneAtMs.set('i-1', inMs(40));
    await execute(fleet, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'gone', goneAtMs: inMs(61) });
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained' });
    expect(fleet.told[0]?.detail).toMatchObject({ drained: ['i-2'], gone: ['i-1'] });
  });

  test('an instance that EC2 had stopped before it began was not drained, and an event reports that', async () => {
    const fleet = createFleet([swap('i-1'), swap('i-2', { deadlineMs: inMs(-300) })]);
    fleet.stopped.add('i-1').add('i-2');
    const { outcome } = await execute(fleet, order());
    expect(outcome).toMatchObject({ drained: 2, gone: 0, late: 2 });
    for (const instance of ['i-1', 'i-2']) {
      expect(fleet.stateOf(instance)).toMatchObject({ state: 'drained', shortfall: { code: 'ended-before-drain' } });
      expect(fleet.stateOf(instance).drainedAtMs).toBeUndefined();
    }
    expect(fleet.told[0]?.detail).toMatchObject({ drained: ['i-1', 'i-2'], shortfalls: [{ code: 'ended-before-drain', instances: ['i-1', 'i-2'] }] });
  });
  test('an instance that EC2 stopped at its deadline and that was started again gets time for its connections, and is not recorded as drained', async () => {
    const fleet = createFleet([swap('i-1', { deadlineMs: inMs(-200) })], 30_000);
    fleet.restarted.add('i-1');
    const { outcome } = await execute(fleet, order());
    expect(outcome).toMatchObject({ drained: 1, late: 1 });
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', busyUntilMs: inMs(30), shortfall: { code: 'ended-before-drain' } });
    expect(fleet.nowMs).toBeGreaterThanOrEqual(inMs(30));
  });
  test('an instance that runs on after its deadline is drained like any other', async () => {
    const fleet = createFleet([swap('i-1', { deadlineMs: inMs(-200) })], 30_000);
    await execute(fleet, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainedAtMs: inMs(31) });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });
  test('an instance that runs on after its deadline keeps the connections that are longer than the time-out, because nobody ends it', async () => {
    const fleet = createFleet([swap('i-1', { deadlineMs: inMs(-200) })], 400_000);
    const { outcome } = await execute(fleet, order());
    expect(outcome).toMatchObject({ drained: 1, late: 0, ended: 0 });
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainedAtMs: inMs(400) });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });
  test('an instance that is stopped while it drains is recorded as one that had connections left', async () => {
    const fleet = createFleet([swap('i-1', { state: 'draining', drainStartedAtMs: noonMs, busyUntilMs: inMs(30) })]);
    fleet.stopped.add('i-1');
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', shortfall: { code: 'still-draining', cutAtMs: noonMs, by: 'ec2' } });
  });
  test('all instances gone before it began', async () => {
    const fleet = createFleet(pair(warned), 60_000);
    fleet.desired = 0;
    for (const instance of ['i-1', 'i-2']) fleet.goneAtMs.set(instance, noonMs);
    const { outcome } = await execute(fleet, order());
    expect(outcome).toMatchObject({ drained: 0, gone: 2, late: 2 });
    expect(fleet.told[0]?.detail.counts).toEqual({ drained: 0, gone: 2, shortfalls: 2 });
    expect(fleet.stateOf('i-1').state).toBe('gone');
  });
});

describe('a drain that is ours to end', () => {
  test('ends the instances after they have drained', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 60_000);
    const { outcome } = await execute(fleet, order());
    expect([...fleet.ended]).toEqual(['i-1', 'i-2']);
    expect(fleet.nowMs).toBe(inMs(61));
    expect(outcome).toMatchObject({ ended: 2, late: 0 });
    expect(fleet.stateOf('i-1').state).toBe('drained');
  });

  test('ends them when the drain time-out is over, and records that', async () => {
    const fleet = createFleet(pair({ reason: 'scale-in' }), 900_000);
    await execute(fleet, order());
    expect(fleet.nowMs).toBe(inMs(300));
    expect([...fleet.ended]).toEqual(['i-1', 'i-2']);
    expect(fleet.stateOf('i-1').shortfall).toEqual({
      code: 'delay-exceeds-deadline',
      delayMs: 900_000,
      leftMs: 300_000,
      cutAtMs: inMs(300),
      by: 'holdfast',
    });
  });

  test('begins when the group is wanted smaller than when it was ordered', async () => {
    const fleet = createFleet(pair(warned), 0);
    fleet.members = [member('i-3')];
    fleet.desired = 1;
    const outcome = await beginDrain(fleet.ports, order());
    expect(outcome).toMatchObject({ because: 'enough-serving', begun: 2 });
  });

  test('a termination that is throttled is repeated, one that is refused is recorded', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 0);
    fleet.failEnd.set('i-1', { code: 'RequestLimitExceeded', retry: 'later', times: 1 });
    fleet.failEnd.set('i-2', { code: 'OperationNotPermitted', retry: 'never', times: 9 });
    await beginDrain(fleet.ports, order());
    const failsSinceMs = fleet.nowMs;
    const first = await endDrain(fleet.ports, order());
    expect(first.step).toEqual({ next: 'end', untilIso: '2026-01-19T12:00:05Z', failsSinceMs });
    // What AWS refuses for good is not tried again, so the step that found it reports it.
    expect(first.failed).toEqual([{ instance: 'i-2', code: 'OperationNotPermitted', retry: 'never' }]);
    expect(fleet.told).toEqual([]);
    expect(await endDrain(fleet.ports, order(), undefined, { failsSinceMs })).toMatchObject({ step: { next: 'over' }, failed: [] });
    const keptUntilMs = fleet.nowMs + 3_600_000;
    const shortfall = { code: 'not-ended', awsCode: 'OperationNotPermitted', keptUntilMs };
    const text = 'could not be terminated (OperationNotPermitted): it takes work again, and is not chosen to leave before 13:00:00 UTC';
    expect([...fleet.ended]).toEqual(['i-1']);
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', shortfall, keptUntilMs });
    expect(fleet.stateOf('i-1')).not.toHaveProperty('keptUntilMs');
    expect(fleet.wakes).toEqual([fleet.nowMs]);
    expect(fleet.told.map(({ detailType }) => detailType)).toEqual(['Holdfast Drain Finished', 'Holdfast Swap Failed']);
    expect(fleet.told[1]?.detail).toEqual({ drain: 'd-1', instances: ['i-2'], ...shortfall, text });
  });

  test('a member that its user took out of its Auto Scaling group meanwhile is left to its user, and its swap is over', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 0);
    fleet.failEnd.set('i-2', { code: 'NotOurs', retry: 'never', times: 9 });
    await beginDrain(fleet.ports, order());
    // AWS refused nothing, so no alarm about failed calls goes off.
    expect(await endDrain(fleet.ports, order())).toMatchObject({ ended: 1, late: 1, failed: [] });
    const shortfall = { code: 'not-ended', awsCode: 'NotOurs' };
    const text = 'could not be terminated (NotOurs): it runs on, out of service, until someone terminates it';
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', shortfall, keptUntilMs: fleet.nowMs });
    expect(fleet.stateOf('i-2').shortfall).not.toHaveProperty('keptUntilMs');
    expect(fleet.told[1]?.detail).toEqual({ drain: 'd-1', instances: ['i-2'], ...shortfall, text });
  });

  test('a member that its owner protects from termination is not taken out of service, and an event reports it', async () => {
    const offering = 'm7g.large/eu-west-1a/on-demand';
    const fleet = createFleet(pair({ reason: 'scale-in', offering }), 0);
    fleet.protectedFromEnd.add('i-2');
    const begun = await beginDrain(fleet.ports, order());
    const keptUntilMs = fleet.nowMs + 3_600_000;
    const shortfall = { code: 'not-ended', awsCode: 'OperationNotPermitted', keptUntilMs };
    expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1']);
    expect(begun.failed).toEqual([{ instance: 'i-2', code: 'OperationNotPermitted', retry: 'never' }]);
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', shortfall, keptUntilMs });
    expect(fleet.stateOf('i-2')).not.toHaveProperty('drainStartedAtMs');
    await endDrain(fleet.ports, order());
    expect([...fleet.ended]).toEqual(['i-1']);
    expect(fleet.wakes).toEqual([fleet.nowMs]);
    expect(fleet.told.map(({ detail }) => (detail as { instances?: unknown }).instances)).toContainEqual(['i-2']);
  });

  test('a member that its owner protects stays in service when its drain never began: the last try does not take it out', async () => {
    const fleet = createFleet(pair({ reason: 'scale-in', offering: 'm7g.large/eu-west-1a/on-demand' }), 0);
    fleet.protectedFromEnd.add('i-2');
    for (const error of [undefined, { Error: 'States.Timeout', Cause: 'begin-drain never ran' }]) {
      await endDrain(fleet.ports, order(), error);
      expect([...fleet.releasedAtMs.keys()]).toEqual([]);
      expect([...fleet.ended]).toEqual([]);
      expect(fleet.stateOf('i-2').state).toBe('leaving');
    }
  });

  test('a member that EC2 refused to end, and that others ended since, is reported as refused all the same', async () => {
    const fleet = createFleet(pair({ reason: 'scale-in', offering: 'm7g.large/eu-west-1a/on-demand' }), 0);
    fleet.protectedFromEnd.add('i-2');
    await beginDrain(fleet.ports, order());
    fleet.swaps.set('i-2', asGone(fleet.stateOf('i-2'), fleet.nowMs));
    await endDrain(fleet.ports, order());
    const [finished, refused] = fleet.told;
    expect(finished?.detail).toMatchObject({ drained: ['i-1'], gone: ['i-2'], shortfalls: [{ code: 'not-ended' }] });
    expect(refused).toMatchObject({ detailType: 'Holdfast Swap Failed', detail: { code: 'not-ended', instances: ['i-2'] } });
  });

  test('the protection of spot instances, warned members and members of Auto Scaling groups is not read', async () => {
    const asked = async (changes: Partial<Swap>, holding?: Group['holding']): Promise<boolean> => {
      const fleet = createFleet(pair(changes), 0);
      if (holding !== undefined) fleet.group = group({ holding });
      fleet.protectedFromEnd.add('i-2');
      await beginDrain(fleet.ports, order());
      return fleet.calls.includes('protected');
    };
    const offering = 'm7g.large/eu-west-1a/on-demand';
    expect(await asked({ reason: 'scale-in', offering })).toBe(true);
    expect(await asked({ reason: 'scale-in' })).toBe(false);
    expect(await asked({ reason: 'interruption', offering, deadlineMs: noonMs + 120_000 })).toBe(false);
    // A surplus that is warned in an interruptible capacity reservation: EC2 takes it by then.
    expect(await asked({ reason: 'scale-in', offering, deadlineMs: noonMs + 120_000 })).toBe(false);
    expect(await asked({ reason: 'scale-in', offering }, { kind: 'attach', asg: 'web' })).toBe(false);
    // The policy moved away from this Auto Scaling group. Its members may have no tag, which the right to ask requires.
    expect(await asked({ reason: 'scale-in', offering, asg: 'web' })).toBe(false);
  });

  test('a member leaves although EC2 denies the read of its protection, and the denial is reported', async () => {
    const fleet = createFleet(pair({ reason: 'scale-in', offering: 'm7g.large/eu-west-1a/on-demand' }), 0);
    const failed = [{ instance: 'i-2', code: 'UnauthorizedOperation', retry: 'never' }] as const;
    const providerFor = () => ({ ...fleet.provider, protectedAmong: async () => ({ protected: [], failed }) });
    const begun = await beginDrain({ ...fleet.ports, providerFor }, order());
    expect(begun).toMatchObject({ begun: 2, failed });
    expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1', 'i-2']);
  });

  /** A call that AWS, or the pace of the account, could not let through. */
  const throttled = () => Promise.reject(Object.assign(new Error('no token'), { name: 'Throttling', $fault: 'client' }));

  test('members that could not be read before their end are recorded, and their end is repeated', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 0);
    await beginDrain(fleet.ports, order());
    const providerFor = () => ({ ...fleet.provider, end: throttled });
    expect((await endDrain({ ...fleet.ports, providerFor }, order())).step).toMatchObject({ next: 'end' });
    expect(fleet.told).toEqual([]);
    const outcome = await endDrain(fleet.ports, order());
    expect(outcome).toMatchObject({ step: { next: 'over' }, drained: 2, ended: 2, failed: [] });
  });

  test('an error of our own while they are ended is thrown', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 0);
    await beginDrain(fleet.ports, order());
    const providerFor = () => ({ ...fleet.provider, end: () => Promise.reject(new TypeError('ours')) });
    await expect(endDrain({ ...fleet.ports, providerFor }, order())).rejects.toThrow('ours');
  });

  test('the longer their end is throttled, the rarer it is tried, and after an hour the drain fails', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'rebalance' })], 0);
    fleet.failEnd.set('i-1', { code: 'RequestLimitExceeded', retry: 'later', times: 99 });
    const { visits, outcome } = await execute(fleet, order());
    const ends = secondsOf(visits.filter(({ state }) => state === 'end'));
    expect(ends.slice(0, 8)).toEqual(['end 0', 'end 5', 'end 10', 'end 20', 'end 40', 'end 80', 'end 160', 'end 280']);
    expect(outcome.step).toEqual({
      next: 'fail',
      error: 'InstancesNotEnded',
      cause:
        '1 drained instances still run (RequestLimitExceeded). They are recorded as drained. A tick puts them on a new drain two minutes after they drained.',
    });
    expect([fleet.nowMs >= inMs(3_900), ends.length < 45, fleet.told]).toEqual([true, true, []]);
  });

  test('a hook that could not be completed now holds up no other hook, and no member that Holdfast ends', async () => {
    const hook = (token: string) => ({ hooks: [{ asg: 'web', hook: 'drain', token, expiresAtMs: inMs(600), timeoutMs: 600_000 }] });
    const swaps = [
      swap('i-1', { reason: 'hook', ...hook('t-1') }),
      swap('i-2', { reason: 'hook', ...hook('t-2') }),
      swap('i-3', { reason: 'rebalance' }),
    ];
    const fleet = createFleet(swaps, 0);
    await beginDrain(fleet.ports, order());
    const { lifecycle } = fleet.ports;
    const complete: typeof lifecycle.complete = (instance, one) => (instance === 'i-1' ? throttled() : lifecycle.complete(instance, one));
    const { step } = await endDrain({ ...fleet.ports, lifecycle: { ...lifecycle, complete } }, order());
    expect(step).toMatchObject({ next: 'end', failsSinceMs: fleet.nowMs });
    expect([...fleet.completed]).toEqual(['i-2']);
    expect([...fleet.ended]).toEqual(['i-3']);
    expect(fleet.told).toEqual([]);
    await endDrain(fleet.ports, order());
    expect([...fleet.completed]).toEqual(['i-2', 'i-1']);
    expect(fleet.told).toHaveLength(1);
  });

  // Auto Scaling was throttled for half a minute, and the hook expired a second before the next try (22300147 of limits).
  test('a hook that could not be completed is tried after an eighth of the time until it expires, also beside a member that still runs', async () => {
    const at = async (expiresInS: readonly number[], members: readonly Swap[] = []) => {
      const swaps = expiresInS.map((inS, index) =>
        swap(`i-${index}`, { reason: 'hook', hooks: [{ asg: 'web', hook: 'drain', expiresAtMs: inMs(inS), timeoutMs: 1_000 * inS }] }),
      );
      const fleet = createFleet([...swaps, ...members], 0);
      await beginDrain(fleet.ports, order());
      fleet.failEnd.set('i-9', { code: 'RequestLimitExceeded', retry: 'later', times: 1 });
      const ports = { ...fleet.ports, lifecycle: { ...fleet.ports.lifecycle, complete: throttled } };
      const { step } = await endDrain(ports, order(), undefined, { failsSinceMs: fleet.nowMs - 60_000 });
      return step.next === 'end' && (Date.parse(step.untilIso ?? '') - fleet.nowMs) / 1_000;
    };
    expect([await at([600]), await at([600, 400]), await at([80, 400]), await at([8])]).toEqual([60, 50, 10, 5]);
    expect([await at([80], [swap('i-9', { reason: 'rebalance' })]), await at([], [swap('i-9', { reason: 'rebalance' })])]).toEqual([10, 60]);
    expect([await at([0, 80]), await at([0])]).toEqual([10, 60]);
  });

  // The event bus took nothing for twenty minutes, and each repeat completed the same hooks again (20340023 of outages).
  test('a repeat that has only its event left to send completes no hook a second time, but those of members that joined since', async () => {
    const hook = (token: string) => ({ hooks: [{ asg: 'web', hook: 'drain', token, expiresAtMs: inMs(600), timeoutMs: 600_000 }] });
    const gone = swap('i-2', { reason: 'hook', ...hook('t-2'), state: 'gone', goneAtMs: noonMs });
    const fleet = createFleet([swap('i-1', { reason: 'hook', ...hook('t-1') }), gone], 0);
    await beginDrain(fleet.ports, order());
    const completed: string[] = [];
    const complete = async (instance: string) => {
      completed.push(instance);
      return 'done' as const;
    };
    const ports = { ...fleet.ports, announcer: { announce: throttled }, lifecycle: { ...fleet.ports.lifecycle, complete } };
    const { step } = await endDrain(ports, order());
    expect([step, completed]).toEqual([{ ...step, next: 'end', isUntold: true }, ['i-1', 'i-2']]);
    const { isUntold } = readDrainInput({ ...order(), step });
    fleet.swaps.set('i-3', swap('i-3', { reason: 'hook', ...hook('t-3'), state: 'draining', drainStartedAtMs: noonMs }));
    await endDrain(ports, order(), undefined, { isUntold });
    expect(completed).toEqual(['i-1', 'i-2', 'i-3']);
    await endDrain(ports, order());
    expect(completed).toHaveLength(6);
  });
});

describe('taking out of service', () => {
  test('what is throttled is tried again soon, while the rest drains', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    fleet.failRelease.set('i-2', { code: 'Throttling', retry: 'later', times: 1 });
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'begin 5', 'check 36', 'end 36']);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: noonMs });
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', drainStartedAtMs: inMs(5) });
    expect(fleet.stateOf('i-2').shortfall).toBeUndefined();
  });

  test('of a member that only some target groups let go, the first time of each is kept', async () => {
    const fleet = createFleet([swap('i-1', warned)], 30_000);
    fleet.desired = 0;
    const { release } = fleet.provider;
    const parts = [['tg-1'], ['tg-1', 'tg-2']];
    fleet.provider.release = async (...of) => {
      const left = parts.shift();
      if (left === undefined) return release(...of);
      const failed = [{ instance: 'i-1', code: 'Throttling', retry: 'later' as const }];
      return { done: [], failed, leftTargetGroups: { 'i-1': left } };
    };
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', leftTargetGroupsAtMs: { 'tg-1': noonMs } });
    fleet.nowMs = inMs(5);
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').leftTargetGroupsAtMs).toEqual({ 'tg-1': noonMs, 'tg-2': inMs(5) });
    fleet.nowMs = inMs(10);
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', drainStartedAtMs: inMs(10), leftTargetGroupsAtMs: { 'tg-1': noonMs } });
    expect(fleet.calls.filter((call) => call === 'advance')).toHaveLength(3);
  });

  test('what is throttled until time is up is given a last chance and its shortfall', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    fleet.failRelease.set('i-2', { code: 'Throttling', retry: 'later', times: 99 });
    const { visits, outcome } = await execute(fleet, order());
    expect(visits.at(-1)).toEqual({ state: 'end', atMs: expect.any(Number) });
    expect(fleet.nowMs).toBeGreaterThanOrEqual(inMs(110));
    expect(visits.length).toBeLessThan(25);
    expect(fleet.stateOf('i-2')).toMatchObject({
      state: 'drained',
      shortfall: { code: 'not-released', awsCode: 'Throttling' },
    });
    expect(fleet.stateOf('i-2')).not.toHaveProperty('drainedAtMs');
    expect(outcome).toMatchObject({ late: 1 });
  });

  test('a refusal holds up no other member, and is tried again while EC2 leaves time', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    fleet.failRelease.set('i-2', { code: 'AccessDenied', retry: 'never', times: 3 });
    const outcome = await beginDrain(fleet.ports, order());
    expect(outcome.failed).toEqual([{ instance: 'i-2', code: 'AccessDenied', retry: 'never' }]);
    expect([fleet.stateOf('i-1').state, fleet.stateOf('i-2').state]).toEqual(['draining', 'leaving']);
    await execute(fleet, order());
    expect(fleet.stateOf('i-2').state).toBe('drained');
    expect(fleet.stateOf('i-2').shortfall).toBeUndefined();
  });

  test('a refusal that lasts until EC2 takes the member is recorded', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    fleet.failRelease.set('i-2', { code: 'AccessDenied', retry: 'never', times: 99 });
    await execute(fleet, order());
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', shortfall: { code: 'not-released', awsCode: 'AccessDenied' } });
  });
});

describe('a drain that was handed over', () => {
  test('by a tighter deadline: the old one leaves the instance alone, the new one finishes it', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 60_000);
    await beginDrain(fleet.ports, order());
    fleet.nowMs = inMs(20);
    fleet.swaps.set('i-1', { ...fleet.stateOf('i-1'), reason: 'interruption', drain: 'd-2', deadlineMs: inMs(140) });
    const { visits } = await execute(fleet, order({ drain: 'd-2' }));
    expect(secondsOf(visits)).toEqual(['begin 20', 'check 61', 'end 61']);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drain: 'd-2', drainStartedAtMs: noonMs });

    await checkDrain(fleet.ports, order());
    const { drained, ended } = await endDrain(fleet.ports, order());
    expect({ drained, ended }).toEqual({ drained: 1, ended: 1 });
    expect([...fleet.ended]).toEqual(['i-2']);
    expect(fleet.told.map(({ detail }) => [detail.drain, detail.drained])).toEqual([
      ['d-2', ['i-1']],
      ['d-1', ['i-2']],
    ]);
  });

  test('records at once of a member that drains already that its delay does not fit any more', async () => {
    const fleet = createFleet([swap('i-1', { state: 'draining', drainStartedAtMs: noonMs, deadlineMs: inMs(70) })], 300_000);
    fleet.releasedAtMs.set('i-1', noonMs);
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', shortfall: { code: 'delay-exceeds-deadline', cutAtMs: inMs(70), by: 'ec2' } });
  });

  test('completely: the old execution ends without an event', async () => {
    const fleet = createFleet(pair({ drain: 'd-2' }));
    const { visits, outcome } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'end 0']);
    expect(outcome.drained).toBe(0);
    expect([...fleet.releasedAtMs, ...fleet.told]).toEqual([]);
  });

  test('between reading and writing: the end of the old one does not touch the instance', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance', state: 'draining', drainStartedAtMs: noonMs }), 60_000);
    const { advance } = fleet.ports.store;
    fleet.ports.store.advance = (one, change) => {
      if (one.instance === 'i-1') fleet.swaps.set('i-1', { ...fleet.stateOf('i-1'), drain: 'd-2' });
      return advance(one, change);
    };
    await endDrain(fleet.ports, order());
    expect([...fleet.ended]).toEqual(['i-2']);
    expect(fleet.stateOf('i-1').state).toBe('draining');
  });

  test('is reported as gone where another function has just seen its instance end', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance', state: 'draining', drainStartedAtMs: noonMs }), 60_000);
    const { advance } = fleet.ports.store;
    fleet.ports.store.advance = (one, change) => {
      if (one.instance === 'i-1') fleet.swaps.set('i-1', { ...fleet.stateOf('i-1'), state: 'gone' });
      return advance(one, change);
    };
    const outcome = await endDrain(fleet.ports, order());
    expect(outcome).toMatchObject({ drained: 1, gone: 1, ended: 1 });
    expect(fleet.told.map(({ detail }) => [detail.drained, detail.gone])).toEqual([[['i-2'], ['i-1']]]);
  });

  test('a deadline that only the swap holds applies too', async () => {
    const fleet = createFleet(pair({ state: 'draining', drainStartedAtMs: noonMs, deadlineMs: inMs(70) }), 300_000);
    for (const instance of ['i-1', 'i-2']) fleet.releasedAtMs.set(instance, noonMs);
    const { step } = await checkDrain(fleet.ports, order());
    expect(step).toEqual({ next: 'check', untilIso: '2026-01-19T12:01:10Z' });
  });
});

describe('an instance on a lifecycle hook', () => {
  const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(60), timeoutMs: 60_000 };

  test('is kept alive by heartbeats through a long drain and completed at its end', async () => {
    const fleet = createFleet(pair({ reason: 'hook', hooks: [hook] }), 120_000);
    const { visits } = await execute(fleet, order());
    expect(fleet.beats.filter(({ instance }) => instance === 'i-1').map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([30, 60, 90, 120]);
    expect(secondsOf(visits)).toEqual(['begin 0', 'check 30', 'check 60', 'check 90', 'check 120', 'check 121', 'end 121']);
    expect([...fleet.completed]).toEqual(['i-1', 'i-2']);
    expect(fleet.ended.size).toBe(0);
    // A heartbeat tells nothing about connections: they are looked at when their delay has ended.
    expect(fleet.calls.filter((call) => call === 'inspect')).toHaveLength(2);
  });

  // Auto Scaling was throttled, and a look waited for twelve seconds for its reads (22300229 of faulty).
  test('gets a heartbeat at once that came due while a step went on: it has not failed', async () => {
    const stepOf = async (state: Partial<Swap>, run: (ports: Fleet['ports']) => Promise<{ step: object }>) => {
      const fleet = createFleet([swap('i-1', { reason: 'hook', hooks: [hook], ...state })], 120_000);
      fleet.nowMs = inMs(28);
      const { inspectDrain, release } = fleet.provider;
      fleet.provider.inspectDrain = (...of) => {
        fleet.nowMs = inMs(40);
        return inspectDrain(...of);
      };
      fleet.provider.release = (...of) => {
        fleet.nowMs = inMs(40);
        return release(...of);
      };
      return (await run(fleet.ports)).step;
    };
    const drains = { state: 'draining', drainStartedAtMs: noonMs } as const;
    expect(await stepOf(drains, (ports) => checkDrain(ports, order()))).toMatchObject({ next: 'check', untilIso: '2026-01-19T12:00:30Z' });
    expect(await stepOf({}, (ports) => beginDrain(ports, order()))).toMatchObject({ next: 'check', untilIso: '2026-01-19T12:00:30Z' });
  });

  test('works until EC2 takes it: the last look sends a heartbeat, if the hook would expire before its end is found', async () => {
    const beatsOf = async (timeoutMs: number, rest: Partial<Swap> = {}) => {
      const hooks = [{ ...hook, timeoutMs, expiresAtMs: inMs(timeoutMs / 1_000) }];
      const fleet = createFleet([swap('i-1', { deadlineMs: inMs(117), hooks, ...rest })], 300_000);
      const { visits } = await execute(fleet, order());
      return [secondsOf(visits).at(-1), fleet.beats.map(({ atMs }) => (atMs - noonMs) / 1000), [...fleet.completed]];
    };
    expect(await beatsOf(60_000)).toEqual(['end 107', [30, 60, 90, 107], []]);
    expect(await beatsOf(240_000)).toEqual(['end 107', [], []]);
    expect(await beatsOf(60_000, { reason: 'hook' })).toEqual(['end 107', [30, 60, 90], ['i-1']]);
  });

  test('that is over before its drain shows that its member ended: the batch is looked at', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'hook', hooks: [hook] })], 120_000);
    fleet.ports.lifecycle.heartbeat = async () => 'not-active';
    fleet.goneAtMs.set('i-1', inMs(20));
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'check 30', 'end 30']);
  });

  test('on two of them is kept alive on each, and each is completed', async () => {
    const other = { ...hook, hook: 'logs', token: 't-2', expiresAtMs: inMs(100), timeoutMs: 100_000 };
    const fleet = createFleet([swap('i-1', { reason: 'hook', hooks: [hook, other] })], 120_000);
    await execute(fleet, order());
    expect(fleet.beats.filter(({ token }) => token === 't').map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([30, 60, 90, 120]);
    expect(fleet.beats.filter(({ token }) => token === 't-2').map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([50, 100]);
    expect([...fleet.completedHooks]).toEqual(['i-1/t', 'i-1/t-2']);
  });

  test('that has ended already is completed too: its Auto Scaling group waits on', async () => {
    const fleet = createFleet([swap('i-1', { reason: 'hook', hooks: [hook], state: 'gone', goneAtMs: noonMs })]);
    await endDrain(fleet.ports, order());
    expect([...fleet.completedHooks]).toEqual(['i-1/t']);
  });

  test('of which one comes while another is extended: none is lost', async () => {
    const other = { ...hook, hook: 'logs', token: 't-2' };
    const fleet = createFleet([swap('i-1', { reason: 'hook', hooks: [{ ...hook, expiresAtMs: inMs(10) }] })]);
    const { heartbeat } = fleet.ports.lifecycle;
    fleet.ports.lifecycle.heartbeat = (instance, of) => {
      const now = fleet.stateOf(instance);
      fleet.swaps.set(instance, { ...now, hooks: [...(now.hooks ?? []), other] });
      return heartbeat(instance, of);
    };
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').hooks?.map(({ token }) => token)).toEqual(['t', 't-2']);
  });

  test('whose event holds no time-out: it is looked up when a heartbeat may be due, once for all, and none is sent before its time', async () => {
    const { timeoutMs: _, ...untold } = { ...hook, sinceMs: noonMs, expiresAtMs: inMs(30) };
    const fleet = createFleet(pair({ reason: 'hook', hooks: [untold] }), 200_000);
    fleet.timeouts.set('drain', 240_000);
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'check 15', 'check 120', 'check 201', 'end 201']);
    expect(fleet.calls.filter((name) => name === 'timeouts').length).toBe(1);
    expect(fleet.beats.map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([120, 120]);
    expect(fleet.stateOf('i-1').hooks).toEqual([{ ...untold, timeoutMs: 240_000, expiresAtMs: inMs(360) }]);
  });

  test('since an unknown time: its first heartbeat comes at once', async () => {
    const { timeoutMs: _, ...untold } = { ...hook, expiresAtMs: noonMs };
    const fleet = createFleet([swap('i-1', { reason: 'hook', hooks: [untold] })], 100_000);
    fleet.timeouts.set('drain', 600_000);
    await execute(fleet, order());
    expect(fleet.beats.map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([0]);
  });

  test('is kept alive while the drain waits for replacements', async () => {
    const fleet = createFleet(pair({ ...warned, hooks: [hook] }), 0);
    await execute(fleet, order());
    expect(fleet.beats.filter(({ instance }) => instance === 'i-2').map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([30, 60, 90]);
  });

  test('whose action is no longer active causes no early look', async () => {
    const fleet = createFleet(pair({ reason: 'hook', hooks: [{ ...hook, expiresAtMs: inMs(10) }] }), 100_000);
    fleet.completed.add('i-1');
    fleet.completed.add('i-2');
    const { visits } = await execute(fleet, order());
    expect(visits.length).toBeLessThanOrEqual(3);
    expect(fleet.stateOf('i-1').hooks).toMatchObject([{ overAtMs: noonMs }]);
  });

  test('whose heartbeat is throttled gets it soon after, and nothing fails for it', async () => {
    const fleet = createFleet(pair({ reason: 'hook', hooks: [hook] }), 120_000);
    const { heartbeat } = fleet.ports.lifecycle;
    const throttled = Object.assign(new Error('Rate exceeded'), { name: 'Throttling', $fault: 'client' });
    let left = 2;
    fleet.ports.lifecycle.heartbeat = (one, of) => (one === 'i-1' && left-- > 0 ? Promise.reject(throttled) : heartbeat(one, of));
    await execute(fleet, order());
    expect(fleet.beats.filter(({ instance }) => instance === 'i-1').map(({ atMs }) => (atMs - noonMs) / 1000)).toEqual([40, 70, 100]);
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });

  test('and interrupted: with connections still open it is left to EC2, which gives them until the deadline', async () => {
    const fleet = createFleet([swap('i-1', { ...warned, hooks: [hook] }), swap('i-2', { ...warned, asg: 'web' })], 300_000);
    await execute(fleet, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', shortfall: { code: 'delay-exceeds-deadline', by: 'ec2' } });
    expect(fleet.completed.size).toBe(0);

    const fast = createFleet([swap('i-1', { ...warned, hooks: [hook] })], 30_000);
    await execute(fast, order());
    expect([...fast.completed]).toEqual(['i-1']);
  });

  test('and interrupted: seen to be drained by a function whose clock is ahead, it is completed', async () => {
    const seen = { ...warned, state: 'drained', hooks: [hook], drainedAtMs: noonMs + 2_000, busyUntilMs: noonMs + 60_000 } as const;
    const fleet = createFleet([swap('i-1', seen), swap('i-2', { ...seen, drainedAtMs: seen.busyUntilMs })], 0);
    await endDrain(fleet.ports, order());
    // The connections of the other are only expected to close in a minute.
    expect([...fleet.completed]).toEqual(['i-1']);
  });

  test('is completed although its group was let go', async () => {
    const fleet = createFleet(pair({ reason: 'hook', hooks: [hook] }), 60_000);
    fleet.group = undefined;
    await execute(fleet, order());
    expect([...fleet.completed]).toEqual(['i-1', 'i-2']);
  });
});

describe('when the drain broke off', () => {
  test('the error becomes the shortfall, and the instances are taken out of service, completed and ended all the same', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance', asg: 'web-asg' }), 60_000);
    const outcome = await endDrain(fleet.ports, order(), { Error: 'AccessDeniedException', Cause: 'not authorized to perform DescribeTargetHealth' });
    expect(outcome).toMatchObject({ drained: 2, ended: 2, late: 2 });
    expect([...fleet.releasedAtMs.keys()]).toEqual(['i-1', 'i-2']);
    expect(fleet.stateOf('i-1').shortfall).toEqual({
      code: 'drain-broke',
      error: 'AccessDeniedException',
      cause: 'not authorized to perform DescribeTargetHealth',
    });
    expect(fleet.told[0]?.detail.error).toBe('AccessDeniedException');
  });

  test('a member that Holdfast alone ends serves on, and its shortfall records that', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance' }), 60_000);
    const outcome = await endDrain(fleet.ports, order(), { Error: 'States.Timeout' });
    expect(outcome).toMatchObject({ drained: 0, ended: 0, late: 2 });
    expect(fleet.releasedAtMs.size + fleet.ended.size).toBe(0);
    expect(fleet.stateOf('i-1')).toMatchObject({
      state: 'leaving',
      shortfall: { code: 'still-in-service', awsCode: 'States.Timeout', error: 'States.Timeout' },
    });
  });

  test('an instance that ended while its drain failed is not recorded as ended before its drain', async () => {
    const gone = { state: 'gone', goneAtMs: noonMs, shortfall: { code: 'ended-before-drain' } } as const;
    const broke = createFleet([swap('i-1', gone), swap('i-2', { ...gone, shortfall: { code: 'not-seen' } })]);
    await endDrain(broke.ports, order(), { Error: 'ThrottlingException' });
    expect(broke.stateOf('i-1')).toMatchObject({ state: 'gone', shortfall: { code: 'drain-broke', error: 'ThrottlingException' } });
    expect(broke.stateOf('i-2').shortfall).toEqual({ code: 'not-seen' });
    expect(broke.told[0]?.detail.shortfalls).toMatchObject([{ code: 'not-seen' }, { code: 'drain-broke' }]);
    const well = createFleet([swap('i-1', gone)]);
    await endDrain(well.ports, order());
    expect(well.stateOf('i-1').shortfall).toEqual({ code: 'ended-before-drain' });
  });

  test('nor is one that ended after an attempt to take members out of service had broken off', async () => {
    const gone = { state: 'gone', goneAtMs: noonMs, shortfall: { code: 'ended-before-drain' } } as const;
    const shortfallAfter = async (one: Swap, before: { readonly brokeOff?: true; readonly isRepeat?: true }) => {
      const fleet = createFleet([one]);
      fleet.goneAtMs.set('i-1', noonMs);
      await endDrain(fleet.ports, order(), undefined, before);
      expect(fleet.told[0]?.detail).toMatchObject({ gone: ['i-1'], shortfalls: [{ code: fleet.stateOf('i-1').shortfall?.code }] });
      return fleet.stateOf('i-1').shortfall;
    };
    const broke = { code: 'drain-broke', error: 'AttemptFailed' };
    expect(await shortfallAfter(swap('i-1', gone), { brokeOff: true })).toMatchObject(broke);
    // This step took members out of service itself. What had ended before was recorded by others.
    const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: noonMs + 60_000 };
    const late = swap('i-1', { deadlineMs: noonMs + 1_000, hooks: [hook] });
    expect(await shortfallAfter(late, { isRepeat: true })).toMatchObject(broke);
    expect(await shortfallAfter(late, {})).toEqual({ code: 'ended-before-drain' });
    expect(await shortfallAfter(swap('i-1', gone), { isRepeat: true })).toEqual({ code: 'ended-before-drain' });
  });

  test('what drained before the error has no shortfall', async () => {
    const fleet = createFleet([swap('i-1', { state: 'drained', drainedAtMs: noonMs }), swap('i-2', { state: 'draining' })]);
    await endDrain(fleet.ports, order(), { Error: 'States.Timeout' });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
    expect(fleet.stateOf('i-2').shortfall).toEqual({ code: 'drain-broke', error: 'States.Timeout' });
  });

  test('a release that throws at the end does not keep instances from their end', async () => {
    const fleet = createFleet(pair({ reason: 'rebalance', asg: 'web-asg' }));
    fleet.provider.release = () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDenied' }));
    await endDrain(fleet.ports, order(), { Error: 'AccessDenied' });
    expect([...fleet.ended]).toEqual(['i-1', 'i-2']);
    expect(fleet.stateOf('i-1').shortfall).toEqual({ code: 'not-released', awsCode: 'AccessDenied' });
  });
});

test('a group that was let go keeps its instances', async () => {
  const fleet = createFleet(pair({ reason: 'rebalance' }));
  fleet.group = undefined;
  const { visits } = await execute(fleet, order());
  expect(secondsOf(visits)).toEqual(['begin 0', 'end 0']);
  expect(fleet.ended.size + fleet.releasedAtMs.size).toBe(0);
  expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', shortfall: { code: 'let-go' } });
  expect(fleet.told[0]?.detail).toMatchObject({ shortfalls: [{ code: 'let-go', instances: ['i-1', 'i-2'] }] });
});

test('a member that EC2 takes keeps its swap when its group is let go, so that a policy that is written again finds it', async () => {
  const before = swap('i-1', warned);
  const fleet = createFleet([before]);
  fleet.group = undefined;
  await execute(fleet, order());
  expect(fleet.stateOf('i-1')).toEqual(before);
  expect(fleet.releasedAtMs.size).toBe(0);
});

test('the drain of a member that is out of service ends, although its group is let go', async () => {
  const fleet = createFleet(pair({ reason: 'rebalance' }), 60_000);
  await beginDrain(fleet.ports, order());
  fleet.group = undefined;
  await execute(fleet, order());
  expect([...fleet.ended]).toEqual(['i-1', 'i-2']);
  expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
});

describe('a batch of a thousand', () => {
  const callsOf = async (count: number) => {
    const instances = Array.from({ length: count }, (_, index) => `i-${index}`);
    const fleet: Fleet = createFleet(
      instances.map((instance) => swap(instance, warned)),
      60_000,
    );
    fleet.group = group({ size: { min: 0, max: 2000, desired: 1 } });
    const { visits } = await execute(fleet, order());
    return { visits: visits.length, calls: fleet.calls.filter((name) => name !== 'advance'), writes: fleet.calls.length };
  };
  test('makes the calls and transitions of a batch of one; only its own items are written one by one', async () => {
    const [one, thousand] = [await callsOf(1), await callsOf(1000)];
    expect(thousand.visits).toBe(one.visits);
    expect(thousand.calls).toEqual(one.calls);
    expect(thousand.writes - thousand.calls.length).toBe(2000);
  });
});

describe('the latest start by the delays that the instances really have', () => {
  const latestOf = async (delayS: number) => {
    const fleet = createFleet(pair(warned), delayS * 1000);
    const { step } = await beginDrain(fleet.ports, order());
    const latestMs = step.next === 'begin' ? latestStartOf(group(), pair(warned), step.deregistrationDelayMs) : undefined;
    return latestMs === undefined ? step.next : (latestMs - noonMs) / 1000;
  };
  test.each([
    ['a short delay leaves replacements more time than the order guessed', 30, 87],
    ['a long delay leaves them less', 90, 27],
    ['one that takes nearly all of the notice leaves none', 118, 'check'],
    ['one that never fits keeps the guess', 300, 55],
  ])('%s', async (_rule, delayS, latestS) => expect(await latestOf(delayS)).toBe(latestS));

  test('is looked up while replacements boot, when the group itself need not be', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 2;
    fleet.reservations = [{ atMs: noonMs, replaces: ['i-1', 'i-2'] }];
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'begin 20', 'begin 30', 'begin 45', 'begin 60', 'begin 75', 'begin 87', 'check 118', 'end 118']);
    expect(fleet.calls.slice(0, fleet.calls.indexOf('describe')).filter((name) => name === 'inspect')).toHaveLength(1);
    expect(fleet.calls.filter((name) => name === 'describe').length).toBe(5);
  });

  test('that was known when the policy was accepted is not looked up before the group is', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.group = group({ drain: { timeoutMs: 300_000, loadBalancers: ['arn:web'], deregistrationDelayMs: 30_000 } });
    fleet.desired = 2;
    fleet.reservations = [{ atMs: noonMs, replaces: ['i-1', 'i-2'] }];
    const { step } = await beginDrain(fleet.ports, order());
    expect(step).toEqual({ next: 'begin', untilIso: '2026-01-19T12:00:20Z' });
    expect(fleet.calls.filter((name) => name === 'describe' || name === 'inspect')).toEqual([]);
    // It has become longer since: the first look finds that out.
    fleet.deregistrationDelayMs = 90_000;
    fleet.nowMs = inMs(20);
    expect((await beginDrain(fleet.ports, order())).step).toMatchObject({ next: 'begin', deregistrationDelayMs: 90_000 });
  });

  test('that was known when the policy was accepted decides where the look has no turn', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.group = group({ drain: { timeoutMs: 300_000, loadBalancers: ['arn:web'], deregistrationDelayMs: 30_000 } });
    fleet.ports.store.budget = async () => ({ ...emptyBudget, levels: { health: { tokens: -1_000, atMs: fleet.nowMs } } });
    expect((await beginDrain(fleet.ports, order())).step).toEqual({ next: 'begin', untilIso: '2026-01-19T12:01:27Z' });
  });

  test('a group whose launch waits for its turn is looked at after that', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.group = group({ drain: { timeoutMs: 300_000, loadBalancers: ['arn:web'], deregistrationDelayMs: 30_000 } });
    const launch = { bucket: 'createFleet', calls: 1, instances: 2, need: { urgency: 'warned', size: 2 }, sinceMs: noonMs } as const;
    fleet.ports.store.budget = async () => ({ ...emptyBudget, waiting: [{ ...launch, group: 'web', turnAtMs: inMs(12) }] });
    expect((await beginDrain(fleet.ports, order())).step).toEqual({ next: 'begin', untilIso: '2026-01-19T12:00:15Z' });
    expect(fleet.calls.filter((name) => name === 'describe' || name === 'inspect')).toEqual([]);
  });

  test('is read again for who joined the batch later', async () => {
    const fleet = createFleet(pair(warned), 0);
    const known = knownAfter((await beginDrain(fleet.ports, order())).step);
    expect(known).toMatchObject({ delayMs: 0 });
    fleet.deregistrationDelayMs = 90_000;
    expect(knownAfter((await beginDrain(fleet.ports, order(), known)).step)).toEqual(known);
    fleet.swaps.set('i-2', { ...fleet.stateOf('i-2'), drainOrderedAtMs: noonMs + 5_000 });
    expect(knownAfter((await beginDrain(fleet.ports, order(), known)).step)).toMatchObject({ delayMs: 90_000, ofMs: noonMs + 5_000 });
  });

  test('begins at once while replacements boot, where it leaves no time', async () => {
    const fleet = createFleet(pair(warned), 118_000);
    fleet.desired = 2;
    fleet.reservations = [{ atMs: noonMs, replaces: ['i-1'] }];
    expect(await beginDrain(fleet.ports, order())).toMatchObject({ because: 'latest-start', begun: 2 });
  });

  test('is looked up once and then carried by the execution', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)).toEqual(['begin 0', 'begin 20', 'begin 30', 'begin 45', 'begin 60', 'begin 75', 'begin 87', 'check 118', 'end 118']);
    expect(fleet.calls.filter((name) => name === 'inspect').length).toBe(3);
  });
});

test('a shortfall that shows only once targets drain is recorded by the next look', async () => {
  const fleet = createFleet(pair({ ...warned, state: 'draining', drainStartedAtMs: noonMs }), 300_000);
  for (const instance of ['i-1', 'i-2']) fleet.releasedAtMs.set(instance, noonMs);
  await checkDrain(fleet.ports, order());
  expect(fleet.stateOf('i-1')).toMatchObject({
    state: 'draining',
    shortfall: { code: 'delay-exceeds-deadline', delayMs: 300_000, leftMs: 120_000 },
  });
});

test('a drain stores whether a look could read the target groups, at its beginning and later', async () => {
  const fleet = createFleet(pair(warned), 30_000);
  const { inspectDrain } = fleet.provider;
  let isRead = false;
  fleet.provider.inspectDrain = async (of, batch) =>
    (await inspectDrain(of, batch)).map((seen) => ({ ...seen, ...(!isRead && { isUnread: true as const }) }));
  fleet.nowMs = inMs(90);
  await beginDrain(fleet.ports, order());
  expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', isUnread: true });
  isRead = true;
  fleet.nowMs = inMs(95);
  await checkDrain(fleet.ports, order());
  expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', isUnread: false });
});

test('a delay that no look could read is not said to exceed the time that is left, and the end says that nothing was read (16120012)', async () => {
  const codesOf = async (isRead: boolean) => {
    const fleet = createFleet(pair(warned), 300_000);
    const { inspectDrain } = fleet.provider;
    fleet.provider.inspectDrain = async (of, batch) =>
      (await inspectDrain(of, batch)).map((seen) => ({ ...seen, ...(!isRead && { isUnread: true as const }) }));
    fleet.nowMs = inMs(60);
    await beginDrain(fleet.ports, order());
    const begun = fleet.stateOf('i-1').shortfall?.code;
    fleet.nowMs = inMs(110);
    await endDrain(fleet.ports, order());
    return [begun, fleet.stateOf('i-1').shortfall?.code];
  };
  expect(await codesOf(false)).toEqual([undefined, 'not-seen']);
  expect(await codesOf(true)).toEqual(['delay-exceeds-deadline', 'delay-exceeds-deadline']);
});

test('an instance that no look could see in its drain is not said to have had connections when it ends (13500074)', async () => {
  const codeAfter = async (isRefused: boolean) => {
    const fleet = createFleet(pair(warned), 30_000);
    const { inspectDrain } = fleet.provider;
    if (isRefused) fleet.provider.inspectDrain = () => Promise.reject(awsError('Throttling'));
    fleet.nowMs = inMs(90);
    await beginDrain(fleet.ports, order());
    Object.assign(fleet.provider, { inspectDrain });
    fleet.ended.add('i-1');
    fleet.nowMs = inMs(95);
    await checkDrain(fleet.ports, order());
    return fleet.stateOf('i-1').shortfall?.code;
  };
  expect([await codeAfter(true), await codeAfter(false)]).toEqual(['not-seen', 'still-draining']);
});

test('the first look that finds until when targets drain stores that time, so that connections that end in time are no shortfall', async () => {
  const fleet = createFleet(pair({ ...warned, asg: 'web', state: 'draining', drainStartedAtMs: noonMs }), 115_000);
  for (const instance of ['i-1', 'i-2']) fleet.releasedAtMs.set(instance, noonMs);
  const { inspectDrain } = fleet.provider;
  fleet.provider.inspectDrain = async (of, batch) => {
    const seen = await inspectDrain(of, batch);
    return fleet.nowMs < inMs(20) ? seen.map(({ busyUntilMs: _, ...rest }) => rest) : seen;
  };
  await checkDrain(fleet.ports, order());
  expect(fleet.stateOf('i-1').busyUntilMs).toBeUndefined();
  fleet.nowMs = inMs(20);
  await checkDrain(fleet.ports, order());
  expect(fleet.stateOf('i-1').busyUntilMs).toBe(inMs(115));
  fleet.nowMs = inMs(110);
  expect(await endDrain(fleet.ports, order())).toMatchObject({ drained: 2, late: 0 });
  expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained', drainedAtMs: inMs(115) });
});

test('with drain-first the group is converged for the replacement when the drain has ended', async () => {
  const fleet = createFleet(pair({ reason: 'rebalance' }), 30_000);
  fleet.group = group({ swap: { order: 'drain-first', maxSurge: 0 } });
  await execute(fleet, order());
  expect(fleet.wakes).toEqual([inMs(31)]);
});

test('a hook that cannot be completed keeps no other from completion', async () => {
  const hook = { asg: 'web', hook: 'drain', token: 't', expiresAtMs: inMs(600), timeoutMs: 600_000 };
  const fleet = createFleet(pair({ reason: 'hook', hooks: [hook], state: 'drained' }));
  const { complete } = fleet.ports.lifecycle;
  fleet.ports.lifecycle.complete = (one, of) => (one === 'i-1' ? Promise.reject(new Error('no')) : complete(one, of));
  await expect(endDrain(fleet.ports, order())).rejects.toThrow('no');
  expect([...fleet.completed]).toEqual(['i-2']);
});

const throttled = () => Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'Throttling', $fault: 'client' }));

describe('when AWS does not respond for a while', () => {
  test('a drain that cannot read which members serve waits, looks again soon, and begins at its latest start', async () => {
    const fleet = createFleet(pair(warned), 60_000);
    fleet.provider.describe = throttled;
    const { visits, outcome } = await execute(fleet, order());
    expect(secondsOf(visits).at(-1)).toBe('end 116');
    expect(visits.filter(({ state }) => state === 'begin').length).toBeLessThan(20);
    expect(fleet.releasedAtMs.get('i-1')).toBe(inMs(55));
    expect(outcome.failed).toEqual([]);
  });

  test('members that are taken out of service are recorded before any look', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    const { inspectDrain } = fleet.provider;
    fleet.provider.inspectDrain = throttled;
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', drainStartedAtMs: noonMs });
    fleet.provider.inspectDrain = inspectDrain;
    await execute(fleet, order());
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });

  test('delays of which a look shows only a part are unknown', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 2;
    const { inspectDrain } = fleet.provider;
    fleet.provider.inspectDrain = async (of, batch) => (await inspectDrain(of, batch)).slice(0, 1);
    const { step } = await beginDrain(fleet.ports, order());
    expect(step.next).toBe('begin');
    expect(step).not.toHaveProperty('deregistrationDelayMs');
  });

  test('a member that the last look does not show is not said to be draining', async () => {
    const fleet = createFleet(pair({ ...warned, state: 'draining', drainStartedAtMs: noonMs }), 300_000);
    const { inspectDrain } = fleet.provider;
    for (const instance of ['i-1', 'i-2']) fleet.releasedAtMs.set(instance, noonMs);
    fleet.provider.inspectDrain = async (of, batch) => (await inspectDrain(of, batch)).slice(0, 1);
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').shortfall?.code).toBe('delay-exceeds-deadline');
    expect(fleet.stateOf('i-2').shortfall).toEqual({ code: 'not-seen' });
  });

  test('looks that fail until the end cut nothing: the last look shows how the drain ended', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    const { inspectDrain } = fleet.provider;
    fleet.provider.inspectDrain = (...of) => (fleet.nowMs < inMs(110) ? throttled() : inspectDrain(...of));
    const { outcome } = await execute(fleet, order());
    expect(outcome).toMatchObject({ drained: 2, late: 0 });
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainedAtMs: inMs(110) });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });

  test('connections that no look could see are recorded as unseen, and not as cut', async () => {
    const fleet = createFleet(pair({ ...warned, state: 'draining', drainStartedAtMs: noonMs }), 30_000);
    fleet.provider.inspectDrain = throttled;
    await execute(fleet, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', shortfall: { code: 'not-seen' } });
  });

  test('a release that cannot be requested is put off, and fails nothing', async () => {
    const fleet = createFleet(pair(warned), 30_000);
    fleet.desired = 0;
    const { release } = fleet.provider;
    fleet.provider.release = (...of) => (fleet.nowMs < inMs(20) ? throttled() : release(...of));
    const { visits } = await execute(fleet, order());
    expect(secondsOf(visits)[1]).toBe('begin 5');
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: fleet.releasedAtMs.get('i-1') });
    expect(fleet.stateOf('i-1').shortfall).toBeUndefined();
  });
});

describe('members that their Auto Scaling group ends as they leave service', () => {
  const attached = (code?: string) => {
    const fleet = createFleet(pair(warned), 60_000);
    fleet.group = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    fleet.desired = 0;
    if (code !== undefined) fleet.failRelease.set('i-1', { code, retry: 'later', times: 1 });
    return fleet;
  };

  /** The function dies when the group has got its request. */
  const diesAskedToEnd = ({ provider }: Fleet): void => {
    const { release } = provider;
    provider.release = async (...of) => {
      await release(...of);
      throw new Error('died');
    };
  };

  test('are noted before the request to their group, so that a reader that sees their end finds the cause', async () => {
    const fleet = attached();
    diesAskedToEnd(fleet);
    await expect(beginDrain(fleet.ports, order())).rejects.toThrow('died');
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', releaseAskedAtMs: noonMs });
  });

  test('are not noted if the reads before the request fail, because nothing was requested', async () => {
    const fleet = attached();
    fleet.provider.release = throttled;
    await beginDrain(fleet.ports, order());
    expect(fleet.calls.filter((call) => call === 'advance')).toEqual([]);
    expect(fleet.stateOf('i-1')).toEqual(swap('i-1', warned));
  });

  test('are noted at the time of the request, however long the reads before it took', async () => {
    const fleet = attached();
    const { release } = fleet.provider;
    fleet.provider.release = (...of) => {
      fleet.nowMs += 4_000;
      return release(...of);
    };
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').releaseAskedAtMs).toBe(noonMs + 4_000);
  });

  test('that cannot be noted now stay in service, and are tried again', async () => {
    const fleet = attached();
    const { advance } = fleet.ports.store;
    fleet.ports.store.advance = (of, change) =>
      of.instance === 'i-1' && change.set.releaseAskedAtMs !== undefined ? throttled() : advance(of, change);
    const { step, begun } = await beginDrain(fleet.ports, order());
    expect([step.next, begun, fleet.releasedAtMs.has('i-1')]).toEqual(['begin', 1, false]);
    expect(fleet.stateOf('i-1')).toEqual(swap('i-1', warned));
  });

  test('are noted too where their policy holds its members by tag by now', async () => {
    const fleet = createFleet([swap('i-1', { ...warned, asg: 'web-asg' }), swap('i-2', warned)], 60_000);
    fleet.desired = 0;
    diesAskedToEnd(fleet);
    await expect(beginDrain(fleet.ports, order())).rejects.toThrow('died');
    expect(fleet.stateOf('i-1').releaseAskedAtMs).toBe(noonMs);
    expect(fleet.stateOf('i-2').releaseAskedAtMs).toBeUndefined();
  });

  test.each([
    ['Throttling', undefined],
    ['InternalFailure', noonMs],
  ])('and not let go (%s): the note is taken back where it is certain', async (code, askedAtMs) => {
    const fleet = attached(code);
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving' });
    expect(fleet.stateOf('i-1').releaseAskedAtMs).toBe(askedAtMs);
    expect(fleet.stateOf('i-2')).toMatchObject({ state: 'draining' });
  });

  test('stay noted if a later attempt is throttled, because the one before it may have been carried out', async () => {
    const fleet = attached();
    const { release } = fleet.provider;
    diesAskedToEnd(fleet);
    await expect(beginDrain(fleet.ports, order())).rejects.toThrow('died');
    fleet.ended.add('i-1');
    fleet.provider.release = async (...of) => ({
      ...(await release(...of)),
      ...{ done: [], failed: [{ instance: 'i-1', code: 'Throttling', retry: 'later' }], deregisteredAtMs: { 'i-1': fleet.nowMs } },
    });
    await beginDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'gone', releaseAskedAtMs: noonMs });
    expect(fleet.stateOf('i-1').shortfall).not.toEqual({ code: 'ended-before-drain' });
  });

  /** Its Auto Scaling group does not end `i-1`, which is deregistered a second after the drain wanted it out. */
  const isDeregistered = (fleet: Fleet): void => {
    const { release } = fleet.provider;
    fleet.provider.release = async (...of) => {
      const released = await release(...of);
      fleet.releasedAtMs.set('i-1', fleet.nowMs + 1_000);
      return { ...released, deregisteredAtMs: { 'i-1': fleet.nowMs + 1_000 } };
    };
  };

  test.each([
    ['Throttling', undefined],
    ['InternalFailure', noonMs],
  ])('and that are only deregistered (%s) drain from then on', async (code, askedAtMs) => {
    const fleet = attached(code);
    isDeregistered(fleet);
    const { step, begun } = await beginDrain(fleet.ports, order());
    expect([step.next, begun]).toEqual(['check', 2]);
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'draining', drainStartedAtMs: inMs(1), busyUntilMs: inMs(61) });
    expect(fleet.stateOf('i-1').releaseAskedAtMs).toBe(askedAtMs);
  });

  test('that cannot be noted have not begun to drain, whatever else the release did', async () => {
    const fleet = attached();
    const { advance } = fleet.ports.store;
    fleet.ports.store.advance = (of, change) => (change.set.releaseAskedAtMs !== undefined ? throttled() : advance(of, change));
    fleet.provider.release = async (_group, swaps, { beforeEnding = async () => [] } = {}) => {
      await beforeEnding(swaps.map(({ instance }) => instance));
      return { done: swaps.map(({ instance }) => instance), failed: [] };
    };
    const { begun } = await beginDrain(fleet.ports, order());
    expect([begun, fleet.stateOf('i-1').state]).toEqual([0, 'leaving']);
  });

  /** The last try, ten seconds before EC2 takes the member. */
  const atTheEnd = (delayMs: number) => {
    const fleet = createFleet([swap('i-1', { ...warned, asg: 'web-asg' })], delayMs);
    fleet.group = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    fleet.nowMs = inMs(110);
    return fleet;
  };

  test('at the end of the drain are noted first, and have drained once they are seen ended', async () => {
    const fleet = atTheEnd(60_000);
    const { release } = fleet.provider;
    fleet.provider.release = async (...of) => {
      const released = await release(...of);
      expect(fleet.stateOf('i-1')).toMatchObject({ state: 'leaving', releaseAskedAtMs: inMs(110) });
      fleet.ended.add('i-1');
      return released;
    };
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'gone', drainedAtMs: inMs(110) });
    expect(fleet.stateOf('i-1')).not.toHaveProperty('shortfall');
  });

  test.each([
    [undefined, 2],
    [3, 5],
  ])('at the end of the drain leave as many to the group as have no replacement, and say how many it wants: spares %s', async (spare, wanted) => {
    const fleet = atTheEnd(60_000);
    fleet.group = group({ holding: { kind: 'attach', asg: 'web-asg' }, ...(spare !== undefined && { spare }) });
    fleet.ports.store.state = async () => ({ desired: 2, reservations: [], uncovered: 1 }) as never;
    const said: unknown[] = [];
    const { release } = fleet.provider;
    fleet.provider.release = (of, swaps, releasing) => {
      said.push([releasing?.uncovered, releasing?.wanted]);
      return release(of, swaps, releasing);
    };
    await endDrain(fleet.ports, order());
    expect(said).toEqual([[1, wanted]]);
  });

  test.each([
    [5, undefined],
    [60, { code: 'delay-exceeds-deadline', delayMs: 60_000, leftMs: 10_000, cutAtMs: inMs(120), by: 'ec2' }],
  ])('at the end of the drain say what becomes of connections of %d s', async (seconds, shortfall) => {
    const fleet = atTheEnd(seconds * 1_000);
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: inMs(110) });
    expect(fleet.stateOf('i-1').shortfall).toEqual(shortfall);
  });

  test('and that could be taken out only at their deadline were late', async () => {
    const fleet = atTheEnd(60_000);
    fleet.nowMs = inMs(120);
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1').shortfall).toEqual({ code: 'not-released-in-time', cutAtMs: inMs(120), by: 'ec2' });
  });

  test('and that are only deregistered are looked at soon, because no step of the drain ends them any more', async () => {
    const fleet = attached('Throttling');
    isDeregistered(fleet);
    await beginDrain(fleet.ports, order());
    expect(fleet.wakes).toEqual([inMs(5)]);
    await beginDrain(fleet.ports, order());
    expect(fleet.wakes).toHaveLength(1);
  });

  test.each([
    [1.3, 10],
    [108.2, 115],
    [110.1, 115.1],
    [113, 118],
    [115.1, 120.1],
  ])('and that are only deregistered after %d s share a look after %d s, unless it would be too late', async (afterS, atS) => {
    const fleet = attached('Throttling');
    isDeregistered(fleet);
    fleet.nowMs = inMs(afterS);
    await beginDrain(fleet.ports, order());
    expect([fleet.wakes, fleet.wokenHow]).toEqual([[inMs(atS)], ['together']]);
  });

  test('and that are only deregistered drain also where the message for the look cannot be sent', async () => {
    const fleet = attached('Throttling');
    isDeregistered(fleet);
    fleet.ports.wakes.wake = throttled;
    expect(await beginDrain(fleet.ports, order())).toMatchObject({ step: { next: 'check' }, begun: 2 });
  });

  test('and that their group ends at once cause no look', async () => {
    const fleet = attached();
    await beginDrain(fleet.ports, order());
    expect(fleet.wakes).toEqual([]);
  });

  test.each([
    [5, undefined],
    [60, { code: 'delay-exceeds-deadline', delayMs: 60_000, leftMs: 9_000, cutAtMs: inMs(120), by: 'ec2' }],
  ])('and that are only deregistered at the end of the drain say what becomes of connections of %d s', async (seconds, shortfall) => {
    const fleet = createFleet([swap('i-1', { ...warned, asg: 'web-asg' })], seconds * 1_000);
    fleet.group = group({ holding: { kind: 'attach', asg: 'web-asg' } });
    fleet.failRelease.set('i-1', { code: 'InternalFailure', retry: 'later', times: 1 });
    fleet.nowMs = inMs(110);
    isDeregistered(fleet);
    await endDrain(fleet.ports, order());
    expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainStartedAtMs: inMs(111) });
    expect(fleet.stateOf('i-1').shortfall).toEqual(shortfall);
  });
});

test('a drain that is about to end begins again for a member that has just joined it, and its one event names both', async () => {
  const fleet = createFleet([swap('i-1', { ...warned, state: 'drained', drainedAtMs: noonMs }), swap('i-2', warned)], 30_000);
  expect((await endDrain(fleet.ports, order())).step).toEqual({ next: 'begin', untilIso: '2026-01-19T12:00:05Z' });
  expect([fleet.stateOf('i-2'), fleet.told]).toEqual([swap('i-2', warned), []]);
  await execute(fleet, order());
  expect(fleet.stateOf('i-2')).toMatchObject({ state: 'drained' });
  expect(fleet.told.map(({ detail }) => detail.drained)).toEqual([['i-1', 'i-2']]);
});

test('a member that joins while the others are ended does not keep them from their end', async () => {
  const hook = { asg: 'web', hook: 'drain', expiresAtMs: inMs(600), timeoutMs: 600_000 };
  const joined = swap('i-3', { reason: 'hook', hooks: [{ ...hook, token: 't-3' }] });
  const drained = { state: 'drained', drainedAtMs: noonMs } as const;
  const swaps = [
    swap('i-1', { reason: 'rebalance', ...drained }),
    swap('i-2', { reason: 'hook', hooks: [{ ...hook, token: 't-2' }], ...drained }),
    joined,
  ];
  const fleet = createFleet(swaps, 30_000);
  expect(await endDrain(fleet.ports, order())).toMatchObject({ step: { next: 'begin' }, ended: 1 });
  expect([[...fleet.ended], [...fleet.completed], fleet.stateOf('i-3')]).toEqual([['i-1'], ['i-2'], joined]);
});

test.each([
  ['that no swap names causes a look at once, because the swaps may be lost with the table that had them', [], 1],
  ['whose members are gone causes none', [swap('i-1', { ...warned, state: 'gone', goneAtMs: noonMs })], 0],
  ['whose group was let go causes none', [], 0],
] as const)('the end of a drain %s', async (title, swaps, looks) => {
  const fleet = createFleet(swaps, 30_000);
  if (title.includes('let go')) fleet.group = undefined;
  expect(await endDrain(fleet.ports, order())).toMatchObject({ drained: 0, gone: swaps.length });
  expect(fleet.wakes).toEqual(looks === 0 ? [] : [fleet.nowMs]);
});

test('a drain that no swap names ends also where the message for the look cannot be sent', async () => {
  const fleet = createFleet([], 30_000);
  fleet.ports.wakes.wake = throttled;
  expect(await endDrain(fleet.ports, order())).toMatchObject({ drained: 0, gone: 0 });
});

describe('the event about the end of a large drain', () => {
  const halfOfTheLimit = 131_072;
  const toldOf = async (count: number, of: (index: number) => Partial<Swap>) => {
    const all = Array.from({ length: count }, (_, index) =>
      swap(`i-${String(index).padStart(17, '0')}`, { state: 'drained', drainedAtMs: noonMs, ...of(index) }),
    );
    const fleet = createFleet(all);
    await endDrain(fleet.ports, order());
    return fleet.told.filter(({ detailType }) => detailType === 'Holdfast Drain Finished').map(({ detail }) => detail);
  };
  const longest = (index: number): Partial<Swap> => ({
    shortfall: { code: 'drain-broke', error: 'States.TaskFailed', cause: `${index}`.padEnd(200, 'x') },
  });

  test.each([
    ['with nothing to add', () => ({})],
    ['with a shortfall of its own for each', longest],
  ])('comes in parts that the bus takes, %s', async (_what, of) => {
    const told = await toldOf(12_000, of);
    for (const detail of told) expect(Buffer.byteLength(JSON.stringify(detail))).toBeLessThan(halfOfTheLimit);
    expect(told.map(({ part, parts }) => [part, parts])).toEqual(told.map((_, index) => [index + 1, told.length]));
  });

  test('names every instance once, and counts the whole in each part', async () => {
    const told = await toldOf(700, (index) =>
      index % 7 === 0 ? { state: 'gone', goneAtMs: noonMs, shortfall: { code: 'ended-before-drain' } } : {},
    );
    const named = told.flatMap(({ drained, gone }) => [...(drained as string[]), ...(gone as string[])]);
    expect([new Set(named).size, named.length, told.length]).toEqual([700, 700, 4]);
    for (const { counts } of told) expect(counts).toEqual({ drained: 600, gone: 100, shortfalls: 100 });
  });
});

test('a member that comes to serve after its warning gets the delay of its target groups', async () => {
  const fleet = createFleet([swap('i-1', warned)], 60_000);
  fleet.desired = 2;
  const { inspectDrain, describe: look } = fleet.provider;
  const servesAtMs = inMs(20);
  const booting = member('i-1', { serving: false });
  fleet.members = [booting, member('i-2')];
  fleet.provider.describe = async (...of) => {
    fleet.members = fleet.nowMs < servesAtMs ? fleet.members : [member('i-1'), member('i-2')];
    return look(...of);
  };
  fleet.provider.inspectDrain = async (...of) => {
    const seen = await inspectDrain(...of);
    return fleet.nowMs < servesAtMs ? seen.map(({ instance }) => ({ instance, drained: true, gone: false })) : seen;
  };
  const { step } = await beginDrain(fleet.ports, order());
  expect(step).toMatchObject({ deregistrationDelayMs: 0, delayOfMs: fleet.stateOf('i-1').drainOrderedAtMs ?? noonMs, delayMayGrow: true });
  await execute(fleet, order());
  expect(fleet.releasedAtMs.get('i-1')).toBe(inMs(57));
  expect(fleet.stateOf('i-1')).toMatchObject({ state: 'drained', drainedAtMs: inMs(118) });
});

test('a delay that may grow is not read again while no member of the batch has come to serve', async () => {
  const fleet = createFleet([swap('i-1', warned)], 0);
  fleet.desired = 2;
  fleet.members = [member('i-1', { serving: false }), member('i-2')];
  await execute(fleet, order());
  const before = fleet.calls.slice(0, fleet.calls.indexOf('release'));
  expect(before.filter((call) => call === 'describe').length).toBeGreaterThan(3);
  expect(before.filter((call) => call === 'inspect')).toHaveLength(1);
});

test('a delay of a member that serves is read once', async () => {
  const fleet = createFleet([swap('i-1', warned)], 0);
  fleet.desired = 2;
  fleet.members = [member('i-1'), member('i-2')];
  await execute(fleet, order());
  const [first] = fleet.calls.flatMap((call, index) => (call === 'release' ? [index] : []));
  expect(fleet.calls.slice(0, first).filter((call) => call === 'inspect')).toHaveLength(1);
});

test('a look before the next tick that cannot be requested keeps no drain from its end, and its event is sent', async () => {
  const fleet = createFleet([swap('i-1', { ...warned, state: 'drained', drainedAtMs: noonMs })], 30_000);
  fleet.group = group({ swap: { order: 'drain-first', maxSurge: 1 } });
  fleet.ports.wakes.wake = throttled;
  expect(await endDrain(fleet.ports, order())).toMatchObject({ drained: 1 });
  expect(fleet.told[0]?.detail).toMatchObject({ drained: ['i-1'] });
});

test('an error of our own while a look is requested is thrown', async () => {
  const fleet = createFleet([swap('i-1', { ...warned, state: 'drained', drainedAtMs: noonMs })], 30_000);
  fleet.group = group({ swap: { order: 'drain-first', maxSurge: 1 } });
  fleet.ports.wakes.wake = () => Promise.reject(new TypeError('ours'));
  await expect(endDrain(fleet.ports, order())).rejects.toThrow('ours');
});
