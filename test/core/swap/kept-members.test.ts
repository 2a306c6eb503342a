import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { seeKept } from '../../../core/swap/kept-members.ts';
import { members } from '../members.ts';
import { nowMs, spotA, spotB, swapOf, view } from '../views.ts';

const kept = swapOf('spot-b#1', { reason: 'scale-in', state: 'drained', deadlineMs: undefined, keptUntilMs: nowMs + 1 });
const eleven = [...members(spotA, 5), ...members(spotB, 6)];

describe('a member whose end was refused', () => {
  it('counts again, and another one is chosen to leave', () => {
    const first = decide(view({ members: eleven })).removals;
    expect(first).toMatchObject([{ instance: 'spot-b#1' }]);
    const then = decide(seeKept(view({ members: eleven, swaps: [kept] })));
    expect(then.staying).toBe(11);
    expect(then.removals).toHaveLength(1);
    expect(then.removals[0]?.instance).not.toBe('spot-b#1');
  });
  it('is put into service again', () => {
    const out = eleven.map((one) => (one.instance === 'spot-b#1' ? { ...one, admitted: false, serving: false } : one));
    expect(decide(seeKept(view({ members: out, swaps: [kept] }))).admissions).toEqual(['spot-b#1']);
  });
  it('alone counts as protected, and the swaps of others stay', () => {
    const other = swapOf('spot-a#1');
    const seen = seeKept(view({ members: eleven, swaps: [kept, other] }));
    expect(seen.swaps).toEqual([other]);
    expect(seen.members.filter((one) => one.protected).map(({ instance }) => instance)).toEqual(['spot-b#1']);
  });
  it('is gone when it ended all the same', () => {
    const gone = { ...kept, state: 'gone' } as const;
    expect(seeKept(view({ members: eleven, swaps: [gone] })).swaps).toEqual([gone]);
  });
});
