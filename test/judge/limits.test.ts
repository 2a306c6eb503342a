import { describe, expect, it } from 'vitest';
import { earlierTierFirst, sharedOut } from '../../sandbox/judge/rules/launches/placement.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, twoServe, user } from './histories.ts';

type Refused = { readonly zone: string; readonly market?: 'spot' | 'on-demand'; readonly code?: string; readonly by?: string };

const refused = (script: Script, second: number, { zone, market = 'spot', code = 'InsufficientInstanceCapacity', by = 'i-r' }: Refused): void =>
  script.at(second, { kind: 'refused', invocation: by, group: 'web', instanceType: 't', zone, market, code });

const empty = (zone: string, market: 'spot' | 'on-demand') => ({ instanceType: 't', zone, market, capacity: 0, priceUsdPerHour: 0.03 });

/** One more is launched from the last tier, or from another pool. */
const launched = (script: Script, second: number, pool = 'od-b'): void => {
  script.react(second - 1, second + 2, 'i-l');
  script.launch(second, 'i-3', { pool, by: react('i-l') });
};

describe('quotas that move', () => {
  const under = (most: number | null) =>
    details(earlierTierFirst, (script) => {
      twoServe(script);
      script.at(90, { kind: 'quota', market: 'spot', most: 2 });
      script.at(95, { kind: 'quota', market: 'spot', most });
      launched(script, 150);
    });
  it('are what the account may have at that moment', () => {
    expect(under(2)).toEqual([]);
    expect(under(3)).toHaveLength(1);
    expect(under(null)).toHaveLength(1);
  });
});

describe('addresses of subnets', () => {
  const inOneZone = { ...policy, capacity: { spread: ['spot-a', 'spot-b'] } };
  /** Placed by nobody whom the rule judges. */
  const there = (pool: string) => ({ pool, by: user, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': pool } });
  const filled = (write: (script: Script) => void) =>
    details(sharedOut, (script) => {
      script.policy(0, 1, inOneZone);
      for (const instance of ['i-1', 'i-2']) script.member(instance, there('spot-a'));
      write(script);
      launched(script, 150, 'spot-a');
    });
  it('let nothing through while there are none', () => {
    expect(filled((script) => script.at(90, { kind: 'addresses', subnet: 'subnet-b', free: 0 }))).toEqual([]);
    expect(filled((script) => script.at(90, { kind: 'addresses', subnet: 'subnet-b', free: 1 }))).toHaveLength(1);
    expect(filled((script) => script.at(90, { kind: 'addresses', subnet: 'subnet-a', free: 1 }))).toHaveLength(1);
  });
  it('come back with each instance that has ended', () => {
    const ended = (second: number) =>
      filled((script) => {
        script.member('i-0', there('spot-b'));
        script.at(90, { kind: 'addresses', subnet: 'subnet-b', free: 0 });
        script.end(second, 'i-0');
      });
    expect(ended(147)).toEqual([]);
    expect(ended(100)).toHaveLength(1);
  });
});

describe('what was requested at the same time', () => {
  const found = (by: string, second: number) =>
    details(
      earlierTierFirst,
      (script) => {
        script.policy(0, 1, { ...policy, capacity: { tiered: ['spot-a', 'od-b'] } });
        launched(script, 150);
        refused(script, second, { zone: 'z-a', by });
      },
      { spec: { ...spec, timing: { ...spec.timing, latencyMs: { 'ec2:CreateFleet': [1_000, 2_500] } } } },
    );
  it('is known as refused to the function that requested it, and to no other', () => {
    expect(found('i-l', 151)).toEqual([]);
    expect(found('i-x', 151)).toHaveLength(1);
    expect(found('i-l', 160)).toHaveLength(1);
  });
});

describe('capacity that returns', () => {
  const back = (refusals: readonly number[], serves: number) =>
    details(
      servesAgain,
      (script) => {
        twoServe(script);
        script.at(90, ...['z-a', 'z-b'].map((zone) => ({ kind: 'offering' as const, ...empty(zone, 'spot') })));
        script.at(90, { kind: 'offering', ...empty('z-b', 'on-demand') });
        script.end(100, 'i-1');
        for (const second of refusals) {
          for (const zone of ['z-a', 'z-b']) refused(script, second, { zone });
          refused(script, second, { zone: 'z-b', market: 'on-demand' });
        }
        script.at(400, { kind: 'offering', ...empty('z-b', 'on-demand'), capacity: 10 });
        script.launch(serves - 20, 'i-3', { pool: 'od-b', by: react('i-l') });
        script.serves(serves, 'i-3');
      },
      { endedAtMs: 2_000_000 },
    );
  it('is found when the rest after the last refusal is over, and within the bound from then on', () => {
    expect(back([110], 570)).toEqual([]);
    expect(back([110], 700)).toHaveLength(1);
    expect(back([110, 300], 800)).toEqual([]);
    expect(back([110, 300], 900)).toHaveLength(1);
  });
});

describe('a pool at its cap', () => {
  const endedAtMs = 900_000;
  /** Only spot in z-b has capacity. It holds i-2. The other member ends at 100, and nothing is launched. */
  const short = (cap: number, more: (script: Script) => void = () => undefined) =>
    details(
      servesAgain,
      (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, pools: { ...policy.pools, 'spot-b': { ...policy.pools['spot-b'], cap } } });
        script.at(90, { kind: 'offering', ...empty('z-a', 'spot') });
        script.at(90, { kind: 'offering', ...empty('z-b', 'on-demand') });
        script.end(100, 'i-1');
        more(script);
      },
      { endedAtMs },
    );
  it('gives nothing, and a pool below its cap does', () => {
    expect(short(1)).toEqual([]);
    expect(short(2)).toHaveLength(1);
  });
  it('gives again from the end or the warning of a member on', () => {
    expect(short(1, (script) => script.end(200, 'i-2'))).toHaveLength(1);
    expect(short(1, (script) => script.warn(200, 'i-2', 600))).toHaveLength(1);
    expect(short(1, (script) => script.end(850, 'i-2'))).toEqual([]);
  });
});

