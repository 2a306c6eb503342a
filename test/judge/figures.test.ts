import { describe, expect, it } from 'vitest';
import { figuresAreTrue } from '../../sandbox/judge/rules/said/figures.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe, user } from './histories.ts';

const figures = { nowMs: 100_000, desired: 2, members: 2, serving: 2, byPool: { 'spot-a': 1, 'spot-b': 1 }, swaps: {}, stateVersion: 1 };

/** What is false in the numbers of a decision whose function looked at 100 and stored it at 102. i-1 and i-2 serve since 30. */
const counted = (change: object, write: (script: Script) => void = () => undefined, history: object = {}, outcome = 'carried-out') =>
  details(
    figuresAreTrue,
    (script) => {
      twoServe(script);
      write(script);
      script.react(98, 103, 'of-a');
      script.at(102, { kind: 'item-written', table: 'state', group: 'web', item: 'decision#d-1', bytes: 500, by: react('of-a') });
    },
    {
      stored: {
        ...{ states: {}, swaps: [], deadLetters: 0, staleMessages: 0 },
        decisions: [{ id: 'd-1', group: 'web', view: { ...figures, ...change }, outcome: { code: outcome } }],
      },
      ...history,
    },
  );
const says = (what: string): readonly string[] => [`decision d-1 counts ${what}`];

