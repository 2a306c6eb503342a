import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import type { Decision } from '../../../core/decision/decision.ts';
import type { Group } from '../../../core/group/group.ts';
import { type MaxShare, mostOf, type ShareBook, shareBook } from '../../../core/placement/shares.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import type { Lesson } from '../../../core/pool-memory/pool-memory.ts';
import { noReturns } from '../../../core/returning/memory.ts';
import type { Returning } from '../../../core/returning/returning.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const minute = 60_000;
const types = ['m7g.large', 'm6g.large', 'm5.large'];
const wide: Pool = {
  name: 'wide',
  market: 'spot',
  launchTemplate: 'web',
  subnets: ['a', 'b', 'c'].map((zone) => ({ id: `subnet-${zone}`, zone })),
  instanceTypes: types,
};
const od: Pool = { ...wide, name: 'od', market: 'on-demand' };
const shared = (maxShare: MaxShare, rest: Partial<Group> = {}): Group =>
  group({
    maxShare,
    capacity: { kind: 'tiered', children: [wide, od].map(({ name }) => ({ kind: 'pool', pool: name })) },
    pools: { wide, od },
    ...rest,
  });
const refusal: Lesson = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs - 1_000, coolingUntilMs: nowMs + 3 * minute, streak: 1 };
const refused = (...keys: readonly string[]): GroupState['memory'] => Object.fromEntries(keys.map((key) => [key, refusal]));
const look = (maxShare: MaxShare, rest: Partial<View> = {}, of: Partial<Group> = {}): Decision =>
  decide(view({ group: shared(maxShare, of), members: [], ...rest }));
const inZone = (instance: string, zone: string, instanceType = 'm7g.large', of: Pool = wide, rest: Partial<Member> = {}): Member =>
  member(instance, of, { offering: { instanceType, zone, market: of.market }, ...rest });
const some = (count: number, zone: string, instanceType = 'm7g.large', of: Pool = wide, rest: Partial<Member> = {}): readonly Member[] =>
  Array.from({ length: count }, (_, index) => inZone(`${of.name}-${zone}-${instanceType}#${index}`, zone, instanceType, of, rest));
const launched = ({ placements }: Decision) =>
  placements.map(({ pool, count, offerings }) => [pool, count, offerings.map(({ instanceType, zone }) => `${instanceType}/${zone}`)]);

describe('the most members of a share', () => {
  it.each([
    [40, 10, 4],
    [40, 11, 5],
    [33, 3, 1],
    [1, 10, 1],
    [10, 0, 1],
    [100, 7, 7],
    [7, 100, 7],
    [29, 100, 29],
  ])('%i %% of %i: %i', (percent, size, most) => {
    expect(mostOf(percent, size)).toBe(most);
  });
});

