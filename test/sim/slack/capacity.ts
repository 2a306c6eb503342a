import { items } from '../../../core/contract.ts';
import { isOnDemand, mayBeOwed } from '../../../sandbox/judge/capacity/limits.ts';
import { placedBeside } from '../../../sandbox/judge/capacity/owed-beside.ts';
import { type Chronicle, chronicleOf } from '../../../sandbox/judge/chronicle.ts';
import type { Actor, History, HistoryEvent } from '../../../sandbox/judge/history.ts';
import { headcountAt, ownLaunches, reservationOf } from '../../../sandbox/judge/members/staying.ts';
import type { PolicyPool } from '../../../sandbox/judge/policy/policy.ts';
import { endless, goneAtMs, isFunction, type Life } from '../../../sandbox/judge/world/life.ts';
import { added, eventsOf, type Planted, replaced, some } from './editing.ts';

const each = 4;
const planted: Actor = { kind: 'function', function: 'holdfast-react', invocation: 'planted' };

/** An invocation of its own, which did what is planted. */
const invocation = (atMs: number): readonly HistoryEvent[] => [
  { kind: 'invocation-began', atMs: atMs - 500, invocation: 'planted', function: 'holdfast-react' },
  {
    kind: 'invocation-ended',
    atMs: atMs + 500,
    invocation: 'planted',
    function: 'holdfast-react',
    startedAtMs: atMs - 500,
    timeoutMs: 30_000,
    again: [],
    injected: false,
  },
];

/** Times at which a group without spares is whole: nobody leaves, nobody is missing. */
const wholeAt = (chronicle: Chronicle, group: string): readonly number[] => {
  const { readyAtMs, endedAtMs } = chronicle.history;
  const step = (endedAtMs - readyAtMs) / 40;
  return Array.from({ length: 39 }, (_, index) => Math.round(readyAtMs + (index + 1) * step)).filter((atMs) => {
    const desired = chronicle.desiredIn(group, atMs - 60_000, atMs);
    const before = headcountAt(chronicle, group, atMs - 45_000);
    const now = headcountAt(chronicle, group, atMs);
    const spares = chronicle.policiesIn(group, atMs - 60_000, atMs).some(({ spare }) => spare > 0);
    const isWhole = !spares && new Set(desired).size === 1 && now.waiting.length === 0 && now.staying.length === desired[0];
    return isWhole && before.staying.length === now.staying.length && chronicle.policyAt(group, atMs - 60_000) !== undefined;
  });
};

const forNobody = (chronicle: Chronicle): readonly Planted[] =>
  [...chronicle.groups.keys()].flatMap((group) => {
    const [like] = ownLaunches(chronicle).filter((one) => one.group === group);
    const launched = eventsOf(chronicle.history, 'launched').find(({ instance }) => instance === like?.life.instance);
    if (launched === undefined) return [];
    return some(wholeAt(chronicle, group), each).map((atMs) => ({
      kind: 'a launch for nobody',
      history: added(
        chronicle.history,
        ...invocation(atMs),
        { ...launched, instance: 'i-planted', atMs, by: planted, tags: { ...launched.tags, 'holdfast:group': `holdfast/${group}` } },
        { kind: 'ending', instance: 'i-planted', atMs: atMs + 5_000, by: { kind: 'script' } },
        { kind: 'ended', instance: 'i-planted', atMs: atMs + 6_000, state: 'terminated' },
      ),
    }));
  });

/** A launch that another repeats, although nobody is missing afterwards. */
const twice = (chronicle: Chronicle): readonly Planted[] =>
  some(
    ownLaunches(chronicle).filter(({ life, group, sinceMs }) => {
      const atMs = life.launchedAtMs;
      const { staying, waiting } = headcountAt(chronicle, group, atMs);
      return waiting.length === 0 && atMs > chronicle.history.readyAtMs && staying.length >= Math.max(...chronicle.desiredIn(group, sinceMs, atMs));
    }),
    each,
  ).flatMap(({ life }) => {
    const launched = eventsOf(chronicle.history, 'launched').find(({ instance }) => instance === life.instance);
    const twin = { instance: 'i-planted', by: { kind: 'script' } } as const;
    return launched === undefined
      ? []
      : [
          {
            kind: 'a launch made twice',
            history: added(
              chronicle.history,
              { ...launched, instance: 'i-planted' },
              { kind: 'ending', ...twin, atMs: launched.atMs + 5_000 },
              { kind: 'ended', instance: 'i-planted', atMs: launched.atMs + 6_000, state: 'terminated' },
            ),
          },
        ];
  });

const isPlain = (life: Life): boolean =>
  goneAtMs(life) === endless && life.warnings.length + life.advisedAtMs.length + life.hooks.length + life.claims.length === 0;

