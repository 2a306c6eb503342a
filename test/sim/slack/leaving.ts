import type { Shortfall } from '../../../core/swap/shortfall.ts';
import { type Chronicle, chronicleOf } from '../../../sandbox/judge/chronicle.ts';
import type { History, HistoryEvent } from '../../../sandbox/judge/history.ts';
import { delayOf } from '../../../sandbox/judge/told/leaving.ts';
import { endless, goneAtMs, isFunction, type Life } from '../../../sandbox/judge/world/life.ts';
import { added, type EventOf, eventsOf, type Planted, replaced, some, withEvents, without } from './editing.ts';

const each = 4;

const outsOf = ({ history }: Chronicle, { instance }: Life): readonly EventOf<'out-of-service'>[] =>
  eventsOf(history, 'out-of-service').filter((event) => event.instance === instance && event.why === 'deregistered' && isFunction(event.by));

/** Members that EC2 took after two minutes, and that served until they were taken out of service. One that never came into service had no work. */
const takenInTime = (chronicle: Chronicle): readonly Life[] =>
  chronicle.lives.filter((life) => {
    const [warning] = life.warnings;
    if (warning === undefined || warning.silent || warning.takenAtMs - warning.atMs < 115_000 || goneAtMs(life) === endless) return false;
    const served = life.services.some(({ fromMs, untilMs, by }) => isFunction(by) && untilMs > Math.max(warning.atMs, fromMs));
    return life.ending?.by.kind === 'ec2' && served && outsOf(chronicle, life).length > 0;
  });

const neverTakenOut = (chronicle: Chronicle): readonly Planted[] =>
  some(takenInTime(chronicle), each).map((life) => ({
    kind: 'a deregistration that did not happen',
    history: without(chronicle.history, outsOf(chronicle, life)),
  }));

const lateDrain = (chronicle: Chronicle): readonly Planted[] =>
  some(
    takenInTime(chronicle).filter(
      ({ services }) =>
        delayOf(
          chronicle,
          services.map(({ targetGroup }) => targetGroup),
        ) >= 20_000,
    ),
    each,
  ).map((life) => ({
    kind: 'a drain that began late',
    history: outsOf(chronicle, life).reduce(
      (history, out) => replaced(history, out, { ...out, atMs: Math.max(out.atMs, goneAtMs(life) - 9_000) }),
      chronicle.history,
    ),
  }));

const hastyEnd = (chronicle: Chronicle): readonly Planted[] =>
  some(
    chronicle.lives.filter((life) => {
      const isOurs = isFunction(life.ending?.by) && life.stays.length === 0;
      return (
        isOurs &&
        outsOf(chronicle, life).length > 0 &&
        delayOf(
          chronicle,
          life.services.map(({ targetGroup }) => targetGroup),
        ) >= 15_000
      );
    }),
    each,
  ).flatMap((life) => {
    const [out] = outsOf(chronicle, life);
    const ending = eventsOf(chronicle.history, 'ending').find(({ instance }) => instance === life.instance);
    return out === undefined || ending === undefined
      ? []
      : [{ kind: 'a drain that was cut short', history: replaced(chronicle.history, ending, { ...ending, atMs: out.atMs + 1_000 }) }];
  });

const abandoned = (chronicle: Chronicle): readonly Planted[] =>
  some(
    eventsOf(chronicle.history, 'hook-over').filter(({ how, by }) => how === 'completed' && isFunction(by)),
    each,
  ).map((over) => ({ kind: 'a hook answered ABANDON', history: replaced(chronicle.history, over, { ...over, result: 'ABANDON' }) }));

type StoredSwap = Readonly<Record<string, unknown>>;
const withSwap = (history: History, old: unknown, fresh: StoredSwap): History => ({
  ...history,
  stored: { ...history.stored, swaps: history.stored.swaps.map((swap) => (swap === old ? fresh : swap)) },
});

const closed = ({ history }: Chronicle): readonly StoredSwap[] =>
  history.stored.swaps.filter((swap): swap is StoredSwap => typeof swap === 'object' && swap !== null && (swap as StoredSwap).state === 'gone');

const falseReason = (chronicle: Chronicle): readonly Planted[] =>
  some(closed(chronicle), each).flatMap((swap) => {
    const life = chronicle.life(String(swap.instance));
    if (life === undefined) return [];
    const wrong = [
      ...(life.warnings.some(({ silent }) => !silent) ? [] : ['interruption']),
      ...(life.advisedAtMs.length > 0 ? [] : ['rebalance']),
      ...(life.hooks.length > 0 || life.stays.some(({ how }) => how === 'terminating') ? [] : ['hook']),
    ];
    return wrong.map((reason) => ({ kind: 'a false reason', history: withSwap(chronicle.history, swap, { ...swap, reason }) }));
  });

/** Excuses for what went well. */
const excusesFor = (life: Life): readonly Shortfall[] => [
  { code: 'ended-before-drain' },
  { code: 'not-released', awsCode: 'Planted' },
  { code: 'not-ended', awsCode: 'Planted' },
  { code: 'let-go' },
  { code: 'not-released-in-time', cutAtMs: goneAtMs(life), by: 'ec2' },
];

