import { owedOnDemand } from '../placement/on-demand.ts';
import { mostOf } from '../placement/shares.ts';
import { type Offering, offeringKey } from '../pool/offering.ts';
import { offeringsOf, type Pool } from '../pool/pool.ts';
import { floorOf, shareOf } from './accepted.ts';
import { placedIn } from './capacity-rules.ts';
import { mostMembers } from './field.ts';
import { type Problem, problemOf, showFound } from './problem.ts';
import type { Fields } from './reading.ts';
import { asMap, fieldOf } from './reading.ts';
import type { Policy } from './schema.ts';
import { sizeOf } from './size-of.ts';

const sizedOutside = 'with size.from: asg the Auto Scaling group chooses who leaves';

/** Limits that cannot be kept where others set the size: they also choose what is launched and who leaves. */
export const outsideLimitProblems = (document: Fields): readonly Problem[] => {
  if (fieldOf(fieldOf(document, 'size'), 'from') !== 'asg') return [];
  const spare = fieldOf(document, 'spare');
  return [
    ...(asMap(fieldOf(document, 'onDemand')) !== undefined
      ? [
          problemOf({
            path: ['onDemand'],
            found: 'a floor for a group whose size others set',
            allowed:
              `no onDemand: ${sizedOutside}; set OnDemandBaseCapacity or ` +
              'OnDemandPercentageAboveBaseCapacity in its mixed instances policy',
          }),
        ]
      : []),
    ...(asMap(fieldOf(document, 'maxShare')) === undefined
      ? []
      : [
          problemOf({
            path: ['maxShare'],
            found: 'shares of a group whose size others set',
            allowed: 'no maxShare: with size.from: asg the Auto Scaling group chooses what it launches and who leaves',
          }),
        ]),
    ...(typeof spare === 'number' && spare > 0
      ? [
          problemOf({
            path: ['spare'],
            found: `${spare} for a group whose size others set`,
            allowed: `no spare: ${sizedOutside}, and ends members above its desired capacity; set that higher instead`,
          }),
        ]
      : []),
  ];
};

/** Pools that new members may come from. */
const placedPools = ({ capacity }: Policy, pools: readonly Pool[]): readonly Pool[] => {
  const placed = new Set(placedIn(capacity));
  return pools.filter(({ name }) => placed.has(name));
};

/** Members that are on demand at the largest size. */
const mostOwed = (policy: Policy): number =>
  policy.onDemand === undefined ? 0 : owedOnDemand(floorOf(policy.onDemand), sizeOf(policy).max);

const withoutOnDemand = ({ onDemand }: Policy, placed: readonly Pool[]): readonly Problem[] => {
  const { floor = 0, percent } = onDemand ?? {};
  if ((floor === 0 && percent === undefined) || placed.some(({ market }) => market === 'on-demand')) return [];
  return [
    problemOf({
      path: ['onDemand'],
      found: 'no on-demand pool that capacity places members in',
      allowed: 'a pool with market: on-demand in capacity, for example as the last tier',
    }),
  ];
};

const withoutSpot = ({ spare }: Policy, placed: readonly Pool[]): readonly Problem[] =>
  spare === 0 || placed.some(({ market }) => market === 'spot')
    ? []
    : [
        problemOf({
          path: ['spare'],
          found: 'no spot pool that capacity places members in',
          allowed: 'a pool with market: spot in capacity, or no spare: members above the size are on spot alone',
        }),
      ];

/** Each look reads the spares too, so they count among the most members of a group. */
const tooManySpares = (policy: Policy): readonly Problem[] => {
  const { max } = sizeOf(policy);
  const room = mostMembers - max;
  return policy.spare <= room
    ? []
    : [
        problemOf({
          path: ['spare'],
          found: showFound(policy.spare),
          allowed: `at most ${room}: the largest size (${max}) and the spares are at most ${mostMembers} members`,
        }),
      ];
};

type Dimension = {
  readonly field: 'instanceType' | 'zone' | 'offering';
  readonly plural: string;
  readonly keyOf: (offering: Offering) => string;
};

const dimensions: readonly Dimension[] = [
  { field: 'instanceType', plural: 'instance types', keyOf: ({ instanceType }) => instanceType },
  { field: 'zone', plural: 'zones', keyOf: ({ zone }) => zone },
  { field: 'offering', plural: 'offerings', keyOf: offeringKey },
];

