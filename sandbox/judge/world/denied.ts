import type { Chronicle } from '../chronicle.ts';
import type { History, HistoryEvent } from '../history.ts';
import { rememberedBy } from '../remembered.ts';
import { times } from '../times.ts';
import { wasGone } from './gone.ts';
import { endless, isFunction } from './life.ts';

/** A time in which no launch is allowed, because of a missing right, a policy of the organisation, or a deleted template. */
export type Denial = { readonly fromMs: number; readonly untilMs: number };

const launches = ['CreateFleet', 'LaunchInstances'];
/** Codes of wrong requests (EC2 API Reference, error codes). */
const denialCodes = /^(UnauthorizedOperation|AccessDenied|InvalidLaunchTemplate|InvalidParameterValue)/;

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

const requestsOf = rememberedBy((chronicle: Chronicle, group: string): readonly Request[] =>
  chronicle.of('called').flatMap((call) => {
    const pools = askedFor(chronicle, group, call);
    return pools === undefined ? [] : [{ ...call, pools }];
  }),
);

const isDenied = ({ outcome }: Request): boolean => denialCodes.test(outcome);

/** Its Auto Scaling group did not exist. Auto Scaling has one code for most of its errors. */
const isToNobody = (chronicle: Chronicle, { outcome, launch, askedAtMs, atMs }: Request): boolean =>
  outcome === 'ValidationError' && wasGone(chronicle, launch?.asg, askedAtMs, atMs);

/** When the facts in the state item of a group were last lost before a moment. */
const forgotAtMs = ({ groups }: Chronicle, group: string, atMs: number): number => {
  const { written = [], lostAtMs = [] } = groups.get(group) ?? {};
  const byOthers = written.filter(({ by }) => !isFunction(by)).map((one) => one.atMs);
  return Math.max(Number.NEGATIVE_INFINITY, ...[...byOthers, ...lostAtMs].filter((lostMs) => lostMs <= atMs));
};

/** Since when a group knows of a denial that lasts at a moment: since a denied request of its own that its state item still knows. */
export const deniedSince = (chronicle: Chronicle, group: string, { fromMs }: Denial, atMs: number): number => {
  const sinceMs = Math.max(fromMs, forgotAtMs(chronicle, group, atMs));
  return requestsOf(chronicle, group).find((one) => isDenied(one) && one.askedAtMs >= sinceMs && one.atMs < atMs)?.atMs ?? endless;
};

/** The denial at a moment, if Holdfast has known of it for this long, by a denied request of this group. */
export const knownDenial = (chronicle: Chronicle, group: string, atMs: number, forMs: number): Denial | undefined =>
  allDenials(chronicle).find(
    (denial) => denial.fromMs <= atMs && atMs < denial.untilMs && deniedSince(chronicle, group, denial, atMs) <= atMs - forMs,
  );

/** Denied pools are requested in turn, one a minute, each within five turns. The look that sends the request needs time too. */
const restsForMs = 5 * times.tickMs + times.reactMs;

/**
 * Denied requests of a group, and those to an Auto Scaling group that was gone, each with the time of the response from which on launches of its pool work
 * again. The response is to a request of this pool, or of another one that was denied for the same reason.
 */
const denialsTo = rememberedBy((chronicle: Chronicle, group: string) => {
  const asked = requestsOf(chronicle, group);
  const denied = asked.filter((request) => isDenied(request) || isToNobody(chronicle, request));
  const isMended = ({ outcome }: Request, works: Request): boolean =>
    denied.some((one) => one.outcome === outcome && one.atMs < works.atMs && one.pools.some((pool) => works.pools.includes(pool)));
  return denied.map((request) => {
    const mended = asked.find((works) => works.outcome === 'ok' && works.atMs > request.atMs && isMended(request, works));
    return { ...request, mendedAtMs: mended?.atMs ?? endless };
  });
});

/** Whether a launch of a group (or of one pool) was denied since a moment, and no launch has shown since that it works again. */
const wasDeniedSince = (chronicle: Chronicle, group: string, [sinceMs, atMs]: readonly [number, number], pool?: string): boolean =>
  denialsTo(chronicle, group).some(
    (denial) =>
      denial.atMs > sinceMs &&
      denial.atMs <= atMs &&
      denial.mendedAtMs >= atMs - times.reactMs &&
      (pool === undefined || denial.pools.includes(pool)),
  );

/** The same, where its pool may rest because of that. */
export const wasDeniedLately = (chronicle: Chronicle, group: string, atMs: number, pool?: string): boolean =>
  wasDeniedSince(chronicle, group, [atMs - restsForMs - 2 * chronicle.times.clockMs, atMs], pool);

/** Whether the latest launches of a group were denied, however long ago: nothing has shown since that launches work again. */
export const isDeniedStill = (chronicle: Chronicle, group: string, atMs: number): boolean =>
  wasDeniedSince(chronicle, group, [Number.NEGATIVE_INFINITY, atMs]);
