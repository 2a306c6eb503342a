/** A token bucket as AWS publishes it. */
export type Bucket = { readonly holds: number; readonly perSecond: number };

/** Request token buckets of the Amazon EC2 API: CreateFleet, and launched instances, which every way to launch draws from. */
const publishedBuckets = {
  createFleet: { holds: 50, perSecond: 5 },
  instances: { holds: 1_000, perSecond: 2 },
  /** Auto Scaling publishes none: what the sandbox assumes. */
  autoScaling: { holds: 20, perSecond: 5 },
} as const satisfies Readonly<Record<string, Bucket>>;

/** How many members of a group stay in each zone, how many it misses, and the zone without capacity. */
export type GroupNeed = {
  readonly staying: Readonly<Record<string, number>>;
  readonly missing: number;
  readonly refusedZone: string;
};

/** How many of the missing an even spread places in each of these zones: one after another where the fewest are. */
export const spreadOver = (zones: readonly string[], { staying, missing }: GroupNeed): ReadonlyMap<string, number> => {
  const placed = new Map(zones.map((zone) => [zone, 0]));
  for (let left = zones.length === 0 ? 0 : missing; left > 0; left -= 1) {
    const fullness = (zone: string): number => (staying[zone] ?? 0) + (placed.get(zone) ?? 0);
    const emptiest = zones.reduce((best, zone) => (fullness(zone) < fullness(best) ? zone : best));
    placed.set(emptiest, (placed.get(emptiest) ?? 0) + 1);
  }
  return placed;
};

/** LaunchInstances gives 100 instances a call, CreateFleet all that are requested. */
const perCall = { 'create-fleet': 10_000, 'launch-instances': 100 } as const;
export type LaunchApi = keyof typeof perCall;

/**
 * Launch calls that a group needs: those that fill each zone in which its tree places, and one that is refused where the tree would have placed
 * something in the zone that gives nothing.
 */
export const neededCalls = (need: GroupNeed, api: LaunchApi): number => {
  const zones = Object.keys(need.staying);
  const asks = (spreadOver(zones, need).get(need.refusedZone) ?? 0) > 0;
  const given = spreadOver(
    zones.filter((zone) => zone !== need.refusedZone),
    need,
  );
  const filling = [...given.values()].reduce((sum, count) => sum + Math.ceil(count / perCall[api]), 0);
  return filling + (asks ? 1 : 0);
};

/** Seconds until a full bucket has given so many tokens. */
const secondsFor = ({ holds, perSecond }: Bucket, tokens: number): number => Math.max(0, (tokens - holds) / perSecond);

/** When full buckets have given so many calls of this API, and so many instances. */
export const placedAfterMs = (api: LaunchApi, calls: number, instances: number): number => {
  const { createFleet, autoScaling, instances: launched } = publishedBuckets;
  return 1_000 * Math.max(secondsFor(api === 'create-fleet' ? createFleet : autoScaling, calls), secondsFor(launched, instances));
};

/** The tokens that a whole storm needs from the account. */
export type StormNeed = {
  readonly fleetCalls: number;
  readonly asgCalls: number;
  readonly instances: number;
  /** From a warning to the last request of one group alone. */
  readonly fixedMs: number;
};

/** The earliest that the last request can be made. */
export const idealLastMs = ({ fleetCalls, asgCalls, instances, fixedMs }: StormNeed): number => {
  const { createFleet, autoScaling, instances: launched } = publishedBuckets;
  const seconds = Math.max(secondsFor(createFleet, fleetCalls), secondsFor(autoScaling, asgCalls), secondsFor(launched, instances));
  return Math.round(fixedMs + seconds * 1_000);
};

/** Most instances that can have been requested by then, from the time of the first request on. */
export const requestableBy = (need: StormNeed, atMs: number): number => {
  const seconds = (atMs - need.fixedMs) / 1_000;
  if (seconds < 0) return 0;
  const { createFleet, autoScaling, instances } = publishedBuckets;
  const share = ({ holds, perSecond }: Bucket, calls: number): number => (calls === 0 ? 1 : Math.min(1, (holds + perSecond * seconds) / calls));
  const byCalls = need.instances * Math.min(share(createFleet, need.fleetCalls), share(autoScaling, need.asgCalls));
  return Math.floor(Math.min(need.instances, byCalls, instances.holds + instances.perSecond * seconds));
};

/** Whether the last request waits for the bucket of launched instances, and not for that of calls. */
export const isBoundByInstances = (need: StormNeed): boolean => need.instances > publishedBuckets.instances.holds;

/** Times that Holdfast cannot shorten. */
export type Notice = {
  /** From the warning to the end. */
  readonly noticeMs: number;
  /** The time that a target group takes to release a member. */
  readonly drainMs: number;
  /** From a request until its instance serves, at the longest. */
  readonly readyMs: number;
};

/**
 * The fewest members that can serve, at the best: a warned member serves until it must begin to drain, and what was requested too late for that is
 * missing.
 */
export const lowestPossible = (members: number, need: StormNeed, { noticeMs, drainMs, readyMs }: Notice): number => {
  const replaced = requestableBy(need, noticeMs - drainMs - readyMs);
  return members - need.instances + Math.min(need.instances, replaced);
};
