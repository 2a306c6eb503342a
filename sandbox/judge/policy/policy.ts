import type { Market } from '../../../core/pool/offering.ts';
import { parseDurationMs } from '../../../core/units/duration.ts';
import type { WorldSpec } from '../../world/spec.ts';
import { remembered } from '../remembered.ts';
import { type Life, stayAt } from '../world/life.ts';

/** A selector tree as policies write it. */
export type TreeNode = string | { readonly [kind: string]: unknown };

export type PolicyPool = {
  readonly name: string;
  readonly market: Market | 'mixed';
  readonly subnets: readonly string[];
  readonly zones: readonly string[];
  readonly instanceTypes: readonly string[];
  readonly maxPriceUsdPerHour: number;
  /** Limits that are a share of what an instance type costs on demand. */
  readonly typeLimits: Readonly<Record<string, number>>;
  /** The part of a price that is paid. */
  readonly priceFactor: number;
  readonly cap: number;
  /** The most members of a pool: its cap, or the owner's maximum of its Auto Scaling group if that is less. */
  readonly most: number;
  readonly asg?: string;
  /** The launch template that its launches use, by name or id, and its version: a number, `$Default` or `$Latest`. An Auto Scaling group has its own. */
  readonly template?: { readonly named: string; readonly version: string };
};

/** What an alarm adds at this distance from its threshold. */
type Step = { readonly from: number; readonly isBelow: boolean; readonly by: number; readonly isPercent: boolean };

export type ScalingRow = {
  readonly alarm: string;
  readonly by: number;
  readonly isPercent: boolean;
  readonly cooldownMs: number;
  readonly steps?: readonly Step[];
};

/** A time of a schedule in five fields of cron, and the size that it sets. */
export type ScheduledRow = { readonly at: string; readonly timezone: string; readonly size: number };

/** A number of members, or a percentage of the size. */
export type MoveLimit = { readonly by: number; readonly isShare: boolean };

export type BreakerRule = { readonly interruptions: number; readonly withinMs: number; readonly holdMs: number };

export type LaunchLimit = { readonly atMost: MoveLimit; readonly withinMs: number };

export type ReturnRule = {
  readonly afterMs: number;
  readonly everyMs: number;
  readonly atMost: MoveLimit;
  readonly windows: readonly string[];
  readonly timezone: string;
};

const removalOrders = ['dearest-first', 'oldest-first', 'newest-first', 'same-order'] as const;

export const shareFields = ['instanceType', 'zone', 'offering'] as const;
/** The most members that may be lost together, in percent of the size. */
export type MaxShare = Partial<Readonly<Record<(typeof shareFields)[number], number>>>;

/** A policy document as the judge reads it: by the policy reference, and not by the code that is judged. */
export type Policy = {
  readonly group: string;
  readonly mode: 'act' | 'observe' | 'pause';
  /** The document says `act`, and Holdfast does what it does in mode `pause`, because a size counts weights now. */
  readonly isWeighed?: true;
  readonly size: { readonly min: number; readonly max: number; readonly desired: number };
  /** Members above the size, on spot alone. In an Auto Scaling group that they are attached to, its maximum bounds size and spares. */
  readonly spare: number;
  readonly mostInAsg: number;
  readonly capacity: TreeNode;
  readonly pools: Readonly<Record<string, PolicyPool>>;
  /** USD per hour of instance types on demand, as far as the policy states them. */
  readonly onDemandPrices: Readonly<Record<string, number>>;
  /** The Auto Scaling group that members are attached to. */
  readonly asg?: string;
  /** The size is the desired capacity of that group, which others set. */
  readonly isSizedOutside: boolean;
  readonly order: 'launch-first' | 'drain-first';
  readonly maxSurge: number;
  /** Which members leave first when the group shrinks. */
  readonly removalOrder: (typeof removalOrders)[number];
  readonly actsOnAdvice: boolean;
  /** Most members that leave for advice within an hour. */
  readonly advicePerHour: number;
  /** Members that are kept on demand: a number, and a percentage of the size. */
  readonly onDemand?: { readonly floor: number; readonly percent: number };
  readonly maxShare: MaxShare;
  /** When members move to better places. Absent: never. */
  readonly returning?: ReturnRule;
  /** When a member counts as serving, besides its target groups. */
  readonly ready: {
    readonly afterMs: number;
    readonly isChecked: boolean;
    /** A new member that does not serve by this age is given up. */
    readonly withinMs: number;
  };
  /** When spot is passed over for a while. Absent: never. */
  readonly breaker?: BreakerRule;
  /** The limit of launches within a time. */
  readonly launches: LaunchLimit;
  readonly drainTimeoutMs: number;
  /** Names of the target groups that the policy lists. */
  readonly targetGroups: readonly string[];
  readonly scaling: readonly ScalingRow[];
  readonly schedule: readonly ScheduledRow[];
  readonly tags: Readonly<Record<string, string>>;
};

