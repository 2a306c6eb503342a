import { describe, expect, it } from 'vitest';
import { type Account, releasableFor, takeFrom } from '../../../core/decide/releasable.ts';
import { takeHeadcount } from '../../../core/view/headcount.ts';
import type { Member } from '../../../core/view/view.ts';
import { member } from '../members.ts';
import { spotA, swapOf, view } from '../views.ts';

const some = (prefix: string, count: number, rest: Partial<Member> = {}): readonly Member[] =>
  Array.from({ length: count }, (_, index) => member(`${prefix}${index + 1}`, spotA, rest));
const serving = (count: number) => some('s', count);
const idle = (count: number) => some('idle', count, { serving: false });
/** In service, and not ready by the policy. */
const warming = (count: number) => some('warm', count, { serving: false, unready: 'status-checks' });
const unread = (count: number) => some('unread', count, { serving: false, mayServe: true });

type Case = {
  readonly members: readonly Member[];
  readonly waiting?: readonly string[];
  readonly desired: number;
  readonly going?: readonly string[];
  readonly hopeless?: readonly string[];
};

const releasable = ({ members, waiting = [], desired, going = [], hopeless }: Case) => {
  const swaps = waiting.map((instance) => swapOf(instance, { reason: 'rebalance', state: 'waiting' }));
  const headcount = takeHeadcount(view({ members, swaps }));
  return releasableFor(headcount, desired, new Set(going), ...(hopeless === undefined ? [] : [new Set(hopeless)]));
};

/** Which of these may leave, one after the other. */
const leave = (account: Account, ids: readonly string[]): readonly string[] => ids.filter((instance) => takeFrom([account], instance));

describe('members that may stop serving', () => {
  it('are those that serve beyond the desired size', () => {
    expect(releasable({ members: [...serving(5), ...idle(3), ...unread(2)], desired: 3 }).left()).toBe(2);
    expect(releasable({ members: serving(2), desired: 3 }).left()).toBe(-1);
    expect(releasable({ members: serving(5), desired: 3, going: ['s1', 'nobody'] }).left()).toBe(1);
  });
});

describe('removals', () => {
  const removed = (one: Case, ids: readonly string[]) => leave(releasable(one).forRemovals(), ids);

  it('take what serves beyond the size, and no more', () => {
    expect(removed({ members: serving(5), desired: 3 }, ['s1', 's2', 's3'])).toEqual(['s1', 's2']);
    expect(removed({ members: serving(3), desired: 3 }, ['s1'])).toEqual([]);
  });
  it('take members that do not serve, however few serve', () => {
    expect(removed({ members: [...serving(1), ...idle(2)], desired: 3 }, ['idle1', 's1', 'idle2'])).toEqual(['idle1', 'idle2']);
  });
  it('take a member that works, and is not ready by its policy, while others serve the size', () => {
    expect(removed({ members: [...serving(2), ...warming(2)], desired: 3 }, ['warm1'])).toEqual([]);
    expect(removed({ members: [...serving(3), ...warming(2)], desired: 3 }, ['warm1', 'warm2', 's1'])).toEqual(['warm1', 'warm2']);
    // One that never served is given up, and nobody waits for it.
    expect(removed({ members: [...serving(2), ...warming(2)], desired: 3, hopeless: ['warm1'] }, ['warm1', 'warm2'])).toEqual(['warm1']);
  });
  it('do not spend room on members that do not serve', () => {
    expect(removed({ members: [...serving(4), ...idle(1)], desired: 3 }, ['idle1', 's1', 's2'])).toEqual(['idle1', 's1']);
  });
  it('take a member that may serve as one that serves', () => {
    expect(removed({ members: [...serving(3), ...unread(1)], desired: 3 }, ['unread1'])).toEqual([]);
    expect(removed({ members: [...serving(4), ...unread(1)], desired: 3 }, ['unread1', 's1'])).toEqual(['unread1']);
  });
  it('leave to waiting swaps what those need that serve', () => {
    expect(removed({ members: serving(5), desired: 3, waiting: ['s5'] }, ['s1', 's2'])).toEqual(['s1']);
    expect(removed({ members: [...serving(5), ...idle(1)], desired: 3, waiting: ['idle1'] }, ['s1', 's2', 's3'])).toEqual(['s1', 's2']);
    expect(removed({ members: serving(5), desired: 3, waiting: ['s5'], going: ['s5'] }, ['s1', 's2'])).toEqual(['s1']);
  });
});

describe('waiting swaps', () => {
  const begun = (one: Case, ids: readonly string[], below = 0) => leave(releasable(one).forSwaps(below), ids);

  it('begin while enough serve without them', () => {
    expect(begun({ members: serving(5), desired: 3, waiting: ['s1', 's2', 's3'] }, ['s1', 's2', 's3'])).toEqual(['s1', 's2']);
  });
  it('may take the group below its size by as many as the policy says', () => {
    expect(begun({ members: serving(3), desired: 3, waiting: ['s1', 's2'] }, ['s1', 's2'], 1)).toEqual(['s1']);
    expect(begun({ members: serving(2), desired: 3, waiting: ['s1', 's2'] }, ['s1', 's2'], 1)).toEqual([]);
  });
  it('of a member that does not serve begin once one more serves, because it may come up first', () => {
    const at = (count: number) => ({ members: [...serving(count), ...idle(1)], desired: 3, waiting: ['idle1'] });
    expect(begun(at(2), ['idle1'])).toEqual([]);
    expect(begun(at(3), ['idle1'])).toEqual(['idle1']);
  });
  it('of members that work, and are not ready by their policy, begin while others serve the size', () => {
    const at = (count: number) => ({ members: [...serving(count), ...warming(2)], desired: 3, waiting: ['warm1', 'warm2'] });
    expect(begun(at(2), ['warm1', 'warm2'])).toEqual([]);
    expect(begun(at(3), ['warm1', 'warm2'])).toEqual(['warm1', 'warm2']);
    expect(begun(at(2), ['warm1', 'warm2'], 1)).toEqual(['warm1', 'warm2']);
  });
  it('of one that does not serve take no room from one that serves, and count for all', () => {
    const one = { members: [...serving(4), ...idle(1)], desired: 3, waiting: ['idle1', 's1', 's2'] };
    expect(begun(one, ['idle1', 's1', 's2'])).toEqual(['idle1', 's1']);
    expect(begun(one, ['s1', 'idle1', 's2'])).toEqual(['s1', 'idle1']);
    expect(begun(one, ['s1', 's2', 'idle1'])).toEqual(['s1', 'idle1']);
    expect(begun({ members: [...serving(2), ...idle(2)], desired: 3, waiting: ['idle1', 'idle2'] }, ['idle1', 'idle2'])).toEqual(['idle1']);
  });
  it('wait for no member that never served', () => {
    const one = { members: [...serving(2), ...idle(2)], desired: 3, waiting: ['idle1'] };
    expect(begun(one, ['idle1'])).toEqual([]);
    expect(begun({ ...one, hopeless: ['idle2'] }, ['idle1'])).toEqual(['idle1']);
    expect(begun({ ...one, hopeless: ['idle2'], going: ['idle2'] }, ['idle1'])).toEqual([]);
    expect(begun({ ...one, hopeless: ['idle1'] }, ['idle1'])).toEqual([]);
  });
});
