import { expect, test } from 'vitest';
import { endsIn } from '../../../core/swap/ends.ts';
import { staysUntilReleased } from '../../../core/swap/kept-in-service.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import type { AsgView, GroupState, Member } from '../../../core/view/view.ts';
import { members } from '../members.ts';
import { group, nowMs, reservation, spotA, state, swapOf } from '../views.ts';

const [advised, other] = members(spotA, 2, { asg: 'web-asg' });
const two = [advised, other].filter((one) => one !== undefined);
const heldBack = swapOf('spot-a#1', { reason: 'rebalance', state: 'drained', shortfall: { code: 'not-released', awsCode: 'BelowMinSize' } });

type Scene = {
  readonly swaps?: readonly Swap[];
  readonly asg?: Partial<AsgView>;
  readonly there?: readonly Member[];
  readonly state?: Partial<GroupState>;
  readonly ended?: readonly string[];
};
/** What is withdrawn where one member of two is wanted, and the minimum is two. */
const withdrawn = ({ swaps = [heldBack], asg = {}, there = two, ended = [], ...rest }: Scene = {}): readonly Partial<Swap>[] =>
  endsIn(swaps, {
    group: group({ holding: { kind: 'attach', asg: 'web-asg' } }),
    holdings: {
      members: there,
      asgs: [{ name: 'web-asg', min: 2, max: 9, desired: 2, held: 2, holds: ['spot-a#1', 'spot-a#2'], suspended: [], ...asg }],
      aside: [],
      ended,
      stopped: [],
    },
    heard: { ended: [], stopped: [] },
    nowMs,
    state: state({ desired: 1, ...rest.state }),
    beyond: new Map(),
  }).over;

test('the swap of a member that EC2 advises to replace is withdrawn if a minimum keeps it and no replacement is to come', () => {
  const { shortfall: _not, ...said } = heldBack;
  expect(withdrawn()).toEqual([said]);
});

test('it waits where its Auto Scaling group has room', () => {
  expect(withdrawn({ asg: { desired: 3 } })).toEqual([]);
});

test('it waits while a replacement is to come', () => {
  expect(withdrawn({ state: { desired: 2 } })).toEqual([]);
  expect(withdrawn({ state: { reservations: [reservation()] } })).toEqual([]);
  expect(withdrawn({ there: two.map((one) => (one === other ? { ...one, admitted: false } : one)) })).toEqual([]);
});

test('it waits while one of those that stay has not joined', () => {
  const three = [...two, ...members(spotA, 3, { asg: 'web-asg', admitted: false }).slice(2)];
  expect(withdrawn({ there: three })).toEqual([]);
  expect(withdrawn({ there: three.map((one) => ({ ...one, admitted: true })) })).toHaveLength(1);
});

test('it waits while another leaves, and not for one that has left', () => {
  const three = [...two, ...members(spotA, 3, { asg: 'web-asg' }).slice(2)];
  const leaving = swapOf('spot-a#3');
  expect(withdrawn({ there: three, swaps: [heldBack, leaving], state: { desired: 2 } })).toEqual([]);
  expect(withdrawn({ there: three, swaps: [heldBack], state: { desired: 2 } })).toHaveLength(1);
  expect(withdrawn({ there: three, swaps: [heldBack, { ...leaving, state: 'withdrawn' }], state: { desired: 2 } })).toHaveLength(1);
  expect(withdrawn({ there: three, swaps: [heldBack, { ...leaving, state: 'gone', goneAtMs: nowMs }], state: { desired: 2 } })).toHaveLength(1);
});

test('a surplus that a minimum did not let go stays, even if members join: the next decision chooses anew', () => {
  const { deadlineMs: _none, ...announced } = heldBack;
  const surplus: Swap = { ...announced, reason: 'scale-in' };
  const { shortfall: _not, ...said } = surplus;
  expect(withdrawn({ swaps: [surplus] })).toEqual([said]);
  expect(withdrawn({ swaps: [surplus], asg: { desired: 3 }, state: { desired: 2, reservations: [reservation()] } })).toEqual([said]);
  const hook = { asg: 'web-asg', hook: 'drain', token: 't', expiresAtMs: nowMs };
  expect(withdrawn({ swaps: [{ ...surplus, hooks: [hook] }] })).toEqual([]);
  expect(withdrawn({ swaps: [{ ...surplus, deadlineMs: nowMs }] })).toEqual([]);
  expect(withdrawn({ swaps: [surplus], there: two.slice(1) })).toEqual([]);
});

test('a surplus that leaves by a new drain, that was taken out of service meanwhile, or that has ended is not kept', () => {
  const { deadlineMs: _none, ...announced } = heldBack;
  const surplus: Swap = { ...announced, reason: 'scale-in' };
  expect(withdrawn({ swaps: [{ ...surplus, state: 'leaving' }] })).toEqual([]);
  expect(withdrawn({ swaps: [{ ...surplus, drainStartedAtMs: nowMs - 1_000 }] })).toEqual([]);
  expect(withdrawn({ swaps: [{ ...surplus, state: 'gone', goneAtMs: nowMs }] })).toEqual([]);
});

test('a member that is kept for two reasons becomes history once, without the shortfall', () => {
  const { deadlineMs: _none, ...announced } = heldBack;
  const moved: Swap = { ...announced, reason: 'moved' };
  const { shortfall: _not, ...said } = moved;
  expect(withdrawn({ swaps: [moved] })).toEqual([said]);
});

test('no other swap is withdrawn: of members that EC2 takes, that are out of service, or that have ended', () => {
  expect(withdrawn({ swaps: [{ ...heldBack, reason: 'interruption', deadlineMs: nowMs }] })).toEqual([]);
  expect(withdrawn({ swaps: [{ ...heldBack, shortfall: { code: 'not-released', awsCode: 'Throttling' } }] })).toEqual([]);
  expect(withdrawn({ swaps: [{ ...heldBack, state: 'draining' }] })).toEqual([]);
  expect(withdrawn({ ended: ['spot-a#1'] })).toEqual([]);
  expect(withdrawn({ there: two.slice(1) })).toEqual([]);
});

test('a member stays until it is out of service where Holdfast alone ends it, by a call that ends it at once', () => {
  const stays = (changes: Partial<Swap>): boolean => staysUntilReleased(swapOf('i-1', { deadlineMs: undefined, ...changes }));
  expect(stays({ reason: 'rebalance' })).toBe(true);
  expect(stays({ reason: 'scale-in' })).toBe(true);
  expect(stays({ reason: 'maintenance', deadlineMs: nowMs + 1 })).toBe(true);
  expect(stays({ reason: 'interruption', deadlineMs: nowMs + 1 })).toBe(false);
  expect(stays({ reason: 'rebalance', asg: 'web-asg' })).toBe(false);
  expect(stays({ reason: 'rebalance', hooks: [{ asg: 'web-asg', hook: 'drain', expiresAtMs: nowMs }] })).toBe(false);
});
