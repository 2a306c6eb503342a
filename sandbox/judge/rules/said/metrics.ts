import { announcements, metrics, problemMetrics } from '../../../../core/contract.ts';
import type { Chronicle, Invocation } from '../../chronicle.ts';
import type { Finding, Rule } from '../../finding.ts';
import type { HistoryEvent } from '../../history.ts';
import { mapsOf, numberOf, textsOf } from '../../read-json.ts';
import { remembered } from '../../remembered.ts';
import { times } from '../../times.ts';
import { nameOf } from '../../world/cloud.ts';
import { isFunction } from '../../world/life.ts';

type Broken = Omit<Finding, 'rule'>;
type Of<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { readonly kind: Kind }>;

/** What one invocation did, by the record of the world. */
type Deeds = {
  readonly calls: readonly Of<'called'>[];
  readonly told: readonly Of<'announced'>[];
  readonly refused: readonly Of<'refused'>[];
  readonly launched: number;
  /** Members that it may not end, because their users protect them: an answered call tells that. */
  readonly kept: number;
};

const nothing: Deeds = { calls: [], told: [], refused: [], launched: 0, kept: 0 };

const deedsOf = remembered((chronicle: Chronicle): ReadonlyMap<string, Deeds> => {
  const calls = Map.groupBy(chronicle.of('called'), ({ invocation }) => invocation);
  const told = Map.groupBy(chronicle.of('announced'), ({ invocation = '' }) => invocation);
  const refused = Map.groupBy(chronicle.of('refused'), ({ invocation }) => invocation);
  const launched = Map.groupBy(chronicle.lives, ({ by }) => (isFunction(by) ? by.invocation : ''));
  const kept = Map.groupBy(chronicle.of('end-refused'), ({ by }) => (isFunction(by) ? by.invocation : ''));
  return new Map(
    [...calls].map(([id, made]) => {
      const own = { told: told.get(id) ?? [], refused: refused.get(id) ?? [] };
      return [id, { calls: made, ...own, launched: launched.get(id)?.length ?? 0, kept: kept.get(id)?.length ?? 0 }];
    }),
  );
});

/** When each request was first made: a repeat of it returns the same instances. */
const firstCalls = remembered((chronicle: Chronicle): ReadonlyMap<string, string> => {
  const first = new Map<string, string>();
  for (const { launch, invocation } of chronicle.of('called'))
    if (launch?.token !== undefined && !first.has(launch.token)) first.set(launch.token, invocation);
  return first;
});

/** How much an invocation must have counted. Undefined: the record does not show it. */
type Bounds = { readonly least: number; readonly most: number };
const exactly = (count: number): Bounds => ({ least: count, most: count });

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
const toldAs = ({ told }: Deeds, ...types: readonly string[]) => told.filter(({ detailType }) => types.includes(detailType));

const launchedBy = (chronicle: Chronicle, { calls, launched }: Deeds): Bounds | undefined => {
  const asked = calls.filter(({ launch, operation }) => launch !== undefined || operation === 'CreateFleet');
  const isPlain = asked.every(
    ({ launch, outcome, invocation }) => outcome === 'ok' && (launch?.token === undefined || firstCalls(chronicle).get(launch.token) === invocation),
  );
  return isPlain ? exactly(launched) : undefined;
};

/** One response may refuse an offering for several of its subnets. It is the offering that counts, once for each response. */
const refusedIn = ({ refused }: Deeds): Bounds =>
  exactly(new Set(refused.flatMap((one) => (one.isBesideWhole ? [] : `${one.atMs} ${one.token} ${nameOf(one)}`))).size);

const claimedIn = (deeds: Deeds): Bounds =>
  exactly(
    sumOf(
      toldAs(deeds, announcements.swapStarted)
        .filter(({ detail }) => detail.reason === 'interruption')
        .map(({ detail }) => (Array.isArray(detail.instances) ? detail.instances.length : 0)),
    ),
  );

/** Parts of one event name the counts of the whole. */
const fallenIn = (deeds: Deeds): Bounds =>
  exactly(
    sumOf(
      toldAs(deeds, announcements.drainFinished)
        .filter(({ detail: { part = 1 } }) => part === 1)
        .map(({ detail }) => numberOf(mapsOf([detail.counts])[0]?.shortfalls)),
    ),
  );

/** A drain that goes to members which an earlier one left behind is no new one. */
const startedIn = ({ calls }: Deeds): Bounds => {
  const most = new Set(calls.flatMap(({ starts }) => starts ?? [])).size;
  return { least: 0, most };
};

/** A run that died may have left the event of its version to a later one, which counts its own alone. */
const isAnyCut = remembered((chronicle: Chronicle): boolean =>
  chronicle.of('invocation-ended').some((end) => end.function.endsWith('accept-policy') && (end.injected || end.error !== undefined)),
);

