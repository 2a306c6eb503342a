import { describe, expect, it } from 'vitest';
import type { Rule } from '../../sandbox/judge/finding.ts';
import { heartbeatsAreSpaced, heartbeatsComeEarly } from '../../sandbox/judge/rules/drains/heartbeats.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const attached = { ...policy, asg: 'web-asg' };

/** A hook of 120 s from 100 s on, with heartbeats at these seconds, each of which gives it 120 s more. */
const beatsBy =
  (rule: Rule) =>
  (seconds: readonly number[], write: (script: Script) => void = () => undefined, changes: Parameters<typeof details>[2] = {}) =>
    details(
      rule,
      (script) => {
        script.policy(0, 1, attached);
        script.member('i-1', { asg: 'web-asg' });
        write(script);
        for (const second of [100, ...seconds])
          script.at(second, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'drain', expiresAtMs: (second + 120) * 1_000 });
      },
      changes,
    );

/** Somebody stops drains at this second. */
const stop = (second: number) => (script: Script) =>
  script.at(second, { kind: 'step', step: 'drains-stopped', instances: [], groups: ['web'], asgs: [] });

describe('heartbeats come well before a hook expires', () => {
  const beats = beatsBy(heartbeatsComeEarly);
  it('holds while a quarter of its time-out is left, in a group that acts, without faults and stopped drains', () => {
    const late = (leftS: number) => [`the heartbeat for drain of i-1 came ${leftS.toFixed(1)} s before the hook expired`];
    expect(beats([160, 220, 280])).toEqual([]);
    expect(beats([160, 250])).toEqual([]);
    expect(beats([160, 251])).toEqual(late(29));
    // The first one waits for the message about the hook.
    expect(beats([219])).toEqual([]);
    expect(beats([160, 279], stop(200))).toEqual([]);
    expect(beats([160, 279], (script) => script.policy(200, 2, { ...attached, mode: 'observe' }))).toEqual([]);
    expect(beats([160, 279], undefined, throttled('RecordLifecycleActionHeartbeat'))).toEqual([]);
    expect(beats([160, 279], undefined, throttled('CreateFleet'))).toEqual(late(1));
  });
});

describe('heartbeats come no more often than they are needed', () => {
  const beats = beatsBy(heartbeatsAreSpaced);
  it('holds where they are half a time-out apart, and a little less', () => {
    expect(beats([115, 175, 235])).toEqual([]);
    expect(beats([115, 163])).toEqual([]);
  });
  it('breaks where one follows soon after the one before, and not after the beginning', () => {
    expect(beats([115, 162])).toEqual(['the heartbeat for drain of i-1 came 47.0 s after the one before']);
    expect(beats([101])).toEqual([]);
  });
  it('holds for the last look at a member that EC2 takes, and not for one that it warns about later', () => {
    expect(beats([115, 140], (script) => script.warn(110, 'i-1'))).toEqual([]);
    expect(beats([115, 140], (script) => script.warn(150, 'i-1'))).toHaveLength(1);
  });
  it('holds while faults meet what drains call, and while somebody stops drains', () => {
    expect(beats([115, 140], undefined, throttled('RecordLifecycleActionHeartbeat'))).toEqual([]);
    expect(beats([115, 140], undefined, throttled('CreateFleet'))).toHaveLength(1);
    expect(beats([115, 140], stop(120))).toEqual([]);
    expect(beats([115, 140], stop(150))).toHaveLength(1);
  });
  it('holds where a restored table lost the one before, and not where its copy has that one', () => {
    const restored = (second: number, copiedAtMs: number) => (script: Script) =>
      script.at(second, { kind: 'step', step: 'state-restored', instances: [], groups: [], asgs: [], copiedAtMs });
    expect(beats([115, 140], restored(120, 110_000))).toEqual([]);
    expect(beats([115, 140], restored(120, 116_000))).toHaveLength(1);
    expect(beats([115, 140], restored(141, 110_000))).toHaveLength(1);
  });
  it('holds where another function put the swap on a new drain while the one before was under way, and not before that', () => {
    const moved =
      (second: number, drain = 'd-2') =>
      (script: Script) => {
        const writes = (atS: number, named: string): void =>
          script.at(atS, {
            ...{ kind: 'item-written', table: 'state', group: 'web', item: 'swap#i-1', bytes: 500, by: react('i-react') },
            swap: { reason: 'hook', state: 'draining', drain: named, facts: { offering: 't/z-a/spot', hooks: ['drain'] } },
          });
        const [invocation, name] = ['i-check', 'check-drain'];
        writes(101, 'd-1');
        script.at(114, { kind: 'invocation-began', invocation, function: name });
        script.at(115.1, {
          ...{ kind: 'called', invocation, function: name, service: 'autoscaling', operation: 'RecordLifecycleActionHeartbeat' },
          ...{ askedAtMs: 114_900, outcome: 'ok', applied: true, isMutating: true },
        });
        const ended = { kind: 'invocation-ended', invocation, function: name, startedAtMs: 114_000, timeoutMs: 60_000 } as const;
        script.at(115.2, { ...ended, again: [], injected: false });
        writes(second, drain);
      };
    expect(beats([115, 116], moved(114.5))).toEqual([]);
    expect([moved(114.5, 'd-1'), moved(113), moved(115.5)].map((write) => beats([115, 116], write).length)).toEqual([1, 1, 1]);
  });
  it('tells two hooks of one instance apart', () => {
    const other = (script: Script) => {
      for (const second of [100, 130])
        script.at(second, { kind: 'hook-waits', instance: 'i-1', asg: 'web-asg', hook: 'other', expiresAtMs: 300_000 });
    };
    expect(beats([115, 175], other)).toEqual([]);
  });
});