type Json = Readonly<Record<string, unknown>>;

const minuteMs = 60_000;
const numberOf = (value: unknown): number => numberOr(value, 0);
const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);
const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
const mapOf = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {});
const durationOr = (value: unknown, otherwise: number): number => parseDurationMs(textOr(value, '')) ?? otherwise;

/** The name within a target group's ARN, or the text itself. */
export const targetGroupName = (arn: string): string => /targetgroup\/([^/]+)/.exec(arn)?.[1] ?? arn;

const sizeOf = (size: unknown): Policy['size'] => {
  if (typeof size === 'number') return { min: size, max: size, desired: size };
  const { min, max, desired } = mapOf(size);
  const least = numberOr(min, 0);
  return { min: least, max: numberOr(max, least), desired: numberOr(desired, least) };
};

const numbersOf = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(mapOf(value)).map(([key, number]) => [key, Number(number)]));

/** The price limit of a type in a pool. */
export const limitFor = ({ maxPriceUsdPerHour, typeLimits }: PolicyPool, instanceType: string): number =>
  Math.min(maxPriceUsdPerHour, typeLimits[instanceType] ?? Number.POSITIVE_INFINITY);

const typeLimitsOf = ({ maxPrice }: Json, market: unknown, prices: Readonly<Record<string, number>>): Readonly<Record<string, number>> => {
  if (typeof maxPrice !== 'string' || market === 'on-demand') return {};
  return Object.fromEntries(Object.entries(prices).map(([type, price]) => [type, (price * Number.parseInt(maxPrice, 10)) / 100]));
};

const templateOf = (text: unknown): Required<PolicyPool>['template'] => {
  const [named = '', version = '$Default'] = textOr(text, '').split(':');
  return { named, version };
};

const poolOf = (name: string, document: Json, spec: WorldSpec, prices: Readonly<Record<string, number>>): PolicyPool => {
  const asg = typeof document.asg === 'string' ? document.asg : undefined;
  const held = spec.autoScalingGroups.find((one) => one.name === asg);
  const subnets = held?.subnets ?? listOf(document.subnets);
  return {
    name,
    market: held?.market ?? (document.market === 'on-demand' ? 'on-demand' : 'spot'),
    subnets,
    zones: [...new Set(subnets.map((id) => spec.subnets.find((subnet) => subnet.id === id)?.zone ?? id))],
    instanceTypes: held?.instanceTypes ?? listOf(document.instanceTypes),
    maxPriceUsdPerHour: numberOr(document.maxPriceUsdPerHour, Number.POSITIVE_INFINITY),
    typeLimits: typeLimitsOf(document, held?.market ?? document.market, prices),
    priceFactor: numberOr(document.priceFactor, 1),
    cap: numberOr(document.cap, Number.POSITIVE_INFINITY),
    most: Math.min(numberOr(document.cap, Number.POSITIVE_INFINITY), held?.max ?? Number.POSITIVE_INFINITY),
    ...(asg === undefined ? { template: templateOf(document.launchTemplate) } : { asg }),
  };
};