const sumTold = (deeds: Deeds, field: string, ...types: readonly string[]): Bounds =>
  exactly(sumOf(toldAs(deeds, ...types).map(({ detail }) => numberOf(detail[field]))));

/** What each metric counts, as the record shows it. */
const expected: Readonly<Record<string, (chronicle: Chronicle, deeds: Deeds) => Bounds | undefined>> = {
  [metrics.launched]: launchedBy,
  [metrics.refused]: (_, deeds) => refusedIn(deeds),
  [metrics.interruptions]: (_, deeds) => claimedIn(deeds),
  [metrics.unplaced]: (_, deeds) => sumTold(deeds, 'unplaced', announcements.exhausted),
  [metrics.drainsStarted]: (_, deeds) => startedIn(deeds),
  [metrics.drainsLate]: (_, deeds) => fallenIn(deeds),
  [metrics.bootsFailed]: (_, deeds) => sumTold(deeds, 'count', announcements.bootsFailed, announcements.givenUp),
  [metrics.breakersOpened]: (_, deeds) => exactly(toldAs(deeds, announcements.breakerOpened).length),
  [metrics.policiesAccepted]: (chronicle, deeds) => (isAnyCut(chronicle) ? undefined : exactly(toldAs(deeds, announcements.policyAccepted).length)),
  [metrics.policiesRejected]: (_, deeds) => exactly(toldAs(deeds, announcements.policyRejected).length),
};

/** One announcement of AWS Health is a signal for each instance. */
const signalsOf = ({ told }: Of<'delivered'>): number => (told.about === 'maintenance' ? told.instances.length : 1);

/** Whether a message may be unreadable: the judge finds in it nothing that Holdfast acts on. */
const mayBeUnreadable = ({ told }: Of<'delivered'>): boolean => told.about === 'other' || ('instance' in told && told.instance === 'undefined');

/** Trouble is counted only where a call was not answered well. An answer may refuse a launch, and say that nobody may end a member. */
const troubles: readonly string[] = [metrics.actionsFailed, metrics.readsMissed, metrics.throttled, metrics.groupsFailed];
const isTroubled = ({ calls, refused, kept }: Deeds): boolean =>
  refused.length + kept > 0 ||
  calls.some(({ outcome, operation }) => outcome !== 'ok' || operation === 'CreateFleet' || operation === 'LaunchInstances');

/** Signals that were read, and messages that could not be read. Wakes count as signals, and a scheduled tick does not. */
const readIn = (chronicle: Chronicle, { counted, invocation }: Ended): readonly string[] => {
  const { [metrics.signals]: signals = 0, [metrics.poisonMessages]: poison = 0 } = counted;
  const { deliveries = [] } = chronicle.invocations.get(invocation) ?? {};
  const [doubtful, clear] = [deliveries.filter(mayBeUnreadable), deliveries.filter((one) => !mayBeUnreadable(one))];
  const least = sumOf(clear.filter(({ told }) => told.about !== 'tick').map(signalsOf));
  const most = sumOf(deliveries.map(signalsOf));
  return [
    ...(signals >= least && signals <= most ? [] : [`${metrics.signals} counts ${signals}, expected ${textOf({ least, most })}`]),
    ...(poison <= doubtful.length ? [] : [`${metrics.poisonMessages} counts ${poison}, expected ${doubtful.length} at most`]),
  ];
};

/** The time of an invocation may begin this much later than Lambda calls it, and a clock may be wrong. */
const startSlackMs = times.clockAheadMs;

/** How many signals came long before their invocation. Ticks and wakes wait in the queue by intent, and are none. */
const lateIn = (chronicle: Chronicle, { invocation }: Ended): Bounds => {
  const { deliveries = [], beganAtMs = 0 } = chronicle.invocations.get(invocation) ?? {};
  const slackMs = startSlackMs + 2 * chronicle.times.clockMs;
  const waited = (atLeastMs: number) =>
    deliveries.filter(({ told, sentAtMs = beganAtMs }) => told.about !== 'tick' && beganAtMs - sentAtMs > atLeastMs);
  const sure = waited(times.signalsLateMs + slackMs).filter((one) => !mayBeUnreadable(one));
  return { least: sumOf(sure.map(signalsOf)), most: sumOf(waited(times.signalsLateMs - slackMs).map(signalsOf)) };
};

/** When EC2 last warned about a member before a function began, by the record and by what it received: a message that repeats a warning may name a later time. */
const lastWarnedMs = (chronicle: Chronicle, instance: string, by: string, beganAtMs: number): number => {
  const { warnings = [], deliveries = [] } = chronicle.life(instance) ?? {};
  const told = deliveries.filter(({ invocation, told: { about } }) => invocation === by && about === 'warning');
  return Math.max(...told.map(({ happenedAtMs }) => happenedAtMs), ...warnings.flatMap(({ atMs }) => (atMs <= beganAtMs ? [atMs] : [])));
};

