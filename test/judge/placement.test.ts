import { describe, expect, it } from 'vitest';
import { tagsAsAsked } from '../../sandbox/judge/rules/bounds/tags.ts';
import { cheapestFirst } from '../../sandbox/judge/rules/launches/cheapest.ts';
import { earlierTierFirst, placedInPools, sharedOut, withinCap, withinPrice } from '../../sandbox/judge/rules/launches/placement.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec, twoServe } from './histories.ts';

const launched = (script: Script, second: number, instance: string, pool: string): void => {
  script.react(second - 1, second + 2, `of-${instance}`);
  script.launch(second, instance, { pool, by: react(`of-${instance}`) });
};
const refusal = (zone: string) =>
  ({ kind: 'refused', invocation: 'i-r', group: 'web', instanceType: 't', zone, market: 'spot', code: 'InsufficientInstanceCapacity' }) as const;
const refused = (script: Script, second: number, zone: string, more: { readonly code?: string; readonly subnet?: string } = {}): void =>
  script.at(second, { ...refusal(zone), ...more });
const calledToLaunch = {
  kind: 'called',
  function: 'react',
  service: 'ec2',
  operation: 'CreateFleet',
  askedAtMs: 99_000,
  outcome: 'ok',
  applied: true,
  isMutating: true,
} as const;

describe('launches come from the pools of the policy', () => {
  it('holds for its subnets and markets, and breaks for others', () => {
    const from = (pool: string, subnet?: string) =>
      details(placedInPools, (script) => {
        twoServe(script);
        script.react(99, 102, 'i-a');
        script.at(100, {
          kind: 'launched',
          instance: 'i-3',
          instanceType: 't',
          zone: 'z-a',
          subnet: subnet ?? 'subnet-a',
          market: 'spot',
          priceUsdPerHour: 0.03,
          tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': pool, 'holdfast:reservation': 'r' },
          by: react('i-a'),
        });
      });
    expect(from('spot-a')).toEqual([]);
    expect(from('spot-b')).toHaveLength(1);
    expect(from('spot-a', 'subnet-b')).toHaveLength(1);
  });
  it('breaks for a pool that the policy describes and its capacity does not name', () => {
    const from = (capacity: readonly string[]) =>
      details(placedInPools, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, capacity: { tiered: capacity } });
        launched(script, 100, 'i-3', 'spot-a');
      });
    expect(from(['spot-a', 'od-b'])).toEqual([]);
    expect(from(['od-b'])).toEqual(['t/z-a/spot in subnet-a does not belong to pool spot-a']);
  });
  it('breaks for a pool below a child of weight 0, if no other child has that pool', () => {
    const weighed = (weight: number) => ({
      weighted: [
        { use: 'spot-a', weight },
        { use: 'od-b', weight: 1 },
      ],
    });
    const from = (capacity: object) =>
      details(placedInPools, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, capacity });
        launched(script, 100, 'i-3', 'spot-a');
      });
    expect(from(weighed(1))).toEqual([]);
    expect(from(weighed(0))).toHaveLength(1);
    expect(from({ tiered: [weighed(0), 'spot-a'] })).toEqual([]);
  });
});