const scalingOf = (value: unknown): readonly ScalingRow[] =>
  (Array.isArray(value) ? value : []).map((row) => {
    const { alarm, adjust, steps, cooldown } = mapOf(row);
    const own = { alarm: String(alarm), cooldownMs: durationOr(cooldown, 5 * minuteMs) };
    const [first, ...more] = (Array.isArray(steps) ? steps : []).map(mapOf).map(stepOf);
    return first === undefined ? { ...own, ...adjustmentOf(adjust) } : { ...own, by: first.by, isPercent: first.isPercent, steps: [first, ...more] };
  });

const adjustmentOf = (adjust: unknown): Pick<ScalingRow, 'by' | 'isPercent'> => ({
  by: Number.parseFloat(String(adjust)),
  isPercent: String(adjust).endsWith('%'),
});

const stepOf = ({ above, below, adjust }: Json): Step => ({
  from: numberOf(below ?? above),
  isBelow: below !== undefined,
  ...adjustmentOf(adjust),
});

/** The row with the step for this distance from its threshold. If the distance is unknown, the first step. */
export const atDistance = (row: ScalingRow, fromThreshold: number | undefined): ScalingRow => {
  const reached = row.steps?.filter(({ from, isBelow }) => (isBelow ? -1 : 1) * (fromThreshold ?? 0) >= from).at(-1);
  return reached === undefined ? row : { ...row, by: reached.by, isPercent: reached.isPercent };
};

const scheduleOf = (value: unknown): readonly ScheduledRow[] =>
  (Array.isArray(value) ? value : [])
    .map(mapOf)
    .map(({ at, timezone, size }) => ({ at: String(at), timezone: textOr(timezone, 'UTC'), size: numberOf(size) }));

const percentOf = (share: unknown): number => (share === undefined ? 0 : Number.parseFloat(String(share)));

const floorOf = ({ floor, percent }: Json) => ({ floor: numberOr(floor, 0), percent: percentOf(percent) });

const maxShareOf = (shares: Json): MaxShare =>
  Object.fromEntries(shareFields.flatMap((field) => (shares[field] === undefined ? [] : [[field, percentOf(shares[field])]])));

const returningOf = ({ after, every, atMost, window, timezone }: Json): ReturnRule => ({
  afterMs: durationOr(after, 10 * minuteMs),
  everyMs: durationOr(every, 5 * minuteMs),
  atMost: { by: Number.parseFloat(String(atMost ?? '50%')), isShare: typeof atMost !== 'number' },
  windows: typeof window === 'string' ? [window] : listOf(window),
  timezone: textOr(timezone, 'UTC'),
});

const breakerOf = ({ interruptions, within, hold }: Json): BreakerRule => ({
  interruptions: numberOr(interruptions, 5),
  withinMs: durationOr(within, 10 * minuteMs),
  holdMs: durationOr(hold, 60 * minuteMs),
});

const launchLimitOf = ({ atMost, within }: Json): LaunchLimit => ({
  atMost: { by: Number.parseFloat(String(atMost ?? '300%')), isShare: typeof atMost !== 'number' },
  withinMs: durationOr(within, 10 * minuteMs),
});

/**
 * The tree with what the policy reference says of a pool of several zones: it is spread over them, except below `cheapest`
 * and below a spread by zone.
 */
const overZones = (node: TreeNode, wide: ReadonlySet<string>): TreeNode => {
  if (typeof node === 'string') return wide.has(node) ? { spread: [node], by: 'zone' } : node;
  const kind = Object.keys(node).find((key) => key !== 'by') ?? '';
  const said = node[kind] as Json | readonly Json[];
  const of = Array.isArray(said) ? said : (said as Json).of;
  const isBound = kind === 'cheapest' || node.by === 'zone' || (!Array.isArray(said) && (said as Json).by === 'zone');
  const children = (of as readonly TreeNode[]).map((child) => {
    const within = isBound ? new Set<string>() : wide;
    return typeof child === 'object' && 'use' in child ? { ...child, use: overZones(child.use as TreeNode, within) } : overZones(child, within);
  });
  return { ...node, [kind]: Array.isArray(said) ? children : { ...said, of: children } } as TreeNode;
};

