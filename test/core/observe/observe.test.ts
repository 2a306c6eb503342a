import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../core/decision/decision.ts';
import { mostHeard } from '../../../core/observe/heard.ts';
import type { Heard } from '../../../core/observe/not-done.ts';
import { observe, sizeAsSet } from '../../../core/observe/observe.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { View } from '../../../core/view/view.ts';
import { decisionOf } from '../decisions.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, spotA, spotB, state, swapOf, view } from '../views.ts';

const heardOf = (instance: string, rest: Partial<Heard> = {}): Heard => ({ instance, reason: 'interruption', atMs: nowMs - 5, ...rest });
const placing = (count: number, rest: { readonly moves?: readonly string[] } = {}) => ({
  pool: 'spot-a',
  count,
  offerings: [
    { instanceType: 'm7g.large', zone: 'a', market: 'spot' },
    { instanceType: 'm6g.large', zone: 'a', market: 'spot' },
  ] as const,
  ...rest,
});

type Look = { readonly heard?: readonly Heard[]; readonly desired?: number; readonly decision?: Partial<Decision> };

/** One observed look, and the view that was decided about. */
const look = (seen: View, { heard = [], desired = seen.state.desired, decision = {} }: Look = {}) => {
  const decided: View[] = [];
  const decide = (about: View): Decision => {
    decided.push(about);
    return decisionOf(decision);
  };
  return { ...observe({ view: seen, heard, desired, id: 'd-1', decide }), decided: decided[0] };
};
const swapsOf = (seen: View, heard: readonly Heard[]): readonly Swap[] => look(seen, { heard }).decided?.swaps ?? [];
const noting = (seen: View, found: ReturnType<typeof look>, rest: Partial<View> = {}): View => ({
  ...seen,
  nowMs: seen.nowMs + 60_000,
  state: { ...seen.state, notDone: found.notDone },
  ...rest,
});

describe('an observed look decides as if it had acted', () => {
  it('on members that leave by the signals that it received', () => {
    const seen = view({ members: [member('i-1', spotA, { asg: 'web-asg' }), member('i-2', spotB)] });
    expect(swapsOf(seen, [heardOf('i-1', { deadlineMs: nowMs + 1 }), heardOf('i-2', { reason: 'rebalance' })])).toEqual([
      {
        group: 'web',
        instance: 'i-1',
        reason: 'interruption',
        state: 'leaving',
        pool: 'spot-a',
        offering: 'm7g.large/a/spot',
        asg: 'web-asg',
        claimedAtMs: nowMs - 5,
        deadlineMs: nowMs + 1,
        decision: '',
      },
      expect.objectContaining({ instance: 'i-2', reason: 'rebalance', state: 'waiting', pool: 'spot-b', offering: 'm7g.large/b/spot' }),
    ]);
  });

  it('on instances that it does not see as members', () => {
    expect(swapsOf(view(), [heardOf('i-unseen')])).toMatchObject([{ pool: 'unknown', offering: 'unknown' }]);
  });

  it('on those that leave already as they are stored', () => {
    const stored = swapOf('spot-a#1', { state: 'draining' });
    expect(swapsOf(view({ swaps: [stored] }), [heardOf('spot-a#1')])).toEqual([stored]);
  });

  it('at the size that alarms would set', () => {
    expect(look(view(), { desired: 12 }).decided?.state.desired).toBe(12);
  });

  it('and keeps the choice of a cheapest selector that is in force', () => {
    const seen = view({ state: state({ cheapest: { cheapest: 'spot-a' } }) });
    expect(look(seen, { decision: { cheapest: { cheapest: 'spot-b' } } }).decision.cheapest).toEqual({ cheapest: 'spot-a' });
  });
});

describe('the outcome of an observed look', () => {
  const prices = { atMs: nowMs, usdPerHour: { 'm7g.large/a/spot': 0.03, 'm7g.large/b/spot': 0.04 } } as const;
  const priced = view({
    members: [...members(spotA, 2), member('i-strange', spotB, { pool: undefined }), member('i-unpriced', { ...spotB, market: 'on-demand' })],
    state: state({ prices }),
  });

  it('is what would be added, what would end, and what runs now, at known prices', () => {
    const { outcome } = look(priced, {
      decision: {
        placements: [placing(2)],
        removals: [{ instance: 'spot-a#1', reason: 'scale-in', why: { code: 'surplus', rank: { order: 'same-order' } } }],
        drains: ['i-strange'],
      },
    });
    expect(outcome).toMatchObject({
      adds: { usdPerHour: 0.06, priced: 2, of: 2 },
      ends: { usdPerHour: 0.07, priced: 2, of: 2 },
      now: { usdPerHour: 0.1, priced: 3, of: 4 },
    });
  });

  it('names at most fifty members that leave', () => {
    const many = Array.from({ length: 51 }, (_, index) => heardOf(`i-${index}`));
    expect(look(view(), { heard: many }).outcome.leaves).toHaveLength(50);
  });
});

