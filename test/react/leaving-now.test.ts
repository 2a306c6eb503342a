import { describe, expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import type { LeavingFact } from '../../core/swap/claim.ts';
import type { Member } from '../../core/view/view.ts';
import type { Gathered } from '../../functions/react/look/gather.ts';
import { claimable, heardIn, reportedIn, warnedIfActed } from '../../functions/react/look/leaving-now.ts';
import { member, members } from '../core/members.ts';
import { asgView, group, nowMs, spotA, state, swapOf } from '../core/views.ts';
import { factsOf } from './facts.ts';

const five = members(spotA, 5);
const [first = '', second = '', third = '', fourth = ''] = five.map(({ instance }) => instance);

const leaves = (instance: string, reason: LeavingFact['reason'], rest: Partial<LeavingFact> = {}): LeavingFact => ({
  instance,
  reason,
  atMs: nowMs - 1_000,
  ...rest,
});
const warned = (instance: string, rest: Partial<LeavingFact> = {}): LeavingFact =>
  leaves(instance, 'interruption', { deadlineMs: nowMs + 120_000, ...rest });
const owner = (rest: Partial<NonNullable<LeavingFact['owner']>>) => ({
  owner: { offering: { instanceType: 'm7g.large', zone: 'a', market: 'spot' as const }, state: 'running', ...rest },
});

/** What a look found: five members on spot, unless this says otherwise. */
const found = ({ holdings = {}, ...rest }: Partial<Omit<Gathered, 'holdings'>> & { holdings?: Partial<Holdings> } = {}): Gathered => ({
  group: group(),
  stored: state(),
  state: state(),
  sizes: [],
  desired: 5,
  swaps: [],
  lookedAtMs: nowMs,
  inherited: [],
  ...rest,
  holdings: { members: five, asgs: [], ended: [], aside: [], stopped: [], ...holdings },
});

const namesIn = (facts: readonly LeavingFact[]) => facts.map(({ instance, reason }) => `${instance} ${reason}`);
const leavingIn = (reported: readonly LeavingFact[], gathered: Gathered) => namesIn(heardIn(factsOf({ leaving: reported }), gathered, nowMs).leaving);

describe('an instance with the tag of the group that no reservation and no pool accounts for', () => {
  const { reservation: _reservation, ...untold } = five[0] as Member;
  const stray: Member = { ...untold, pool: undefined, serving: false, launchedAtMs: nowMs - 3_600_000 };
  const gathered = (own = group()) => found({ group: own, holdings: { members: [stray, ...five.slice(1)] } });

  test('is not given up, and does not leave for advice: it is no member, so nothing replaces it', () => {
    expect(leavingIn([], gathered())).toEqual([]);
    expect(leavingIn([leaves(first, 'rebalance'), leaves(first, 'maintenance')], gathered())).toEqual([]);
    expect(heardIn(factsOf({ leaving: [leaves(first, 'rebalance')] }), gathered(), nowMs).told).toEqual([]);
  });

  test('leaves when EC2 takes it', () => {
    expect(leavingIn([warned(first)], gathered())).toEqual([`${first} interruption`]);
  });
});

describe('a reported member', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
  const reported = (fact: LeavingFact, of: Group = attached) => reportedIn(factsOf({ leaving: [fact] }), of, new Set(['web-asg'])).length === 1;

  test('counts for the group that its tag or its Auto Scaling group names, and where nothing is known of its owner', () => {
    expect(reported(warned(first))).toBe(true);
    expect(reported(warned(first, owner({ group: 'web' })))).toBe(true);
    expect(reported(warned(first, owner({ group: 'other', asg: 'web-asg' })))).toBe(true);
    expect(reported(warned(first, owner({ group: 'other' })))).toBe(false);
    expect(reported(warned(first, owner({ group: 'other', asg: 'their-asg' })))).toBe(false);
  });

  test('leaves for advice only where the policy follows advice, and for anything else in any case', () => {
    const still = { ...attached, rebalance: { act: false } };
    expect(reported(leaves(first, 'rebalance'))).toBe(true);
    expect(reported(leaves(first, 'rebalance'), still)).toBe(false);
    expect(reported(leaves(first, 'maintenance'), still)).toBe(true);
    expect(reported(leaves(first, 'rebalance', owner({ group: 'other' })))).toBe(false);
  });

  test('that its user detached does not count for the group any more', () => {
    expect(leavingIn([warned(first), warned(second)], found({ holdings: { detached: [first] } }))).toEqual([`${second} interruption`]);
  });
});

