import { describe, expect, it } from 'vitest';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { earlierTierFirst } from '../../sandbox/judge/rules/launches/placement.ts';
import { returnsInWindows, returnsOnceSettled, returnsWhileWhole, returnsWithinBudget } from '../../sandbox/judge/rules/returns/returns.ts';
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

type Ended = { readonly endedAt?: number; readonly isTold?: boolean; readonly capacity?: object; readonly claimed?: boolean };

const all =
  (...parts: readonly ((script: Script) => void)[]) =>
  (script: Script): void => {
    for (const part of parts) part(script);
  };

describe('a launch beyond the size', () => {
  it('is needed where a member of a later tier moves with it', () => {
    expect(details(needlessLaunch, all(oneOnDemand(), launches(100, 'i-3', 'spot-b')))).toEqual([]);
  });
  it('is needed where its user protects that member only after the look of its function', () => {
    const found = (protectedAt: number) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, asg: 'web-asg' });
        script.desired(0, 2);
        script.member('i-1', { pool: 'spot-a', asg: 'web-asg' });
        script.member('i-2', { pool: 'od-b', asg: 'web-asg' });
        script.at(protectedAt, { kind: 'protection', instance: 'i-2', from: 'scale-in', isOn: true, by: { kind: 'user' } });
        launches(100, 'i-3', 'spot-b')(script);
      }).length;
    expect([found(99), found(90)]).toEqual([0, 1]);
  });
  it('is not needed in the tier of that member', () => {
    expect(details(needlessLaunch, all(oneOnDemand(), launches(100, 'i-3', 'od-b')))).toHaveLength(1);
  });
  it('is not needed where the policy lets no member move', () => {
    expect(details(needlessLaunch, all(oneOnDemand({ return: false }), launches(100, 'i-3', 'spot-b')))).toHaveLength(1);
  });
  it('is needed once for each member that moves, each to a place that is better than its own', () => {
    const pools = { ...policy.pools, 'spot-c': { market: 'spot', subnets: ['subnet-b'] } };
    const capacity = { tiered: [{ cheapest: [{ tiered: ['spot-a', 'spot-b'] }, 'spot-c'] }, 'od-b'] };
    const moved = (to: readonly [string, string], members: readonly string[]) =>
      details(
        needlessLaunch,
        all(
          (script) => {
            script.policy(0, 1, { ...policy, capacity, pools });
            script.desired(0, members.length);
            for (const [index, pool] of members.entries()) script.member(`i-${index}`, { pool });
          },
          launches(100, 'i-8', to[0]),
          launches(110, 'i-9', to[1]),
        ),
      );
    // One moves from spot-b to spot-a, the other from on-demand: spot-c is better for the second one alone.
    const both = ['spot-b', 'od-b', 'spot-a', 'spot-a'];
    expect(moved(['spot-a', 'spot-c'], both)).toEqual([]);
    expect(moved(['spot-c', 'spot-a'], both)).toEqual([]);
    expect(moved(['spot-c', 'spot-c'], both)).toHaveLength(1);
    expect(moved(['spot-a', 'spot-c'], ['od-b', 'spot-a', 'spot-a', 'spot-a'])).toHaveLength(1);
  });
  it('is needed for a member that has moved before, once the member that it replaced has left', () => {
    const tiers = oneOnDemand({ capacity: { tiered: ['spot-a', 'spot-b', 'od-b'] } });
    const leaves = (script: Script): void => script.end(150, 'i-2');
    const first = all(tiers, launches(100, 'i-3', 'spot-b'));
    expect(details(needlessLaunch, all(first, leaves, launches(200, 'i-4', 'spot-a')))).toEqual([]);
    expect(details(needlessLaunch, all(first, launches(200, 'i-4', 'spot-a')))).toHaveLength(1);
  });
  it('is needed where it moves a member of an Auto Scaling group that had ended a moment before, which the look need not show', () => {
    const moved = ({ endedAt = 97.5, isTold = false, capacity = policy.capacity, claimed = false }: Ended = {}) =>
      details(needlessLaunch, (script) => {
        script.policy(0, 1, { ...policy, capacity, asg: 'web-asg' });
        script.desired(0, 2);
        const user = { kind: 'user' } as const;
        script.at(0, { kind: 'asg-changed', asg: 'web-asg', min: 0, max: 4, desired: 2, suspended: [], by: user });
        script.member('i-1', { pool: 'spot-a', asg: 'web-asg' });
        script.member('i-2', { pool: 'od-b', asg: 'web-asg' });
        for (const instance of ['i-1', 'i-2']) script.end(endedAt, instance);
        const told = [{ about: 'state', instance: 'i-2', state: 'terminated' }] as const;
        script.react(97.2, 97.8, 'i-else', told);
        if (claimed) script.claim(97.9, 'i-2', 'i-else');
        script.react(98, 102, 'i-100', isTold ? told : []);
        script.launch(100, 'i-3', { pool: 'spot-b', by: react('i-100') });
        for (const instance of ['i-4', 'i-5']) script.launch(110, instance, { asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
      });
    const needless = ['with this launch, 1 members stay and 2 were coming from their own Auto Scaling group, expected at most 2'];
    expect(moved()).toEqual([]);
    // The describe must show the end, a message reported it, or the function had claimed the member.
    expect(moved({ endedAt: 96.9 })).toEqual(needless);
    expect(moved({ isTold: true })).toEqual(needless);
    expect(moved({ claimed: true })).toEqual(needless);
    // It is no better place.
    expect(moved({ capacity: { tiered: ['od-b', 'spot-a', 'spot-b'] } })).toEqual(needless);
  });
  it('is needed for its price between children of a cheapest node, and not within one of another kind', () => {
    const found = (capacity: object, to: string) => details(needlessLaunch, all(oneOnDemand({ capacity }), launches(100, 'i-3', to)));
    const both = ['spot-b', 'od-b'];
    expect(found({ cheapest: both }, 'spot-b')).toEqual([]);
    expect(found({ cheapest: [{ cheapest: both }, 'spot-a'] }, 'spot-b')).toEqual([]);
    for (const inOne of [{ spread: both }, { weighted: both.map((use) => ({ use, weight: 1 })) }]) {
      expect(found({ cheapest: [inOne, 'spot-a'] }, 'spot-a')).toEqual([]);
      expect(found({ cheapest: [inOne, 'spot-a'] }, 'spot-b')).toHaveLength(1);
    }
  });
  it('is not needed when its decision records that it moves no member', () => {
    const decided = (round: object | undefined, id = 'r-i-3') => ({
      stored: {
        states: {},
        swaps: [],
        decisions: [{ id, group: 'web', atMs: 99_000, causes: [], rounds: round === undefined ? [] : [round] }],
        deadLetters: 0,
        staleMessages: 0,
      },
    });
    const found = (stored: ReturnType<typeof decided>) => details(needlessLaunch, all(oneOnDemand(), launches(100, 'i-3', 'spot-b')), stored);
    expect(found(decided({ placements: [{ pool: 'spot-b', count: 1 }] }))).toHaveLength(1);
    expect(found(decided({ placements: [{ pool: 'spot-b', count: 1, moves: ['i-2'] }] }))).toEqual([]);
    // What was stored without its rounds, or under another id, says nothing about this launch.
    expect(found(decided(undefined))).toEqual([]);
    expect(found(decided({ placements: [{ pool: 'spot-b', count: 1 }] }, 'r-i-4'))).toEqual([]);
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
  it('counts a member that nothing checks three minutes after its launch', () => {
    const unchecked = (second: number, change: object = {}) => {
      const policyOf = { ...policy, drain: { timeout: '30s', loadBalancers: [] }, ...change };
      return details(returnsWhileWhole, (script) => {
        script.policy(0, 1, policyOf);
        script.desired(0, 2);
        for (const [instance, pool] of [
          ['i-1', 'spot-a'],
          ['i-2', 'od-b'],
        ] as const) {
          script.launch(1, instance, { pool });
          script.at(20, { kind: 'running', instance }, { kind: 'booted', instance });
        }
        launches(second, 'i-3', 'spot-b')(script);
      });
    };
    expect([unchecked(100), unchecked(181)].map(({ length }) => length)).toEqual([1, 0]);
    expect(unchecked(100, { ready: { after: '60s' } })).toEqual([]);
  });
  it('counts a member that nothing checks once the time of `ready.after` is over, whether it has booted or not', () => {
    const boots = (bootsS: number, change: object = {}) => {
      const policyOf = { ...policy, drain: { timeout: '30s', loadBalancers: [] }, ready: { after: '60s' }, ...change };
      return details(returnsWhileWhole, (script) => {
        script.policy(0, 1, policyOf);
        script.desired(0, 2);
        script.launch(1, 'i-1', { pool: 'spot-a' });
        script.at(20, { kind: 'running', instance: 'i-1' }, { kind: 'booted', instance: 'i-1' });
        script.launch(50, 'i-2', { pool: 'od-b' });
        script.at(60, { kind: 'running', instance: 'i-2' });
        script.at(bootsS, { kind: 'booted', instance: 'i-2' });
        launches(112, 'i-3', 'spot-b')(script);
      });
    };
    expect(boots(130)).toEqual([]);
    expect(boots(130, { ready: { after: '75s' } })).toHaveLength(1);
    expect(boots(130, { ready: { after: '60s', checks: 'ec2' } })).toHaveLength(1);
    expect(boots(130, { drain: policy.drain })).toHaveLength(1);
  });
  it('goes by who served when its function looked', () => {
    /** The function looks at 98 s. */
    const serves = (fromS: number, untilS: number) => (script: Script) => {
      script.policy(0, 1, { ...policy });
      script.desired(0, 2);
      script.member('i-2', { pool: 'od-b' });
      script.launch(1, 'i-1', { pool: 'spot-a' });
      script.serves(fromS, 'i-1');
      script.end(untilS, 'i-1');
      launches(100, 'i-3', 'spot-b')(script);
      script.launch(100, 'i-4', { pool: 'spot-b', by: react('i-100') });
    };
    expect(details(returnsWhileWhole, serves(95, 99))).toEqual([]);
    expect(details(returnsWhileWhole, serves(95, 97))).toHaveLength(1);
    // Describes lag by a second at most, so they may show what ended after 97 s.
    expect(details(returnsWhileWhole, serves(95, 97.5))).toEqual([]);
    expect(details(returnsWhileWhole, serves(95, 96.9))).toHaveLength(1);
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

describe('members move only in the windows of the policy', () => {
  /** The world began at midnight on a Thursday, in UTC. One member moves at a minute of it. */
  const movedAt = (minute: number, returning: object, parts: (script: Script) => void = () => undefined) =>
    details(returnsInWindows, all(oneOnDemand({ return: returning }), parts, launches(60 * minute, 'i-3', 'spot-b')), { endedAtMs: 9_000_000 });
  it('holds at any time where there are none', () => {
    expect(movedAt(20, {})).toEqual([]);
  });
  it('goes by the time of the day', () => {
    const window = { window: '00:15-00:30' };
    expect(movedAt(15.5, window)).toEqual([]);
    expect(movedAt(29, window)).toEqual([]);
    expect(movedAt(14, window)).toHaveLength(1);
    expect(movedAt(31, window)).toHaveLength(1);
    expect(movedAt(31, { window: ['00:15-00:30', '00:31-00:40'] })).toEqual([]);
  });
  it('goes by the day, and by the day on which a window over midnight begins', () => {
    expect(movedAt(20, { window: 'thu 00:00-01:00' })).toEqual([]);
    expect(movedAt(20, { window: 'fri-wed 00:00-01:00' })).toHaveLength(1);
    expect(movedAt(20, { window: 'mon-wed,sat 22:00-01:00' })).toEqual([]);
    expect(movedAt(20, { window: 'thu-tue 22:00-01:00' })).toHaveLength(1);
    expect(movedAt(70, { window: 'wed 22:00-01:00' })).toHaveLength(1);
  });
  it('goes by the time zone of the policy', () => {
    expect(movedAt(20, { window: '01:00-02:00', timezone: 'Europe/Berlin' })).toEqual([]);
    expect(movedAt(20, { window: '00:00-01:00', timezone: 'Europe/Berlin' })).toHaveLength(1);
    expect(movedAt(20, { window: 'wed 18:00-24:00', timezone: 'America/New_York' })).toEqual([]);
  });
  it('goes by when the request was first made', () => {
    const asked = (script: Script): void => {
      const request = { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-i-3', bytes: 500, by: react('i-9') } as const;
      script.react(60 * 29, 60 * 29 + 20, 'i-9');
      script.at(60 * 29 + 10, request);
    };
    expect(movedAt(31, { window: '00:15-00:30' }, asked)).toEqual([]);
  });
  it('says nothing of a launch for a missing member', () => {
    expect(movedAt(20, { window: '01:00-02:00' }, (script) => script.end(1_000, 'i-1'))).toEqual([]);
  });
});

describe('members move only once size and policy have settled', () => {
  const found = (second: number, change: (script: Script) => void, returning: object = { after: '5m' }) =>
    details(returnsOnceSettled, all(oneOnDemand({ return: returning }), change, launches(second, 'i-3', 'spot-b')), { endedAtMs: 9_000_000 });
  const resized = (script: Script): void => {
    script.react(198, 202, 'i-c');
    script.desired(100, 3);
    script.desired(200, 2, 1, react('i-c'));
  };
  it('goes by when the size changed, as the look that changed it may have begun', () => {
    expect(found(490, resized)).toEqual(['i-3 was launched for a return 8 s too soon after a change of the size or the policy']);
    expect(found(498, resized)).toEqual([]);
    expect(found(490, resized, { after: '4m' })).toEqual([]);
    expect(found(490, (script) => script.desired(200, 2))).toEqual([]);
  });
  it('does not go by a size that was written after the decision that launched', () => {
    const resizedAt = (second: number) =>
      found(490, (script) => {
        script.desired(100, 2);
        script.desired(488, 2, 1, react('i-490'), 'r-i-3');
        script.react(second - 1, second + 1, 'i-c');
        script.desired(second, 3, 1, react('i-c'), 'r-i-3');
      });
    expect(resizedAt(489)).toEqual([]);
    expect(resizedAt(487)).toHaveLength(1);
  });
  it('goes by when a look followed another policy', () => {
    const followed = (script: Script): void => {
      script.policy(150, 2, { ...policy, return: { after: '5m' }, rebalance: { act: false } });
      script.desired(200, 2, 2);
    };
    expect(found(490, followed)).toHaveLength(1);
    expect(found(501, followed)).toEqual([]);
  });
  it('finds no change of size when the state was lost', () => {
    const lost = (script: Script): void =>
      script.at(200, { kind: 'state-written', group: 'web', version: 0, policyVersion: 2, desired: 2, bytes: 1_000, by: react('i-c') });
    expect(found(490, lost)).toEqual([]);
  });
  it('says nothing of a launch for a missing member', () => {
    expect(
      found(
        490,
        all(resized, (script) => script.end(300, 'i-1')),
      ),
    ).toEqual([]);
  });
});

describe('a move leaves out what was heard against an offering', () => {
  /** A member moves to the second tier. */
  const moved = (second: number, write: (script: Script) => void, document: object = {}) =>
    details(
      earlierTierFirst,
      (script) => {
        script.policy(0, 1, { ...policy, capacity: { tiered: ['spot-a', 'spot-b', 'od-b'] }, return: { after: '10m' }, ...document });
        script.policy(0, 1, { ...policy, group: 'api' }, 'api');
        script.desired(0, 2);
        script.member('i-1', { pool: 'spot-b' });
        script.member('i-2', { pool: 'od-b' });
        write(script);
        script.react(second - 1, second + 2, 'i-a');
        script.launch(second, 'i-3', { pool: 'spot-b', by: react('i-a') });
      },
      { endedAtMs: 20_000_000 },
    ).filter((detail) => detail.startsWith('i-3'));
  const refused = (group: string) => (script: Script) =>
    script.at(100, {
      ...{ kind: 'refused', invocation: 'i-r', group, instanceType: 't', zone: 'z-a', market: 'spot' },
      code: 'InsufficientInstanceCapacity',
    });
  const warned =
    (lives: number, group = 'web') =>
    (script: Script): void => {
      script.launch(1_000 - lives, 'i-9', { pool: 'spot-a', group });
      script.warn(1_000, 'i-9');
      script.end(1_120, 'i-9');
    };
  it('that was refused, for as long as the policy waits', () => {
    expect(moved(730, refused('web'))).toEqual([]);
    expect(moved(732, refused('web'))).toHaveLength(1);
    expect(moved(730, refused('api'))).toHaveLength(1);
    expect(moved(432, refused('web'), { return: { after: '5m' } })).toHaveLength(1);
  });
  it('that a member was warned about, for as long, or for four hours where it had not lived long', () => {
    expect(moved(1_630, warned(931))).toEqual([]);
    expect(moved(1_632, warned(931))).toHaveLength(1);
    expect(moved(15_430, warned(929))).toEqual([]);
    expect(moved(15_432, warned(929))).toHaveLength(1);
  });
  it('of its own group alone', () => {
    expect(moved(1_400, warned(931, 'api'))).toHaveLength(1);
  });
  it('and no launch that moves no member', () => {
    const needed = (script: Script): void => {
      refused('web')(script);
      script.end(400, 'i-1');
    };
    expect(moved(500, needed)).toHaveLength(1);
  });
});