const unasked = (chronicle: Chronicle): readonly Planted[] =>
  [...chronicle.groups.keys()].flatMap((group) =>
    some(wholeAt(chronicle, group), each).flatMap((atMs) => {
      const life = chronicle.membersAt(group, atMs).find((one) => isPlain(one) && one.launchedAtMs < atMs - 120_000 && chronicle.servesAt(one, atMs));
      if (life === undefined) return [];
      const { instance } = life;
      const out = life.services
        .filter(({ untilMs }) => untilMs === endless)
        .map(({ targetGroup }) => ({ kind: 'out-of-service' as const, instance, targetGroup, why: 'deregistered' as const, by: planted, atMs }));
      const events: readonly HistoryEvent[] = [
        ...invocation(atMs),
        { kind: 'item-written', atMs: atMs - 100, table: 'state', group, item: `swap#${instance}`, bytes: 300, by: planted },
        ...out,
        { kind: 'ending', instance, atMs: atMs + 300_000, by: planted },
        { kind: 'ended', instance, atMs: atMs + 305_000, state: 'terminated' },
      ];
      return [{ kind: 'a removal that nobody requested', history: added(chronicle.history, ...events) }];
    }),
  );

const otherSize = (chronicle: Chronicle): readonly Planted[] =>
  some(
    eventsOf(chronicle.history, 'state-written').filter(({ by }) => isFunction(by)),
    each,
  ).map((written) => ({
    kind: 'a size that nobody requested',
    history: replaced(chronicle.history, written, { ...written, desired: written.desired + 1 }),
  }));

type Launched = Extract<HistoryEvent, { readonly kind: 'launched' }>;
type Json = Readonly<Record<string, unknown>>;
type Instead = { readonly chronicle: Chronicle; readonly life: Life; readonly fresh: Launched; readonly pool: string };

/** A launch as it would be in an on-demand pool, at its price there. Undefined where that pool does not sell its type. */
const onDemandLaunch = (chronicle: Chronicle, launched: Launched, pool: PolicyPool): Launched | undefined => {
  const [zone, subnet] = [pool.zones[0], pool.subnets[0]];
  if (zone === undefined || subnet === undefined || !pool.instanceTypes.includes(launched.instanceType)) return undefined;
  const market = 'on-demand' as const;
  const priceUsdPerHour = chronicle.cloud.priceAt({ ...launched, zone, market }, launched.atMs);
  if (priceUsdPerHour === undefined) return undefined;
  const isHeld = pool.asg !== undefined;
  const tags = { ...launched.tags, ...(isHeld ? { 'aws:autoscaling:groupName': pool.asg ?? '' } : { 'holdfast:pool': pool.name }) };
  return { ...launched, zone, subnet, market, priceUsdPerHour, tags, ...(isHeld ? { asg: pool.asg ?? '' } : {}) };
};

const tagsOnce = (history: History, life: Life, more: Readonly<Record<string, string>>): History =>
  eventsOf(history, 'tagged')
    .filter(({ instance }) => instance === life.instance)
    .reduce((changed, event) => replaced(changed, event, { ...event, tags: { ...event.tags, ...more } }), history);

const reservationTag = 'holdfast:reservation';

/** The stored decision, as if it had placed one instance of a reservation in another pool. It has no reason to do so. */
const placedInstead = (record: unknown, reservation: string, fresh: string, pool: string): unknown => {
  const decision = record as { readonly id?: string; readonly rounds?: readonly Json[] };
  if (decision.id === undefined || !reservation.startsWith(`${decision.id}-r`)) return record;
  const round = Number(/-r(\d+)-/.exec(reservation.slice(decision.id.length))?.[1]);
  const placed = { pool, count: 1 };
  const rounds = (decision.rounds ?? []).map((one, index) =>
    index === round ? { ...one, reasons: [...((one.reasons as readonly Json[]) ?? []), { ...placed, turns: [] }] } : one,
  );
  const outcome = (record as { readonly outcome?: Json }).outcome ?? {};
  const launches = [...((outcome.launches as readonly Json[]) ?? []), { reservation: fresh, ...placed, replaces: [], instances: [] }];
  return { ...decision, rounds, outcome: { ...outcome, launches } };
};

