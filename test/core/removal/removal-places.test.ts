import { describe, expect, it } from 'vitest';
import { chooseRemovals, type RemovalInput } from '../../../core/removal/removal.ts';
import type { Member } from '../../../core/view/view.ts';
import { member, members, removal } from '../members.ts';
import { cheapest, pool, refused, spread, tiered, use, weighted } from '../selector/tree-builders.ts';

const a = pool('spot-a', { zones: ['zone-a'] });
const b = pool('spot-b', { zones: ['zone-b'] });
const od = pool('od', { market: 'on-demand' });
const odB = pool('od-b', { market: 'on-demand', zones: ['zone-b'] });
const pools = [a, b, od, odB];
const key = { a: 'm7g.large/zone-a/spot', b: 'm7g.large/zone-b/spot', od: 'm7g.large/zone-a/on-demand', odB: 'm7g.large/zone-b/on-demand' };
const leaving = (input: RemovalInput): readonly string[] => chooseRemovals(input).map(({ instance }) => instance);
const poolsLeaving = (input: RemovalInput): readonly string[] => leaving(input).map((instance) => instance.split('#')[0] ?? '');

describe('removal from weights', () => {
  const tree = weighted(['spot-a', 50], ['spot-b', 50]);
  const ofEach = (inA: number, inB: number) => [...members(a, inA), ...members(b, inB)];

  it('takes from the child furthest above its share, against the configured order among equals', () => {
    expect(poolsLeaving(removal('same-order', tree, pools, { count: 3, members: ofEach(4, 2) }))).toEqual(['spot-a', 'spot-a', 'spot-b']);
  });

  it('counts a child at its cap in its own share alone, until it has room again', () => {
    const input = removal('same-order', tree, [{ ...a, cap: 3 }, b], { count: 6, members: ofEach(6, 2) });
    expect(poolsLeaving(input)).toEqual(['spot-a', 'spot-a', 'spot-a', 'spot-b', 'spot-a', 'spot-a']);
  });

  it('takes from a child that is refused as if it had its share', () => {
    const present = ofEach(2, 6);
    expect(poolsLeaving(removal('same-order', tree, pools, { count: 2, members: present, memory: refused(a) }))).toEqual(['spot-b', 'spot-b']);
  });

  it('keeps the shares of all children while every child is refused', () => {
    const uneven = weighted(['spot-a', 40], ['spot-b', 50]);
    const input = removal('same-order', uneven, pools, { count: 2, members: ofEach(5, 1), memory: refused(a, b) });
    expect(poolsLeaving(input)).toEqual(['spot-a', 'spot-a']);
  });
});

describe('removal from a cheapest selector', () => {
  const tree = cheapest('spot-a', 'od', 'spot-b');
  const present = [...members(a, 1), ...members(od, 1), ...members(b, 1)];
  const gone = (prices: Readonly<Record<string, number>>) => poolsLeaving(removal('same-order', tree, pools, { count: 3, members: present, prices }));

  it('takes the dearest first, the last of equals', () => {
    expect(gone({ [key.a]: 0.03, [key.od]: 0.05, [key.b]: 0.03 })).toEqual(['od', 'spot-b', 'spot-a']);
    expect(gone({ [key.a]: 0.06, [key.od]: 0.05, [key.b]: 0.03 })).toEqual(['spot-a', 'od', 'spot-b']);
  });

  it('takes on-demand first, then unknown prices, while one is unknown', () => {
    expect(gone({ [key.a]: 0.06, [key.od]: 0.05 })).toEqual(['od', 'spot-b', 'spot-a']);
    expect(gone({ [key.b]: 0.06, [key.od]: 0.05 })).toEqual(['od', 'spot-a', 'spot-b']);
  });

  it('counts all pools below a child, whatever they can give now', () => {
    const nested = cheapest(tiered('od', 'spot-a'), 'od-b');
    const input = removal('same-order', nested, pools, { count: 1, members: [...members(od, 1), ...members(odB, 1)], memory: refused(a) });
    expect(poolsLeaving(input)).toEqual(['od-b']);
  });
});

