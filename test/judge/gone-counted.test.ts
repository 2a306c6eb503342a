import { describe, expect, it } from 'vitest';
import { goneAsgsAreCounted } from '../../sandbox/judge/rules/said/gone-counted.ts';
import { details } from './details.ts';
import { policy, type Script, user } from './histories.ts';

const numbers = { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: user } as const;
const attached = { ...policy, asg: 'web-asg', scaling: [] };

/** The group is deleted at 100 and there again at 700. Functions count it as gone at these seconds. */
const counted = (seconds: readonly number[], { count = 1, write = (_: Script): void => {} } = {}) =>
  details(
    goneAsgsAreCounted,
    (script: Script) => {
      script.policy(0, 1, attached);
      script.at(100, { ...numbers, isGone: true });
      script.at(700, numbers);
      for (const second of seconds)
        script.at(second, {
          kind: 'invocation-ended',
          ...{ invocation: `i-${second}`, function: 'react', startedAtMs: 1_000 * second, timeoutMs: 30_000, again: [], injected: false },
          counted: { AsgsGone: count },
        });
      write(script);
    },
    { endedAtMs: 1_000_000, restAtMs: undefined },
  );

describe('an Auto Scaling group that is gone', () => {
  it('is counted as long as it is gone, from when it has to be told', () => {
    expect(counted([190, 310, 430, 550, 670])).toEqual([]);
    expect(counted([310])).toEqual(['web-asg is gone, and no metric counts it']);
    expect(counted([])).toHaveLength(2);
    expect(counted([], { write: (script) => script.letGo(150) })).toEqual([]);
  });

  it('is counted once, and only then', () => {
    expect(counted([310, 430, 550, 670], { count: 2 })[0]).toBe('2 Auto Scaling groups are counted as gone, and 1 are');
    expect(counted([50, 310, 430, 550, 670])).toEqual(['1 Auto Scaling groups are counted as gone, and 0 are']);
    expect(counted([310, 430, 550, 670, 800])).toEqual(['1 Auto Scaling groups are counted as gone, and 0 are']);
  });
});
