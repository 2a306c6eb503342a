import { describe, expect, it } from 'vitest';
import { swapTimesAreTrue } from '../../sandbox/judge/rules/said/swap-times.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, twoServe, user } from './histories.ts';

const swap = {
  ...{ group: 'web', instance: 'i-1', reason: 'interruption', state: 'gone', decision: 'd-1', launchedAtMs: 1_000, warnedAtMs: 100_000 },
  ...{ claimedAtMs: 101_000, drainStartedAtMs: 140_000, drainedAtMs: 165_000, goneAtMs: 222_000 },
};

/** i-1 is warned at 100, claimed at 101, taken out of service at 140, and EC2 takes it at 220. */
const said = (change: object, { write = (_: Script): void => undefined, changes = {} } = {}) =>
  details(
    swapTimesAreTrue,
    (script) => {
      twoServe(script);
      script.warn(100, 'i-1');
      script.react(101, 104, 'of-a', [{ about: 'warning', instance: 'i-1' }]);
      script.claim(101, 'i-1', 'of-a');
      script.takeOut(140, 'i-1');
      script.end(220, 'i-1');
      write(script);
    },
    { stored: { states: {}, deadLetters: 0, staleMessages: 0, decisions: [], swaps: [{ ...swap, ...change }] }, ...changes },
  );
const wrong = (what: string): readonly string[] => [`the swap of i-1 is wrong about when it ${what}`];

