import { priceBeliefMs, surelyHeld } from '../../../sandbox/judge/capacity/giving.ts';
import { type Chronicle, chronicleOf } from '../../../sandbox/judge/chronicle.ts';
import type { History, HistoryEvent } from '../../../sandbox/judge/history.ts';
import { headcountAt, ownLaunches } from '../../../sandbox/judge/members/staying.ts';
import { poolOf } from '../../../sandbox/judge/policy/pools.ts';
import { heardAtMs } from '../../../sandbox/judge/told/leaving.ts';
import { endless, isFunction, type Life } from '../../../sandbox/judge/world/life.ts';
import { added, type EventOf, eventsOf, type Planted, some, withEvents } from './editing.ts';

const each = 4;
type Json = Readonly<Record<string, unknown>>;
type Launch = ReturnType<typeof ownLaunches>[number];

/** The same history, with a field of one pool in every policy of a group. */
const withPool = (history: History, group: string, pool: string, change: Json): History => ({
  ...history,
  events: history.events.map((event): HistoryEvent => {
    if (event.kind !== 'policy-in-force' || event.group !== group || event.document === undefined) return event;
    const pools = (event.document.pools ?? {}) as Readonly<Record<string, Json>>;
    if (pools[pool] === undefined) return event;
    return { ...event, document: { ...event.document, pools: { ...pools, [pool]: { ...pools[pool], ...change } } } };
  }),
});

/** Launches that came from one pool by every policy that their function may have followed. */
const placed = (chronicle: Chronicle): readonly (Launch & { readonly pool: string })[] =>
  ownLaunches(chronicle).flatMap((launch) => {
    const { life, group, sinceMs } = launch;
    const names = new Set(chronicle.policiesIn(group, sinceMs, life.launchedAtMs).map((policy) => poolOf(life, policy, life.launchedAtMs)));
    const [pool] = names;
    return names.size === 1 && pool !== undefined ? [{ ...launch, pool }] : [];
  });

const dearLaunch = (chronicle: Chronicle): readonly Planted[] =>
  some(
    placed(chronicle).filter(({ life }) => life.market === 'spot'),
    each,
  ).map(({ life, group, sinceMs, pool }) => {
    const known = chronicle.cloud.pricesIn(life, sinceMs - priceBeliefMs, life.launchedAtMs);
    const limit = 0.99 * Math.min(life.priceUsdPerHour, ...known);
    return { kind: 'a launch above a price limit', history: withPool(chronicle.history, group, pool, { maxPriceUsdPerHour: limit }) };
  });

const beyondCap = (chronicle: Chronicle): readonly Planted[] =>
  some(placed(chronicle), each).map(({ life, group, sinceMs, pool }) => {
    const moment = { group, sinceMs, atMs: life.launchedAtMs };
    const policy = chronicle.policyAt(group, sinceMs);
    const held = surelyHeld(chronicle, moment, life.order).filter((one) => policy && poolOf(one, policy, moment.atMs) === pool).length;
    return { kind: 'a launch above a cap', history: withPool(chronicle.history, group, pool, { cap: held - 1 }) };
  });

/** A group that is let go so soon after a warning owes no request for it. */
const letGoWithinMs = 10_000;
const isLetGo = ({ groups }: Chronicle, group: string, fromMs: number): boolean =>
  groups.get(group)?.policies.some(({ policy, atMs }) => policy === undefined && atMs > fromMs && atMs <= fromMs + letGoWithinMs) === true;

/** Launches by the very function that heard first of a warning, while the group was short without them. */
const answersTo = (chronicle: Chronicle, life: Life): readonly Life[] => {
  const heardMs = heardAtMs(chronicle, life, 'warning');
  const heard = new Set(life.deliveries.filter(({ atMs }) => atMs === heardMs).map(({ invocation }) => invocation));
  if (heardMs === endless || heardMs < chronicle.history.readyAtMs || life.advisedAtMs.length > 0) return [];
  return ownLaunches(chronicle).flatMap((launch) => {
    const { by, launchedAtMs } = launch.life;
    if (!isFunction(by) || !heard.has(by.invocation) || isLetGo(chronicle, launch.group, heardMs)) return [];
    const { staying, waiting } = headcountAt(chronicle, launch.group, launchedAtMs - 1);
    return staying.length + waiting.length < Math.min(...chronicle.desiredIn(launch.group, heardMs, launchedAtMs)) ? [launch.life] : [];
  });
};

