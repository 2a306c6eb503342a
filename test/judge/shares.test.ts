import { describe, expect, it } from 'vitest';
import { cheapestFirst } from '../../sandbox/judge/rules/launches/cheapest.ts';
import { floorFirst, floorHeld, floorLeft, sharesHold } from '../../sandbox/judge/rules/launches/limits.ts';
import { needlessLaunch } from '../../sandbox/judge/rules/launches/needless-launch.ts';
import { earlierTierFirst, sharedOut } from '../../sandbox/judge/rules/launches/placement.ts';
import { requestedSoon } from '../../sandbox/judge/rules/launches/requested.ts';
import { servesAgain } from '../../sandbox/judge/rules/launches/serving.ts';
import { returnsWithinBudget } from '../../sandbox/judge/rules/returns/returns.ts';
import { details, throttled } from './details.ts';
import { policy, react, type Script, spec, user } from './histories.ts';

type Document = Readonly<Record<string, unknown>>;
type Write = (script: Script) => void;

/** Launched by nobody whom a rule judges. */
const there = (pool: string) => ({ pool, by: user, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': pool, 'holdfast:reservation': 'r' } });

/** Members of these pools, and from second 50 on a policy that asks for more. */
const group =
  (pools: readonly string[], document: Document, size = pools.length): Write =>
  (script) => {
    const sized = { ...policy, size: { min: 1, max: 9, desired: size } };
    script.policy(0, 1, sized);
    script.desired(0, size);
    for (const [index, pool] of pools.entries()) script.member(`i-${index + 1}`, there(pool));
    script.policy(50, 2, { ...sized, ...document });
    script.desired(50, size, 2);
  };

const launches =
  (second: number, instance: string, pool: string): Write =>
  (script) => {
    script.react(second - 2, second + 2, `i-${second}`);
    script.launch(second, instance, { pool, by: react(`i-${second}`) });
  };

/** EC2 has no on-demand capacity, and says so. */
const noOnDemand: Write = (script) => {
  script.at(60, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'on-demand', capacity: 0, priceUsdPerHour: 0.08 });
};

/** Chosen to leave, and taken out of service, by an invocation. */
const leaves =
  (second: number, instance: string): Write =>
  (script) => {
    script.react(second - 2, second + 2, `i-${second}`);
    script.claim(second, instance, `i-${second}`, 'leaving');
    script.takeOut(second + 1, instance, react(`i-${second}`));
  };

const ends =
  (second: number, instance: string): Write =>
  (script) =>
    script.end(second, instance);

const all =
  (...parts: readonly Write[]): Write =>
  (script) => {
    for (const part of parts) part(script);
  };

const floor = (count: number, rest: Document = {}): Document => ({ onDemand: { floor: count }, ...rest });

describe('what is owed on demand is launched first', () => {
  const missing = (onDemand: readonly string[], document: Document, pool: string, ...more: readonly Write[]) =>
    details(floorFirst, all(group(onDemand, document, onDemand.length + 1), ...more, launches(100, 'i-9', pool)));
  it('breaks by a launch on spot while on-demand gives', () => {
    expect(missing(['spot-a', 'spot-a'], floor(1), 'spot-a')).toHaveLength(1);
    expect(missing(['spot-a', 'od-b'], { onDemand: { percent: '50%' } }, 'spot-a')).toHaveLength(1);
  });
  it('holds by a launch on demand, and where enough are on demand', () => {
    expect(missing(['spot-a', 'spot-a'], floor(1), 'od-b')).toEqual([]);
    expect(missing(['spot-a', 'od-b'], floor(1), 'spot-a')).toEqual([]);
    expect(missing(['spot-a', 'od-b'], { onDemand: { percent: '33%' } }, 'spot-a')).toEqual([]);
    expect(missing(['spot-a', 'spot-a'], {}, 'spot-a')).toEqual([]);
  });
  it('holds where on-demand gives none, and where one is on its way', () => {
    expect(missing(['spot-a', 'spot-a'], floor(1), 'spot-a', noOnDemand)).toEqual([]);
    expect(missing(['spot-a', 'spot-a'], floor(1), 'spot-a', launches(99, 'i-8', 'od-b'))).toEqual([]);
  });
  it('requires nothing of launches beyond the size', () => {
    expect(details(floorFirst, all(group(['spot-a', 'spot-a'], floor(1)), launches(100, 'i-9', 'spot-a')))).toEqual([]);
    const refills: Write = (script) =>
      script.launch(110, 'i-8', { ...there('od-b'), by: { kind: 'asg', asg: 'web-asg', why: 'missing' } as never, asg: 'web-asg' });
    expect(missing(['spot-a', 'spot-a'], floor(1, { spare: 1 }), 'spot-a', refills)).toEqual([]);
    expect(missing(['spot-a', 'spot-a'], floor(1, { spare: 1 }), 'spot-a')).toHaveLength(1);
    expect(missing(['spot-a', 'spot-a'], floor(1), 'spot-a', refills)).toHaveLength(1);
  });
  it('requires none beyond the cap of a pool', () => {
    const capped = { pools: { ...policy.pools, 'od-b': { ...policy.pools['od-b'], cap: 1 } } };
    expect(missing(['spot-a', 'od-b'], floor(2, capped), 'spot-a')).toEqual([]);
  });
});

describe('a launch on demand that is owed', () => {
  const tiered = (document: Document) => details(earlierTierFirst, all(group(['spot-a', 'spot-b'], document, 3), launches(100, 'i-9', 'od-b')));
  it('may leave out an earlier tier', () => {
    expect(tiered(floor(1))).toEqual([]);
    expect(tiered({})).toHaveLength(1);
    expect(details(earlierTierFirst, all(group(['spot-a', 'od-b'], floor(1), 3), launches(100, 'i-9', 'od-b')))).toHaveLength(1);
  });
  it('may be the second of two that one function requested at the same moment', () => {
    const offering = { instanceType: 'u', zone: 'z-b', market: 'on-demand' as const, capacity: null, priceUsdPerHour: 0.1 };
    const pools = { ...policy.pools, 'od-u': { ...policy.pools['od-b'], instanceTypes: ['u'] } };
    /** With the type t, which all others have, no share has room for another one. So the launch of the type u comes first, and is not owed. */
    const found = ({ second = 'i-a', askedS = 99, document = { maxShare: { instanceType: '50%' } } as Document, others = ['i-8'] } = {}) =>
      details(
        cheapestFirst,
        (script) => {
          const capacity = { cheapest: ['spot-a', 'od-b', 'od-u'] };
          group(['spot-a'], { ...floor(1), ...document, pools, capacity }, 2 + 2 * others.length)(script);
          for (const invocation of ['i-a', 'i-b']) script.react(98, 102, invocation);
          script.at(100, {
            ...{ kind: 'launched', instance: 'i-7', instanceType: 'u', zone: 'z-b', subnet: 'subnet-b', market: 'on-demand', priceUsdPerHour: 0.1 },
            tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'od-u', 'holdfast:reservation': 'r' },
            by: react('i-a'),
            askedAtMs: 99_000,
          });
          for (const instance of others) script.launch(100.5, instance, { pool: 'od-b', by: react(second), askedS });
        },
        { spec: { ...spec, offerings: [...spec.offerings, offering] } },
      );
    expect(found()).toEqual([]);
    expect(found({ second: 'i-b' })).toHaveLength(1);
    expect(found({ askedS: 99.5 })).toHaveLength(1);
    expect(found({ document: {} })).toHaveLength(2);
    expect(found({ others: ['i-8', 'i-9'] })).toHaveLength(1);
  });
  it('may cost more, and weigh more', () => {
    const cheapest = { capacity: { cheapest: ['spot-a', 'od-b'] } };
    const byPrice = (document: Document) =>
      details(cheapestFirst, all(group(['spot-a'], { ...cheapest, ...document }, 2), launches(100, 'i-9', 'od-b')));
    expect(byPrice(floor(1))).toEqual([]);
    expect(byPrice({})).toHaveLength(1);
    const weighted = {
      capacity: {
        weighted: [
          { use: 'spot-a', weight: 9 },
          { use: 'od-b', weight: 1 },
        ],
      },
    };
    const pools = ['od-b', 'od-b', 'od-b'];
    const byWeight = (document: Document) => details(sharedOut, all(group(pools, { ...weighted, ...document }, 4), launches(100, 'i-9', 'od-b')));
    expect(byWeight(floor(4))).toEqual([]);
    expect(byWeight(floor(3))).toHaveLength(1);
  });
  it('may be one more than the size, for a member on spot', () => {
    const beyond = (document: Document, ...more: readonly Write[]) =>
      details(needlessLaunch, all(group(['spot-a', 'spot-a'], document), launches(100, 'i-9', 'od-b'), ...more));
    expect(beyond(floor(1, { return: false }))).toEqual([]);
    expect(beyond({ return: false })).toHaveLength(1);
    expect(beyond(floor(1, { return: false }), launches(110, 'i-8', 'od-b'))).toHaveLength(1);
    expect(beyond(floor(2, { swap: { maxSurge: 1 } }), launches(110, 'i-8', 'od-b'))).toHaveLength(1);
    expect(beyond(floor(2, { swap: { maxSurge: 2 } }), launches(110, 'i-8', 'od-b'))).toEqual([]);
  });
  it('is no return, and has no part in its budget', () => {
    const tree = { capacity: { tiered: ['od-b', 'spot-a'] }, return: { atMost: 1, every: '10m' } };
    const two = (document: Document) =>
      details(
        returnsWithinBudget,
        all(group(['spot-a', 'spot-a'], { ...tree, ...document }), launches(100, 'i-9', 'od-b'), launches(200, 'i-8', 'od-b')),
      );
    expect(two(floor(2))).toEqual([]);
    expect(two({})).toHaveLength(1);
  });
});