describe('an earlier tier is used while it gives', () => {
  const late = (write: (script: Script) => void) =>
    details(earlierTierFirst, (script) => {
      twoServe(script);
      write(script);
      launched(script, 150, 'i-3', 'od-b');
    });
  it('breaks when spot is free and nothing was refused', () => {
    expect(late(() => undefined)).toHaveLength(1);
  });
  it('holds while refusals let the whole tier rest, and not beyond their rest', () => {
    const both = (second: number) =>
      late((script) => {
        for (const zone of ['z-a', 'z-b']) refused(script, second, zone);
      });
    expect(both(140)).toEqual([]);
    expect(both(-70)).toHaveLength(1);
  });
  it('holds while refusals to another group let the tier rest, if the group launched while the account remembered them', () => {
    const own = { group: 'web', pool: 'od-b', count: 1 };
    const others = (
      launchedAt: number,
      refusedAt: number,
      write: (script: Script) => void = () => undefined,
      launch: { group?: string; asg?: string; count: number } = own,
    ) =>
      late((script) => {
        script.at(launchedAt, { ...calledToLaunch, invocation: 'i-l', askedAtMs: 1_000 * launchedAt, launch });
        for (const zone of ['z-a', 'z-b']) script.at(refusedAt, { ...refusal(zone), group: 'jobs' });
        write(script);
      });
    expect(others(120, 110)).toEqual([]);
    expect(others(148, 90)).toHaveLength(1);
    expect(others(105, 110)).toHaveLength(1);
    expect(others(-60, -70)).toHaveLength(1);
    const into = (asg: string) => others(120, 110, (script) => script.policy(-400, 1, { ...policy, asg: 'web-asg' }), { asg, count: 1 });
    expect(into('web-asg')).toEqual([]);
    expect(into('jobs-asg')).toHaveLength(1);
    const granted = (script: Script): void => launched(script, 115, 'i-9', 'spot-a');
    expect(others(120, 110, granted)).toHaveLength(1);
  });
  it('breaks when all zones were warned about: that opens no later tier', () => {
    const found = late((script) => {
      for (const instance of ['i-1', 'i-2']) script.warn(140, instance);
    });
    expect(found).toHaveLength(1);
  });
  it('holds where all that is left of the earlier tier has no weight', () => {
    const found = (weight: number) =>
      late((script) => {
        const weighted = [
          { use: 'spot-a', weight: 1 },
          { use: 'spot-b', weight },
        ];
        script.policy(100, 2, { ...policy, capacity: { tiered: [{ weighted }, 'od-b'] } });
        refused(script, 140, 'z-a');
      });
    expect(found(0)).toEqual([]);
    expect(found(1)).toHaveLength(1);
  });
  it('breaks when only one zone had refused', () => {
    expect(late((script) => refused(script, 140, 'z-a'))).toHaveLength(1);
  });
  it('holds where nothing is free', () => {
    const found = late((script) => {
      for (const zone of ['z-a', 'z-b'])
        script.at(90, { kind: 'offering', instanceType: 't', zone, market: 'spot', capacity: 1, priceUsdPerHour: 0.03 });
    });
    expect(found).toEqual([]);
  });
  it('counts only the zone that a spread above it chose', () => {
    const found = (capacity: object) =>
      details(earlierTierFirst, (script) => {
        script.policy(0, 1, { ...policy, capacity });
        launched(script, 150, 'i-3', 'spot-b');
      });
    const inner = { tiered: ['spot-a', 'spot-b'] };
    expect(found({ spread: [inner], by: 'zone' })).toEqual([]);
    expect(found({ spread: [inner] })).toHaveLength(1);
    expect(found({ spread: [{ tiered: [{ spread: ['spot-a', 'od-b'] }, 'spot-b'] }], by: 'zone' })).toHaveLength(1);
  });
  it('takes a pool of two zones as spread over them, except below cheapest and below a spread by zone', () => {
    const both = { ...policy.pools, both: { market: 'spot', subnets: ['subnet-a', 'subnet-b'] } };
    const found = (capacity: unknown) =>
      details(sharedOut, (script) => {
        script.policy(0, 1, { ...policy, pools: both, capacity });
        for (const [instance, second] of [
          ['i-1', 100],
          ['i-2', 200],
        ] as const)
          script.launch(second, instance, { pool: 'spot-a', by: react(`i-${second}`), tags: { 'holdfast:pool': 'both' } });
      });
    expect(found('both')).toHaveLength(1);
    expect(found({ tiered: ['both', 'od-b'] })).toHaveLength(1);
    expect(found({ weighted: [{ use: 'both', weight: 1 }] })).toHaveLength(1);
    expect(found({ cheapest: ['both'] })).toEqual([]);
    expect(found({ spread: { of: ['both'], by: 'zone' } })).toHaveLength(1);
    expect(found('spot-a')).toEqual([]);
  });
  const rested = (seconds: number, times: readonly number[], clockErrorMs = 0) =>
    details(
      earlierTierFirst,
      (script) => {
        twoServe(script);
        for (const second of times) for (const zone of ['z-a', 'z-b']) refused(script, second, zone);
        launched(script, seconds, 'i-3', 'od-b');
      },
      { endedAtMs: 4_000_000, clockErrorMs },
    );
  it('finds a refusal that rests for hours, and takes a second one for twice as long', () => {
    expect(rested(1_000, [100])).toHaveLength(1);
    expect(rested(600, [100, 300])).toEqual([]);
    expect(rested(1_000, [100, 300])).toHaveLength(1);
  });
  it('takes a refusal for one outside of the rest before it where clocks that are wrong may show it so', () => {
    expect(rested(600, [100, 277])).toHaveLength(1);
    expect(rested(600, [100, 277], 1_000)).toHaveLength(1);
    expect(rested(600, [100, 277], 2_000)).toEqual([]);
  });
});

describe('a full subnet', () => {
  const twoSubnets = { ...spec, subnets: [...spec.subnets, { id: 'subnet-a2', zone: 'z-a' }] };
  const document = { ...policy, pools: { ...policy.pools, 'spot-a': { ...policy.pools['spot-a'], subnets: ['subnet-a', 'subnet-a2'] } } };
  const late = (...subnets: readonly (string | undefined)[]) =>
    details(
      earlierTierFirst,
      (script) => {
        twoServe(script);
        script.policy(50, 2, document);
        refused(script, 140, 'z-b');
        for (const subnet of subnets) refused(script, 140, 'z-a', { code: 'InsufficientFreeAddressesInSubnet', ...(subnet && { subnet }) });
        launched(script, 150, 'i-3', 'od-b');
      },
      { spec: twoSubnets },
    );
  it('does not let its zone rest while the zone has another one', () => {
    expect(late('subnet-a')).toHaveLength(1);
    expect(late('subnet-a2', 'subnet-a2')).toHaveLength(1);
  });
  it('lets its zone rest where it is not named, or every subnet of the zone was full', () => {
    expect(late('subnet-a', 'subnet-a2')).toEqual([]);
    expect(late(undefined)).toEqual([]);
  });
});