describe('launches of a group with shares', () => {
  it('fill a zone up to its share, and list only offerings of that zone', () => {
    expect(launched(look({ zone: 40 }))).toEqual([
      ['wide', 4, types.map((type) => `${type}/a`)],
      ['wide', 4, types.map((type) => `${type}/b`)],
      ['wide', 2, types.map((type) => `${type}/c`)],
    ]);
  });

  it('fill an instance type up to its share, in whichever zone EC2 chooses', () => {
    expect(launched(look({ instanceType: 50 }))).toEqual([
      ['wide', 5, ['a', 'b', 'c'].map((zone) => `m7g.large/${zone}`)],
      ['wide', 5, ['a', 'b', 'c'].map((zone) => `m6g.large/${zone}`)],
    ]);
  });

  it('are one for each offering where these are limited', () => {
    expect(launched(look({ offering: 30 }))).toEqual([
      ['wide', 3, ['m7g.large/a']],
      ['wide', 3, ['m7g.large/b']],
      ['wide', 3, ['m7g.large/c']],
      ['wide', 1, ['m6g.large/a']],
    ]);
  });

  it('count members and launches in flight, and take one member at least', () => {
    const coming = reservation({ placement: { pool: 'wide', count: 3, offerings: [{ instanceType: 'm7g.large', zone: 'b', market: 'spot' }] } });
    const decision = look({ zone: 40 }, { members: some(4, 'a'), state: state({ reservations: [coming] }) });
    expect(decision.placements.map(({ count, offerings }) => [count, offerings[0]?.zone])).toEqual([
      [1, 'b'],
      [2, 'c'],
    ]);
    expect(look({ zone: 1 }, { state: state({ desired: 3 }) }).placements.map(({ count, offerings }) => [count, offerings[0]?.zone])).toEqual([
      [1, 'a'],
      [1, 'b'],
      [1, 'c'],
    ]);
  });

  it('count members by where they are, also those that no pool of the tree launched', () => {
    const strangers = some(4, 'a', 'c5.large', { ...wide, name: 'gone' });
    expect(look({ zone: 40 }, { members: strangers }).placements.some(({ offerings }) => offerings[0]?.zone === 'a')).toBe(false);
  });

  it('go to later tiers where the shares of the earlier ones are full', () => {
    const narrow = { ...wide, subnets: wide.subnets.slice(0, 1) };
    const decision = look({ zone: 40 }, {}, { pools: { wide: narrow, od } });
    expect(launched(decision).map(([pool, count]) => [pool, count])).toEqual([
      ['wide', 4],
      ['od', 4],
      ['od', 2],
    ]);
    expect(decision.rejected).toContainEqual({
      path: 'tiered[0]',
      pool: 'wide',
      code: 'at-share',
      offering: 'm7g.large/a/spot',
      of: 'zone',
      held: 4,
      most: 4,
    });
  });

  it('are not made beyond a share, and the decision records why', () => {
    const zoneC = ['spot', 'on-demand'].flatMap((market) => types.map((type) => `${type}/c/${market}`));
    const decision = look({ zone: 40 }, { state: state({ memory: refused(...zoneC) }) });
    expect([decision.placements.reduce((sum, { count }) => sum + count, 0), decision.unplaced]).toEqual([8, 2]);
    expect(decision.remarks).toEqual([{ code: 'shares-full', count: 2 }]);
    expect(decision.rejected).toContainEqual(expect.objectContaining({ code: 'at-share', of: 'zone', held: 4, most: 4 }));
  });

  it('say nothing of shares when everything was refused', () => {
    const all = ['spot', 'on-demand'].flatMap((market) => ['a', 'b', 'c'].flatMap((zone) => types.map((type) => `${type}/${zone}/${market}`)));
    expect(look({ zone: 40 }, { state: state({ memory: refused(...all) }) }).remarks).toEqual([]);
  });

  it('replace a member that waits within the share that it leaves', () => {
    const all = [...some(5, 'a'), ...some(5, 'b')];
    const waiting = swapOf('wide-a-m7g.large#0', { state: 'waiting', reason: 'rebalance', pool: 'wide' });
    const two = { pools: { wide: { ...wide, subnets: wide.subnets.slice(0, 2) }, od: { ...od, subnets: od.subnets.slice(0, 2) } } };
    const decision = look({ zone: 50 }, { members: all, swaps: [waiting] }, two);
    expect(decision.placements.map(({ count, offerings }) => [count, offerings[0]?.zone])).toEqual([[1, 'a']]);
    expect(look({ zone: 50 }, { members: all, state: state({ desired: 10 }) }, two).placements).toEqual([]);
  });

  it('go where a floor on demand lies, within shares', () => {
    const decision = look({ zone: 40 }, {}, { onDemand: { floor: 5, percent: 0 } });
    const onDemand = decision.placements.filter(({ pool }) => pool === 'od').map(({ count, offerings }) => [count, offerings[0]?.zone]);
    expect(onDemand).toEqual([
      [4, 'a'],
      [1, 'b'],
    ]);
  });

  it('never exceed a share, whatever is there before', () => {
    const zones = fc.constantFrom('a', 'b', 'c');
    const held = fc.array(fc.tuple(zones, fc.constantFrom(...types)), { maxLength: 12 });
    const share = fc.record(
      { zone: fc.integer({ min: 20, max: 100 }), instanceType: fc.integer({ min: 20, max: 100 }), offering: fc.integer({ min: 10, max: 100 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(held, share, fc.nat(20), (before, maxShare, desired) => {
        const there = before.map(([zone, type], index) => inZone(`i-${index}`, zone, type));
        const decision = look(maxShare, { members: there, state: state({ desired }) });
        const book = shareBook({ maxShare, size: desired, held: there.map(({ offering }) => ({ offering, count: 1 })) });
        for (const { offerings, count } of decision.placements) {
          const [first] = offerings;
          expect(offerings.every((one) => first !== undefined && book.alike(first, one))).toBe(true);
          for (let index = 0; first !== undefined && index < count; index += 1) {
            expect(book.full(first)).toBeUndefined();
            book.add(first, 1);
          }
        }
      }),
    );
  });
});

describe('removals of a group with shares', () => {
  const gone = (maxShare: MaxShare, desired: number, of: readonly Member[], rest: Partial<View> = {}) =>
    look(maxShare, {
      members: of,
      state: state({ desired, prices: { atMs: nowMs, usdPerHour: { 'm7g.large/b/spot': 0.09, 'm7g.large/a/spot': 0.03 } } }),
      ...rest,
    }).removals;

  it('take first what is over its share at the new size, before what is dearest', () => {
    const removals = gone({ zone: 50 }, 8, [...some(6, 'a'), ...some(4, 'b')]);
    expect(removals.map(({ instance }) => instance.slice(0, 6))).toEqual(['wide-a', 'wide-a']);
    expect(removals.map(({ why }) => why)).toEqual(
      [0, 1].map(() => ({ code: 'surplus', rank: { order: 'dearest-first', aboutUsdPerHour: 0.03 }, overShare: 'zone' })),
    );
  });

  it('take no more out of a share than is too much', () => {
    const removals = gone({ zone: 60 }, 5, [...some(5, 'a'), ...some(5, 'b')]);
    expect(removals).toHaveLength(5);
    const zones = removals.map(({ instance }) => instance.slice(5, 6));
    expect(zones.filter((zone) => zone === 'a')).toHaveLength(2);
    expect(removals.at(-1)?.why).not.toHaveProperty('overShare');
  });

  it('take the unhealthy before', () => {
    const ill = some(1, 'b', 'm6g.large', wide, { unhealthy: true, serving: false });
    const removals = gone({ zone: 50 }, 8, [...some(6, 'a'), ...some(3, 'b'), ...ill]);
    expect(removals.map(({ instance }) => instance.slice(0, 7))).toEqual(['wide-b-', 'wide-a-']);
  });

  it('keep the order of removal within a share, and the protected', () => {
    const young = inZone('young', 'a', 'm7g.large', wide, { launchedAtMs: nowMs - minute });
    const kept = some(4, 'a', 'm6g.large', wide, { protected: true });
    const decision = look(
      { zone: 50 },
      { members: [young, ...some(1, 'a'), ...kept, ...some(3, 'b')], state: state({ desired: 8 }) },
      { removal: { order: 'newest-first' } },
    );
    expect(decision.removals.map(({ instance }) => instance)).toEqual(['young']);
  });

  it('are the same as without shares, and remove no member at size', () => {
    expect(gone({ zone: 100 }, 8, [...some(6, 'a'), ...some(4, 'b')]).map(({ instance }) => instance.slice(0, 6))).toEqual(['wide-b', 'wide-b']);
    expect(gone({ zone: 30 }, 10, [...some(6, 'a'), ...some(4, 'b')])).toEqual([]);
  });
});

describe('moves of a group with shares', () => {
  const returning: Returning = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 100 }, timezone: 'UTC' };
  const moving = (maxShare: MaxShare, of: readonly Member[], rest: Partial<Group> = {}) =>
    look(maxShare, { members: of, state: state({ returns: noReturns }) }, { returning, swap: { order: 'launch-first', maxSurge: 9 }, ...rest });

  it('go to no share that is full without the member itself', () => {
    const narrow = { ...wide, subnets: wide.subnets.slice(0, 1) };
    const all = [...some(3, 'a'), ...some(4, 'b', 'm7g.large', od), ...some(3, 'c', 'm7g.large', od)];
    const decision = moving({ zone: 40 }, all, { pools: { wide: narrow, od } });
    expect(decision.placements.map(({ pool, count }) => [pool, count])).toEqual([['wide', 1]]);
    expect(moving({ zone: 30 }, all, { pools: { wide: narrow, od } }).placements).toEqual([]);
  });

  it('stay in the share of a member that leaves it', () => {
    const narrow = { ...wide, subnets: wide.subnets.slice(0, 1) };
    const all = [...some(2, 'a'), ...some(2, 'a', 'm7g.large', od), ...some(6, 'b', 'm7g.large', od)];
    const decision = moving({ zone: 40 }, all, { pools: { wide: narrow, od } });
    expect(decision.moves?.flatMap(({ instances }) => instances)).toEqual(['od-a-m7g.large#0', 'od-a-m7g.large#1']);
  });

  it('on demand stay within shares too, where the member that leaves makes room', () => {
    const all = [...some(5, 'a'), ...some(5, 'b')];
    const onDemandInA = { ...od, subnets: od.subnets.slice(0, 1) };
    const decision = look({ zone: 50 }, { members: all }, { pools: { wide, od: onDemandInA }, onDemand: { floor: 2, percent: 0 } });
    expect(decision.moves?.flatMap(({ instances }) => instances).every((instance) => instance.startsWith('wide-a'))).toBe(true);
    expect(decision.placements).toMatchObject([{ pool: 'od', count: 2 }]);
  });
});

describe('several moves of one decision', () => {
  it('do not count on each other: a share has room where a member leaves it, and not where another move may empty it', () => {
    const both = { ...od, subnets: od.subnets.slice(0, 2) };
    const kept = ['b', 'c'].flatMap((zone) => some(2, zone, 'm7g.large', wide, { protected: true }));
    const all = [...some(6, 'a'), ...kept];
    const decision = look({ zone: 50 }, { members: all }, { pools: { wide, od: both }, onDemand: { floor: 2, percent: 0 } });
    expect(launched(decision)).toEqual([['od', 2, types.map((type) => `${type}/b`)]]);
  });

  it('may go where their members leave, as many as leave there', () => {
    const both = { ...od, subnets: od.subnets.slice(0, 2) };
    const all = [...some(5, 'a'), ...some(5, 'b')];
    const decision = look({ zone: 50 }, { members: all }, { pools: { wide, od: both }, onDemand: { floor: 2, percent: 0 } });
    expect(decision.placements.reduce((sum, { count }) => sum + count, 0)).toBe(2);
  });
});

describe('a group without shares', () => {
  it('launches with all offerings of a pool, as without shares', () => {
    const { maxShare: _none, ...plain } = shared({});
    const decision = decide(view({ group: plain, members: [] }));
    expect(decision.placements).toMatchObject([{ pool: 'wide', count: 10 }]);
    expect(decision.placements[0]?.offerings).toHaveLength(9);
    expect(decide(view({ members: [...members(spotA, 3), ...members(spotB, 3)] })).remarks).toEqual([]);
  });

  it('opens a book that is never full', () => {
    const book: ShareBook = shareBook({ maxShare: {}, size: 1, held: [] });
    const offering = { instanceType: 'm7g.large', zone: 'a', market: 'spot' } as const;
    expect([book.add(offering, 9), book.full(offering), book.over(offering)]).toEqual([false, undefined, undefined]);
  });
});