describe('nobody on demand is let go who is owed', () => {
  const gone = (pools: readonly string[], document: Document, ...more: readonly Write[]) => details(floorLeft, all(group(pools, document), ...more));
  it('breaks by a choice that leaves too few on demand', () => {
    expect(gone(['spot-a', 'od-b'], floor(1), leaves(100, 'i-2'))).toHaveLength(1);
    expect(gone(['spot-a', 'od-b', 'od-b'], floor(1), leaves(100, 'i-2'), leaves(110, 'i-3'))).toHaveLength(1);
  });
  it('holds while enough are left by the size in force, and for members on spot', () => {
    expect(gone(['spot-a', 'od-b', 'od-b'], floor(1), leaves(100, 'i-2'))).toEqual([]);
    expect(gone(['spot-a', 'od-b'], {}, leaves(100, 'i-2'))).toEqual([]);
    expect(gone(['spot-a', 'od-b'], floor(1), leaves(100, 'i-1'))).toEqual([]);
    const smaller: Write = (script) => script.desired(90, 1, 2);
    expect(gone(['od-b', 'od-b'], { onDemand: { percent: '100%' } }, smaller, leaves(100, 'i-2'))).toEqual([]);
  });
  it('does not blame for who was lost a moment before', () => {
    expect(gone(['od-b', 'od-b', 'spot-a'], floor(1), ends(98, 'i-1'), leaves(100, 'i-2'))).toEqual([]);
  });
});