describe('spreads and weights hold at every launch', () => {
  it('breaks when a launch goes where more are already', () => {
    const to = (pool: string) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.member('i-4', { pool: 'spot-a' });
        launched(script, 150, 'i-5', pool);
      });
    expect(to('spot-b')).toEqual([]);
    expect(to('spot-a')).toHaveLength(1);
  });
  it('counts a member that leaves only while the function may not have known that', () => {
    const leaves = (claimedAt: number) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.member('i-3', { pool: 'spot-a' });
        script.member('i-4', { pool: 'spot-b' });
        script.claim(claimedAt, 'i-4', 'i-x');
        script.takeOut(149.5, 'i-4');
        launched(script, 150, 'i-5', 'spot-a');
      });
    expect(leaves(140)).toHaveLength(1);
    expect(leaves(149.2)).toEqual([]);
  });
  it('counts a member that leaves only since the request of a repeated launch was first made', () => {
    const repeats = (storedAt: number, by: string) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.member('i-3', { pool: 'spot-a' });
        script.member('i-4', { pool: 'spot-b' });
        script.react(storedAt - 1, storedAt + 1, 'i-first', [], true);
        script.at(storedAt, { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-1', bytes: 1, by: react(by) });
        script.claim(149.2, 'i-4', 'of-i-5');
        script.takeOut(149.5, 'i-4');
        script.react(149, 152, 'of-i-5');
        script.launch(150, 'i-5', { pool: 'spot-a', by: react('of-i-5'), tags: { 'holdfast:reservation': 'r-1' } });
      });
    expect(repeats(140, 'i-first')).toEqual([]);
    expect(repeats(149.3, 'of-i-5')).toHaveLength(1);
  });
  it('does not count what an Auto Scaling group launched by itself once the function had looked', () => {
    const beside = (launchedAt: number) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.policy(10, 2, { ...policy, asg: 'web-asg' });
        script.launch(launchedAt, 'i-4', { pool: 'spot-a', asg: 'web-asg', by: { kind: 'asg', asg: 'web-asg', why: 'size' } });
        launched(script, 150, 'i-5', 'spot-a');
      });
    expect(beside(140)).toHaveLength(1);
    expect(beside(149)).toEqual([]);
  });
  it('counts what the same function was about to request elsewhere when a fault met it', () => {
    const beside = (change: object, injected = true) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.member('i-4', { pool: 'spot-a' });
        script.react(149, 151, 'i-150', [], injected);
        script.at(149, {
          ...{ kind: 'item-written', table: 'state', group: 'web', item: 'request#r-other', bytes: 1, by: react('i-150') },
          ...{ request: { pool: 'spot-b', count: 1 } },
          ...change,
        });
        script.launch(150, 'i-5', { pool: 'spot-a', by: react('i-150') });
      });
    expect(beside({})).toEqual([]);
    expect(beside({}, false)).toHaveLength(1);
    expect(beside({ by: react('i-else') })).toHaveLength(1);
    expect(beside({ item: 'request#r-i-4' })).toHaveLength(1);
    expect(beside({ request: { pool: 'spot-a', count: 1 } })).toHaveLength(1);
    expect(beside({ group: 'other' })).toHaveLength(1);
  });
  it('counts what an earlier function had made binding elsewhere when a fault met it, until that is launched', () => {
    const fallen = ({ storedAt = 140, isBinding = true, injected = true, item = 'request#r-other' } = {}) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.member('i-4', { pool: 'spot-a' });
        const by = react('i-dead');
        const stored = { kind: 'item-written', table: 'state', group: 'web', item, bytes: 1, by } as const;
        script.react(storedAt, storedAt + 1, 'i-dead', [], injected);
        script.at(storedAt, { ...stored, request: { pool: 'spot-b', count: 1 } });
        if (isBinding) script.desired(storedAt, 2, 1, by);
        launched(script, 250, 'i-5', 'spot-a');
      });
    expect(fallen()).toEqual([]);
    expect(fallen({ storedAt: 60 })).toHaveLength(1);
    expect(fallen({ storedAt: 251 })).toHaveLength(1);
    expect(fallen({ isBinding: false })).toHaveLength(1);
    expect(fallen({ injected: false })).toHaveLength(1);
    expect(fallen({ item: 'request#r-i-4' })).toHaveLength(1);
  });
  it('counts what the same function had requested elsewhere and had no response for, and nothing that another requested', () => {
    const unfair = (write: (script: Script) => void) =>
      details(sharedOut, (script) => {
        twoServe(script);
        for (const one of ['i-4', 'i-7']) script.member(one, { pool: 'spot-a' });
        for (const one of ['i-150', 'i-else']) script.react(148, 155, one);
        script.launch(150, 'i-5', { pool: 'spot-a', by: react('i-150'), askedS: 149.5 });
        write(script);
      }).filter((detail) => detail.includes('i-5'));
    const granted = ({ storedAt = 149, answeredAt = 152, invocation = 'i-150', count = 3, outcome = 'ok', requested = 3, token = 'r-i-6' } = {}) =>
      unfair((script) => {
        const by = react(invocation);
        const stored = { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-i-6', bytes: 1, by } as const;
        script.at(storedAt, { ...stored, request: { pool: 'spot-b', count: requested } });
        script.launch(150.5, 'i-6', { pool: 'spot-b', by });
        const launch = { group: 'web', pool: 'spot-b', count, token };
        script.at(answeredAt, { ...calledToLaunch, askedAtMs: 149_500, outcome, invocation, launch });
      });
    expect(unfair(() => undefined)).toHaveLength(1);
    expect(granted()).toEqual([]);
    expect(granted({ count: 1, requested: 1 })).toHaveLength(1);
    expect(granted({ answeredAt: 149.4 })).toHaveLength(1);
    expect(granted({ storedAt: 149.8 })).toHaveLength(1);
    expect(granted({ invocation: 'i-else' })).toHaveLength(1);
    expect(granted({ token: 'r-i-else' })).toHaveLength(1);
    expect(granted({ outcome: 'Throttling' })).toEqual([]);
    for (const outcome of ['lost', 'crashed']) expect(granted({ outcome })).toHaveLength(1);
    expect(granted({ outcome: 'Throttling', answeredAt: 149.4 })).toHaveLength(1);
    expect(granted({ requested: 2 })).toHaveLength(1);
  });
  it('counts what the same function had requested elsewhere against the cap there as well', () => {
    const capped = (cap: number, requested = 3, answeredAt = 152) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, pools: { ...policy.pools, 'spot-b': { ...policy.pools['spot-b'], cap } } });
        for (const one of ['i-4', 'i-7', 'i-8', 'i-9']) script.member(one, { pool: 'spot-a' });
        script.react(148, 155, 'i-150');
        const by = react('i-150');
        const stored = { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-i-6', bytes: 1, by } as const;
        script.at(149, { ...stored, request: { pool: 'spot-b', count: requested } });
        script.launch(150, 'i-5', { pool: 'spot-a', by, askedS: 149.5 });
        script.launch(150.5, 'i-6', { pool: 'spot-b', by });
        const launch = { group: 'web', pool: 'spot-b', count: requested };
        script.at(answeredAt, { ...calledToLaunch, askedAtMs: 149_200, invocation: 'i-150', launch });
      }).filter((detail) => detail.includes('i-5'));
    expect(capped(4)).toEqual([]);
    expect(capped(5)).toHaveLength(1);
    expect(capped(4, 2)).toHaveLength(1);
    expect(capped(4, 3, 149.4)).toHaveLength(1);
    expect(capped(2, 1)).toEqual([]);
  });
  it('counts nothing against the cap elsewhere that was stored only after the launch was requested', () => {
    const capped = (storedAt: number, by = 'i-150') =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, pools: { ...policy.pools, 'spot-b': { ...policy.pools['spot-b'], cap: 2 } } });
        for (const one of ['i-4', 'i-7']) script.member(one, { pool: 'spot-a' });
        script.react(148, 155, 'i-150');
        script.react(148, 155, 'i-other');
        const request = { pool: 'spot-b', count: 1 };
        script.at(storedAt, { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-i-6', bytes: 1, by: react(by), request });
        script.launch(150, 'i-5', { pool: 'spot-a', by: react('i-150'), askedS: 149.5 });
        script.launch(150.05, 'i-6', { pool: 'spot-b', by: react(by), askedS: 149.8 });
      }).filter((detail) => detail.includes('i-5'));
    expect(capped(149)).toEqual([]);
    for (const by of ['i-150', 'i-other']) expect(capped(149.7, by)).toHaveLength(1);
  });
  it('holds where the other child gives nothing', () => {
    const found = details(sharedOut, (script) => {
      twoServe(script);
      script.member('i-4', { pool: 'spot-a' });
      refused(script, 140, 'z-b');
      launched(script, 150, 'i-5', 'spot-a');
    });
    expect(found).toEqual([]);
  });
  it('holds where the other child is at risk: while its member has yet to leave for advice, and for three minutes after the advice', () => {
    const at = (second: number, outAt: number) =>
      details(
        sharedOut,
        (script) => {
          twoServe(script);
          script.member('i-4', { pool: 'spot-a' });
          script.advise(100, 'i-2');
          script.react(101, 103, 'hears', [{ about: 'advice', instance: 'i-2' }]);
          script.claim(102, 'i-2', 'hears');
          script.takeOut(outAt, 'i-2');
          launched(script, second, 'i-5', 'spot-a');
        },
        { endedAtMs: 3_000_000 },
      );
    expect(at(150, 110)).toEqual([]);
    expect(at(1_000, 1_010)).toEqual([]);
    expect(at(1_000, 900)).toHaveLength(1);
    expect(at(1_000, 110)).toHaveLength(1);
  });
  it('holds where EC2 advises an instance of a warm pool of the group to leave the other child', () => {
    const found = (pool: string, asg: string, joins = false) =>
      details(sharedOut, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, asg: 'web-asg' });
        script.member('i-4', { pool: 'spot-a' });
        const tags = { 'aws:autoscaling:groupName': asg };
        script.launch(60, 'i-9', { pool, by: { kind: 'asg', asg, why: 'size' }, tags, ...(joins && { asg }) });
        script.advise(100, 'i-9');
        script.react(101, 103, 'hears', [{ about: 'advice', instance: 'i-9' }]);
        launched(script, 150, 'i-5', 'spot-a');
      });
    expect(found('spot-b', 'web-asg')).toEqual([]);
    expect(found('spot-b', 'other-asg')).toHaveLength(1);
    expect(found('spot-b', 'other-asg', true)).toHaveLength(1);
    expect(found('spot-a', 'web-asg')).toHaveLength(1);
  });
  it('judges a spread by type, except for Auto Scaling groups that pick among several by themselves', () => {
    const types = { instanceTypes: ['t', 'u'] };
    const offerings = spec.offerings.flatMap((offering) => [offering, { ...offering, instanceType: 'u' }]);
    const group = { name: 'a', launchTemplate: 'web', subnets: ['subnet-a'], ...types, market: 'spot' as const, min: 0, max: 10, desired: 0 };
    const asg = { ...spec, offerings, autoScalingGroups: [...spec.autoScalingGroups, group] };
    const found = (pool: Readonly<Record<string, unknown>>) =>
      details(
        sharedOut,
        (script) => {
          twoServe(script);
          script.policy(50, 2, {
            ...policy,
            capacity: { spread: ['spot-a'], by: 'instance-type' },
            pools: { 'spot-a': { market: 'spot', ...pool } },
          });
          script.member('i-4', { pool: 'spot-a' });
          launched(script, 150, 'i-5', 'spot-a');
        },
        { spec: asg },
      );
    expect(found({ subnets: ['subnet-a'], ...types })).toHaveLength(1);
    expect(found({ asg: 'a' })).toEqual([]);
  });
  it('judges weights by their shares', () => {
    const weighted = {
      ...policy,
      capacity: {
        weighted: [
          { use: 'spot-a', weight: 3 },
          { use: 'spot-b', weight: 1 },
        ],
      },
    };
    const to = (pool: string, held: number) =>
      details(sharedOut, (script) => {
        script.policy(0, 1, weighted);
        for (let n = 0; n < held; n += 1)
          script.member(`i-${n}`, { pool, by: { kind: 'user' }, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': pool } });
        launched(script, 150, 'i-9', pool);
      });
    expect(to('spot-a', 1)).toEqual([]);
    expect(to('spot-a', 2)).toHaveLength(1);
    expect(to('spot-b', 5)).toHaveLength(1);
  });
});

