import type { Actor, History, HistoryEvent } from '../history.ts';
import { type End, endless, goneAtMs, type HookWait, isFunction, type Life, type Stay } from './life.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] };
type Draft = Writable<Life>;

type About<Kind extends HistoryEvent['kind']> = Extract<HistoryEvent, { readonly kind: Kind }>;

const begin = (event: About<'launched'>, order: number): Draft => ({
  instance: event.instance,
  order,
  instanceType: event.instanceType,
  zone: event.zone,
  subnet: event.subnet,
  market: event.market,
  priceUsdPerHour: event.priceUsdPerHour,
  ...(event.template && { template: event.template }),
  launchedAtMs: event.atMs,
  ...(event.askedAtMs === undefined ? {} : { askedAtMs: event.askedAtMs }),
  by: event.by,
  tags: [{ atMs: event.atMs, tags: event.tags, by: event.by }],
  stays: event.asg === undefined ? [] : [{ asg: event.asg, fromMs: event.atMs, untilMs: endless }],
  answers: [],
  services: [],
  empties: [],
  warnings: [],
  historyAtMs: [],
  sparedAtMs: [],
  backAtMs: [],
  forgottenAtMs: [],
  calledOffAtMs: [],
  advisedAtMs: [],
  scheduled: [],
  hooks: [],
  protections: [],
  claims: [],
  restarts: [],
  refusedAtMs: [],
  drains: [],
  deliveries: [],
});

const isOpen = ({ untilMs }: { readonly untilMs: number }): boolean => untilMs === endless;

const endService = (life: Draft, { atMs, targetGroup, why, by }: Pick<About<'out-of-service'>, 'atMs' | 'targetGroup' | 'why' | 'by'>): void => {
  const index = life.services.findLastIndex((service) => service.targetGroup === targetGroup && isOpen(service));
  const open = life.services[index];
  if (open !== undefined) life.services[index] = { ...open, untilMs: atMs, why, by };
  // An instance that is taken out before it was healthy served for no time.
  else if (isFunction(by) && life.ending === undefined && life.ended === undefined)
    life.services.push({ targetGroup, fromMs: atMs, untilMs: atMs, why, by });
};

/** An ended instance does not serve, whatever its target group shows. */
const endServices = (life: Draft, atMs: number, by: Actor): void => {
  for (const { targetGroup } of life.services.filter(isOpen)) endService(life, { atMs, targetGroup, why: 'ending', by });
};

const endHook = (life: Draft, { hook, atMs, how, result, by }: About<'hook-over'>): void => {
  const index = life.hooks.findLastIndex((wait) => wait.hook === hook && wait.over === undefined);
  const wait = life.hooks[index];
  if (wait === undefined) return;
  const over: HookWait['over'] = { atMs, how, ...(result === undefined ? {} : { result }), by };
  life.hooks[index] = { ...wait, over };
};

const join = (life: Draft, { asg, atMs }: About<'joined'>): void => {
  // An instance that was stopped in a warm pool starts again as it joins. Its life as a member begins then.
  if (life.stays.length === 0 && life.ended?.state === 'stopped') {
    life.pooledAtMs = goneAtMs(life);
    delete life.ended;
    delete life.ending;
    delete life.runningAtMs;
    life.drawnAtMs = atMs;
  }
  if (!life.stays.some((stay) => stay.asg === asg && isOpen(stay))) life.stays.push({ asg, fromMs: atMs, untilMs: endless });
};

const leave = (life: Draft, { asg, atMs, how, by }: About<'left'>): void => {
  life.stays = life.stays.map((stay): Stay => (stay.asg === asg && isOpen(stay) ? { ...stay, untilMs: atMs, how, by } : stay));
};

/** The end of a run after the first one, as it was first noted. */
const endRun = (life: Draft, end: End): void => {
  const run = life.restarts.pop();
  if (run !== undefined) life.restarts.push({ ...end, ...run });
};

type Note<Kind extends HistoryEvent['kind']> = (life: Draft, event: About<Kind>) => void;
type Notes = { readonly [Kind in Extract<HistoryEvent, { readonly instance: string }>['kind']]?: Note<Kind> };

