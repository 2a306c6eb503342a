import { describe, expect, it } from 'vitest';
import { judge } from '../../sandbox/judge/judge.ts';
import { drainsAreShared } from '../../sandbox/judge/rules/drains/drains.ts';
import { historyOf, policy } from './histories.ts';

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
