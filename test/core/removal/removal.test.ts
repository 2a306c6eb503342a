import { describe, expect, it } from 'vitest';
import { chooseRemovals, type RemovalInput } from '../../../core/removal/removal.ts';
import type { Member } from '../../../core/view/view.ts';
import { member, members, removal } from '../members.ts';
import { cheapest, nowMs, pool, spread, tiered, use, weighted } from '../selector/tree-builders.ts';

const a = pool('spot-a', { zones: ['zone-a'] });
const b = pool('spot-b', { zones: ['zone-b'] });
const c = pool('spot-c', { zones: ['zone-c'] });
const od = pool('od', { market: 'on-demand' });
const pools = [a, b, c, od];
const spotFirst = tiered(spread('zone', 'spot-a', 'spot-b', 'spot-c'), 'od');

const leaving = (input: RemovalInput): readonly string[] => chooseRemovals(input).map(({ instance }) => instance);
const poolsLeaving = (input: RemovalInput): readonly string[] => leaving(input).map((instance) => instance.split('#')[0] ?? '');
const aged = (instance: string, minutes: number, rest: Partial<Member> = {}) =>
  member(instance, a, { launchedAtMs: nowMs - minutes * 60_000, ...rest });

describe('whatever the order', () => {
  it('the unhealthy go first', () => {
    const sick = member('sick', a, { unhealthy: true, serving: false });
    for (const order of ['dearest-first', 'oldest-first', 'newest-first', 'same-order'] as const) {
      expect(leaving(removal(order, spotFirst, pools, { count: 1, members: [...members(od, 2), ...members(b, 3), sick] }))).toEqual(['sick']);
    }
  });

  it('the protected never leave, not even unhealthy ones, and fewer leave than asked if need be', () => {
    const safe = [member('safe-1', od, { protected: true }), member('safe-2', od, { protected: true, unhealthy: true })];
    expect(leaving(removal('dearest-first', spotFirst, pools, { count: 3, members: [...safe, member('free', a)] }))).toEqual(['free']);
  });

  it('the protected count for balance', () => {
    const input = removal('same-order', spotFirst, pools, {
      count: 1,
      members: [...members(a, 3, { protected: true }), member('free-a', a), ...members(b, 2)],
    });
    expect(leaving(input)).toEqual(['free-a']);
  });

  it('pending members leave before running ones, idle before serving, among equals', () => {
    const equals = [member('serving', a), member('idle', a, { serving: false }), member('pending', a, { state: 'pending', serving: false })];
    expect(leaving(removal('dearest-first', use('spot-a'), [a], { count: 3, members: equals }))).toEqual(['pending', 'idle', 'serving']);
  });

  it('members of a pool that the tree no longer has leave before their equals', () => {
    const stranger = member('stranger', pool('dropped'));
    expect(leaving(removal('same-order', spotFirst, pools, { count: 1, members: [...members(a, 4), stranger] }))).toEqual(['stranger']);
  });

  it('instance ids decide nothing but twins: renaming instances keeps who leaves', () => {
    const named = (ids: readonly string[]) => [member(ids[0] ?? '', a), member(ids[1] ?? '', b), member(ids[2] ?? '', b), member(ids[3] ?? '', od)];
    const positions = (ids: readonly string[]) =>
      leaving(removal('dearest-first', spotFirst, pools, { count: 1, members: named(ids) })).map((instance) => ids.indexOf(instance));
    expect(positions(['i-1', 'i-2', 'i-3', 'i-4'])).toEqual([3]);
    expect(positions(['i-9', 'i-8', 'i-7', 'i-6'])).toEqual([3]);
  });

  it('says why', () => {
    const [first] = chooseRemovals(removal('oldest-first', spotFirst, pools, { count: 1, members: members(a, 2) }));
    const launchedAtMs = expect.any(Number) as number;
    expect(first).toEqual({
      instance: expect.any(String),
      reason: 'scale-in',
      why: { code: 'surplus', rank: { order: 'oldest-first', launchedAtMs } },
    });
  });

  it('removes nothing for a count of 0', () => {
    expect(chooseRemovals(removal('same-order', spotFirst, pools, { count: 0, members: members(a, 2) }))).toEqual([]);
  });
});