const notes: Notes = {
  running: (life, { atMs }) => {
    life.runningAtMs ??= atMs;
    if ((life.restarts.at(-1) ?? life).ended?.state === 'stopped') life.restarts.push({ atMs });
  },
  booted: (life, { atMs }) => {
    life.bootedAtMs ??= atMs;
  },
  checked: (life, { atMs, isPassed }) => {
    if (isPassed) life.passedAtMs ??= atMs;
  },
  answering: (life, { atMs, isOn }) => void life.answers.push({ atMs, isOn }),
  'in-service': (life, { atMs, targetGroup }) => {
    if (!life.services.some((service) => service.targetGroup === targetGroup && isOpen(service)))
      life.services.push({ targetGroup, fromMs: atMs, untilMs: endless });
  },
  'out-of-service': endService,
  empty: (life, { atMs, targetGroup }) => void life.empties.push({ atMs, targetGroup }),
  warned: (life, { atMs, takenAtMs, action, silent }) => void life.warnings.push({ atMs, takenAtMs, action, silent }),
  spared: (life, { atMs }) => void life.sparedAtMs.push(atMs),
  scheduled: (life, { atMs, startsAtMs }) => void life.scheduled.push({ atMs, startsAtMs }),
  advised: (life, { atMs }) => void life.advisedAtMs.push(atMs),
  'hook-waits': (life, { atMs, asg, hook, expiresAtMs }) => {
    // A heartbeat prolongs the wait that is open.
    const index = life.hooks.findLastIndex((wait) => wait.hook === hook && wait.over === undefined);
    const open = life.hooks[index];
    if (open === undefined) life.hooks.push({ atMs, asg, hook, timeoutMs: expiresAtMs - atMs, expiresAtMs });
    else life.hooks[index] = { ...open, expiresAtMs };
  },
  'hook-over': endHook,
  ending: (life, { atMs, by, code }) => {
    const ending = { atMs, by, ...(code !== undefined && { code }) };
    endRun(life, { ending });
    life.ending ??= ending;
    endServices(life, atMs, by);
  },
  ended: (life, { atMs, state }) => {
    endRun(life, { ended: { atMs, state } });
    life.ended ??= { atMs, state };
    endServices(life, atMs, { kind: 'ec2' });
  },
  tagged: (life, { atMs, tags, by }) => void life.tags.push({ atMs, tags, by }),
  joined: join,
  left: leave,
  // What EC2 refuses to a user, no function learns.
  'end-refused': (life, { atMs, by }) => {
    if (isFunction(by)) life.refusedAtMs.push(atMs);
  },
  protection: (life, { atMs, from, isOn }) => void life.protections.push({ atMs, from, isOn }),
};

const noteDelivery = (lives: ReadonlyMap<string, Draft>, { told, atMs, invocation, message, happenedAtMs }: About<'delivered'>): void => {
  if ('instance' in told) lives.get(told.instance)?.deliveries.push({ atMs, invocation, message, told, happenedAtMs });
};

/** When the state table was last restored or emptied, and when the copy was made that it has since then. */
type Restored = { readonly atMs: number; readonly copiedAtMs: number };

/** Whether the copy of the table has a swap of it that is not over. */
const isInCopy = ({ claims, calledOffAtMs, backAtMs }: Draft, { copiedAtMs }: Restored): boolean => {
  const offMs = Math.max(Number.NEGATIVE_INFINITY, ...[...calledOffAtMs, ...backAtMs].filter((overMs) => overMs <= copiedAtMs));
  return claims.some((claim) => claim.atMs > offMs && claim.atMs <= copiedAtMs);
};

/** Whether its drain had begun before the table was restored, and the copy does not have its swap. */
const isUndrained = (life: Draft, restored: Restored): boolean =>
  life.drains.some((drain) => drain.atMs <= restored.atMs) && !isInCopy(life, restored);

/** Members that were chosen to leave, where the table lost this before anything was done about it. */
const noteLostChoices = (lives: ReadonlyMap<string, Draft>, restored: Restored): void => {
  for (const life of lives.values()) {
    const { claims, drains, services, stays, ending, ended } = life;
    const isDone = drains.length > 0 || stays.some(({ how }) => how === 'terminating') || services.some(({ by }) => isFunction(by));
    const isChosen = claims.some(({ state }) => state === 'leaving');
    if (isChosen && !isDone && ending === undefined && ended === undefined && !isInCopy(life, restored)) life.forgottenAtMs.push(restored.atMs);
  }
};