/** Its function decided so, and stored what it requested and decided. Undefined where it stored no request for it. */
const decidedSo = ({ chronicle, life, fresh, pool }: Instead): History | undefined => {
  const reservation = reservationOf(life);
  const written = eventsOf(chronicle.history, 'item-written').findLast(({ item }) => item === items.request(reservation ?? ''));
  const request = written?.request;
  if (reservation === undefined || written === undefined || request === undefined) return undefined;
  const own = `${reservation}9`;
  const tags = { 'holdfast:pool': pool, [reservationTag]: own };
  const isEarly = fresh.tags[reservationTag] !== undefined;
  const launched = eventsOf(chronicle.history, 'launched').find(({ instance }) => instance === life.instance);
  if (launched === undefined) return undefined;
  const history = replaced(
    replaced(
      tagsOnce(chronicle.history, life, tags),
      written,
      { ...written, request: { ...request, count: request.count - 1 } },
      { ...written, item: items.request(own), request: { pool, count: 1 } },
    ),
    launched,
    isEarly ? { ...fresh, tags: { ...fresh.tags, ...tags } } : fresh,
  );
  const decisions = history.stored.decisions.map((record) => placedInstead(record, reservation, own, pool));
  return { ...history, stored: { ...history.stored, decisions } };
};

/** Whether a launch and all on demand beside it are owed on demand: the policy asks for them first, so they are right. */
const isOwed = (history: History, { instance }: Life): boolean => {
  const chronicle = chronicleOf(history);
  const launches = ownLaunches(chronicle);
  const own = launches.find(({ life }) => life.instance === instance);
  const beside = own === undefined ? [] : placedBeside(chronicle, own.life);
  const last = launches.findLast((one) => isOnDemand(one.life) && (one === own || beside.includes(one.life)));
  if (last === undefined) return false;
  return chronicle.policiesIn(last.group, last.sinceMs, last.life.launchedAtMs).some((policy) => mayBeOwed(chronicle, policy, last));
};

/** Launched from a later tier, while the earlier one gave it: as its function decided, and against what it decided. */
const dearer = (chronicle: Chronicle): readonly Planted[] =>
  some(
    ownLaunches(chronicle).filter(({ life }) => life.market === 'spot'),
    each,
  ).flatMap(({ life, group, sinceMs }) => {
    const policy = chronicle.policyAt(group, sinceMs);
    const pools = Object.values(policy?.pools ?? {}).filter((pool) => pool.market === 'on-demand');
    const pool = pools.find(({ zones }) => zones.includes(life.zone)) ?? pools[0];
    const launched = eventsOf(chronicle.history, 'launched').find(({ instance }) => instance === life.instance);
    const fresh = pool && launched && onDemandLaunch(chronicle, launched, pool);
    if (pool === undefined || launched === undefined || fresh === undefined) return [];
    const decided = decidedSo({ chronicle, life, fresh, pool: pool.name });
    const undecided = replaced(tagsOnce(chronicle.history, life, { 'holdfast:pool': pool.name }), launched, fresh);
    return [
      { kind: 'an on-demand launch that spot was requested for', history: undecided },
      ...(decided === undefined || isOwed(decided, life) ? [] : [{ kind: 'an on-demand launch instead of spot', history: decided }]),
    ];
  });

const untagged = (chronicle: Chronicle): readonly Planted[] =>
  some(
    ownLaunches(chronicle).filter(({ life }) => life.tags[0]?.tags['holdfast:reservation'] !== undefined),
    each,
  ).flatMap(({ life }) => {
    const launched = eventsOf(chronicle.history, 'launched').find(({ instance }) => instance === life.instance);
    if (launched === undefined) return [];
    const { 'holdfast:reservation': _, ...tags } = launched.tags;
    return [{ kind: 'a tag missing', history: replaced(chronicle.history, launched, { ...launched, tags }) }];
  });

const elsewhere = (chronicle: Chronicle): readonly Planted[] =>
  some(ownLaunches(chronicle), each).flatMap(({ life }) => {
    const launched = eventsOf(chronicle.history, 'launched').find(({ instance }) => instance === life.instance);
    return launched === undefined
      ? []
      : [{ kind: 'a launch in a subnet of no pool', history: replaced(chronicle.history, launched, { ...launched, subnet: 'subnet-planted' }) }];
  });

const strangerEnded = (chronicle: Chronicle): readonly Planted[] => {
  const ours = new Set([...chronicle.groups.keys()].flatMap((group) => chronicle.livesIn(group)));
  const atMs = chronicle.history.calmAtMs;
  return chronicle.lives
    .filter((life) => !ours.has(life) && goneAtMs(life) === endless)
    .slice(0, 1)
    .map(({ instance }) => ({
      kind: 'a stranger ended',
      history: added(
        chronicle.history,
        { kind: 'ending', instance, atMs, by: planted },
        { kind: 'ended', instance, atMs: atMs + 5_000, state: 'terminated' },
      ),
    }));
};

/** False steps with instances: launches, removals, sizes. */
export const plantCapacity = (history: History): readonly Planted[] => {
  const chronicle = chronicleOf(history);
  return [forNobody, twice, unasked, otherSize, dearer, untagged, elsewhere, strangerEnded].flatMap((plant) => plant(chronicle));
};