/** Shares so small that all of them together are less than the largest size. */
const hopelessShares = (policy: Policy, placed: readonly Pool[]): readonly Problem[] =>
  dimensions.flatMap(({ field, plural, keyOf }) => {
    const text = policy.maxShare?.[field];
    if (text === undefined) return [];
    const { max: size } = sizeOf(policy);
    const count = new Set(placed.flatMap(offeringsOf).map(keyOf)).size;
    const room = count * mostOf(shareOf(text), size);
    if (count === 0 || room >= size) return [];
    return [
      problemOf({
        path: ['maxShare', field],
        found: `${showFound(text)}: the ${count} ${plural} of capacity then hold at most ${room} of ${size}`,
        allowed: `at least ${Math.ceil(100 / count)}%, or more ${plural} in capacity`,
      }),
    ];
  });

/** LaunchInstances takes no instance type, so an Auto Scaling group of several types picks one itself. */
const typesLeftToAsgs = ({ maxShare }: Policy, placed: readonly Pool[]): readonly Problem[] => {
  const field = (['instanceType', 'offering'] as const).find((name) => maxShare?.[name] !== undefined);
  const pool = placed.find(({ asg, instanceTypes }) => asg !== undefined && instanceTypes.length > 1);
  if (field === undefined || pool === undefined) return [];
  return [
    problemOf({
      path: ['maxShare', field],
      found: `pool ${pool.name}, whose Auto Scaling group picks one of ${pool.instanceTypes.length} types itself`,
      allowed: 'an Auto Scaling group of its own for each instance type, or maxShare.zone alone',
    }),
  ];
};

/** Limits that the pools cannot keep. They need the look-up: only an Auto Scaling group may state the market. */
export const limitProblems = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => {
  const placed = placedPools(policy, pools);
  return [
    ...withoutOnDemand(policy, placed),
    ...withoutSpot(policy, placed),
    ...tooManySpares(policy),
    ...hopelessShares(policy, placed),
    ...typesLeftToAsgs(policy, placed),
  ];
};

/** Caps that leave less room on demand than the policy asks for at the largest size. */
const beyondCaps = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => {
  const owed = mostOwed(policy);
  const room = placedPools(policy, pools)
    .filter(({ market }) => market === 'on-demand')
    .reduce((sum, { cap }) => sum + (cap ?? Number.POSITIVE_INFINITY), 0);
  if (room >= owed) return [];
  return [
    problemOf({
      path: ['onDemand'],
      found: `on-demand pools whose caps leave room for ${room}, so that ${owed - room} are never on demand`,
      allowed: `room for ${owed} on demand at the largest size, ${sizeOf(policy).max}`,
    }),
  ];
};

const beyondSize = (policy: Policy): readonly Problem[] => {
  const { floor = 0 } = policy.onDemand ?? {};
  const { max } = sizeOf(policy);
  if (floor <= max) return [];
  return [
    problemOf({
      path: ['onDemand', 'floor'],
      found: `${floor}, more than the largest size: every member is on demand`,
      allowed: `at most ${max}`,
    }),
  ];
};

/** Shares that leave less room on demand than the policy asks for at the largest size. */
const beyondShares = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => {
  const owed = mostOwed(policy);
  const offerings = placedPools(policy, pools)
    .filter(({ market }) => market === 'on-demand')
    .flatMap(offeringsOf);
  return dimensions.flatMap(({ field, plural, keyOf }) => {
    const share = policy.maxShare?.[field];
    if (share === undefined) return [];
    const count = new Set(offerings.map(keyOf)).size;
    const room = count * mostOf(shareOf(share), sizeOf(policy).max);
    if (count === 0 || room >= owed) return [];
    return [
      problemOf({
        path: ['onDemand'],
        found: `on-demand pools of ${count} ${plural}: maxShare.${field} leaves room for ${room} of ${owed} owed`,
        allowed: `more ${plural} in on-demand pools, or a larger maxShare.${field}`,
      }),
    ];
  });
};

/** Limits that are accepted and cannot be kept in full. */
export const limitWarnings = (policy: Policy, pools: readonly Pool[]): readonly Problem[] => [
  ...beyondCaps(policy, pools),
  ...beyondShares(policy, pools),
  ...beyondSize(policy),
];
