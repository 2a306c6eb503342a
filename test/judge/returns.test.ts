import { describe, expect, it } from 'vitest';
import { needlessLaunch } from '../../sandbox/judge/rules/needless-launch.ts';
import { returnsWhileWhole, returnsWithinBudget } from '../../sandbox/judge/rules/returns.ts';
import { details } from './details.ts';
import { policy, react, type Script } from './histories.ts';

/** One member on spot, one on demand. */
const oneOnDemand =
  (change: object = {}) =>
  (script: Script): void => {
    script.policy(0, 1, { ...policy, ...change });
    script.desired(0, 2);
    script.member('i-1', { pool: 'spot-a' });
    script.member('i-2', { pool: 'od-b' });
  };

const launches = (second: number, instance: string, pool: string) => (script: Script) => {
  script.react(second - 2, second + 2, `i-${second}`);
  script.launch(second, instance, { pool, by: react(`i-${second}`) });
};

const all =
  (...parts: readonly ((script: Script) => void)[]) =>
  (script: Script): void => {
    for (const part of parts) part(script);
  };

describe('a launch beyond the size', () => {
  it('is needed where a member of a later tier moves with it', () => {
    expect(details(needlessLaunch, all(oneOnDemand(), launches(100, 'i-3', 'spot-b')))).toEqual([]);
  });
  it('is not needed in the tier of that member', () => {
    expect(details(needlessLaunch, all(oneOnDemand(), launches(100, 'i-3', 'od-b')))).toHaveLength(1);
  });
  it('is not needed where the policy lets nobody move', () => {
    expect(details(needlessLaunch, all(oneOnDemand({ return: false }), launches(100, 'i-3', 'spot-b')))).toHaveLength(1);
  });
  it('is not needed a second time for one member', () => {
    expect(details(needlessLaunch, all(oneOnDemand(), launches(100, 'i-3', 'spot-b'), launches(110, 'i-4', 'spot-a')))).toHaveLength(1);
  });
});

describe('nobody moves while the group is short', () => {
  it('holds while all serve', () => {
    expect(details(returnsWhileWhole, all(oneOnDemand(), launches(100, 'i-3', 'spot-b')))).toEqual([]);
  });
  it('breaks while one of them does not serve', () => {
    const fails = (script: Script): void => {
      script.at(40, { kind: 'out-of-service', instance: 'i-1', targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
    };
    expect(details(returnsWhileWhole, all(oneOnDemand(), fails, launches(100, 'i-3', 'spot-b')))).toHaveLength(1);
  });
});

describe('returns keep to their budget', () => {
  const threeOnDemand =
    (every: string) =>
    (script: Script): void => {
      script.policy(0, 1, { ...policy, size: 3, return: { atMost: 1, every } });
      script.desired(0, 3);
      for (const instance of ['i-1', 'i-2', 'i-3']) script.member(instance, { pool: 'od-b' });
    };
  const two = all(launches(100, 'i-4', 'spot-b'), launches(200, 'i-5', 'spot-a'));
  it('holds where their time lies between two of them', () => {
    expect(details(returnsWithinBudget, all(threeOnDemand('90s'), two))).toEqual([]);
  });
  it('breaks where both come within it', () => {
    expect(details(returnsWithinBudget, all(threeOnDemand('5m'), two))).toHaveLength(1);
  });
});