describe('the times in a swap', () => {
  it('are true for what happened', () => {
    expect(said({})).toEqual([]);
    expect(said({ goneAtMs: 330_000 })).toEqual([]);
  });
  it('break the rule where nothing happened then', () => {
    expect(said({ launchedAtMs: 30_000 })).toEqual(wrong('was launched'));
    expect(said({ warnedAtMs: 104_000 })).toEqual(wrong('was warned'));
    expect(said({ claimedAtMs: 120_000 })).toEqual(wrong('was claimed'));
    expect(said({ drainStartedAtMs: 101_000 })).toEqual(wrong('began to drain'));
    expect(said({ drainedAtMs: 120_000 })).toEqual(wrong('had drained'));
    expect(said({ goneAtMs: 210_000 })).toEqual(wrong('was gone'));
  });
  it('break the rule where the end was found long after two ticks, unless faults hinder looks', () => {
    expect(said({ goneAtMs: 420_000 })).toEqual(wrong('was found gone'));
    expect(said({ goneAtMs: 420_000 }, { changes: throttled('DescribeInstances') })).toEqual([]);
    expect(said({ goneAtMs: 420_000 }, { write: (script) => script.letGo(230) })).toEqual([]);
  });
  it('say nothing of a drain that took nothing off: its user had taken the member out of service', () => {
    const standby = (script: Script): void => {
      script.takeOut(90, 'i-1', user);
      script.at(160, {
        ...{ kind: 'called', invocation: 'of-a', function: 'end-drain', service: 'elasticloadbalancing', operation: 'DeregisterTargets' },
        ...{ askedAtMs: 160_000, outcome: 'ok', applied: true, isMutating: true, takesOut: ['i-1'] },
      });
    };
    expect(said({ drainStartedAtMs: 105_000 }, { write: standby })).toEqual([]);
    expect(said({ drainStartedAtMs: 105_000 })).toEqual(wrong('began to drain'));
  });
  it('nor of one that stands by in its Auto Scaling group, where no target group shows who serves', () => {
    const aside = (outS: number, backS?: number) => (script: Script) => {
      script.launch(1, 'i-3', { pool: 'spot-a', asg: 'web-asg' });
      script.at(5, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'ec2' } });
      script.at(outS, { kind: 'left', instance: 'i-3', asg: 'web-asg', how: 'standby', by: user });
      script.warn(100, 'i-3');
      script.react(101, 102, 'of-b', [{ about: 'warning', instance: 'i-3' }]);
      script.claim(101, 'i-3', 'of-b');
      if (backS !== undefined) script.at(backS, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: user });
      script.at(160, {
        ...{ kind: 'called', invocation: 'of-b', function: 'end-drain', service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' },
        ...{ askedAtMs: 160_000, outcome: 'ok', applied: true, isMutating: true, takesOut: ['i-3'] },
      });
      script.end(220, 'i-3');
    };
    const of3 = { instance: 'i-3', drainStartedAtMs: 105_000 };
    const broken = ['the swap of i-3 is wrong about when it began to drain'];
    expect(said(of3, { write: aside(90) })).toEqual([]);
    expect(said(of3, { write: aside(90, 104) })).toEqual(broken);
    expect(said(of3, { write: aside(104) })).toEqual(broken);
    expect(said(of3, { write: aside(150) })).toEqual(broken);
  });
  it('nor of one that EC2 takes and that should serve no target group, and say it of any other', () => {
    const quiet = (isServed: boolean) => (script: Script) => {
      script.policy(2, 2, { ...policy, asg: 'other-asg', ...(!isServed && { drain: { timeout: '30s' } }) });
      script.launch(3, 'i-3', { pool: 'spot-a', asg: 'other-asg' });
      script.at(5, { kind: 'joined', instance: 'i-3', asg: 'other-asg', by: user });
      script.warn(100, 'i-3');
      script.react(101, 102, 'of-b', [{ about: 'warning', instance: 'i-3' }]);
      script.claim(101, 'i-3', 'of-b');
      script.at(180, { kind: 'left', instance: 'i-3', asg: 'other-asg', how: 'terminating', by: react('of-c') });
      script.end(220, 'i-3');
    };
    const of3 = { instance: 'i-3', launchedAtMs: 3_000, drainStartedAtMs: 105_000 };
    const broken = ['the swap of i-3 is wrong about when it began to drain'];
    expect(said(of3, { write: quiet(false) })).toEqual([]);
    expect(said({ ...of3, reason: 'scale-in' }, { write: quiet(false) })).toEqual(broken);
    expect(said(of3, { write: quiet(true) })).toEqual(broken);
  });
  it('say nothing of when an instance was found gone that EC2 stopped', () => {
    const stops = (script: Script): void => script.at(220, { kind: 'ended', instance: 'i-2', state: 'stopped' });
    const of2 = {
      instance: 'i-2',
      reason: 'rebalance',
      warnedAtMs: undefined,
      claimedAtMs: undefined,
      drainStartedAtMs: undefined,
      drainedAtMs: undefined,
    };
    expect(said({ ...of2, goneAtMs: 600_000 }, { write: stops })).toEqual([]);
    expect(said({ ...of2, goneAtMs: 600_000 }, { write: (script) => script.end(220, 'i-2') })).toHaveLength(1);
  });
  it('count a hook from the look that found it', () => {
    expect(said({ reason: 'hook', warnedAtMs: 101_000 })).toEqual([]);
    expect(said({ reason: 'hook', warnedAtMs: 120_000 })).toEqual(wrong('was warned'));
  });
  it('count a hook from a look that only observed, and not from one while it did not wait, or while the group acted', () => {
    const found =
      (mode: string, overS = 180) =>
      (script: Script) => {
        script.policy(2, 2, { ...policy, mode });
        script.at(20, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'h', expiresAtMs: 180_000 });
        script.at(overS, { kind: 'hook-over', instance: 'i-1', asg: 'web-asg', hook: 'h', how: 'expired', by: user });
        script.remembers(40, {}, 2);
      };
    const hook = { reason: 'hook', warnedAtMs: 39_800 };
    expect(said(hook, { write: found('observe') })).toEqual([]);
    expect(said({ ...hook, warnedAtMs: 50_000 }, { write: found('observe') })).toEqual(wrong('was warned'));
    expect(said(hook, { write: found('observe', 30) })).toEqual(wrong('was warned'));
    expect(said(hook, { write: found('act') })).toEqual(wrong('was warned'));
    expect(said({ ...hook, reason: 'interruption' }, { write: found('observe') })).toEqual(wrong('was warned'));
  });
  it('count the end from the first message that it leaves, if that came later and nobody had chosen it', () => {
    const lateOf = (saidGoneS: number, claimS: number, heardS = 600) =>
      details(
        swapTimesAreTrue,
        (script) => {
          twoServe(script);
          script.warn(100, 'i-1');
          script.end(220, 'i-1');
          script.react(heardS, heardS + 1, 'of-a', [{ about: 'warning', instance: 'i-1' }]);
          script.claim(claimS, 'i-1', 'of-a');
        },
        {
          stored: {
            ...{ states: {}, deadLetters: 0, staleMessages: 0, decisions: [] },
            swaps: [
              {
                ...swap,
                warnedAtMs: undefined,
                drainStartedAtMs: undefined,
                drainedAtMs: undefined,
                claimedAtMs: 1_000 * claimS,
                goneAtMs: 1_000 * saidGoneS,
              },
            ],
          },
        },
      );
    expect(lateOf(601, 600)).toEqual([]);
    expect(lateOf(800, 600)).toEqual(wrong('was found gone'));
    expect(lateOf(601, 600, 200)).toEqual(wrong('was found gone'));
    expect(lateOf(601, 200)).toEqual(wrong('was found gone'));
  });
  it('allow for clocks that are wrong', () => {
    expect(said({ goneAtMs: 214_000 }, { changes: { clockErrorMs: 3_000 } })).toEqual([]);
  });
});
