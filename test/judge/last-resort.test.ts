import { describe, expect, it } from 'vitest';
import { lastResortLast, takenAtOnceLast } from '../../sandbox/judge/rules/launches/last-resort.ts';
import { earlierTierFirst } from '../../sandbox/judge/rules/launches/placement.ts';
import { details } from './details.ts';
import { policy, react, type Script, twoServe } from './histories.ts';

const launched = (script: Script, second: number, instance: string, pool: string): void => {
  script.react(second - 1, second + 2, `of-${instance}`);
  script.launch(second, instance, { pool, by: react(`of-${instance}`) });
};

/** EC2 warns i-1, which is of spot-a, and an invocation receives the warning. */
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
  it('breaks when a launch follows a warning into the same offering, and another one had capacity', () => {
    const launchedIn = (pool: string) =>
      found((script) => {
        warned(script);
        launched(script, 150, 'i-3', pool);
      });
    expect(launchedIn('spot-b')).toEqual([]);
    expect(launchedIn('spot-a')).toEqual(['i-3 was launched as t/z-a/spot, where i-1 is taken or at risk, and t/z-b/spot had capacity']);
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
  it('counts advice beyond the budget for three minutes, and none where the policy has no budget', () => {
    const launchedAfter = (second: number, rebalance: object, more: (script: Script) => void = () => undefined) =>
      details(
        lastResortLast,
        (script) => {
          twoServe(script);
          script.policy(0, 1, { ...policy, rebalance });
          script.advise(100, 'i-1');
          script.react(101, 103, 'hears', [{ about: 'advice', instance: 'i-1' }]);
          more(script);
          launched(script, second, 'i-3', 'spot-a');
        },
        { endedAtMs: 1_000_000 },
      );
    const budget = { act: true, atMostPerHour: 1 };
    expect(launchedAfter(150, budget)).toHaveLength(1);
    expect(launchedAfter(290, budget)).toEqual([]);
    expect(launchedAfter(150, { act: true })).toEqual([]);
    expect(launchedAfter(150, { act: false, atMostPerHour: 1 })).toEqual([]);
    // Where EC2 gave an instance since, the next one is no fault.
    expect(launchedAfter(150, budget, (script) => launched(script, 120, 'i-4', 'spot-a'))).toEqual([expect.stringContaining('i-4 was launched')]);
  });
  it('breaks also when the invocation that received the warning launches', () => {
    const same = found((script) => {
      warned(script);
      script.launch(102, 'i-3', { pool: 'spot-a', by: react('hears') });
    });
    expect(same).toHaveLength(1);
  });
  it('holds where the message is about a warning that was over long ago', () => {
    const replayed = (happenedAtMs: number) =>
      found((script) => {
        script.warn(100, 'i-1');
        script.react(101, 103, 'hears');
        const told = { about: 'warning', instance: 'i-1' } as const;
        script.at(101, { kind: 'delivered', invocation: 'hears', function: 'react', message: 'old', told, happenedAtMs });
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(replayed(100_000)).toHaveLength(1);
    expect(replayed(-3_500_000)).toEqual([]);
  });
  it('holds before a function received it, and once the rest is over', () => {
    const at = (second: number) =>
      found((script) => {
        warned(script);
        launched(script, second, 'i-3', 'spot-a');
      });
    expect(at(102)).toEqual([]);
    expect(at(280)).toHaveLength(1);
    expect(at(282)).toEqual([]);
  });
  it('holds where a fault met the function that received it', () => {
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
  describe('beside a request for the size on demand, of which EC2 gives no instance (23420108)', () => {
    /** One spare is wanted. The function requests a member on demand, and i-3 on spot at 149.5 s. */
    const besideRefused = (answeredS: number, { spare = 1, lost = ['i-1'] } = {}) =>
      found((script) => {
        script.policy(0, 1, { ...policy, spare, capacity: { cheapest: ['spot-a', 'spot-b', 'od-b'] } });
        script.at(50, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'spot', capacity: 1, priceUsdPerHour: 0.03 });
        warned(script);
        for (const instance of lost) script.end(110, instance);
        script.react(148, 155, 'places');
        const by = react('places');
        const stored = { kind: 'item-written', table: 'state', group: 'web', item: 'request#d-r0-0', bytes: 1, by } as const;
        script.at(148.5, { ...stored, request: { pool: 'od-b', count: 1 } });
        const call = {
          kind: 'called',
          function: 'react',
          service: 'ec2',
          operation: 'CreateFleet',
          outcome: 'ok',
          applied: true,
          isMutating: true,
        } as const;
        script.at(answeredS, { ...call, askedAtMs: 148_600, invocation: 'places', launch: { group: 'web', pool: 'od-b', count: 1 } });
        script.launch(150, 'i-3', { pool: 'spot-a', by, askedS: 149.5, tags: { 'holdfast:reservation': 'd-r0-1' } });
      });
    it('holds for a spare: the group would have had its size without it', () => {
      expect(besideRefused(152)).toEqual([]);
    });
    it('breaks where that was known before the launch, where no spare is wanted, and where the group lacks a further member', () => {
      const wrong = [besideRefused(149), besideRefused(152, { spare: 0 }), besideRefused(152, { lost: ['i-1', 'i-2'] })];
      expect(wrong.map(({ length }) => length)).toEqual([1, 1, 1]);
    });
  });
  it('holds after a policy was written, which drops everything that was learned', () => {
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

/** EC2 warns a member of spot-a soon after its launch, and an invocation receives the warning. */
const takenAt = (script: Script, launchS: number, warnS: number, injected = false): void => {
  const instance = `i-${launchS}`;
  launched(script, launchS, instance, 'spot-a');
  script.warn(warnS, instance);
  script.react(warnS + 1, warnS + 3, `hears-${instance}`, [{ about: 'warning', instance }], injected);
};

type Found = { readonly rule?: typeof takenAtOnceLast; readonly change?: object };

const then = (write: (script: Script) => void, { rule = takenAtOnceLast, change = {} }: Found = {}) =>
  details(
    rule,
    (script) => {
      script.policy(0, 1, { ...policy, size: 6, capacity: { tiered: ['spot-a', 'od-b'] }, ...change });
      script.desired(0, 6);
      write(script);
    },
    { endedAtMs: 1_000_000 },
  );

describe('what EC2 takes back at once is used while nothing else gives', () => {
  const twice = (script: Script): void => {
    takenAt(script, 400, 420);
    takenAt(script, 440, 460);
  };

  it('breaks when a third launch follows two that were taken at once', () => {
    expect(
      then((script) => {
        twice(script);
        launched(script, 480, 'i-9', 'spot-a');
      }),
    ).toEqual(['i-9 was launched as t/z-a/spot, which EC2 took back at once, last of i-440, and t/z-b/on-demand had capacity']);
  });
  it('holds after one, after two that were under way together, and after two that lived for longer', () => {
    const third = (...lives: readonly (readonly [number, number])[]) =>
      then((script) => {
        for (const [launchS, warnS] of lives) takenAt(script, launchS, warnS);
        launched(script, 300, 'i-9', 'spot-a');
      });
    expect(third([140, 160])).toEqual([]);
    expect(third([140, 170], [145, 171])).toEqual([]);
    expect(third([100, 125], [140, 265])).toEqual([]);
    expect(third([100, 125], [140, 245])).toHaveLength(1);
  });
  it('holds once three minutes are over, where no function received it without a fault, and where nothing else gives', () => {
    const at = (second: number, change: object = {}) =>
      then(
        (script) => {
          twice(script);
          launched(script, second, 'i-9', 'spot-a');
        },
        { change },
      );
    expect(at(639)).toHaveLength(1);
    expect(at(642)).toEqual([]);
    expect(at(480, { capacity: 'spot-a' })).toEqual([]);
    const faulty = then((script) => {
      takenAt(script, 400, 420);
      takenAt(script, 440, 460, true);
      launched(script, 480, 'i-9', 'spot-a');
    });
    expect(faulty).toEqual([]);
  });
  it('lets a later tier be used meanwhile, and not before or afterwards', () => {
    const later = (second: number, write: (script: Script) => void) =>
      then(
        (script) => {
          write(script);
          launched(script, second, 'i-9', 'od-b');
        },
        { rule: earlierTierFirst },
      );
    expect(later(480, twice)).toEqual([]);
    expect(later(780, twice)).toHaveLength(1);
    expect(later(180, (script) => takenAt(script, 140, 160))).toHaveLength(1);
    const slow = (script: Script): void => {
      takenAt(script, 100, 120);
      takenAt(script, 140, 300);
    };
    expect(later(310, slow)).toHaveLength(1);
  });
  it('lets an offering rest after one such launch while another one of its market does', () => {
    const change = { capacity: { tiered: ['spot-a', 'spot-b', 'od-b'] } };
    const later = (write: (script: Script) => void) =>
      then(
        (script) => {
          write(script);
          launched(script, 470, 'i-8', 'spot-b');
          script.warn(490, 'i-8');
          script.react(491, 493, 'hears-i-8', [{ about: 'warning', instance: 'i-8' }]);
          launched(script, 500, 'i-9', 'od-b');
        },
        { rule: earlierTierFirst, change },
      ).filter((text) => text.startsWith('i-9'));
    expect(later(twice)).toEqual([]);
    expect(later(() => undefined)).toHaveLength(1);
  });
});