/** Reads a document that is in force; subnets and Auto Scaling groups are looked up in the world. */
export const readPolicy = (document: Json, spec: WorldSpec): Policy => {
  const [swap, drain, rebalance, ready] = [mapOf(document.swap), mapOf(document.drain), mapOf(document.rebalance), mapOf(document.ready)];
  const defaults = mapOf(document.defaults);
  const onDemandPrices = numbersOf(document.onDemandPrices);
  const pools = Object.entries(mapOf(document.pools)).map(
    ([name, pool]) => [name, poolOf(name, { ...defaults, ...mapOf(pool) }, spec, onDemandPrices)] as const,
  );
  return {
    group: String(document.group),
    mode: document.mode === 'observe' || document.mode === 'pause' ? document.mode : 'act',
    size: sizeOf(document.size),
    spare: numberOr(document.spare, 0),
    mostInAsg: spec.autoScalingGroups.find(({ name }) => name === document.asg)?.max ?? Number.POSITIVE_INFINITY,
    capacity: overZones(
      (document.capacity ?? '') as TreeNode,
      new Set(pools.flatMap(([name, { zones }]) => (new Set(zones).size > 1 ? [name] : []))),
    ),
    pools: Object.fromEntries(pools),
    onDemandPrices,
    ...(typeof document.asg === 'string' ? { asg: document.asg } : {}),
    isSizedOutside: mapOf(document.size).from === 'asg',
    order: swap.order === 'drain-first' ? 'drain-first' : 'launch-first',
    maxSurge: numberOr(swap.maxSurge, 3),
    removalOrder: removalOrders.find((order) => order === mapOf(document.removal).order) ?? 'dearest-first',
    actsOnAdvice: rebalance.act === true,
    advicePerHour: numberOr(rebalance.atMostPerHour, Number.POSITIVE_INFINITY),
    ...(document.onDemand === undefined ? {} : { onDemand: floorOf(mapOf(document.onDemand)) }),
    maxShare: maxShareOf(mapOf(document.maxShare)),
    ...(document.return === false ? {} : { returning: returningOf(mapOf(document.return)) }),
    ready: { afterMs: durationOr(ready.after, 0), isChecked: ready.checks === 'ec2', withinMs: durationOr(ready.within, 10 * minuteMs) },
    launches: launchLimitOf(mapOf(document.launches)),
    ...(document.breaker === undefined ? {} : { breaker: breakerOf(mapOf(document.breaker)) }),
    drainTimeoutMs: durationOr(drain.timeout, 5 * minuteMs),
    targetGroups: listOf(drain.loadBalancers).map(targetGroupName),
    scaling: scalingOf(document.scaling),
    schedule: scheduleOf(document.schedule),
    tags: Object.fromEntries(Object.entries(mapOf(document.tags)).map(([key, value]) => [key, String(value)])),
  };
};

/** Auto Scaling groups that a policy names. */
export const asgsOf = remembered(({ asg, pools }: Policy): readonly string[] => [
  ...new Set([...(asg === undefined ? [] : [asg]), ...Object.values(pools).flatMap((pool) => pool.asg ?? [])]),
]);

/** The size after an alarm's adjustment: a share is rounded away from zero, and is one instance at least. */
export const adjusted = (desired: number, { by, isPercent }: ScalingRow, { min, max }: Policy['size']): number => {
  const share = (desired * Math.abs(by)) / 100;
  const step = isPercent ? Math.sign(by) * Math.max(1, Math.ceil(share - 1e-9)) : by;
  return Math.min(max, Math.max(min, desired + step));
};

/** Whether a policy holds no members at the place of this one. A removed pool does not count, because a change of pools replaces no member. */
export const isMisplaced = ({ asg, pools }: Policy, life: Life, atMs: number): boolean => {
  const held = stayAt(life, atMs)?.asg;
  if (asg !== undefined) return held !== undefined && held !== asg;
  const isHeldByPools = Object.values(pools).some((pool) => pool.asg !== undefined);
  return isHeldByPools ? held === undefined : held !== undefined;
};