describe('an observed look is news', () => {
  it('when more is missing or too much than was said', () => {
    const first = look(view(), { decision: { placements: [placing(2)] } });
    expect([first.isNews, first.notDone]).toMatchObject([true, { missing: 2, surplus: 0 }]);
    const same = noting(view(), first);
    expect(look(same, { decision: { placements: [placing(2)] } }).isNews).toBe(false);
    expect(look(same, { decision: { placements: [placing(1)] } }).isNews).toBe(false);
    expect(look(same, { decision: { placements: [placing(2)], unplaced: 1 } }).isNews).toBe(true);
  });

  it('when a member leaves of which nothing was said, announced or moved', () => {
    expect(look(view(), { heard: [heardOf('spot-a#1')] }).isNews).toBe(true);
    const moved = look(view(), { heard: [heardOf('spot-a#1', { reason: 'moved' })] });
    expect([moved.isNews, moved.notDone.heard, moved.notDone.moved]).toEqual([true, undefined, ['spot-a#1']]);
    expect(look(noting(view(), moved), { heard: [heardOf('spot-a#1', { reason: 'moved' })] }).isNews).toBe(false);
    expect(look(view()).isNews).toBe(false);
  });

  it('when alarms would change the size, and then what is missing is not kept', () => {
    const before = noting(view(), look(view(), { decision: { placements: [placing(1)] } }));
    const alarmed = look(before, { desired: 14, decision: { placements: [placing(5)] } });
    expect([alarmed.isNews, alarmed.notDone]).toMatchObject([true, { missing: 1, surplus: 0 }]);
  });
});

describe('a need that was observed', () => {
  const short = view({ members: members(spotA, 9) });
  const first = look(short, { decision: { placements: [placing(1)] } });

  it('names no members, because a launch for missing ones replaces none', () => {
    expect(look(view(), { decision: { placements: [placing(2)] } }).notDone).not.toHaveProperty('moved');
  });

  it('is noted with its decision when it arises, and stays the same while it lasts', () => {
    expect(first.notDone.need).toMatchObject({ decision: 'd-1', atMs: nowMs });
    const again = look(noting(short, first), { decision: { placements: [placing(1)] } });
    expect(again.notDone.need).toEqual(first.notDone.need);
  });

  it('is met when as many members stay as are desired, by those that came since', () => {
    const came = member('i-came', spotA, { launchedAtMs: nowMs });
    const met = look(noting(short, first, { members: [...short.members, came] }));
    expect(met.remarks).toMatchObject([{ code: 'came-by-itself', instances: ['i-came'], count: 1, afterMs: 60_000 }]);
    expect(met.notDone.need).toBeUndefined();
  });

  it('is not met by members that leave or have ended', () => {
    const came = member('i-came', spotA, { launchedAtMs: nowMs });
    const full = { members: [...short.members, came] };
    expect(look(noting(short, first, { ...full, ended: ['spot-a#1'] })).remarks).toEqual([]);
    expect(look(noting(short, first, { ...full, swaps: [swapOf('spot-a#1')] })).remarks).toEqual([]);
    expect(look(noting(short, first, { ...full, swaps: [swapOf('spot-a#1', { state: 'waiting' })] })).remarks).toHaveLength(1);
  });

  it('is met by more members than are named', () => {
    const came = Array.from({ length: 51 }, (_, index) => member(`i-${index}`, spotA, { launchedAtMs: nowMs + 1 }));
    const [remark] = look(noting(short, first, { members: came })).remarks;
    expect(remark).toMatchObject({ count: 51, instances: came.slice(0, 50).map(({ instance }) => instance) });
  });

  it('is none where nothing was missing', () => {
    expect(look(view()).remarks).toEqual([]);
    expect(look(view()).notDone).toEqual({ missing: 0, surplus: 0 });
  });
});

describe('members that would move', () => {
  it('are remembered up to a bound', () => {
    const moves = Array.from({ length: mostHeard + 1 }, (_, index) => `i-${index}`);
    expect(look(view(), { decision: { placements: [placing(1, { moves })] } }).notDone.moved).toEqual(moves.slice(0, mostHeard));
  });
});

describe('the size of an observed group', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' }, size: { min: 2, max: 20, desired: 10 } });
  const desiredOf = (desired: number, of = attached) =>
    sizeAsSet(state(), of, [asgView({ desired }), asgView({ name: 'other', desired: 5 })]).desired;

  it('is what its Auto Scaling group is set to, within the bounds of the policy', () => {
    expect([desiredOf(7), desiredOf(1), desiredOf(30)]).toEqual([7, 2, 20]);
  });

  it('is its own where it names no Auto Scaling group, or one that is not shown', () => {
    expect(desiredOf(7, group())).toBe(10);
    expect(sizeAsSet(state(), attached, [asgView({ name: 'other', desired: 5 })]).desired).toBe(10);
  });
});