/**
 * How long the oldest warning had waited when its function began, of the spot members that it claimed for one group. Undefined: the record does not
 * show it. A function that several groups share counts the waits of all.
 */
const leastWaitMs = (chronicle: Chronicle, { invocation }: Ended): number | undefined => {
  const claimed = toldAs(deedsOf(chronicle).get(invocation) ?? nothing, announcements.swapStarted).filter(
    ({ detail }) => detail.reason === 'interruption',
  );
  if (new Set(claimed.map(({ detail }) => detail.group)).size !== 1) return undefined;
  const { beganAtMs = 0 } = chronicle.invocations.get(invocation) ?? {};
  const warned = claimed.flatMap(({ detail }) =>
    textsOf(detail.instances).map((instance) => lastWarnedMs(chronicle, instance, invocation, beganAtMs)),
  );
  return beganAtMs - Math.min(...warned.filter(Number.isFinite)) - startSlackMs - 2 * chronicle.times.clockMs;
};

/** The time from the oldest warning to the request of its replacement is no shorter than it must be. */
const waitIn = (chronicle: Chronicle, ended: Ended): readonly string[] => {
  const { [metrics.replacementRequestedMs]: waitedMs } = ended.counted;
  const leastMs = waitedMs === undefined ? undefined : leastWaitMs(chronicle, ended);
  return waitedMs === undefined || leastMs === undefined || waitedMs >= leastMs
    ? []
    : [`${metrics.replacementRequestedMs} says ${Math.round(waitedMs)}, expected ${Math.round(leastMs)} at least`];
};

/** What `react` says of the messages that reached it. */
const receivedIn = (chronicle: Chronicle, ended: Ended): readonly string[] => {
  const [count, bounds] = [ended.counted[metrics.signalsLate] ?? 0, lateIn(chronicle, ended)];
  const isTrue = count >= bounds.least && count <= bounds.most;
  return [
    ...readIn(chronicle, ended),
    ...waitIn(chronicle, ended),
    ...(isTrue ? [] : [`${metrics.signalsLate} counts ${count}, expected ${textOf(bounds)}`]),
  ];
};

type Ended = Of<'invocation-ended'> & { readonly counted: Readonly<Record<string, number>> };

const textOf = ({ least, most }: Bounds): string => (least === most ? `${most}` : `${least} to ${most}`);

const wrongIn = (chronicle: Chronicle, ended: Ended): readonly string[] => {
  const { counted, invocation } = ended;
  const deeds = deedsOf(chronicle).get(invocation) ?? nothing;
  const amiss = Object.entries(expected).flatMap(([metric, boundsOf]): readonly string[] => {
    const [count, bounds] = [counted[metric] ?? 0, boundsOf(chronicle, deeds)];
    const isTrue = bounds === undefined || (count >= bounds.least && count <= bounds.most);
    return isTrue ? [] : [`${metric} counts ${count}, expected ${textOf(bounds)}`];
  });
  const invented = troubles.flatMap((metric) =>
    (counted[metric] ?? 0) > 0 && !isTroubled(deeds) ? [`${metric} counts ${counted[metric]}, and every call was answered`] : [],
  );
  const sum = sumOf([...problemMetrics].map((metric) => counted[metric] ?? 0));
  const problems = counted[metrics.problems] ?? 0;
  return [
    ...amiss,
    ...invented,
    ...(ended.function.endsWith('react') ? receivedIn(chronicle, ended) : []),
    ...(problems === sum ? [] : [`${metrics.problems} counts ${problems}, expected ${sum}`]),
  ];
};

const isWhole = (ended: Invocation['ended']): ended is Ended =>
  ended !== undefined && ended.counted !== undefined && !ended.injected && ended.error === undefined;

export const metricsAreTrue: Rule = {
  name: 'metrics count what happened',
  meaning:
    'What a function that no fault met adds to its metrics is what happened in its invocation: the instances that it launched, the offerings that EC2 refused, the swaps of members that EC2 takes, the missing members, the members with a shortfall of its drain, the failed boots, the breakers, and the policies of its events. It counts no more drains than it requested, and as many signals as it received. As late it counts those that the queue had held for more than a minute when it began. The time until a replacement was requested begins with the oldest warning, and where its message comes again with a later time, with that time. It counts trouble only where a call was not answered well, or where the user of a member protects it from its end, and no more unreadable messages than it received. Problems are the sum of their kinds. A launch that is repeated does not count. An offering that one response refuses for several subnets counts once.',
  broken: (chronicle) =>
    chronicle
      .of('invocation-ended')
      .filter(isWhole)
      .flatMap((ended): readonly Broken[] =>
        wrongIn(chronicle, ended).map((detail) => ({ invocation: ended.invocation, atMs: ended.atMs, detail: `${ended.function}: ${detail}` })),
      ),
};
