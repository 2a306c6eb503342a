import type { Group } from '../../core/group/group.ts';
import { initialState } from '../../core/group-state/state.ts';
import type { Reservation } from '../../core/launch/reservation.ts';
import type { Pool } from '../../core/pool/pool.ts';
import type { Swap } from '../../core/swap/swap.ts';
import type { AsgView, GroupState, View } from '../../core/view/view.ts';
import { members } from './members.ts';
import { nowMs } from './selector/tree-builders.ts';

const poolIn = (zone: string, market: Pool['market'] = 'spot', rest: Partial<Pool> = {}): Pool => ({
  name: `${market === 'spot' ? 'spot' : 'od'}-${zone}`,
  market,
  launchTemplate: 'web',
  subnets: [{ id: `subnet-${zone}`, zone }],
  instanceTypes: ['m7g.large'],
  ...rest,
});

export const spotA = poolIn('a');
export const spotB = poolIn('b');
export const onDemandB = poolIn('b', 'on-demand');

/** Ten members, spot over two zones, on-demand behind. */
export const group = (rest: Partial<Group> = {}): Group => ({
  name: 'web',
  policyVersion: 1,
  size: { min: 0, max: 20, desired: 10 },
  capacity: {
    kind: 'tiered',
    children: [
      {
        kind: 'spread',
        by: 'pool',
        children: [
          { kind: 'pool', pool: 'spot-a' },
          { kind: 'pool', pool: 'spot-b' },
        ],
      },
      { kind: 'pool', pool: 'od-b' },
    ],
  },
  pools: { 'spot-a': spotA, 'spot-b': spotB, 'od-b': onDemandB },
  holding: { kind: 'tag' },
  removal: { order: 'dearest-first' },
  swap: { order: 'launch-first', maxSurge: 2 },
  rebalance: { act: true },
  drain: { timeoutMs: 60_000, loadBalancers: 'auto' },
  scaling: [],
  tags: {},
  ...rest,
});

/** The launches of this state's policy are not due to be tried. */
export const state = (rest: Partial<GroupState> = {}): GroupState => ({
  ...initialState(group()),
  version: 3,
  policySize: '{}',
  checksOf: group().policyVersion,
  checksDueAtMs: Number.MAX_SAFE_INTEGER,
  ...rest,
});

/** A group at rest: five members in each zone. */
export const view = (rest: Partial<View> = {}): View => ({
  nowMs,
  group: group(),
  state: state(),
  members: [...members(spotA, 5), ...members(spotB, 5)],
  swaps: [],
  asgs: [],
  ended: [],
  ...rest,
});

export const swapOf = (instance: string, rest: Partial<Swap> = {}): Swap => ({
  group: 'web',
  instance,
  reason: 'interruption',
  state: 'leaving',
  pool: 'spot-a',
  offering: 'm7g.large/a/spot',
  claimedAtMs: nowMs,
  deadlineMs: nowMs + 120_000,
  drain: 'web-1-d0',
  decision: '1',
  ...rest,
});

export const reservation = (rest: Partial<Reservation> = {}): Reservation => ({
  id: 'r-1',
  token: 'r-1',
  placement: { pool: 'spot-b', count: 2, offerings: [{ instanceType: 'm7g.large', zone: 'b', market: 'spot' }] },
  decision: 'd-1',
  replaces: [],
  atMs: nowMs - 1_000,
  leaseUntilMs: nowMs + 30_000,
  forgetAtMs: nowMs + 180_000,
  ...rest,
});

/** An Auto Scaling group between 0 and 20 that holds as many as it wants, and whose instances nobody asks for. */
export const asgView = (rest: Partial<AsgView> = {}): AsgView => ({
  name: 'web-asg',
  min: 0,
  max: 20,
  desired: 10,
  held: 10,
  holds: [],
  suspended: [],
  ...rest,
});

export { nowMs };
