import { describe, expect, it } from 'vitest';
import { removalInOrder } from '../../sandbox/judge/rules/removals/removal-order.ts';
import { removalKeepsShape } from '../../sandbox/judge/rules/removals/removal-shape.ts';
import { details } from './details.ts';
import { policy, react, type Script, spec } from './histories.ts';

type Member = { readonly pool?: string; readonly atSecond?: number; readonly asg?: string; readonly instanceType?: string };

/** Members that serve, the first of which is let go at second 100 because the size falls. */
const shrinks =
  (change: object, members: Readonly<Record<string, Member>>, also: (script: Script) => void = () => undefined, told = true) =>
  (script: Script): void => {
    script.policy(0, 1, { ...policy, drain: { timeout: '30s', loadBalancers: 'auto' }, ...change });
    script.desired(0, Object.keys(members).length);
    for (const [instance, { pool = 'spot-a', atSecond = 1, asg, instanceType }] of Object.entries(members)) {
      script.launch(atSecond, instance, { pool, ...(asg !== undefined && { asg }), ...(instanceType !== undefined && { instanceType }) });
      script.serves(30, instance);
    }
    also(script);
    script.react(98, 104, 'i-100', [], !told);
    script.desired(99, Object.keys(members).length - 1, 1, react('i-100'));
    script.claim(100, Object.keys(members)[0] ?? '', 'i-100');
    script.takeOut(102, Object.keys(members)[0] ?? '');
  };

const found = (...args: Parameters<typeof shrinks>): number => details(removalInOrder, shrinks(...args)).length;