describe('caps, prices and tags', () => {
  it('breaks when a pool holds more than its cap', () => {
    const capped = (cap: number) =>
      details(withinCap, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, pools: { ...policy.pools, 'spot-a': { ...policy.pools['spot-a'], cap } } });
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(capped(2)).toEqual([]);
    expect(capped(1)).toEqual(['spot-a holds 2 with i-3, and its cap is 1']);
  });
  it('breaks above the price limit, by every price of the last ten minutes', () => {
    const limited = (price: number) =>
      details(withinPrice, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, defaults: { ...policy.defaults, maxPriceUsdPerHour: price } });
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(limited(0.04)).toEqual([]);
    expect(limited(0.02)).toHaveLength(1);
  });
  it('is in the request of a fleet on spot: a lower price of some minutes ago excuses no such launch', () => {
    const dearer = (more: { readonly pool: string; readonly asg?: string }) =>
      details(withinPrice, (script) => {
        twoServe(script);
        script.policy(50, 2, { ...policy, defaults: { ...policy.defaults, maxPriceUsdPerHour: 0.02 } });
        script.at(100, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 9, priceUsdPerHour: 0.01 });
        script.at(140, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 9, priceUsdPerHour: 0.03 });
        script.react(149, 152, 'of-i-3');
        script.launch(150, 'i-3', { ...more, by: react('of-i-3') });
      });
    expect(dearer({ pool: 'spot-a' })).toHaveLength(1);
    expect(dearer({ pool: 'spot-a', asg: 'web-asg' })).toEqual([]);
  });
  it('counts no capacity above its price limit, in either market', () => {
    const found = (pool: 'spot-a' | 'od-b', dearest: number) =>
      details(sharedOut, (script) => {
        const pools = { ...policy.pools, [pool]: { ...policy.pools[pool], maxPriceUsdPerHour: dearest } };
        const other = pool === 'spot-a' ? 'od-b' : 'spot-a';
        script.policy(0, 1, { ...policy, pools, capacity: { spread: [pool, other] } });
        for (const [instance, second] of [
          ['i-1', 100],
          ['i-2', 200],
        ] as const)
          launched(script, second, instance, other);
      });
    expect(found('od-b', 0.072)).toEqual([]);
    expect(found('od-b', 0.08)).toHaveLength(1);
    expect(found('spot-a', 0.02)).toEqual([]);
    expect(found('spot-a', 0.03)).toHaveLength(1);
  });
  it('breaks above a share of the price on demand', () => {
    const limited = (share: string) =>
      details(withinPrice, (script) => {
        twoServe(script);
        const onDemandPrices = { t: 0.1 };
        script.policy(50, 2, { ...policy, onDemandPrices, defaults: { ...policy.defaults, maxPrice: share } });
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(limited('40% of on-demand')).toEqual([]);
    expect(limited('20% of on-demand')).toHaveLength(1);
  });
  it('counts what is paid of a price, where a commitment pays the rest', () => {
    const found = (priceFactor: number) =>
      details(cheapestFirst, (script) => {
        const pools = { ...policy.pools, 'od-b': { ...policy.pools['od-b'], priceFactor } };
        script.policy(0, 1, { ...policy, pools, capacity: { cheapest: ['spot-a', 'od-b'] } });
        launched(script, 150, 'i-3', 'spot-a');
      });
    expect(found(1)).toEqual([]);
    expect(found(0.1)).toHaveLength(1);
  });
  it('breaks when a child that costs a tenth less was free', () => {
    const cheapest = { ...policy, capacity: { cheapest: ['spot-a', 'od-b'] } };
    const found = (pool: string) =>
      details(cheapestFirst, (script) => {
        script.policy(0, 1, cheapest);
        launched(script, 150, 'i-3', pool);
      });
    expect(found('spot-a')).toEqual([]);
    expect(found('od-b')).toHaveLength(1);
  });
  it('takes a child for what it could be believed to cost, whichever of its types EC2 gave', () => {
    const two = { 'spot-a': { ...policy.pools['spot-a'], instanceTypes: ['t', 'u'] }, 'spot-b': { ...policy.pools['spot-b'], instanceTypes: ['u'] } };
    const offerings = [
      ...spec.offerings,
      ...(['z-a', 'z-b'] as const).map((zone) => ({
        instanceType: 'u',
        zone,
        market: 'spot' as const,
        capacity: 10,
        priceUsdPerHour: zone === 'z-a' ? 0.05 : 0.035,
      })),
    ];
    const givenTheDearOne = (refusedSecond?: number, before: (script: Script) => void = () => undefined, act = true, size = 1, atS = 150) =>
      details(
        cheapestFirst,
        (script) => {
          const capacity = { cheapest: ['spot-a', 'spot-b', 'od-b'] };
          script.policy(0, 1, { ...policy, size, capacity, pools: { ...policy.pools, ...two }, rebalance: { act }, return: { after: '5m' } });
          script.desired(0, size, 1);
          script.at(90, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 0, priceUsdPerHour: 0.03 });
          before(script);
          if (refusedSecond !== undefined) refused(script, refusedSecond, 'z-a');
          script.react(atS - 1, atS + 2, 'i-r');
          script.at(atS, {
            kind: 'launched',
            instance: 'i-3',
            instanceType: 'u',
            zone: 'z-a',
            subnet: 'subnet-a',
            market: 'spot',
            priceUsdPerHour: 0.05,
            tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r' },
            by: react('i-r'),
          });
        },
        { spec: { ...spec, offerings, timing: { ...spec.timing, latencyMs: { 'ec2:CreateFleet': [1_000, 2_500] } } } },
      );
    expect(givenTheDearOne()).toEqual([]);
    expect(givenTheDearOne(150.5)).toEqual([]);
    expect(givenTheDearOne(100)).toHaveLength(1);
    // That response gave all that was requested, so Holdfast does not let the type rest.
    expect(givenTheDearOne(undefined, (script) => script.at(100, { ...refusal('z-a'), isBesideWhole: true }))).toEqual([]);

    // The price of the cheap type has risen above the limit of the pool, and the price before may still be believed.
    const dearer = (maxPriceUsdPerHour: number) => (script: Script) => {
      const pools = { ...policy.pools, ...two, 'spot-a': { ...two['spot-a'], maxPriceUsdPerHour } };
      script.policy(20, 2, { ...policy, size: 1, capacity: { cheapest: ['spot-a', 'spot-b', 'od-b'] }, pools });
      script.desired(20, 1, 2);
      script.at(120, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 10, priceUsdPerHour: 0.09 });
    };
    expect(givenTheDearOne(undefined, dearer(0.06))).toEqual([]);
    expect(givenTheDearOne(undefined, dearer(0.02))).toHaveLength(1);

    const heardAt = (second: number) => (script: Script) => {
      script.member('i-1', { pool: 'spot-a' });
      script.warn(second, 'i-1');
      script.react(second + 1, second + 2, 'hears', [{ about: 'warning', instance: 'i-1' }]);
    };
    expect(givenTheDearOne(undefined, heardAt(155))).toEqual([]);
    expect(givenTheDearOne(undefined, heardAt(120))).toHaveLength(1);
    const advisedOf = (group: string) => (script: Script) => {
      script.member('i-1', {
        pool: 'spot-a',
        tags: { 'holdfast:group': `holdfast/${group}`, 'holdfast:pool': 'spot-a', 'holdfast:reservation': 'r' },
      });
      script.advise(120, 'i-1');
      script.react(121, 122, 'hears', [{ about: 'advice', instance: 'i-1' }]);
    };
    expect(givenTheDearOne(undefined, advisedOf('web'))).toHaveLength(1);
    // A policy that does not act on advice learns nothing from it, and a group nothing from what another one is told.
    expect(givenTheDearOne(undefined, advisedOf('web'), false)).toEqual([]);
    expect(givenTheDearOne(undefined, advisedOf('other'))).toEqual([]);
    const gave = (count: number) => (script: Script) => {
      script.react(98, 102, 'i-q');
      script.launch(99.5, 'i-2', { pool: 'spot-a', by: react('i-q') });
      script.at(100, { ...refusal('z-a'), invocation: 'i-q' });
      script.at(100, { ...calledToLaunch, invocation: 'i-q', launch: { group: 'web', count } });
    };
    expect(givenTheDearOne(undefined, gave(1))).toEqual([]);
    expect(givenTheDearOne(undefined, gave(2))).toHaveLength(1);
    // A launch beyond the size moves the member on demand.
    const moves = (count: number) => (script: Script) => {
      script.member('i-1', { pool: 'od-b' });
      gave(count)(script);
    };
    const moved = (count: number) => givenTheDearOne(undefined, moves(count), true, 2).filter((detail) => detail.startsWith('i-3'));
    expect(moved(1)).toEqual([]);
    expect(moved(2)).toHaveLength(1);
    // A move leaves out an offering of which a member was warned in the last five minutes, and knows of it only by the message.
    const warnedAt = (second: number, isTold: boolean) => (script: Script) => {
      script.member('i-1', { pool: 'od-b' });
      script.member('i-4', { pool: 'spot-a' });
      script.warn(second, 'i-4');
      if (isTold) script.react(second + 1, second + 2, 'hears', [{ about: 'warning', instance: 'i-4' }]);
      script.end(second + 120, 'i-4', { kind: 'ec2' });
    };
    const movedAfter = (second: number, isTold: boolean) =>
      givenTheDearOne(undefined, warnedAt(second, isTold), true, 1, 500).filter((detail) => detail.startsWith('i-3'));
    expect(movedAfter(220, false)).toEqual([]);
    expect(movedAfter(220, true)).toHaveLength(1);
    expect(movedAfter(150, true)).toEqual([]);
  });
  it('breaks when a tag of the policy is missing', () => {
    const found = details(tagsAsAsked, (script) => {
      twoServe(script);
      script.policy(50, 2, { ...policy, tags: { team: 'web', stage: 'live' } });
      launched(script, 150, 'i-3', 'spot-a');
    });
    expect(found).toEqual(['i-3 lacks tags of the policy in force']);
  });
  it('holds for an instance that a later call tags as the policy requires by then', () => {
    const asks = { ...policy, tags: { team: 'web', stage: 'live' } };
    const tagged = (policyAt: number, taggedAt: number) =>
      details(tagsAsAsked, (script) => {
        twoServe(script);
        script.launch(150, 'i-3', { pool: 'spot-a', asg: 'web-asg', by: react('i-a'), tags: { team: 'before' } });
        script.policy(policyAt, 2, asks);
        script.at(taggedAt, { kind: 'tagged', instance: 'i-3', tags: asks.tags, by: react('i-b') });
      });
    expect(tagged(151, 160)).toEqual([]);
    expect(tagged(140, 160)).toEqual([]);
    expect(tagged(140, 230)).toHaveLength(1);
  });
});

