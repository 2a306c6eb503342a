import { owedOnDemand } from '../on-demand.ts';
import type { Pool } from '../pool.ts';
import { placedIn } from './cap-rules.ts';
import { type Problem, problemOf } from './problem.ts';
import type { Fields } from './reading.ts';
import { asMap, fieldOf } from './reading.ts';
import { parseShare } from './return-schema.ts';
import type { Policy } from './schema.ts';

/** Limits that cannot be kept where others set the size: they also choose what is launched and who leaves. */
export const outsideLimitProblems = (document: Fields): readonly Problem[] =>
  fieldOf(fieldOf(document, 'size'), 'from') === 'asg' && asMap(fieldOf(document, 'onDemand')) !== undefined
    ? [
        problemOf({
          path: ['onDemand'],
          found: 'a floor for a group whose size others set',
          allowed:
            'no onDemand: with size.from: asg the Auto Scaling group chooses who leaves; set OnDemandBaseCapacity or ' +
            'OnDemandPercentageAboveBaseCapacity in its mixed instances policy',
        }),
      ]
    : [];

/** Pools that new members may come from. */
const placedPools = ({ capacity }: Policy, pools: readonly Pool[]): readonly Pool[] => {
  const placed = new Set(placedIn(capacity));
  return pools.filter(({ name }) => placed.has(name));
};

/** The largest size of a policy. */
const largest = ({ size }: Policy): number => (typeof size === 'number' ? size : size.max);

/** Limits that the pools cannot keep. The market of a pool may be known to its Auto Scaling group alone. */
export const limitProblems = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => {
  const { floor = 0, percent } = policy.onDemand ?? {};
  if ((floor === 0 && percent === undefined) || placedPools(policy, pools).some(({ market }) => market === 'on-demand'))
    return [];
  return [
    problemOf({
      path: ['onDemand'],
      found: 'no on-demand pool that capacity places members in',
      allowed: 'a pool with market: on-demand in capacity, for example as the last tier',
    }),
  ];
};

/** A floor that is owed at the largest size, and that caps leave no room for. */
const beyondCaps = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => {
  const { floor = 0, percent } = policy.onDemand ?? {};
  const share = percent === undefined ? 0 : (parseShare(percent) ?? 0);
  const owed = owedOnDemand({ floor, percent: share }, largest(policy));
  const room = placedPools(policy, pools)
    .filter(({ market }) => market === 'on-demand')
    .reduce((sum, { cap }) => sum + (cap ?? Number.POSITIVE_INFINITY), 0);
  if (policy.onDemand === undefined || room >= owed) return [];
  return [
    problemOf({
      path: ['onDemand'],
      found: `on-demand pools whose caps leave room for ${room}, so that ${owed - room} are never on demand`,
      allowed: `room for ${owed} on demand at the largest size, ${largest(policy)}`,
    }),
  ];
};

const beyondSize = (policy: Policy): readonly Problem[] => {
  const { floor = 0 } = policy.onDemand ?? {};
  if (floor <= largest(policy)) return [];
  return [
    problemOf({
      path: ['onDemand', 'floor'],
      found: `${floor}, more than the largest size: every member is on demand`,
      allowed: `at most ${largest(policy)}`,
    }),
  ];
};

/** Limits that are accepted and cannot be kept in full. */
export const limitWarnings = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => [
  ...beyondCaps(policy, pools),
  ...beyondSize(policy),
];
