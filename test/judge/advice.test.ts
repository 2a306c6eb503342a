import { describe, expect, it } from 'vitest';
import type { Actor } from '../../sandbox/judge/history.ts';
import { adviceWithinBudget } from '../../sandbox/judge/rules/bounds/advice.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

const leaves = (script: Script, second: number, instance: string, reason = 'rebalance', state = 'leaving', hooks: readonly string[] = []): void =>
  script.at(second, {
    kind: 'item-written',
    table: 'state',
    group: 'web',
    item: `swap#${instance}`,
    bytes: 100,
    by: react(`of-${instance}`),
    swap: { reason, state, facts: { offering: 't/z-a/spot', hooks } },
  });

describe('replacements for advice keep to their budget', () => {
  const found = (write: (script: Script) => void, atMostPerHour = 2) =>
    details(
      adviceWithinBudget,
      (script) => {
        script.policy(0, 1, { ...policy, rebalance: { act: true, atMostPerHour } });
        write(script);
      },
      { endedAtMs: 10_000_000 },
    );
  const three = (second: number) => (script: Script) => {
    for (const [index, instance] of ['i-1', 'i-2'].entries()) leaves(script, 100 + index, instance);
    leaves(script, second, 'i-3');
  };
  it('holds within it, and when the hour is over', () => {
    expect(found(three(200), 3)).toEqual([]);
    expect(found(three(3_800))).toEqual([]);
  });
  it('breaks with one more within the hour', () => {
    expect(found(three(200))).toEqual(['3 left because of advice within an hour, expected at most 2']);
  });
  it('counts no member that waits, and none that EC2 takes', () => {
    const others = (script: Script): void => {
      three(200)(script);
      leaves(script, 90, 'i-1', 'interruption');
    };
    expect(found(others)).toEqual([]);
    const waiting = (script: Script): void => {
      for (const instance of ['i-1', 'i-2', 'i-3']) leaves(script, 100, instance, 'rebalance', 'waiting');
    };
    expect(found(waiting)).toEqual([]);
    const gone = (by: Actor) => (script: Script) => {
      script.member('i-3');
      three(200)(script);
      leaves(script, 90, 'i-3', 'rebalance', 'gone');
      script.end(80, 'i-3', by);
    };
    expect(found(gone({ kind: 'ec2' }))).toEqual([]);
    expect(found(gone(react('i-0')))).toHaveLength(1);
    const stopped =
      (second: number, state: 'stopped' | 'terminated' = 'stopped') =>
      (script: Script) => {
        script.member('i-3');
        three(200)(script);
        script.at(second, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-3', state });
      };
    expect(found(stopped(190))).toEqual([]);
    expect(found(stopped(210))).toHaveLength(1);
    expect(found(stopped(190, 'terminated'))).toHaveLength(1);
  });
  it('counts no member that a terminate hook takes at the same time, and one that a hook takes later', () => {
    const hooked = (before: boolean) => (script: Script) => {
      three(200)(script);
      leaves(script, before ? 90 : 190, 'i-2', 'rebalance', 'leaving', ['of-scale-in']);
    };
    expect(found(hooked(true))).toEqual([]);
    expect(found(hooked(false))).toHaveLength(1);
  });
  it('begins anew where the state was lost', () => {
    const lost = (script: Script): void => {
      three(200)(script);
      script.at(150, { kind: 'step', step: 'state-restored', instances: [], groups: ['web'], asgs: [] });
    };
    expect(found(lost)).toEqual([]);
  });
});