describe('removal of the dearest', () => {
  const gone = (prices: Readonly<Record<string, number>>, present: readonly Member[]) =>
    chooseRemovals(removal('dearest-first', spread('pool', 'spot-a', 'spot-b', 'od', 'od-b'), pools, { count: 9, members: present, prices }));
  const namesOf = (found: ReturnType<typeof gone>) => found.map(({ instance }) => instance.split('#')[0]);

  it('takes known prices before unknown ones of the same market, and on-demand before spot', () => {
    const found = gone({ [key.a]: 0.01, [key.od]: 0.005 }, [...members(b, 1), ...members(a, 1), ...members(odB, 1), ...members(od, 1)]);
    expect(namesOf(found)).toEqual(['od', 'od-b', 'spot-a', 'spot-b']);
    expect(found.map(({ why }) => 'rank' in why && why.rank)).toEqual([
      { order: 'dearest-first', aboutUsdPerHour: 0.005 },
      { order: 'dearest-first' },
      { order: 'dearest-first', aboutUsdPerHour: 0.01 },
      { order: 'dearest-first' },
    ]);
  });

  it('counts a price that is exactly a tenth lower as equal, and a lower one not', () => {
    const both = [...members(a, 2), ...members(b, 1)];
    expect(namesOf(gone({ [key.a]: 0.09, [key.b]: 0.1 }, both))).toEqual(['spot-a', 'spot-b', 'spot-a']);
    expect(namesOf(gone({ [key.a]: 0.0899, [key.b]: 0.1 }, both))).toEqual(['spot-b', 'spot-a', 'spot-a']);
  });

  it('leaves out ranks that no member has', () => {
    expect(chooseRemovals(removal('same-order', use('spot-a'), [a], { count: 2, members: members(a, 1) }))).toEqual([
      { instance: 'spot-a#1', reason: 'scale-in', why: { code: 'surplus', rank: { order: 'same-order' } } },
    ]);
  });
});

describe('removal of members that the tree has no place for', () => {
  it('takes pending ones first, then the youngest', () => {
    const strange = (instance: string, rest: Partial<Member>) => member(instance, pool('dropped'), rest);
    const present = [
      strange('old', { launchedAtMs: 1 }),
      strange('young', { launchedAtMs: 2 }),
      strange('pending', { launchedAtMs: 0, state: 'pending' }),
      strange('poolless', { launchedAtMs: 3, pool: undefined }),
    ];
    expect(leaving(removal('same-order', use('spot-a'), [a], { count: 4, members: present }))).toEqual(['pending', 'poolless', 'young', 'old']);
  });

  it('takes a type that its pool does not name before those that it names', () => {
    const other = member('other', a, { offering: { instanceType: 'c7g.large', zone: 'zone-a', market: 'spot' } });
    expect(leaving(removal('same-order', use('spot-a'), [a], { count: 1, members: [...members(a, 2), other] }))).toEqual(['other']);
  });
});