/**
 * An instance that comes to serve, although it was taken out of service, or a drain of it had begun, before somebody restored or emptied the state
 * table.
 */
const noteForgotten = (lives: ReadonlyMap<string, Draft>, { instance, atMs }: About<'in-service'>, restored: Restored): void => {
  const life = lives.get(instance);
  if (life === undefined || life.ending !== undefined || life.ended !== undefined) return;
  const wasTakenOut = life.services.some(({ why, by, untilMs }) => why === 'deregistered' && isFunction(by) && untilMs <= restored.atMs);
  if (wasTakenOut || isUndrained(life, restored)) life.forgottenAtMs.push(atMs);
};

const swapItem = /^swap#(.+)$/;
const pastItem = /^past#(.+)$/;

/** When its swap became history while it still ran, it is a member again. */
const noteBack = (lives: ReadonlyMap<string, Draft>, { item, atMs }: About<'item-written'>): void => {
  const [, instance = ''] = pastItem.exec(item) ?? [];
  const life = lives.get(instance);
  life?.historyAtMs.push(atMs);
  if (life === undefined || life.ending !== undefined || life.ended !== undefined) return;
  if (life.sparedAtMs.some((sparedAtMs) => sparedAtMs <= atMs)) life.backAtMs.push(atMs);
  else if (life.warnings.length === 0) life.calledOffAtMs.push(atMs);
};

/** The drain of each instance, by its swap, and the running drains. */
type Drains = { readonly of: Map<string, string>; readonly running: Set<string> };

const noteClaim = (lives: ReadonlyMap<string, Draft>, { item, atMs, by, swap }: About<'item-written'>, drains: Drains): void => {
  const [, instance = ''] = swapItem.exec(item) ?? [];
  const life = lives.get(instance);
  if (life === undefined) return;
  const { reason, drain } = swap ?? {};
  life.claims.push({ atMs, by, state: swap?.state ?? 'leaving', ...(reason !== undefined && { reason }), ...(drain !== undefined && { drain }) });
  if (swap?.drain === undefined || drains.of.get(instance) === swap.drain) return;
  drains.of.set(instance, swap.drain);
  if (drains.running.has(swap.drain)) life.drains.push({ atMs, drain: swap.drain });
};

const noteDrain = (lives: ReadonlyMap<string, Draft>, { status, atMs, drain }: About<'drain'>, drains: Drains): void => {
  if (status !== 'started') {
    drains.running.delete(drain);
    return;
  }
  drains.running.add(drain);
  for (const [instance, named] of drains.of) if (named === drain) lives.get(instance)?.drains.push({ atMs, drain });
};

const noteOne = (lives: Map<string, Draft>, event: HistoryEvent, order: number, drains: Drains): void => {
  if (event.kind === 'launched') {
    lives.set(event.instance, begin(event, order));
    return;
  }
  if (event.kind === 'delivered') noteDelivery(lives, event);
  else if (event.kind === 'item-written') {
    noteClaim(lives, event, drains);
    noteBack(lives, event);
  } else if (event.kind === 'drain') noteDrain(lives, event, drains);
  else if ('instance' in event && event.instance !== undefined) {
    const life = lives.get(event.instance);
    if (life !== undefined) (notes[event.kind] as Note<typeof event.kind> | undefined)?.(life, event as never);
  }
};

/** Folds the events into one life per instance, in the order of their launches. */
export const livesOf = ({ events }: History): readonly Life[] => {
  const lives = new Map<string, Draft>();
  const drains: Drains = { of: new Map(), running: new Set() };
  let restored: Restored = { atMs: Number.NEGATIVE_INFINITY, copiedAtMs: Number.NEGATIVE_INFINITY };
  events.forEach((event, order) => {
    noteOne(lives, event, order, drains);
    if (event.kind === 'step' && event.step === 'state-restored') {
      restored = { atMs: event.atMs, copiedAtMs: event.copiedAtMs ?? Number.NEGATIVE_INFINITY };
      noteLostChoices(lives, restored);
    }
    if (event.kind === 'in-service') noteForgotten(lives, event, restored);
  });
  return [...lives.values()];
};