describe('members leave in the order of removal', () => {
  const oldest = { removal: { order: 'oldest-first' } };
  const newest = { removal: { order: 'newest-first' } };
  const young = { 'i-1': { atSecond: 20 }, 'i-2': { atSecond: 1 } };
  const old = { 'i-1': { atSecond: 1 }, 'i-2': { atSecond: 20 } };

  it('holds by age', () => {
    expect(found(oldest, old)).toBe(0);
    expect(found(newest, young)).toBe(0);
    expect(found({ removal: { order: 'same-order' } }, young)).toBe(0);
  });
  it('breaks by age', () => {
    expect(found(oldest, young)).toBe(1);
    expect(found(newest, old)).toBe(1);
  });
  it('goes by the last start of one that a warm pool had stopped, as EC2 shows it', () => {
    const drawn =
      (joinsS: number): Parameters<typeof shrinks>[2] =>
      (script) => {
        // i-3 was launched before the others, and joins from the warm pool.
        script.launch(0.5, 'i-3', { by: { kind: 'asg', asg: 'web-asg', why: 'size' }, tags: { 'aws:autoscaling:groupName': 'web-asg' } });
        script.at(5, { kind: 'ending', instance: 'i-3', by: { kind: 'ec2' } }, { kind: 'ended', instance: 'i-3', state: 'stopped' });
        script.at(joinsS, { kind: 'joined', instance: 'i-3', asg: 'web-asg', by: { kind: 'ec2' } });
        script.serves(joinsS + 10, 'i-3');
      };
    const inAsg = { asg: 'web-asg' };
    const one = { 'i-1': { atSecond: 20, ...inAsg } };
    expect(found({ ...newest, ...inAsg }, one, drawn(40))).toBe(1);
    expect(found({ ...oldest, ...inAsg }, one, drawn(40))).toBe(0);
    expect(found({ ...newest, ...inAsg }, one, drawn(10))).toBe(0);
    expect(found({ ...oldest, ...inAsg }, one, drawn(10))).toBe(1);
  });
  it('says nothing of a launch that moves a member while this one stays (1500104), and compares it once that one has left', () => {
    const moved =
      (leftS?: number): Parameters<typeof shrinks>[2] =>
      (script) => {
        script.react(48, 52, 'launching');
        script.launch(50, 'i-3', { pool: 'spot-b', by: react('launching') });
        script.serves(70, 'i-3');
        if (leftS !== undefined) script.end(leftS, 'i-2');
      };
    const two = { 'i-1': {}, 'i-2': { pool: 'od-b' } };
    expect(found(newest, two, moved())).toBe(0);
    expect(found(newest, two, moved(80))).toBe(1);
  });
  it('says nothing of a launch that moves a member to on-demand, as the policy asks for, while this one stays (24310018)', () => {
    const owed =
      (leftS?: number): Parameters<typeof shrinks>[2] =>
      (script) => {
        if (leftS !== undefined) script.end(leftS, 'i-2');
        script.react(48, 52, 'launching');
        script.launch(50, 'i-3', { pool: 'od-b', by: react('launching') });
        script.serves(70, 'i-3');
      };
    const order = { ...newest, onDemand: { floor: 2 } };
    const two = { 'i-1': { pool: 'od-b' }, 'i-2': {} };
    expect(found(order, two, owed())).toBe(0);
    // Nobody was left to move, or the launch was for the size.
    expect(found(order, { 'i-1': { pool: 'od-b' }, 'i-2': { pool: 'od-b' } }, owed())).toBe(1);
    expect(found(order, two, owed(40))).toBe(1);
  });
  it('compares across Auto Scaling groups by what leaves each of them', () => {
    const sized =
      (desired: number, min: number, leaves: readonly string[] = []): Parameters<typeof shrinks>[2] =>
      (script) => {
        for (const asg of ['asg-a', 'asg-b'])
          script.at(2, { kind: 'asg-changed', asg, min: asg === 'asg-b' ? min : 0, max: 9, desired, suspended: [], by: react('i-0') });
        for (const instance of leaves) script.claim(100, instance, 'i-100');
      };
    // Two of the first group leave, and the two of the second one are older.
    const inTwo = {
      'i-1': { atSecond: 20, asg: 'asg-a' },
      'i-2': { atSecond: 20, asg: 'asg-a' },
      'i-3': { atSecond: 1, pool: 'spot-b', asg: 'asg-b' },
      'i-4': { atSecond: 1, pool: 'spot-b', asg: 'asg-b' },
    };
    const pools = { ...policy.pools, 'spot-a': { market: 'spot', asg: 'asg-a' }, 'spot-b': { market: 'spot', asg: 'asg-b' } };
    const byAge = { ...oldest, pools };
    expect(found(byAge, inTwo, sized(2, 0, ['i-2']))).toBe(1);
    expect(found(byAge, inTwo, sized(2, 2, ['i-2']))).toBe(0);
    expect(found(byAge, inTwo, sized(2, 1, ['i-2', 'i-3']))).toBe(0);
  });
  it('lets those go first that are not ready by the policy', () => {
    expect(found({ ...oldest, ready: { after: '60s' } }, young)).toBe(1);
    expect(found({ ...oldest, ready: { after: '90s' } }, young)).toBe(0);
  });
  it('counts as ready only who is ready by the clock of every function', () => {
    const foundBy = (after: string, clockErrorMs: number): number =>
      details(removalInOrder, shrinks({ ...oldest, ready: { after } }, young), { clockErrorMs }).length;
    expect([foundBy('72s', 3_000), foundBy('76s', 3_000), foundBy('76s', 0)]).toEqual([1, 0, 1]);
  });
  it('lets one go first that serves in no target group, of two in the same place', () => {
    const order = { removal: { order: 'same-order' }, drain: policy.drain };
    const unserved = (change: object, pool = 'spot-a', servesAt?: number): number =>
      found(change, { 'i-1': {}, 'i-2': {} }, (script) => {
        script.launch(50, 'i-3', { pool });
        if (servesAt !== undefined) script.serves(servesAt, 'i-3');
      });
    expect(unserved(order)).toBe(1);
    expect(unserved({ drain: policy.drain })).toBe(1);
    expect(unserved(order, 'spot-b')).toBe(0);
    expect(unserved(order, 'spot-a', 60)).toBe(0);
    expect(unserved({ ...order, removal: { order: 'oldest-first' } })).toBe(0);
    expect(unserved({ removal: { order: 'same-order' } })).toBe(0);
  });
  it('counts as shown what even an old later page must show: its lag and the age of the page are added', () => {
    const order = { removal: { order: 'same-order' }, drain: policy.drain };
    const lagging = { ...spec, timing: { ...spec.timing, lagSeconds: [0, 6] as const } };
    const launchedAt = (second: number, world: typeof spec): number =>
      details(
        removalInOrder,
        shrinks(order, { 'i-1': {}, 'i-2': {} }, (script) => script.launch(second, 'i-3', { pool: 'spot-a' })),
        { spec: world },
      ).length;
    const withPages = { ...lagging, stalePages: { lagSeconds: [0, 4] as const, moves: 0 } };
    expect([launchedAt(87, withPages), launchedAt(89, withPages), launchedAt(89, lagging), launchedAt(93, lagging)]).toEqual([1, 0, 1, 0]);
  });
  it('lets one go first that its target group finds unhealthy, whatever the order', () => {
    /** The other member is found unhealthy; the removal comes at second 100 of a world whose members are older than they look. */
    const failing = (change: object, second: number, bornAtSecond = -400): number =>
      found({ ...change, drain: policy.drain }, { 'i-1': { atSecond: 1 }, 'i-2': { atSecond: bornAtSecond } }, (script) => {
        script.at(second, { kind: 'out-of-service', instance: 'i-2', targetGroup: 'web', why: 'unhealthy', by: { kind: 'ec2' } });
      });
    for (const order of ['newest-first', 'dearest-first', 'same-order']) {
      expect(failing({ removal: { order } }, 60)).toBe(1);
      // It failed too late to be known, or is too young to count as unhealthy.
      expect(failing({ removal: { order } }, 99)).toBe(0);
      expect(failing({ removal: { order } }, 60, -150)).toBe(order === 'newest-first' ? 0 : 1);
    }
  });
  it('does not distinguish launch times that are one second apart', () => {
    expect(found(oldest, { 'i-1': { atSecond: 2 }, 'i-2': { atSecond: 1 } })).toBe(0);
  });

  it('lets no member on spot leave before one on demand with an unknown price, by default', () => {
    expect(found({}, { 'i-1': { pool: 'spot-a' }, 'i-2': { pool: 'od-b' } })).toBe(1);
    expect(found({}, { 'i-1': { pool: 'od-b' }, 'i-2': { pool: 'spot-a' } })).toBe(0);
  });

  describe('with spot prices that are read', () => {
    const capacity = { tiered: [{ cheapest: ['spot-a', 'spot-b'] }, 'od-b'] };
    const dearInZoneA = (script: Script): void =>
      script.at(40, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 10, priceUsdPerHour: 0.05 });
    const reads =
      (second: number, outcome = 'ok') =>
      (script: Script): void =>
        script.at(second, {
          ...{
            kind: 'called',
            invocation: 'i-90',
            function: 'react',
            service: 'ec2',
            operation: 'DescribeSpotPriceHistory',
            askedAtMs: 1_000 * second,
          },
          ...{ outcome, applied: true, isMutating: false },
        });
    const both =
      (...parts: readonly ((script: Script) => void)[]) =>
      (script: Script): void => {
        for (const part of parts) part(script);
      };
    const cheapLeaves = { 'i-1': { pool: 'spot-b' }, 'i-2': { pool: 'spot-a' } };

    it('breaks where the cheaper one leaves', () => {
      expect(found({ capacity }, cheapLeaves, both(dearInZoneA, reads(60)))).toBe(1);
    });
    it('holds where the dearer one leaves', () => {
      expect(found({ capacity }, { 'i-1': { pool: 'spot-a' }, 'i-2': { pool: 'spot-b' } }, both(dearInZoneA, reads(60)))).toBe(0);
    });
    it('excuses prices that rose after they were read, or whose read failed', () => {
      expect(found({ capacity }, cheapLeaves, both(reads(35), dearInZoneA))).toBe(0);
      expect(found({ capacity }, cheapLeaves, both(dearInZoneA, reads(50, 'RequestLimitExceeded'), reads(60)))).toBe(0);
    });
    it('excuses a member of an offering that no pool has', () => {
      const pools = { ...policy.pools, 'spot-a': { market: 'spot', subnets: ['subnet-a'], instanceTypes: ['other'] } };
      expect(found({ capacity, pools }, cheapLeaves, both(dearInZoneA, reads(60)))).toBe(0);
    });
    it('excuses policies that have no prices read', () => {
      expect(found({}, cheapLeaves, both(dearInZoneA, reads(60)))).toBe(0);
    });
  });

  it('excuses who could not go in its place: protected, held elsewhere, not seen yet', () => {
    const isProtected = (script: Script): void =>
      script.at(40, { kind: 'protection', instance: 'i-2', from: 'scale-in', isOn: true, by: { kind: 'user' } });
    const inAsg = { 'i-1': { atSecond: 20, asg: 'web-asg' }, 'i-2': { atSecond: 1, asg: 'web-asg' } };
    expect(found({ ...oldest, asg: 'web-asg' }, inAsg)).toBe(1);
    expect(found({ ...oldest, asg: 'web-asg' }, inAsg, isProtected)).toBe(0);
    expect(found({ ...oldest, asg: 'web-asg' }, { 'i-1': { atSecond: 20 }, 'i-2': { atSecond: 1, asg: 'web-asg' } })).toBe(0);
    expect(found(newest, { 'i-1': { atSecond: 1 }, 'i-2': { atSecond: 97.5 } })).toBe(0);
  });

  it('excuses where something else decides: a floor, shares, spares, a fault', () => {
    const elsewhere = (pool: string) => ({ ...young, 'i-2': { atSecond: 1, pool } });
    for (const byMarket of [{ onDemand: { floor: 1 } }, { spare: 1 }])
      expect([young, elsewhere('spot-b'), elsewhere('od-b')].map((members) => found({ ...oldest, ...byMarket }, members))).toEqual([1, 1, 0]);
    const shared = { ...oldest, maxShare: { zone: '50%' } };
    expect([young, elsewhere('spot-b'), elsewhere('od-b')].map((members) => found(shared, members))).toEqual([1, 0, 0]);
    expect(found(oldest, young, undefined, false)).toBe(0);
  });
});

