import type { Group } from '../../../core/group/group.ts';
import type { Pool } from '../../../core/pool/pool.ts';
import type { Lesson } from '../../../core/pool-memory/pool-memory.ts';
import { noReturns, type Returns } from '../../../core/returning/memory.ts';
import type { Returning } from '../../../core/returning/returning.ts';
import type { Selector } from '../../../core/selector/selector.ts';
import type { GroupState, Member, View } from '../../../core/view/view.ts';
import { poolsOf } from '../selector/tree-builders.ts';
import { group, nowMs, state, view } from '../views.ts';

export const minute = 60_000;

export const rule: Returning = { afterMs: 10 * minute, everyMs: 5 * minute, atMost: { kind: 'share', percent: 50 }, timezone: 'UTC' };

/** A spot pool in one zone. */
export const spotIn = (zone: string, rest: Partial<Pool> = {}): Pool => ({
  name: `spot-${zone}`,
  market: 'spot',
  launchTemplate: 'web',
  subnets: [{ id: `subnet-${zone}`, zone }],
  instanceTypes: ['m7g.large'],
  ...rest,
});

export const onDemandIn = (zone: string, rest: Partial<Pool> = {}): Pool => spotIn(zone, { name: `od-${zone}`, market: 'on-demand', ...rest });

/** What a view may say beside its tree and its members. */
export type Beside = {
  readonly group?: Partial<Group>;
  readonly state?: Partial<GroupState>;
  readonly prices?: Readonly<Record<string, number>>;
  readonly returns?: Partial<Returns>;
  readonly view?: Partial<View>;
};

/** A group at rest that has all its members and lets them move, three at a time. */
export const atRest = (capacity: Selector, pools: readonly Pool[], members: readonly Member[], beside: Beside = {}): View =>
  view({
    group: group({
      capacity,
      pools: poolsOf(...pools),
      returning: rule,
      swap: { order: 'launch-first', maxSurge: 3 },
      ...beside.group,
    }),
    members,
    state: state({
      desired: members.length,
      ...(beside.prices && { prices: { atMs: nowMs, usdPerHour: beside.prices } }),
      ...(beside.returns && { returns: { ...noReturns, ...beside.returns } }),
      ...beside.state,
    }),
    ...beside.view,
  });

/** A refusal of so long ago. */
export const refusal = (agoMs: number, restMs = 3 * minute): Lesson => ({
  kind: 'refused',
  code: 'InsufficientInstanceCapacity',
  atMs: nowMs - agoMs,
  coolingUntilMs: nowMs - agoMs + restMs,
  streak: 1,
});