describe('removal where shares hold too many', () => {
  const mixed = pool('mixed', { instanceTypes: ['m7g.large', 'm6g.large'] });
  const of = (instance: string, instanceType: string, rest: Partial<Member> = {}) =>
    member(instance, mixed, { offering: { instanceType, zone: 'zone-a', market: 'spot' }, ...rest });
  const present = [
    ...['m7-1', 'm7-2', 'm7-3', 'm7-4'].map((instance) => of(instance, 'm7g.large')),
    ...['m6-1', 'm6-2'].map((instance) => of(instance, 'm6g.large', { launchedAtMs: 1 })),
  ];
  const shared = { maxShare: { instanceType: 50 }, size: 4, held: [] };
  const gone = (count: number, rest: Partial<RemovalInput> = {}) =>
    chooseRemovals(removal('same-order', use('mixed'), [mixed], { count, members: present, shared, ...rest })).map(({ instance, why }) => [
      instance.slice(0, 2),
      'overShare' in why ? why.overShare : undefined,
    ]);

  it('takes their members until none does, and then by the order', () => {
    expect(gone(3)).toEqual([
      ['m7', 'instance-type'],
      ['m7', 'instance-type'],
      ['m6', undefined],
    ]);
    expect(gone(1)).toEqual([['m7', 'instance-type']]);
    expect(gone(0)).toEqual([]);
    expect(gone(2, { shared: undefined })).toEqual([
      ['m6', undefined],
      ['m6', undefined],
    ]);
  });

  it('takes no others beyond as many as leave whatever their shares hold', () => {
    const full = [
      ['m7', 'instance-type'],
      ['m7', 'instance-type'],
    ];
    expect([gone(3, { ofAnyShare: 0 }), gone(3, { ofAnyShare: 2 })]).toEqual([full, full]);
    expect([gone(4, { ofAnyShare: 3 }), gone(4, { ofAnyShare: 5 })].map(({ length }) => length)).toEqual([3, 4]);
    expect(gone(1, { ofAnyShare: 0, mayLeave: (instance) => instance.startsWith('m6') })).toEqual([]);
    const sick = present.map((one) => ({ ...one, unhealthy: one.instance === 'm6-1' }));
    expect(gone(1, { ofAnyShare: 0, members: sick })).toEqual([['m6', undefined]]);
  });

  it('takes each once, the unhealthy first, and counts them as gone', () => {
    const sick = present.map((one) => (one.instance === 'm7-1' || one.instance === 'm6-1' ? { ...one, unhealthy: true } : one));
    const found = chooseRemovals(removal('same-order', use('mixed'), [mixed], { count: 4, members: sick, shared }));
    expect(new Set(found.slice(0, 2).map(({ instance }) => instance))).toEqual(new Set(['m7-1', 'm6-1']));
    expect(found.slice(2).map(({ instance, why }) => [instance.slice(0, 2), 'overShare' in why && why.overShare])).toEqual([
      ['m7', 'instance-type'],
      ['m6', false],
    ]);
    expect(new Set(found.map(({ instance }) => instance)).size).toBe(4);
  });

  it('leaves the protected, however many they are', () => {
    const safe = present.map((one) => ({ ...one, protected: one.instance.startsWith('m7') }));
    expect(gone(3, { members: safe })).toEqual([
      ['m6', undefined],
      ['m6', undefined],
    ]);
  });
});

describe('removal within one share that holds too many', () => {
  it('takes the members that would leave without shares', () => {
    const [dear, close, cheap] = ['m7g.large', 'm6g.large', 'm5.large'].map((type) => pool(type, { instanceTypes: [type] }));
    if (dear === undefined || close === undefined || cheap === undefined) throw new Error('expected three pools');
    // The second price is within a tenth of the first, and the third one is within a tenth of the second alone.
    const prices = { 'm7g.large/zone-a/spot': 1, 'm6g.large/zone-a/spot': 0.92, 'm5.large/zone-a/spot': 0.88 };
    const tree = spread('pool', 'm6g.large', 'm5.large', 'm7g.large');
    const there = [...members(dear, 1), ...members(close, 1), ...members(cheap, 2)];
    const input = removal('dearest-first', tree, [dear, close, cheap], { count: 2, members: there, prices });
    const shared = { maxShare: { zone: 50, instanceType: 100 }, size: 4, held: [] };
    expect(poolsLeaving(input)).toEqual(['m7g.large', 'm6g.large']);
    expect(poolsLeaving({ ...input, shared })).toEqual(['m7g.large', 'm6g.large']);
  });
});

describe('removal of unhealthy members while shares are limited', () => {
  const sick = ['spot-a#1', 'spot-a#2'].map((instance) => member(instance, a, { unhealthy: true }));
  const shared = { maxShare: { zone: 50 }, size: 4, held: [] };
  const gone = (count: number, present: readonly Member[]) =>
    chooseRemovals(removal('same-order', spread('pool', 'spot-a', 'spot-b'), pools, { count, members: present, shared })).map(({ instance, why }) => [
      instance.split('#')[0],
      'overShare' in why ? why.overShare : undefined,
    ]);

  it('counts each of them as gone from its share', () => {
    expect(gone(3, [...sick, member('spot-a#3', a), ...members(b, 2)])).toEqual([
      ['spot-a', undefined],
      ['spot-a', undefined],
      ['spot-b', undefined],
    ]);
  });

  it('takes all of them before a member whose share holds too many', () => {
    expect(gone(3, [...sick, ...members(b, 3)])).toEqual([
      ['spot-a', undefined],
      ['spot-a', undefined],
      ['spot-b', 'zone'],
    ]);
  });
});