describe('as many are on demand as are owed, soon after on-demand gives them', () => {
  const endedAtMs = 2_000_000;
  const held = (pools: readonly string[], document: Document, ...more: readonly Write[]) =>
    details(floorHeld, all(group(pools, document), ...more), { endedAtMs });
  it('breaks where a group goes on without', () => {
    expect(held(['spot-a', 'spot-a'], floor(1))).toHaveLength(1);
    expect(held(['spot-a', 'od-b'], floor(1), ends(200, 'i-2'))).toHaveLength(1);
  });
  it('holds where one comes in time, where none is owed, and where on-demand gives none', () => {
    expect(held(['spot-a', 'spot-a'], floor(1), launches(150, 'i-9', 'od-b'))).toEqual([]);
    expect(held(['spot-a', 'od-b'], floor(1))).toEqual([]);
    expect(held(['spot-a', 'spot-a'], {})).toEqual([]);
    expect(held(['spot-a', 'spot-a'], floor(1), noOnDemand)).toEqual([]);
    expect(held(['spot-a', 'spot-a'], floor(1, { mode: 'pause' }))).toEqual([]);
  });
  it('counts the time from the last fault of a call that a move needs', () => {
    const under = (operation: string) => details(floorHeld, group(['spot-a', 'spot-a'], floor(1)), { endedAtMs, ...throttled(operation) });
    for (const call of ['Query', 'CreateFleet', 'DeregisterTargets', 'DescribeTargetHealth']) expect(under(call)).toEqual([]);
    for (const call of ['PutEvents', 'DescribeSpotPriceHistory', 'CreateTags']) expect(under(call)).toHaveLength(1);
  });
  it('counts the time from when on-demand gives', () => {
    const back =
      (second: number): Write =>
      (script) =>
        script.at(second, { kind: 'offering', instanceType: 't', zone: 'z-b', market: 'on-demand', capacity: 5, priceUsdPerHour: 0.08 });
    expect(held(['spot-a', 'spot-a'], floor(1), noOnDemand, back(200))).toHaveLength(1);
    expect(held(['spot-a', 'spot-a'], floor(1), noOnDemand, back(1_900))).toEqual([]);
  });
});

