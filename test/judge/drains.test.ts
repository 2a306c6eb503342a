import { describe, expect, it } from 'vitest';
import { judge } from '../../sandbox/judge/judge.ts';
import { drainsAreShared } from '../../sandbox/judge/rules/drains/drains.ts';
import { details } from './details.ts';
import { historyOf, policy, react } from './histories.ts';

/** So many members warned so many seconds apart, each drain for so many of them. */
const trickle = (count: number, everySeconds: number, each: number, document: Readonly<Record<string, unknown>> = policy) =>
  judge(
    historyOf((script) => {
      script.policy(0, 1, document);
      for (let n = 0; n < count; n += 1) script.member(`i-${n}`);
      for (let n = 0; n < count; n += 1) {
        const second = 100 + everySeconds * n;
        script.warn(second, `i-${n}`);
        const instances = Array.from({ length: each }, (_, index) => `i-${n - index}`);
        if ((n + 1) % each === 0) script.at(second + 1, { kind: 'drain', drain: `d-${n}`, group: 'web', instances, status: 'started' });
      }
    }),
    { rules: [drainsAreShared], allowances: [] },
  ).broken.map(({ detail }) => detail);

describe('warnings share drains', () => {
  it('holds for a drain each three seconds', () => {
    expect(trickle(40, 3, 1)).toEqual([]);
    expect(trickle(60, 1, 4)).toEqual([]);
  });
  it('breaks, once for a group, when every warning of a trickle has a drain of its own', () => {
    expect(trickle(40, 2, 1)).toEqual(['more than 20 drains of warned members began within a minute']);
  });
  it('requires nothing of drain-first, where no drain waits', () => {
    expect(trickle(40, 2, 1, { ...policy, swap: { order: 'drain-first', maxSurge: 1 } })).toEqual([]);
  });
});

/** The swap of a member that is claimed or changed at this second, with its deadline at 240 s unless it says otherwise. */
const swap = (second: number, instance: string, drain: string, { state = 'leaving', reason = 'interruption', deadlineS = 240 } = {}) =>
  [
    second,
    {
      ...({ kind: 'item-written', table: 'state', group: 'web', item: `swap#${instance}`, bytes: 500, by: react('i-a') } as const),
      swap: { reason, state, drain, facts: { offering: 'm|z|spot', deadlineMs: 1_000 * deadlineS, hooks: [] } },
    },
  ] as const;

describe('warnings of the same ten seconds', () => {
  const found = (...writes: readonly ReturnType<typeof swap>[]) =>
    details(drainsAreShared, (script) => {
      script.policy(0, 1);
      for (const [second, event] of writes) script.at(second, event);
    });
  const [a, b] = [swap(120, 'i-1', 'd-1'), swap(125, 'i-2', 'd-2', { deadlineS: 245 })];
  const apart = ['i-2 was put on another drain than i-1, whose deadline is in the same ten seconds and whose drain had not begun'];

  it('are on one drain', () => {
    expect(found(a, swap(125, 'i-2', 'd-1', { deadlineS: 245 }))).toEqual([]);
    expect(found(a, b)).toEqual(apart);
  });

  it('need not be where the deadlines are in two spans, where another reason takes one, or where one of them was put on another drain later', () => {
    expect(found(a, swap(131, 'i-2', 'd-2', { deadlineS: 251 }))).toEqual([]);
    expect(found(a, swap(125, 'i-2', 'd-2', { reason: 'hook' }))).toEqual([]);
    expect(found(a, swap(125, 'i-2', 'd-1'), swap(126, 'i-2', 'd-2'))).toEqual([]);
  });

  it('need not be once one of them has begun to drain, and not before', () => {
    expect(found(a, swap(122, 'i-1', 'd-1', { state: 'draining' }), b)).toEqual([]);
    expect(found(a, b, swap(126, 'i-1', 'd-1', { state: 'draining' }))).toEqual(apart);
    expect(
      found(swap(100, 'i-0', 'd-0', { reason: 'rebalance' }), swap(110, 'i-0', 'd-0', { reason: 'rebalance', state: 'draining' }), a, b),
    ).toEqual([]);
    expect(found(swap(110, 'i-0', 'd-0', { reason: 'rebalance', state: 'draining', deadlineS: 600 }), a, b)).toEqual(apart);
  });
});
