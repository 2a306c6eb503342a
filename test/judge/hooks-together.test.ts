import { describe, expect, it } from 'vitest';
import { hooksEndTogether } from '../../sandbox/judge/rules/drains/hooks-together.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script } from './histories.ts';

type Hook = {
  readonly hook: string;
  readonly from: number;
  readonly until?: number;
  readonly how?: 'completed' | 'expired';
  readonly isTold?: boolean;
};

/** An instance that waits on these hooks. */
const found = (hooks: readonly Hook[], changes: Parameters<typeof details>[2] = {}, more: object = {}) =>
  details(
    hooksEndTogether,
    (script: Script) => {
      script.policy(0, 1, { ...policy, asg: 'web-asg', ...more } as never);
      script.member('i-1', { asg: 'web-asg' });
      for (const { hook, from, until, how = 'completed', isTold = true } of hooks) {
        const of = { instance: 'i-1', asg: 'web-asg', hook };
        script.at(from, { kind: 'hook-waits', ...of, expiresAtMs: 600_000 });
        if (isTold) script.react(from, from + 1, `of-${hook}`, [{ about: 'hook', instance: 'i-1', hook }]);
        if (until !== undefined) script.at(until, { kind: 'hook-over', ...of, how, by: react('i-a') });
      }
    },
    changes,
  );

describe('hooks of one instance are completed together', () => {
  it('holds within ten seconds, and breaks after that and where one is left', () => {
    const first = { hook: 'drain', from: 100, until: 150 };
    expect(found([first, { hook: 'logs', from: 100, until: 160 }])).toEqual([]);
    expect(found([first, { hook: 'logs', from: 100, until: 161 }])).toEqual(['logs of i-1 still waits 10 s after another hook was completed']);
    expect(found([first, { hook: 'logs', from: 100 }])).toHaveLength(1);
  });
  it('says nothing of a hook that came later, of one that expired first, and of a single one', () => {
    expect(
      found([
        { hook: 'drain', from: 100, until: 150 },
        { hook: 'logs', from: 155 },
      ]),
    ).toEqual([]);
    expect(
      found([
        { hook: 'drain', from: 100, until: 150, how: 'expired' },
        { hook: 'logs', from: 100 },
      ]),
    ).toEqual([]);
    expect(found([{ hook: 'drain', from: 100, until: 150 }])).toEqual([]);
  });
  it('gives a hook about which no message came the time until the next tick, if the group acts', () => {
    const first = { hook: 'drain', from: 100, until: 150 };
    const untold = (until: number) => ({ hook: 'logs', from: 100, until, isTold: false });
    expect(found([first, untold(225)])).toEqual([]);
    expect(found([first, untold(226)])).toEqual(['logs of i-1 still waits 75 s after another hook was completed']);
    expect(found([first, untold(226)], {}, { mode: 'pause' })).toEqual([]);
    expect(
      found([
        { ...first, isTold: false },
        { hook: 'logs', from: 100 },
      ]),
    ).toEqual(['logs of i-1 still waits 10 s after another hook was completed']);
  });
  it('says nothing while faults meet what drains call', () => {
    const two = [
      { hook: 'drain', from: 100, until: 150 },
      { hook: 'logs', from: 100 },
    ];
    expect(found(two, throttled('CompleteLifecycleAction'))).toEqual([]);
    expect(found(two, throttled('CreateFleet'))).toHaveLength(1);
  });
});