describe('advice beyond the budget of the policy', () => {
  const atMostTwo = group({ rebalance: { act: true, atMostPerHour: 2 } });
  const advised = [first, second, third, fourth].map((instance) => leaves(instance, 'rebalance'));

  test('is left alone, and a warning beside it counts all the same', () => {
    expect(leavingIn([...advised, warned('spot-a#5')], found({ group: atMostTwo }))).toEqual([
      `${first} rebalance`,
      `${second} rebalance`,
      'spot-a#5 interruption',
    ]);
  });

  test('is counted by members: advice that came twice for one of them, or for one that leaves already, takes no place of another', () => {
    expect(
      leavingIn(
        [advised[0], advised[0], advised[1], advised[2]].flatMap((fact) => fact ?? []),
        found({ group: atMostTwo }),
      ),
    ).toEqual([`${first} rebalance`, `${first} rebalance`, `${second} rebalance`]);
    const leavesAlready = found({ group: atMostTwo, swaps: [swapOf(first)] });
    expect(leavingIn(advised, leavesAlready)).toEqual([`${first} rebalance`, `${second} rebalance`, `${third} rebalance`]);
  });
});

describe('earlier signals', () => {
  const hook = { asg: 'web-asg', hook: 'h', token: 't', expiresAtMs: nowMs + 600_000 };
  const heard = {
    [first]: { reason: 'interruption' as const, atMs: nowMs - 5_000, heardAtMs: nowMs - 4_000, deadlineMs: nowMs + 115_000 },
    'i-ended': { reason: 'interruption' as const, atMs: nowMs - 5_000, heardAtMs: nowMs - 4_000, deadlineMs: nowMs + 115_000 },
    'i-hooked': { reason: 'hook' as const, atMs: nowMs - 5_000, heardAtMs: nowMs - 4_000, hook },
  };
  const observedBefore = { state: state({ notDone: { missing: 0, surplus: 0, heard } }) };

  test('count for members, and for instances whose hook waits, once the group acts again', () => {
    expect(leavingIn([], found(observedBefore))).toEqual([`${first} interruption`, 'i-hooked hook']);
  });

  test('are not counted again while the group is only observed', () => {
    expect(leavingIn([], found({ ...observedBefore, group: group({ mode: 'observe' }) }))).toEqual([]);
  });

  test('of an earlier holder of the Auto Scaling group count for its members, and for instances whose hook waits', () => {
    const inherited = [warned(second), warned('i-of-others'), leaves('i-hooked', 'hook', { hook })];
    expect(leavingIn([warned(first)], found({ inherited }))).toEqual([`${first} interruption`, `${second} interruption`, 'i-hooked hook']);
  });
});

describe('members that leave without a signal', () => {
  const inAsg = (instance: string): Member => member(instance, spotA, { asg: 'old-asg' });
  const asgs = [asgView({ name: 'old-asg', desired: 2, held: 2, holds: ['i-1', 'i-2'] })];

  test('are those in a place that the policy no longer uses, unless they leave already', () => {
    const gathered = found({ holdings: { members: [inAsg('i-1'), inAsg('i-2'), ...five], asgs } });
    expect(leavingIn([warned('i-1')], gathered)).toEqual(['i-1 interruption', 'i-2 moved']);
    expect(heardIn(factsOf(), gathered, nowMs)).toEqual({
      told: [],
      leaving: ['i-1', 'i-2'].map((instance) => ({ instance, reason: 'moved', atMs: nowMs })),
    });
  });

  test('are those that never served for too long, unless they leave already', () => {
    const launchedAtMs = nowMs - 3_600_000;
    const idle = (instance: string) => member(instance, spotA, { serving: false, launchedAtMs });
    const unserved = {
      'i-1': { why: 'target-health' as const, sinceMs: launchedAtMs },
      'i-2': { why: 'target-health' as const, sinceMs: launchedAtMs },
    };
    const gathered = found({ state: state({ unserved }), holdings: { members: [idle('i-1'), idle('i-2'), ...five] } });
    expect(heardIn(factsOf(), gathered, nowMs).leaving).toEqual(
      ['i-1', 'i-2'].map((instance) => ({ instance, reason: 'never-served', atMs: nowMs })),
    );
    expect(leavingIn([warned('i-1')], gathered)).toEqual(['i-1 interruption', 'i-2 never-served']);
  });
});

describe('of the members that leave', () => {
  const all = [warned(first), leaves(second, 'rebalance'), leaves(third, 'hook'), leaves(fourth, 'moved')];
  const heard = { told: all.slice(0, 3), leaving: all };

  test('a group that acts claims all of them, an observed group none, a paused group those that AWS takes', () => {
    expect(claimable({}, heard)).toEqual(heard);
    expect(claimable({ mode: 'observe' }, heard)).toEqual({ told: [], leaving: [] });
    const taken = [warned(first), leaves(third, 'hook')];
    expect(claimable({ mode: 'pause' }, heard)).toEqual({ told: taken, leaving: taken });
  });

  test('pool memory learns in an observed group from those that EC2 warned about since the last look, with their offerings', () => {
    expect(warnedIfActed(found(), heard)).toEqual([{ instance: first, offering: 'm7g.large/a/spot', warnedAtMs: nowMs - 1_000 }]);
    const known = { [first]: { reason: 'interruption' as const, atMs: nowMs, heardAtMs: nowMs, deadlineMs: nowMs + 120_000 } };
    expect(warnedIfActed(found({ state: state({ notDone: { missing: 0, surplus: 0, heard: known } }) }), heard)).toEqual([]);
  });
});