describe('dearest-first', () => {
  const prices = { 'm7g.large/zone-a/spot': 0.05, 'm7g.large/zone-b/spot': 0.03, 'm7g.large/zone-c/spot': 0.03, 'm7g.large/zone-a/on-demand': 0.04 };

  it('takes the dearest by current price', () => {
    const present = [...members(od, 1), ...members(a, 1), ...members(b, 1)];
    expect(poolsLeaving(removal('dearest-first', spotFirst, pools, { count: 3, members: present, prices }))).toEqual(['spot-a', 'od', 'spot-b']);
  });

  it('takes on-demand before spot while a price is unknown', () => {
    const present = [...members(a, 2), ...members(od, 1)];
    expect(poolsLeaving(removal('dearest-first', spotFirst, pools, { count: 2, members: present }))).toEqual(['od', 'spot-a']);
  });

  it('treats prices within a tenth of each other as equal, so that a cent between zones does not empty one', () => {
    const close = { 'm7g.large/zone-a/spot': 0.0312, 'm7g.large/zone-b/spot': 0.031, 'm7g.large/zone-c/spot': 0.0305 };
    const present = [a, b, c].flatMap((each) => members(each, 3));
    const gone = poolsLeaving(removal('dearest-first', spotFirst, pools, { count: 3, members: present, prices: close }));
    expect([...gone].sort()).toEqual(['spot-a', 'spot-b', 'spot-c']);
  });
});

describe('oldest-first and newest-first', () => {
  const present = [aged('middle', 20), aged('old', 30), aged('young', 10)];

  it('go by launch time', () => {
    expect(leaving(removal('oldest-first', spotFirst, pools, { count: 3, members: present }))).toEqual(['old', 'middle', 'young']);
    expect(leaving(removal('newest-first', spotFirst, pools, { count: 3, members: present }))).toEqual(['young', 'middle', 'old']);
  });

  it('take from the fullest zone among members of one age', () => {
    const gone = poolsLeaving(
      removal('oldest-first', spotFirst, pools, { count: 3, members: [...members(a, 2), ...members(b, 4), ...members(c, 2)] }),
    );
    expect(gone).toEqual(['spot-b', 'spot-b', 'spot-c']);
  });
});

describe('same-order', () => {
  it('takes the last tier first', () => {
    expect(poolsLeaving(removal('same-order', spotFirst, pools, { count: 3, members: [...members(od, 2), ...members(a, 3)] }))).toEqual([
      'od',
      'od',
      'spot-a',
    ]);
  });

  it('keeps a spread even: the fullest child gives, ties against the configured order', () => {
    const present = [...members(a, 3), ...members(b, 4), ...members(c, 3)];
    expect(poolsLeaving(removal('same-order', spotFirst, pools, { count: 4, members: present }))).toEqual(['spot-b', 'spot-c', 'spot-b', 'spot-a']);
  });

  it('keeps weighted shares: the child furthest above its share gives', () => {
    const tree = weighted(['spot-a', 80], ['spot-b', 20]);
    const gone = poolsLeaving(removal('same-order', tree, pools, { count: 5, members: [...members(a, 8), ...members(b, 2)] }));
    expect(gone.filter((name) => name === 'spot-a')).toHaveLength(4);
    expect(gone.filter((name) => name === 'spot-b')).toHaveLength(1);
  });

  it('takes a child of weight zero first', () => {
    const tree = weighted(['spot-a', 100], ['spot-b', 0]);
    expect(poolsLeaving(removal('same-order', tree, pools, { count: 2, members: [...members(a, 8), ...members(b, 2)] }))).toEqual([
      'spot-b',
      'spot-b',
    ]);
  });

  it('takes the dearest child of a cheapest', () => {
    const prices = { 'm7g.large/zone-a/spot': 0.05, 'm7g.large/zone-b/spot': 0.03 };
    const tree = cheapest('spot-a', 'spot-b');
    expect(poolsLeaving(removal('same-order', tree, pools, { count: 2, members: [...members(a, 1), ...members(b, 3)], prices }))).toEqual([
      'spot-a',
      'spot-b',
    ]);
  });

  it('takes the instance type that the pool prefers least', () => {
    const mixed = pool('mixed', { instanceTypes: ['m7g.large', 'm6g.large'] });
    const second = member('second', mixed, { offering: { instanceType: 'm6g.large', zone: 'zone-a', market: 'spot' } });
    expect(leaving(removal('same-order', use('mixed'), [mixed], { count: 1, members: [member('first', mixed), second] }))).toEqual(['second']);
  });

  it('keeps zones of one pool even under a spread by zone', () => {
    const wide = pool('wide', { zones: ['zone-a', 'zone-b'] });
    const inB = members(wide, 3, { offering: { instanceType: 'm7g.large', zone: 'zone-b', market: 'spot' } });
    const inA = [member('a1', wide)];
    expect(poolsLeaving(removal('same-order', spread('zone', 'wide'), [wide], { count: 2, members: [...inA, ...inB] }))).toEqual(['wide', 'wide']);
  });
});
