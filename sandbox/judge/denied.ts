import type { Chronicle } from './chronicle.ts';
import type { History, HistoryEvent } from './history.ts';
import { endless, isFunction } from './life.ts';
import { times } from './times.ts';

/** A time in which nobody's launches are allowed: a right that is missing, a policy of the organisation, a template that is gone. */
export type Denial = { readonly fromMs: number; readonly untilMs: number };

const launches = ['CreateFleet', 'LaunchInstances'];
/** Codes of requests that are wrong in themselves (EC2 API Reference, error codes). */
const denialCodes = /^(UnauthorizedOperation|AccessDenied|InvalidLaunchTemplate)/;

const denialsOf = ({ faults }: History): readonly Denial[] =>
  faults.flatMap(({ fault, fromMs, untilMs }) => {
    if (fault.on !== 'call' || fault.kind !== 'error' || !denialCodes.test(fault.code)) return [];
    const { operation = launches } = fault.match ?? {};
    const isAlways = fault.probability === undefined && fault.nth === undefined && fault.times === undefined;
    return isAlways && launches.every((name) => [operation].flat().includes(name)) ? [{ fromMs, untilMs }] : [];
  });

export const allDenials = (chronicle: Chronicle): readonly Denial[] => denialsOf(chronicle.history);

type Called = Extract<HistoryEvent, { readonly kind: 'called' }>;
/** A request to launch for a group, with the names of the pools that it may have been for. */
type Request = Called & { readonly pools: readonly string[] };

/** A fleet names its group and its pool by tag. An Auto Scaling group is held by the group, or the pool, whose policy names it. */
const askedFor = (chronicle: Chronicle, group: string, { launch }: Called): readonly string[] | undefined => {
  if (launch === undefined) return undefined;
  if (launch.asg === undefined) return launch.group === group ? [launch.pool].filter((pool) => pool !== undefined) : undefined;
  const policies = chronicle.policiesIn(group, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
  const pools = policies.flatMap((policy) => Object.values(policy.pools)).filter(({ asg }) => asg === launch.asg);
  return pools.length === 0 ? undefined : pools.map(({ name }) => name);
};

const found = new WeakMap<Chronicle, Map<string, readonly Request[]>>();

const requestsOf = (chronicle: Chronicle, group: string): readonly Request[] => {
  const known = found.get(chronicle) ?? new Map<string, readonly Request[]>();
  found.set(chronicle, known);
  const requests =
    known.get(group) ??
    chronicle.of('called').flatMap((call) => {
      const pools = askedFor(chronicle, group, call);
      return pools === undefined ? [] : [{ ...call, pools }];
    });
  known.set(group, requests);
  return requests;
};

const isDenied = ({ outcome }: Request): boolean => denialCodes.test(outcome);

/** When somebody last took from a group, before a moment, what its state item knew. */
const forgotAtMs = ({ groups }: Chronicle, group: string, atMs: number): number => {
  const { written = [], lostAtMs = [] } = groups.get(group) ?? {};
  const byOthers = written.filter(({ by }) => !isFunction(by)).map((one) => one.atMs);
  return Math.max(Number.NEGATIVE_INFINITY, ...[...byOthers, ...lostAtMs].filter((lostMs) => lostMs <= atMs));
};

/** Since when a group knows of a denial that lasts at a moment: it was told so by a request that it made, and that its state item knows. */
export const deniedSince = (chronicle: Chronicle, group: string, { fromMs }: Denial, atMs: number): number => {
  const sinceMs = Math.max(fromMs, forgotAtMs(chronicle, group, atMs));
  return requestsOf(chronicle, group).find((one) => isDenied(one) && one.askedAtMs >= sinceMs && one.atMs < atMs)?.atMs ?? endless;
};

/** The denial that a moment falls into, where Holdfast has known of it for so long, for this group: a request of its own was denied. */
export const knownDenial = (chronicle: Chronicle, group: string, atMs: number, forMs: number): Denial | undefined =>
  allDenials(chronicle).find(
    (denial) => denial.fromMs <= atMs && atMs < denial.untilMs && deniedSince(chronicle, group, denial, atMs) <= atMs - forMs,
  );

/** Pools that were denied take turns of a minute, each within five of them, and the look that asks takes its time. */
const restsForMs = 5 * times.tickMs + times.reactMs;

/** Whether a launch of a group (of one pool, where it is named) was denied so lately that its pool may rest, and no launch was answered since. */
export const wasDeniedLately = (chronicle: Chronicle, group: string, atMs: number, pool?: string): boolean => {
  const sinceMs = atMs - restsForMs - 2 * chronicle.times.clockMs;
  const asked = requestsOf(chronicle, group).filter((request) => request.atMs <= atMs && request.atMs > sinceMs);
  const last = asked.findLast(({ outcome, atMs: answeredMs }) => outcome === 'ok' && answeredMs < atMs - times.reactMs)?.atMs ?? sinceMs;
  return asked.some((request) => request.atMs > last && isDenied(request) && (pool === undefined || request.pools.includes(pool)));
};