describe('moves on demand that an Auto Scaling group undoes', () => {
  const pools = { ...policy.pools, 'od-a': { market: 'on-demand', subnets: ['subnet-a'] } };
  const document = floor(1, { capacity: { tiered: [{ spread: ['spot-a', 'spot-b'] }, 'od-b', 'od-a'] }, pools });
  const onDemandIn =
    (second: number, instance: string, zone: 'a' | 'b'): Write =>
    (script) => {
      script.react(second - 2, second + 2, `i-${second}`);
      script.at(second, {
        ...{ kind: 'launched', instance, instanceType: 't', zone: `z-${zone}`, subnet: `subnet-${zone}`, market: 'on-demand', priceUsdPerHour: 0.08 },
        tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': `od-${zone}`, 'holdfast:reservation': `r-${instance}`, team: 'web' },
        by: react(`i-${second}`),
      });
    };
  /** A member moved to od-b at 100. Its Auto Scaling group launches at 160, and ends the one that moved. */
  const undone = (why: 'zones' | 'size', zone: 'a' | 'b' = 'b'): Write =>
    all(group(['spot-a', 'spot-a'], document), onDemandIn(100, 'i-3', zone), leaves(120, 'i-2'), (script) => {
      const by = { kind: 'asg', asg: 'web-asg', why } as const;
      script.launch(160, 'i-4', { pool: 'spot-b', by, tags: { 'holdfast:group': 'holdfast/web', 'holdfast:pool': 'spot-b' } });
      script.serves(165, 'i-4');
      script.end(170, 'i-3', by);
    });
  const next = (second: number, before: Write, more: Write = () => undefined) =>
    details(earlierTierFirst, all(before, more, onDemandIn(second, 'i-5', 'a')), { endedAtMs: 4_000_000 }).filter((one) => one.includes('i-5'));

  it('may pass over where they were undone, for twice as long as `after` of the policy', () => {
    expect(next(1_340, undone('zones'))).toEqual([]);
    expect(next(1_420, undone('zones'))).toHaveLength(1);
    expect(next(1_340, undone('size'))).toHaveLength(1);
  });
  it('may not, where nobody moved there, and where the launch is for a member that is missing', () => {
    expect(next(200, undone('zones', 'a'))).toHaveLength(1);
    expect(next(200, undone('zones'), ends(180, 'i-1'))).toHaveLength(1);
  });
  it('need not come meanwhile, where no other pool gives', () => {
    const only = floor(1, { capacity: { tiered: [{ spread: ['spot-a', 'spot-b'] }, 'od-b'] } });
    const short = (endedAtMs: number, why: 'zones' | 'size' = 'zones') =>
      details(
        floorHeld,
        all(undone(why), (script) => script.policy(51, 3, { ...policy, ...only })),
        { endedAtMs },
      );
    expect(short(1_700_000)).toEqual([]);
    expect(short(1_700_000, 'size')).toHaveLength(1);
    expect(short(3_400_000)).toHaveLength(1);
  });
});