const falseExcuse = (chronicle: Chronicle): readonly Planted[] => {
  const wasLetGo = [...chronicle.groups.values()].some(({ policies }) => policies.some(({ policy }) => policy === undefined));
  const well = closed(chronicle).flatMap((swap) => {
    const life = chronicle.life(String(swap.instance));
    const isWell = life !== undefined && swap.shortfall === undefined && outsOf(chronicle, life).some(({ atMs }) => atMs < goneAtMs(life) - 10_000);
    return isWell ? [{ swap, life }] : [];
  });
  return some(well, each).flatMap(({ swap, life }) =>
    excusesFor(life)
      .filter(({ code }) => !(code === 'let-go' && wasLetGo))
      .map((shortfall) => ({ kind: 'a false excuse', history: withSwap(chronicle.history, swap, { ...swap, shortfall }) })),
  );
};

const told: readonly string[] = [
  'Holdfast Swap Started',
  'Holdfast Drain Finished',
  'Holdfast Policy Accepted',
  'Holdfast Group Let Go',
  'Holdfast Fallback',
  'Holdfast Swap Failed',
  'Holdfast Capacity Exhausted',
];

const untold = (chronicle: Chronicle): readonly Planted[] =>
  told.flatMap((type) => {
    const events = eventsOf(chronicle.history, 'announced').filter(({ detailType, detail }) => detailType === type && isAlone(chronicle, detail));
    return some(events, 2).map((event) => ({ kind: `an event missing (${type})`, history: without(chronicle.history, [event]) }));
  });

/** A drain or a swap that is told once: of one that is told twice, the other word is left. */
const isAlone = ({ history }: Chronicle, detail: Readonly<Record<string, unknown>>): boolean => {
  const text = (one: Readonly<Record<string, unknown>>): string => JSON.stringify([one.drain, one.instances, one.version, one.group]);
  return eventsOf(history, 'announced').filter((event) => text(event.detail) === text(detail)).length === 1;
};

const raiseKept = (chronicle: Chronicle): readonly Planted[] => {
  const { history } = chronicle;
  const names = new Set(eventsOf(history, 'asg-changed').map(({ asg }) => asg));
  return [...names].flatMap((asg) => {
    const changes = chronicle.cloud.asgChanges(asg);
    const back = changes.findLast((change, index) => isFunction(change.by) && change.max < (changes[index - 1]?.max ?? 0));
    const raised = back && changes[changes.indexOf(back) - 1];
    if (back === undefined || raised === undefined) return [];
    const later = changes.slice(changes.indexOf(back));
    if (later.some(({ by, max }, index) => by.kind === 'user' && max !== (later[index - 1]?.max ?? back.max))) return [];
    const events = history.events.map(
      (event): HistoryEvent => (event.kind === 'asg-changed' && later.includes(event) ? { ...event, max: raised.max } : event),
    );
    return [{ kind: 'a raise that was not put back', history: withEvents(history, events) }];
  });
};

const failing = ({ history }: Chronicle): readonly Planted[] =>
  some(
    eventsOf(history, 'invocation-ended').filter(({ error, injected }) => error === undefined && !injected),
    each,
  ).map((ended) => ({
    kind: 'a function that failed by itself',
    history: replaced(history, ended, { ...ended, error: { type: 'Error', message: 'planted' } }),
  }));

const denied = ({ history }: Chronicle): readonly Planted[] =>
  some(
    eventsOf(history, 'called').filter(({ trouble }) => trouble === undefined),
    2,
  ).map((called) => ({ kind: 'a call that was denied', history: replaced(history, called, { ...called, outcome: 'AccessDeniedException' }) }));

const fat = ({ history }: Chronicle): readonly Planted[] =>
  some(eventsOf(history, 'state-written'), 2).map((written) => ({
    kind: 'an item above half its limit',
    history: replaced(history, written, { ...written, bytes: 220_000 }),
  }));

/** Whether no group of a member was let go after its launch. A group that is taken up again owes nothing to members that failed before. */
const isHeldSinceLaunch = (chronicle: Chronicle, life: Life): boolean =>
  [...chronicle.groups.values()].every(
    ({ group, policies }) =>
      !chronicle.livesIn(group).includes(life) || !policies.some(({ policy, atMs }) => policy === undefined && atMs > life.launchedAtMs),
  );

const neverServes = (chronicle: Chronicle): readonly Planted[] =>
  some(
    chronicle.lives.filter(
      (life) =>
        goneAtMs(life) === endless &&
        life.services.some(({ untilMs }) => untilMs === endless) &&
        isFunction(life.by) &&
        isHeldSinceLaunch(chronicle, life),
    ),
    2,
  ).map(({ instance }) => ({
    kind: 'a new member that never serves',
    history: without(
      chronicle.history,
      eventsOf(chronicle.history, 'in-service').filter((event) => event.instance === instance),
    ),
  }));

const idleWrites = ({ history }: Chronicle): readonly Planted[] => {
  const { restAtMs } = history;
  const last = eventsOf(history, 'state-written').at(-1);
  if (restAtMs === undefined || last === undefined) return [];
  const writes = Array.from({ length: 80 }, (_, index) => ({ ...last, atMs: restAtMs + 15_000 + index * 1_000 }));
  return [{ kind: 'writes while nothing happens', history: added(history, ...writes) }];
};

/** False steps with what leaves, with what is said, and with functions. */
export const plantLeaving = (history: History): readonly Planted[] => {
  const chronicle = chronicleOf(history);
  const plants = [
    neverTakenOut,
    lateDrain,
    hastyEnd,
    abandoned,
    falseReason,
    falseExcuse,
    untold,
    raiseKept,
    failing,
    denied,
    fat,
    neverServes,
    idleWrites,
  ];
  return plants.flatMap((plant) => plant(chronicle));
};