describe('weights', () => {
  const held = (weights: readonly (readonly [string, number])[], there: readonly string[], pool: string) =>
    details(sharedOut, (script) => {
      const weighted = weights.map(([use, weight]) => ({ use, weight }));
      script.policy(0, 1, { ...policy, capacity: { weighted } });
      script.desired(0, there.length + 1);
      for (const [index, name] of there.entries())
        script.member(`i-${index + 1}`, { pool: name, by: { kind: 'user' }, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': name } });
      launched(script, 150, 'i-9', pool);
    });
  const two = [
    ['spot-a', 2],
    ['od-b', 1],
  ] as const;
  it('of two children decide every launch: the one further below its share gets it', () => {
    expect(held(two, ['spot-a', 'od-b'], 'od-b')).toHaveLength(1);
    expect(held(two, ['spot-a', 'od-b'], 'spot-a')).toEqual([]);
    expect(held(two, ['spot-a'], 'od-b')).toEqual([]);
    expect(held(two, ['spot-a', 'spot-a', 'spot-a'], 'spot-a')).toHaveLength(1);
    expect(held([...two, ['spot-b', 0]], ['spot-a', 'od-b'], 'od-b')).toHaveLength(1);
  });
  type Batch = { readonly round?: string; readonly spare?: number; readonly askedS?: number };
  /** One decision places these in one round, with two of six owed on demand. EC2 launches them in this order. */
  const placed = (pools: readonly string[], { round = 'd-r0', spare = 0, askedS = 149 }: Batch = {}) =>
    details(sharedOut, (script) => {
      const weighted = [
        { use: { spread: ['spot-a', 'spot-b'] }, weight: 3 },
        { use: 'od-b', weight: 1 },
      ];
      script.policy(0, 1, { ...policy, spare, capacity: { weighted }, onDemand: { floor: 0, percent: '27%' } });
      script.desired(0, 6);
      script.react(148, 155, 'i-150');
      for (const [index, pool] of pools.entries()) {
        const tags = { 'holdfast:reservation': `${index < 3 ? 'd-r0' : round}-${index}` };
        script.launch(150 + index / 100, `i-${index}`, { pool, by: react('i-150'), askedS: index < 3 ? 149 : askedS, tags });
      }
    });
  const [three, two4] = [
    ['od-b', 'od-b', 'od-b', 'spot-a', 'spot-b', 'spot-a'],
    ['od-b', 'spot-a', 'spot-b', 'spot-a', 'od-b', 'spot-b'],
  ];
  it('count all that one decision placed in one round, in whatever order EC2 launches it', () => {
    expect(placed(three)).toHaveLength(1);
    expect(placed(three.toReversed())).toHaveLength(1);
    expect(placed(two4)).toEqual([]);
    expect(placed(two4.toReversed())).toEqual([]);
  });
  it('are shares of all that was requested at once, also of what EC2 refused later (13300004)', () => {
    const granted = (first: number, second: number) =>
      details(sharedOut, (script) => {
        const weighted = [
          { use: 'spot-a', weight: 3 },
          { use: 'spot-b', weight: 1 },
        ];
        script.policy(0, 1, { ...policy, capacity: { weighted } });
        script.desired(0, 16);
        const by = react('i-150');
        script.react(148, 155, 'i-150');
        const stored = { kind: 'item-written', table: 'state', group: 'web', item: 'request#d-r0-1', bytes: 1, by } as const;
        script.at(149, { ...stored, request: { pool: 'spot-b', count: second } });
        const launch = { group: 'web', pool: 'spot-b', count: second };
        script.at(152, { ...calledToLaunch, askedAtMs: 149_500, invocation: 'i-150', launch });
        script.launch(149.9, 'i-b', { pool: 'spot-b', by, askedS: 149.5, tags: { 'holdfast:reservation': 'd-r0-1' } });
        for (let index = 0; index < first; index += 1)
          script.launch(150 + index / 100, `i-${index}`, { pool: 'spot-a', by, askedS: 149.5, tags: { 'holdfast:reservation': 'd-r0-0' } });
      });
    expect(granted(12, 4)).toEqual([]);
    expect(granted(13, 3).length).toBeGreaterThan(0);
  });
  it('of three children let one go first that is due sooner', () => {
    const three = [...two, ['spot-b', 1]] as const;
    expect(held(three, ['spot-a', 'od-b'], 'od-b')).toEqual([]);
    expect(held(three, ['spot-a', 'od-b', 'od-b'], 'od-b')).toHaveLength(1);
  });
});

describe('a refusal that came in the same look', () => {
  const late = (askedS: number, called?: { readonly pool: string; readonly answeredS: number }) =>
    details(earlierTierFirst, (script) => {
      twoServe(script);
      script.react(147, 155, 'i-a');
      for (const zone of ['z-a', 'z-b']) script.at(150, { ...refusal(zone), invocation: 'i-a' });
      if (called !== undefined) {
        const launch = { group: 'web', pool: called.pool, count: 1 };
        script.at(called.answeredS, { ...calledToLaunch, invocation: 'i-a', askedAtMs: 149_000, launch });
      }
      script.launch(149.5, 'i-3', { pool: 'od-b', by: react('i-a'), askedS });
    });
  it('excuses a launch that was requested after it, and none that was requested before', () => {
    expect(late(150)).toEqual([]);
    expect(late(149)).toHaveLength(1);
  });
  it('excuses a launch by the very call that it refused, and no launch by another call of that moment', () => {
    expect(late(149, { pool: 'od-b', answeredS: 150 })).toEqual([]);
    expect(late(149, { pool: 'spot-a', answeredS: 150 })).toHaveLength(1);
    expect(late(149, { pool: 'od-b', answeredS: 151 })).toHaveLength(1);
  });
});