describe('the numbers in a decision', () => {
  it('are true for what its look showed', () => {
    expect(counted({})).toEqual([]);
  });
  it('break the rule with members or pools that are not those of the group', () => {
    expect(counted({ members: 1, serving: 1, byPool: { 'spot-a': 1 } })).toEqual([
      ...says('1 members, expected 2'),
      ...says('1 of 1 members in service, expected 2 at least'),
    ]);
    expect(counted({ members: 3, byPool: { 'spot-a': 3 } })).toEqual(says('3 members, expected 2'));
    expect(counted({ byPool: { 'spot-a': 1 } })).toEqual(says('2 members, and 1 in its pools'));
  });
  it('need not show a member that came or went shortly before, or that its Auto Scaling group ends', () => {
    const third = (script: Script): void => script.launch(99, 'i-3');
    expect(counted({}, third)).toEqual([]);
    expect(counted({ members: 3, byPool: { 'spot-a': 2, 'spot-b': 1 } }, third)).toEqual([]);
    const ends = (script: Script): void =>
      script.at(
        60,
        { kind: 'joined', instance: 'i-1', asg: 'web-asg', by: user },
        { kind: 'left', instance: 'i-1', asg: 'web-asg', how: 'terminating', by: user },
      );
    expect(counted({ members: 1, serving: 1, byPool: { 'spot-b': 1 } }, ends)).toEqual([]);
  });
  it('may count an instance that lived for less than a second in the time of the look, and none that ended before it', () => {
    const lives = (fromSecond: number, untilSecond: number) => (script: Script) => {
      script.launch(fromSecond, 'i-3');
      script.end(untilSecond, 'i-3', { kind: 'ec2' });
    };
    const three = { members: 3, byPool: { 'spot-a': 2, 'spot-b': 1 } };
    expect(counted(three, lives(99.2, 99.5))).toEqual([]);
    expect(counted(three, lives(60.2, 60.5))).toEqual(says('3 members, expected 2'));
    expect(counted(three, lives(100.2, 100.5))).toEqual(says('3 members, expected 2'));
  });
  it('may count an instance that EC2 starts again, from then on', () => {
    const starts = (second: number, state: 'stopped' | 'terminated') => (script: Script) => {
      script.member('i-3');
      script.at(60, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-3', state });
      script.at(second, { kind: 'step', step: 'restarted', instances: ['i-3'], groups: ['web'], asgs: [] });
      script.at(second + 10, { kind: 'running', instance: 'i-3' });
    };
    const three = { members: 3, byPool: { 'spot-a': 2, 'spot-b': 1 } };
    expect(counted(three, starts(95, 'stopped'))).toEqual([]);
    expect(counted(three, starts(101, 'stopped'))).toEqual(says('3 members, expected 2'));
    expect(counted(three, starts(95, 'terminated'))).toEqual(says('3 members, expected 2'));
  });
  it('may count an instance of a warm pool that ended in the time of the look, and none that ended before it or that its group holds', () => {
    const three = { members: 3, byPool: { 'spot-a': 1, 'spot-b': 1, unknown: 1 } };
    const dies = (second: number | undefined, asg = 'web-asg') =>
      counted(three, (script) => {
        script.policy(40, 2, { ...policy, asg: 'web-asg' });
        script.launch(50, 'i-3', { by: { kind: 'asg', asg, why: 'size' } });
        if (second !== undefined) script.end(second, 'i-3', { kind: 'ec2' });
      });
    expect(dies(99.5)).toEqual([]);
    for (const wrong of [dies(60), dies(101.5), dies(undefined), dies(99.5, 'other')]) expect(wrong).toEqual(says('3 members, expected 2'));
  });
  it('break the rule with fewer in service than served all the time, unless a fault hides their health', () => {
    expect(counted({ serving: 1 })).toEqual(says('1 of 2 members in service, expected 2 at least'));
    expect(counted({ serving: 1 }, undefined, throttled('DescribeTargetHealth'))).toEqual([]);
    expect(counted({ serving: 1, unread: 1 })).toEqual([]);
    expect(counted({ serving: 2, unread: 1 })).toEqual(says('3 of 2 members in service, expected 2 at least'));
    // EC2's check of an instance fails as soon as its software hangs. Only a policy that asks for these checks has them read.
    const hangs = (second: number, ready: object) => (script: Script) => {
      script.policy(2, 2, { ...policy, ready });
      for (const instance of ['i-1', 'i-2']) script.at(40, { kind: 'checked', instance, isPassed: true });
      script.at(second, { kind: 'answering', instance: 'i-1', isOn: false });
    };
    expect(counted({ serving: 1 }, hangs(90, { checks: 'ec2' }))).toEqual([]);
    expect(counted({ serving: 0 }, hangs(90, { checks: 'ec2' }))).toEqual(says('0 of 2 members in service, expected 1 at least'));
    expect(counted({ serving: 1 }, hangs(104, { checks: 'ec2' }))).toHaveLength(1);
    expect(counted({ serving: 1 }, hangs(90, {}))).toHaveLength(1);
    const begins = (script: Script): void => {
      script.launch(60, 'i-3');
      script.serves(95, 'i-3');
    };
    expect(counted({ members: 3, serving: 2, byPool: { 'spot-a': 2, 'spot-b': 1 } }, begins)).toEqual([]);
  });
  it('need not count in service whom an earlier policy left outside of the Auto Scaling groups of its pools, and no target group has', () => {
    const pools = { 'spot-a': { market: 'spot', asg: 'asg-a' }, 'spot-b': { market: 'spot', asg: 'asg-b' } };
    const inGroups = { ...policy, capacity: { spread: ['spot-a', 'spot-b'] }, pools, drain: { timeout: '30s' } };
    const left = (before: typeof policy, now: Readonly<Record<string, unknown>>) => (script: Script) => {
      script.policy(1, 2, before);
      script.launch(35, 'i-3');
      script.at(45, { kind: 'running', instance: 'i-3' }, { kind: 'booted', instance: 'i-3' });
      script.policy(50, 3, now);
    };
    const three = { members: 3, byPool: { 'spot-a': 2, 'spot-b': 1 } };
    expect(counted(three, left(policy, inGroups))).toEqual([]);
    // Those that a target group of the earlier policy has do serve.
    expect(counted({ ...three, serving: 1 }, left(policy, inGroups))).toEqual(says('1 of 3 members in service, expected 2 at least'));
    // Where members are held by their tags, and the policy names no target group, whoever has booted serves.
    expect(counted(three, left(policy, { ...policy, drain: { timeout: '30s' } }))).toHaveLength(1);
  });
  it('break the rule with a desired size that the state never had', () => {
    expect(counted({ desired: 3 })).toEqual(says('a desired size of 3, expected 2'));
    expect(counted({ desired: 3 }, (script) => script.desired(90, 3))).toEqual([]);
    expect(counted({ desired: 3 }, undefined, {}, 'not-carried-out')).toEqual([]);
  });
  it('break the rule with other swaps than are stored', () => {
    const claimed = (second: number) => (script: Script) => script.claim(second, 'i-1', 'of-0');
    expect(counted({ swaps: { leaving: 1 } }, claimed(80))).toEqual([]);
    expect(counted({}, claimed(80))).toEqual(says('0 swaps that are leaving, expected 1'));
    expect(counted({ swaps: { leaving: 1 } })).toEqual(says('1 swaps that are leaving, expected 0'));
    // The next look writes that its instance has ended. Every other change is one of later.
    const then = (state: string) => (script: Script) => {
      claimed(80)(script);
      script.claim(140, 'i-1', 'of-b', state);
    };
    expect(counted({}, then('gone'))).toEqual([]);
    expect(counted({}, then('draining'))).toEqual(says('0 swaps that are leaving, expected 1'));
    // Written by this function, or beside it.
    expect(counted({}, claimed(99))).toEqual([]);
    expect(counted({ swaps: { leaving: 1 } }, claimed(99))).toEqual([]);
    expect(counted({}, (script) => script.claim(80, 'i-1', 'of-0', 'drained'))).toEqual([]);
    // A look counts what it finds, and the next one may write that.
    expect(counted({ swaps: { leaving: 1 } }, claimed(150))).toEqual([]);
    expect(counted({ swaps: { leaving: 1 } }, claimed(200))).toEqual(says('1 swaps that are leaving, expected 0'));
  });
  it('need not count as waiting a swap that another function lets begin, which had begun by then', () => {
    const begins = (fromSecond: number) => (script: Script) => {
      script.react(80, 81, 'of-0');
      script.claim(80, 'i-1', 'of-0', 'waiting');
      script.react(fromSecond, 120, 'of-b');
      script.claim(119, 'i-1', 'of-b', 'leaving');
    };
    expect(counted({ swaps: { leaving: 1 } }, begins(95))).toEqual([]);
    expect(counted({ swaps: { leaving: 1 } }, begins(110))).toEqual(says('0 swaps that are waiting, expected 1'));
  });
  it('may count as leaving a waiting swap that a function may have let begin, which died after its decision was stored (24310851)', () => {
    const dies =
      (second: number, { isStored = true, hasDied = true } = {}) =>
      (script: Script): void => {
        script.react(60, 61, 'of-0');
        script.claim(60, 'i-1', 'of-0', 'waiting');
        script.at(second, { kind: 'invocation-began', invocation: 'of-b', function: 'react' });
        if (isStored) script.desired(second + 0.1, 2, 1, react('of-b'));
        const error = { error: { type: 'Runtime.ExitError', message: '' } };
        const end = { startedAtMs: 1_000 * second, timeoutMs: 30_000, again: [], injected: true, ...(hasDied && error) };
        script.at(second + 0.2, { kind: 'invocation-ended', invocation: 'of-b', function: 'react', ...end });
      };
    expect([counted({ swaps: { leaving: 1 } }, dies(80)), counted({ swaps: { waiting: 1 } }, dies(80))]).toEqual([[], []]);
    const [none] = says('0 swaps that are waiting, expected 1');
    // No decision of it was stored, it ended in order, or it could not write the swap any more.
    for (const other of [dies(80, { isStored: false }), dies(80, { hasDied: false }), dies(62)])
      expect(counted({ swaps: { leaving: 1 } }, other)).toContain(none);
    expect(counted({ swaps: { draining: 1 } }, dies(80))).toHaveLength(1);
  });
  it('say nothing of groups that do not act', () => {
    expect(counted({ members: 7, byPool: { 'spot-a': 7 } }, (script) => script.policy(1, 2, { ...policy, mode: 'observe' }))).toEqual([]);
  });
});