describe('shares hold', () => {
  const share = (maxShare: Document, rest: Document = {}): Document => ({ maxShare, ...rest });
  const full = (pools: readonly string[], document: Document, pool: string, size = pools.length + 1, ...more: readonly Write[]) =>
    details(sharesHold, all(group(pools, document, size), ...more, launches(100, 'i-9', pool)));
  it('breaks by a launch that puts a zone, a type or an offering over its share', () => {
    expect(full(['spot-a', 'spot-b', 'spot-a'], share({ zone: '50%' }), 'spot-a')).toHaveLength(1);
    expect(full(['spot-a', 'spot-b', 'spot-a'], share({ instanceType: '50%' }), 'spot-b')).toHaveLength(1);
    expect(full(['spot-b', 'od-b', 'spot-b'], share({ offering: '50%' }), 'spot-b')).toHaveLength(1);
  });
  it('holds below it, rounded up, and with one at least', () => {
    expect(full(['spot-a', 'spot-b', 'spot-a'], share({ zone: '50%' }), 'spot-b')).toEqual([]);
    expect(full(['spot-a', 'spot-b'], share({ zone: '34%' }), 'spot-a')).toEqual([]);
    expect(full(['spot-a'], share({ zone: '1%' }), 'spot-b', 2)).toEqual([]);
    expect(full(['spot-b', 'od-b', 'spot-b'], share({ offering: '50%' }), 'od-b')).toEqual([]);
    expect(full(['spot-a', 'spot-a', 'spot-a'], {}, 'spot-a')).toEqual([]);
  });
  it('leaves out the members that a launch beyond the size replaces, and no more', () => {
    const tree = share({ zone: '50%' });
    expect(full(['spot-a', 'spot-b', 'spot-a', 'od-b'], tree, 'spot-b', 4)).toEqual([]);
    expect(full(['spot-b', 'spot-b', 'spot-b', 'od-b'], tree, 'spot-b', 4)).toHaveLength(1);
    expect(full(['spot-b', 'spot-b', 'od-a', 'spot-a'], tree, 'spot-b', 4)).toHaveLength(1);
  });
  it('counts who left since the look of the launch as a member, or as none, and who left before as none (24230023)', () => {
    const owed = share({ zone: '50%' }, { onDemand: { floor: 1 } });
    const warnedAt = (second: number, pools = ['spot-a', 'spot-b', 'spot-b', 'spot-a']) =>
      full(pools, owed, 'od-b', 4, (script) => script.warn(second, 'i-1'));
    expect(warnedAt(99)).toEqual([]);
    expect(warnedAt(97)).toHaveLength(1);
    expect(warnedAt(99, ['spot-b', 'spot-b', 'spot-a', 'spot-a'])).toEqual([]);
    expect(warnedAt(99, ['spot-a', 'spot-b', 'spot-b', 'spot-b'])).toHaveLength(1);
  });
  it('leaves out who waits to be replaced, and who leaves', () => {
    const pools = ['spot-a', 'spot-b', 'spot-a', 'spot-b'];
    expect(full(pools, share({ zone: '50%' }), 'spot-a', 4, (script) => script.advise(70, 'i-1'))).toEqual([]);
    expect(full(pools, share({ zone: '50%' }), 'spot-a', 4, (script) => script.warn(70, 'i-1'))).toEqual([]);
    expect(full(pools, share({ zone: '50%' }), 'spot-a', 5, ends(70, 'i-2'))).toEqual([]);
    expect(full(pools, share({ zone: '50%' }), 'spot-a', 4, ends(70, 'i-2'))).toHaveLength(1);
  });
});