const lateMs = 60_000;

type Joined = EventOf<'joined'>;

/**
 * An Auto Scaling group whose members join later. Its desired capacity grows when they join: if it had grown before, the group would launch members by
 * itself.
 */
const joinedLater = (history: History, chronicle: Chronicle, late: readonly Joined[]): History => {
  const away = (asg: string, atMs: number): number => late.filter((one) => one.asg === asg && one.atMs <= atMs && atMs < one.atMs + lateMs).length;
  const events = history.events.map((event) =>
    event.kind === 'asg-changed' ? { ...event, desired: event.desired - away(event.asg, event.atMs) } : event,
  );
  const raises = late.flatMap(({ asg, by, atMs }): readonly HistoryEvent[] => {
    const joinsMs = atMs + lateMs;
    const before = chronicle.cloud.asgAt(asg, joinsMs);
    return before === undefined ? [] : [{ ...before, by, atMs: joinsMs, desired: before.desired - away(asg, joinsMs) }];
  });
  return withEvents(history, [...events, ...raises]);
};

const lateRequest = (chronicle: Chronicle): readonly Planted[] =>
  some(
    chronicle.lives.filter((life) => answersTo(chronicle, life).length > 0),
    each,
  ).map((life) => {
    const late = new Set(answersTo(chronicle, life).map(({ instance }) => instance));
    const joined = eventsOf(chronicle.history, 'joined').filter(({ instance, by }) => late.has(instance) && isFunction(by));
    const events = chronicle.history.events.map((event) =>
      'instance' in event && event.instance !== undefined && late.has(event.instance) ? { ...event, atMs: event.atMs + lateMs } : event,
    );
    return { kind: 'a late request', history: joinedLater({ ...chronicle.history, events }, chronicle, joined) };
  });

const invented = ({ history }: Chronicle, type: string, detail: (like: EventOf<'announced'>) => Json): readonly Planted[] =>
  some(
    eventsOf(history, 'announced').filter(({ detailType }) => detailType === type),
    2,
  ).map((like) => ({
    kind: `an event that did not happen (${type})`,
    history: added(history, { ...like, detail: { ...like.detail, ...detail(like) } }),
  }));

/** Words on the bus about what never was. */
const inventedEvents = (chronicle: Chronicle): readonly Planted[] => {
  const stays = chronicle.lives.find((life) => life.claims.length === 0)?.instance;
  const version = (like: EventOf<'announced'>): Json => ({ version: Number(like.detail.version) + 1_000 });
  return [
    ...(stays === undefined ? [] : invented(chronicle, 'Holdfast Swap Started', () => ({ instances: [stays] }))),
    ...invented(chronicle, 'Holdfast Drain Finished', () => ({ drain: 'web-planted' })),
    ...invented(chronicle, 'Holdfast Policy Accepted', version),
  ];
};

/** A fallback and a shortage, told while a group is whole and nothing was refused. */
const inventedShortage = (chronicle: Chronicle): readonly Planted[] => {
  const { history } = chronicle;
  const atMs = history.endedAtMs - 1_000;
  const isRefused = chronicle.of('refused').some((refused) => refused.atMs > atMs - 120_000);
  return [...chronicle.groups.keys()].flatMap((group) => {
    const { staying, waiting } = headcountAt(chronicle, group, atMs);
    const isWhole = staying.length >= Math.max(0, ...chronicle.desiredIn(group, atMs - 120_000, atMs)) && waiting.length === 0;
    if (isRefused || !isWhole || chronicle.policyAt(group, atMs) === undefined) return [];
    return ['Holdfast Fallback', 'Holdfast Capacity Exhausted'].map((detailType) => ({
      kind: `an event that did not happen (${detailType})`,
      history: added(history, { kind: 'announced', atMs, detailType, detail: { group, unplaced: 1 } }),
    }));
  });
};

/** False steps with limits, with times, and with words on the bus. */
export const plantLimits = (history: History): readonly Planted[] => {
  const chronicle = chronicleOf(history);
  return [dearLaunch, beyondCap, lateRequest, inventedEvents, inventedShortage].flatMap((plant) => plant(chronicle));
};