describe('the limit of launches', () => {
  type More = (script: Script, instance: string) => void;
  const bound = (warned: number, isHeard = true, more: More = () => undefined) =>
    details(
      servesAgain,
      (script) => {
        twoServe(script);
        script.policy(100, 2, { ...policy, launches: { atMost: 1, within: '10m' } });
        for (const instance of ['i-6', 'i-7']) {
          script.member(instance, { pool: 'spot-a' });
          more(script, instance);
          script.warn(warned, instance);
          script.react(warned + 1, warned + 2, `of-${instance}`, isHeard ? [{ about: 'warning', instance }] : []);
          script.end(warned + 120, instance);
        }
        for (const [instance, launchedS, diedS] of [
          ['i-4', 310, 400],
          ['i-5', 620, 2_000],
        ] as const) {
          script.launch(launchedS, instance, { pool: 'spot-a', by: react('i-l') });
          script.serves(launchedS + 20, instance);
          script.end(diedS, instance);
        }
        script.end(300, 'i-1');
      },
      { endedAtMs: 1_900_000 },
    );
  it('allows one more for each member that was warned since the policy was written, and for no other', () => {
    expect(bound(90)).toEqual([]);
    expect(bound(110)).toHaveLength(1);
    expect(bound(110, false)).toEqual([]);
  });
  it('allows one more for a member that its Auto Scaling group terminates, and none for one that stands by or that leaves already', () => {
    const left =
      (how: 'standby' | 'terminating'): More =>
      (script, instance) => {
        script.at(40, { kind: 'joined', instance, asg: 'web-asg', by: user });
        script.at(105, { kind: 'left', instance, asg: 'web-asg', how, by: user });
      };
    expect(bound(110, true, left('terminating'))).toHaveLength(1);
    expect(bound(110, true, left('standby'))).toEqual([]);
    const claimed =
      (state: string): More =>
      (script, instance) =>
        script.claim(105, instance, 'of-0', state);
    expect(bound(110, true, claimed('draining'))).toEqual([]);
    expect(bound(110, true, claimed('waiting'))).toHaveLength(1);
  });
});
