import { describe, expect, it } from 'vitest';
import { drainStopped } from '../../../core/signals/drain-stopped.ts';
import { interruption } from '../../../core/signals/interruption.ts';
import { launchUnsuccessful } from '../../../core/signals/launch-unsuccessful.ts';
import { policyChange } from '../../../core/signals/policy-change.ts';
import { rebalance } from '../../../core/signals/rebalance.ts';
import { terminateHook } from '../../../core/signals/terminate-hook.ts';
import { tick } from '../../../core/signals/tick.ts';
import { shortestHookTimeoutMs, spotNoticeMs } from '../../../core/times/times.ts';
import { nowMs } from '../views.ts';

const instance = 'i-0123456789abcdef0';
const timeOf = () => undefined;
const owner = { group: 'web', state: 'running' } as never;
const whyOf = (found: object): unknown => ('why' in found ? found.why : found);

describe('an instance leaves', () => {
  it('by an interruption within two minutes, and one that hibernates at once', () => {
    const of = { kind: 'interruption', instance, action: 'terminate', atMs: nowMs } as const;
    const leaving = { instance, reason: 'interruption', atMs: nowMs, deadlineMs: nowMs + spotNoticeMs };
    expect(interruption.adds(of, undefined)).toEqual({ leaving: [leaving] });
    expect(interruption.adds({ ...of, action: 'stop' }, owner)).toEqual({ leaving: [{ ...leaving, owner }] });
    expect(interruption.adds({ ...of, action: 'hibernate' }, undefined)).toEqual({ leaving: [{ ...leaving, deadlineMs: nowMs }] });
  });

  it('on advice, without a deadline', () => {
    const of = { kind: 'rebalance', instance, atMs: nowMs } as const;
    expect(rebalance.adds(of, undefined)).toEqual({ leaving: [{ instance, reason: 'rebalance', atMs: nowMs }] });
    expect(rebalance.adds(of, owner)).toEqual({ leaving: [{ instance, reason: 'rebalance', atMs: nowMs, owner }] });
  });

  it('on a hook that waits for it, where it terminates', () => {
    const detail = {
      LifecycleActionToken: '87654321-4321-4321-4321-210987654321',
      AutoScalingGroupName: 'web-asg',
      LifecycleHookName: 'drain',
      EC2InstanceId: instance,
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
    };
    const read = (rest: object = {}) => terminateHook.read({ ...detail, ...rest }, nowMs, timeOf);
    const hook = { asg: 'web-asg', hook: 'drain', token: detail.LifecycleActionToken, sinceMs: nowMs, expiresAtMs: nowMs + shortestHookTimeoutMs };
    const of = { kind: 'terminate-hook', instance, hook, atMs: nowMs } as const;
    expect(read()).toEqual({ kind: 'signals', signals: [of] });
    expect(whyOf(read({ LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' }))).toBe(
      'lifecycle transition autoscaling:EC2_INSTANCE_LAUNCHING',
    );
    expect(whyOf(read({ Destination: 'WarmPool' }))).toBe('a return to the warm pool is no termination');
    expect(terminateHook.adds(of, undefined)).toEqual({ leaving: [{ instance, reason: 'hook', atMs: nowMs, hook }] });
    expect(terminateHook.adds(of, owner)).toEqual({ leaving: [{ instance, reason: 'hook', atMs: nowMs, hook, owner }] });
  });
});

describe('an Auto Scaling group that could not launch', () => {
  const of = { kind: 'launch-unsuccessful', asg: 'web-asg', code: 'unknown', atMs: nowMs } as const;
  const codeOf = (StatusMessage?: string) => {
    const found = launchUnsuccessful.read({ AutoScalingGroupName: 'web-asg', ...(StatusMessage !== undefined && { StatusMessage }) }, nowMs, timeOf);
    return found.kind === 'signals' ? found.signals[0]?.code : found;
  };

  it('says why, where it is a refusal that is known', () => {
    expect(codeOf('There is no capacity (InsufficientInstanceCapacity).')).toBe('InsufficientInstanceCapacity');
    expect([codeOf('something else'), codeOf('')]).toEqual(['unknown', 'unknown']);
    expect(codeOf()).toBe('unknown');
  });

  it('is a fact for its group for five minutes', () => {
    expect([launchUnsuccessful.about(of), launchUnsuccessful.adds(of, undefined)]).toEqual([{ asg: 'web-asg' }, { refusedAsgs: ['web-asg'] }]);
    const over = (ageMs: number) => launchUnsuccessful.isOver(of, undefined, nowMs + ageMs);
    expect([over(300_000), over(300_001)]).toEqual([false, true]);
    expect(launchUnsuccessful.causeOf(of)).toEqual({ asg: 'web-asg', awsCode: 'unknown' });
  });
});

describe('a drain that was stopped', () => {
  const read = (rest: object) => drainStopped.read({ status: 'ABORTED', ...rest }, nowMs, timeOf);

  it('is one that Holdfast started, by its input', () => {
    const of = { kind: 'drain-stopped', group: 'web', drain: 'web-1-d0', atMs: nowMs } as const;
    expect(read({ input: JSON.stringify({ group: 'web', drain: 'web-1-d0' }) })).toEqual({ kind: 'signals', signals: [of] });
    expect(drainStopped.adds(of, undefined)).toEqual({ stoppedDrains: ['web-1-d0'] });
    expect(drainStopped.causeOf(of)).toEqual({ drain: 'web-1-d0' });
  });

  it('is ignored otherwise, with the reason', () => {
    for (const rest of [{}, { input: null }, { input: 'no JSON' }, { input: '{}' }])
      expect(whyOf(read(rest))).toBe('an execution that Holdfast did not start');
    expect(whyOf(read({ status: 'SUCCEEDED' }))).toBe('execution is SUCCEEDED');
  });
});

describe('messages of our own', () => {
  it('cause a look at their groups', () => {
    expect(tick.read({ group: 'web' }, nowMs, timeOf)).toEqual({
      kind: 'signals',
      signals: [{ kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled: false }],
    });
    expect(whyOf(tick.read({}, nowMs, timeOf))).toBe('detail.group: expected a name, or a list of names at detail.groups');
    expect(tick.read({ isScheduled: true }, nowMs, timeOf)).toEqual({ kind: 'ignored', why: 'a tick while no policy is in force' });
    const of = { kind: 'tick', groups: ['web'], atMs: nowMs, isScheduled: true } as const;
    expect([tick.about(of), tick.adds(of, undefined)]).toEqual([{ groups: ['web'] }, { isTick: true, isMinute: true }]);
    const changed = { kind: 'policy-change', group: 'web', atMs: nowMs } as const;
    expect([policyChange.about(changed), policyChange.adds(changed, undefined)]).toEqual([{ groups: ['web'] }, { isTick: true }]);
    const read = (detail: object) => policyChange.read(detail, nowMs, timeOf);
    expect(read({ group: 'web' })).toStrictEqual({ kind: 'signals', signals: [changed] });
    expect(read({ group: 'web', writtenAtMs: 7 })).toStrictEqual({ kind: 'signals', signals: [{ ...changed, writtenAtMs: 7 }] });
    expect(policyChange.adds(changed, undefined)).toStrictEqual({ isTick: true });
    expect(policyChange.adds({ ...changed, writtenAtMs: 7 }, undefined)).toEqual({ isTick: true, writtenAtMs: 7 });
  });
});