describe('the tree keeps its shape when a group shrinks', () => {
  const same = { removal: { order: 'same-order' } };
  const shape = (...args: Parameters<typeof shrinks>): readonly string[] => details(removalKeepsShape, shrinks(...args));
  const inPools = (...pools: readonly string[]): Record<string, Member> =>
    Object.fromEntries(pools.map((pool, index) => [`i-${index + 1}`, { pool }]));

  it('lets the last tier empty first', () => {
    expect(shape(same, inPools('spot-a', 'od-b'))).toHaveLength(1);
    expect(shape(same, inPools('od-b', 'spot-a'))).toEqual([]);
  });
  it('lets the fullest part of a spread give', () => {
    expect(shape(same, inPools('spot-a', 'spot-a', 'spot-b', 'spot-b', 'spot-b'))).toHaveLength(1);
    expect(shape(same, inPools('spot-b', 'spot-b', 'spot-b', 'spot-a', 'spot-a'))).toEqual([]);
    expect(shape(same, inPools('spot-a', 'spot-a', 'spot-b', 'spot-b'))).toEqual([]);
  });
  it('compares, below a spread by type, members of one type alone', () => {
    const byType = {
      ...same,
      capacity: { spread: [{ spread: ['spot-a', 'spot-b'] }], by: 'instance-type' },
      defaults: { launchTemplate: 'web', instanceTypes: ['t', 'u'] },
    };
    const held = (counts: Readonly<Record<string, readonly [number, number]>>): Record<string, Member> =>
      Object.fromEntries(
        Object.entries(counts)
          .flatMap(([instanceType, [a, b]]) => [...Array(a).fill('spot-a'), ...Array(b).fill('spot-b')].map((pool) => ({ pool, instanceType })))
          .map((one, index) => [`i-${index + 1}`, one]),
      );
    expect(shape(byType, held({ t: [2, 2], u: [1, 3] }))).toEqual([]);
    expect(shape(byType, held({ t: [2, 3], u: [3, 2] }))).toHaveLength(1);
  });
  it('lets the child furthest above its weight give', () => {
    const weights = (a: number, b: number) => ({
      ...same,
      capacity: {
        weighted: [
          { use: 'spot-a', weight: a },
          { use: 'spot-b', weight: b },
        ],
      },
    });
    const members = inPools('spot-a', 'spot-a', 'spot-b', 'spot-b', 'spot-b', 'spot-b');
    expect(shape(weights(3, 1), members)).toHaveLength(1);
    expect(shape(weights(1, 2), members)).toEqual([]);
    // The heavier child still holds more, and is below its share.
    const heavy = inPools('spot-a', 'spot-a', 'spot-a', 'spot-a', 'spot-b', 'spot-b', 'spot-b');
    expect(shape(weights(7, 1), heavy)).toHaveLength(1);
    expect(shape(weights(3, 2), heavy)).toEqual([]);
  });
  it('gives a child that may not have given anything no part in the weights of others', () => {
    const heavy = inPools('spot-a', 'spot-a', 'spot-a', 'spot-b', 'spot-b');
    const weighted = {
      ...same,
      capacity: {
        weighted: [
          { use: 'spot-a', weight: 8 },
          { use: 'spot-b', weight: 1 },
        ],
      },
    };
    const refuses = (zone: string) => (script: Script) =>
      script.at(50, {
        kind: 'refused',
        invocation: 'i-r',
        group: 'web',
        instanceType: 't',
        zone,
        market: 'spot',
        code: 'InsufficientInstanceCapacity',
      });
    expect(shape(weighted, heavy)).toHaveLength(1);
    expect(shape(weighted, heavy, refuses('z-a'))).toEqual([]);
  });
  it('counts a member that is back in service, because EC2 did not take it, and no other member that is claimed', () => {
    const claimed =
      (isBack: boolean, backSecond = 99) =>
      (script: Script): void => {
        script.warn(40, 'i-2');
        script.claim(41, 'i-2', 'i-40');
        if (!isBack) return;
        script.at(60, { kind: 'spared', instance: 'i-2' });
        script.at(backSecond, {
          ...{ kind: 'item-written', table: 'state', group: 'web', item: 'past#i-2', bytes: 500, by: react('i-100') },
          ...{ swap: { reason: 'interruption', state: 'withdrawn' } },
        });
      };
    const pools = inPools('spot-a', 'spot-a', 'spot-b', 'spot-b');
    expect(shape(same, pools, claimed(true))).toEqual([]);
    expect(shape(same, pools, claimed(false))).toHaveLength(1);
    expect(shape(same, pools, claimed(true, 101))).toHaveLength(1);
    expect(shape(same, inPools('spot-a', 'spot-a', 'spot-b', 'spot-b', 'spot-b'), claimed(true))).toHaveLength(1);
  });
  it('counts a member whose swap was called off, from then on', () => {
    const calledOff = (second?: number) => (script: Script) => {
      script.claim(41, 'i-2', 'i-40', 'waiting');
      if (second === undefined) return;
      script.at(second, {
        ...{ kind: 'item-written', table: 'state', group: 'web', item: 'past#i-2', bytes: 500, by: react('i-40') },
        ...{ swap: { reason: 'rebalance', state: 'withdrawn' } },
      });
    };
    const pools = inPools('spot-a', 'spot-a', 'spot-b', 'spot-b');
    expect(shape(same, pools, calledOff(60))).toEqual([]);
    expect(shape(same, pools, calledOff())).toHaveLength(1);
    expect(shape(same, pools, calledOff(101))).toHaveLength(1);
    expect(shape(same, inPools('spot-a', 'spot-a', 'spot-b', 'spot-b', 'spot-b'), calledOff(60))).toHaveLength(1);
  });
  it('counts a member whose swap a restored table lost, and not one whose swap it still has', () => {
    const restored =
      (copiedAtMs?: number) =>
      (script: Script): void => {
        script.claim(41, 'i-2', 'i-40', 'waiting');
        if (copiedAtMs !== undefined) script.at(60, { kind: 'step', step: 'state-restored', instances: [], groups: ['web'], asgs: [], copiedAtMs });
      };
    const pools = inPools('spot-a', 'spot-a', 'spot-b', 'spot-b');
    expect(shape(same, pools, restored(30_000))).toEqual([]);
    expect(shape(same, pools, restored(50_000))).toHaveLength(1);
    expect(shape(same, pools, restored())).toHaveLength(1);
  });
  it('is not judged when the order of removal distinguishes the members', () => {
    expect(shape({ removal: { order: 'oldest-first' } }, { 'i-1': { pool: 'spot-a' }, 'i-2': { pool: 'od-b', atSecond: 20 } })).toEqual([]);
    expect(shape({ removal: { order: 'oldest-first' } }, inPools('spot-a', 'od-b'))).toHaveLength(1);
    expect(shape({}, inPools('od-b', 'spot-a'))).toEqual([]);
  });
  it('is judged where prices are within a tenth of the dearest one', () => {
    const capacity = { tiered: [{ cheapest: ['spot-a'] }, 'spot-b'] };
    const priced =
      (usd: number, dearest = 0) =>
      (script: Script): void => {
        script.at(40, { kind: 'offering', instanceType: 't', zone: 'z-a', market: 'spot', capacity: 10, priceUsdPerHour: usd });
        script.at(60, {
          ...{ kind: 'called', invocation: 'i-90', function: 'react', service: 'ec2', operation: 'DescribeSpotPriceHistory', askedAtMs: 60_000 },
          ...{ outcome: 'ok', applied: true, isMutating: false },
        });
        // It is a member too, and dearer than both by more than a tenth.
        if (dearest > 0) script.launch(1, 'i-9', { pool: 'od-b' });
      };
    const prices = { onDemandPrices: { t: 0.08 } };
    expect(shape({ capacity }, inPools('spot-a', 'spot-b'), priced(0.032))).toHaveLength(1);
    expect(shape({ capacity }, inPools('spot-a', 'spot-b'), priced(0.034))).toEqual([]);
    expect(shape({ capacity, ...prices }, inPools('spot-a', 'spot-b'), priced(0.032, 0.08))).toEqual([]);
  });
  it('counts no member as certain that the look may not have seen, and none as gone that has just ended', () => {
    const comes = (script: Script): void => {
      script.launch(97.8, 'i-9', { pool: 'spot-b' });
    };
    expect(shape(same, inPools('spot-a', 'spot-a', 'spot-b', 'spot-b'), comes)).toEqual([]);
    const ends = (script: Script): void => {
      script.launch(1, 'i-9', { pool: 'spot-a' });
      script.serves(30, 'i-9');
      script.end(97.8, 'i-9');
    };
    expect(shape(same, inPools('spot-a', 'spot-a', 'spot-b', 'spot-b', 'spot-b'), ends)).toEqual([]);
  });
});