describe('what a share forbids', () => {
  const shares = { maxShare: { zone: '50%' }, capacity: { tiered: ['spot-a', 'od-b'] } };
  it('opens a later tier', () => {
    const later = (document: Document) =>
      details(earlierTierFirst, all(group(['spot-a', 'spot-a', 'od-b'], { ...shares, ...document }, 4), launches(100, 'i-9', 'od-b')));
    expect(later({})).toEqual([]);
    expect(later({ maxShare: { zone: '75%' } })).toHaveLength(1);
  });
  it('counts what the same function had requested elsewhere and EC2 refused later', () => {
    const beside = ({ pool = 'spot-a', count = 1, answeredAt = 102, zone = '50%' } = {}) =>
      details(earlierTierFirst, (script) => {
        group(['spot-a', 'od-b'], { ...shares, maxShare: { zone } }, 4)(script);
        script.react(98, 103, 'i-100');
        const by = react('i-100');
        const stored = { kind: 'item-written', table: 'state', group: 'web', item: 'request#r-other', bytes: 1, by } as const;
        script.at(99, { ...stored, request: { pool, count } });
        script.launch(100, 'i-9', { pool: 'od-b', by, askedS: 99.5 });
        const call = { service: 'ec2', operation: 'CreateFleet', outcome: 'ok', applied: true, isMutating: true } as const;
        const launch = { group: 'web', pool, count };
        script.at(answeredAt, { kind: 'called', function: 'react', invocation: 'i-100', askedAtMs: 99_200, ...call, launch });
      });
    expect(beside()).toEqual([]);
    expect(beside({ pool: 'od-b' })).toHaveLength(1);
    expect(beside({ answeredAt: 99.4 })).toHaveLength(1);
    expect(beside({ zone: '75%' })).toHaveLength(1);
    expect(beside({ zone: '75%', count: 2 })).toEqual([]);
  });
  it('excuses that nothing is launched, and only while it does', () => {
    const endedAtMs = 900_000;
    const short = (document: Document) =>
      details(servesAgain, all(group(['spot-a', 'spot-a', 'spot-a'], { ...shares, ...document }, 4), noOnDemand), { endedAtMs });
    expect(short({})).toEqual([]);
    expect(short({ maxShare: { zone: '100%' } })).toHaveLength(1);
  });
  it('is not requested after a warning', () => {
    const warned = (document: Document) =>
      details(requestedSoon, (script) => {
        group(['spot-a', 'spot-a', 'spot-a', 'od-b'], { ...shares, ...document })(script);
        noOnDemand(script);
        script.warn(100, 'i-4');
        script.react(101, 103, 'i-100', [{ about: 'warning', instances: ['i-4'] }] as never);
      });
    expect(warned({})).toEqual([]);
  });
});

describe('a launch from a later tier where shares are limited', () => {
  const whole = { maxShare: { instanceType: '100%' } };
  const late = (pools: readonly string[], size: number, ...more: readonly Write[]) =>
    details(earlierTierFirst, all(group(pools, whole, size), ...more, launches(100, 'i-9', 'od-b')));
  it('takes a place of the share itself, so the earlier tier could have had it', () => {
    expect(late(['spot-a', 'spot-b'], 3)).toHaveLength(1);
    expect(late(['spot-a', 'spot-b', 'spot-a'], 3)).toEqual([]);
  });
  it('counts no member that its function had claimed to leave, and one that another function claims meanwhile', () => {
    const claims = (second: number, by: string): Write =>
      all(
        (script) => script.warn(90, 'i-1'),
        (script) => script.react(second - 2, second + 3, by),
        (script) => script.claim(second, 'i-1', by, 'leaving'),
      );
    const three = ['spot-a', 'spot-b', 'spot-a'];
    expect(late(three, 3, claims(95, 'i-95'))).toHaveLength(1);
    expect(
      late(
        three,
        3,
        (script) => script.warn(90, 'i-1'),
        (script) => script.claim(99, 'i-1', 'i-100', 'leaving'),
      ),
    ).toHaveLength(1);
    expect(late(three, 3, claims(99, 'i-95'))).toEqual([]);
  });
});
