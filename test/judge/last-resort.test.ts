import { describe, expect, it } from 'vitest';
import { lastResortLast } from '../../sandbox/judge/rules/last-resort.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const launched = (script: Script, second: number, instance: string, pool: string): void => {
  script.react(second - 1, second + 2, `of-${instance}`);
  script.launch(second, instance, { pool, by: react(`of-${instance}`) });
};

/** EC2 warns of i-1, which is of spot-a, and an invocation hears of it. */
const warned = (script: Script, second = 100, injected = false): void => {
  script.warn(second, 'i-1');
  script.react(second + 1, second + 3, 'hears', [{ about: 'warning', instance: 'i-1' }], injected);
};

const advised = (script: Script): void => {
  script.advise(100, 'i-1');
  script.react(101, 103, 'hears', [{ about: 'advice', instance: 'i-1' }]);
  script.claim(102, 'i-1', 'hears');
};

const found = (write: (script: Script) => void) =>
  details(
    lastResortLast,
    (script) => {
      twoServe(script);
      write(script);
    },
    { endedAtMs: 1_000_000 },
  );

describe('what EC2 takes is used last', () => {
  it('breaks when a launch follows a warning into the same offering, and another one would have given it', () => {
    const launchedIn = (pool: string) =>
      found((script) => {
        warned(script);
        launched(script, 150, 'i-3', pool);
      });
    expect(launchedIn('spot-b')).toEqual([]);
    expect(launchedIn('spot-a')).toEqual(['i-3 was launched as t/z-a/spot, where i-1 is taken or at risk, and t/z-b/spot would have given it']);
  });
  it('counts another offering as taken where a member of the same group was warned, and not for a member of another group', () => {
    const besideWarned = (group: string) =>
      found((script) => {
        script.policy(0, 1, { ...policy, group: 'api' }, 'api');
        script.member('i-9', { pool: 'spot-b', group });
        script.warn(100, 'i-9');
        warned(script);
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(besideWarned('web')).toEqual([]);
    expect(besideWarned('api')).toHaveLength(1);
  });
  it('breaks also when the invocation that received the warning launches', () => {
    const same = found((script) => {
      warned(script);
      script.launch(102, 'i-3', { pool: 'spot-a', by: react('hears') });
    });
    expect(same).toHaveLength(1);
  });
  it('holds before anybody has heard, and once the rest is over', () => {
    const at = (second: number) =>
      found((script) => {
        warned(script);
        launched(script, second, 'i-3', 'spot-a');
      });
    expect(at(102)).toEqual([]);
    expect(at(280)).toHaveLength(1);
    expect(at(282)).toEqual([]);
  });
  it('holds where whoever heard met a fault', () => {
    expect(
      found((script) => {
        warned(script, 100, true);
        launched(script, 150, 'i-3', 'spot-a');
      }),
    ).toEqual([]);
  });
  it('holds where the launch may repeat a request that was made before', () => {
    expect(
      found((script) => {
        script.react(90, 95, 'dies', [], true);
        warned(script);
        launched(script, 150, 'i-3', 'spot-a');
      }),
    ).toEqual([]);
  });
  it('holds where nothing else of the tier gives, whatever a later tier has', () => {
    const where = (spot: number) =>
      found((script) => {
        script.at(50, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity: spot, priceUsdPerHour: 0.03 });
        warned(script);
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(where(1)).toEqual([]);
    expect(where(5)).toHaveLength(1);
  });
  it('holds where another child gives only of a later tier, because its earlier one is at risk too', () => {
    const capacity = { spread: [{ tiered: ['spot-a'] }, { tiered: ['spot-b', 'od-b'] }] };
    const where = (atRisk: boolean) =>
      found((script) => {
        script.policy(40, 2, { ...policy, capacity });
        warned(script);
        if (atRisk) script.warn(99, 'i-2');
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(where(false)).toHaveLength(1);
    expect(where(true)).toEqual([]);
  });
  it('holds after a policy was written, which makes everything forgotten', () => {
    expect(
      found((script) => {
        warned(script);
        script.policy(120, 2, { ...policy, tags: { team: 'other' } });
        launched(script, 150, 'i-3', 'spot-a');
      }),
    ).toEqual([]);
  });
  it('breaks on advice as long as the member has yet to leave for it', () => {
    const at = (second: number, document = policy) =>
      found((script) => {
        script.policy(40, 2, document);
        advised(script);
        script.takeOut(500, 'i-1');
        launched(script, second, 'i-3', 'spot-a');
      });
    expect(at(150)).toHaveLength(1);
    expect(at(450)).toHaveLength(1);
    expect(at(510)).toEqual([]);
    expect(at(150, { ...policy, rebalance: { act: false } })).toEqual([]);
  });
});
