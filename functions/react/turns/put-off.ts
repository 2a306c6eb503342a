import { isFromAws } from '../../../aws/calls/errors.ts';
import { rememberedByKey } from '../../../aws/calls/remembered.ts';
import { isAdmittedRunning, namedTargetGroups } from '../../../core/group/holders.ts';
import { howHeld } from '../../../core/group/holding.ts';
import { isOpen } from '../../../core/launch/reservation-life.ts';
import type { AccountBudget } from '../../../core/limits/account-budget.ts';
import {
  commonLookAtMs,
  endsLookAtMs,
  haveTurnSoon,
  isAutoScalingShort,
  joinLookAtMs,
  putOffLooks,
} from '../../../core/limits/common-looks.ts';
import { justWarned } from '../../../core/limits/counted-warnings.ts';
import type { InForce } from '../look/in-force.ts';
import type { Facts } from '../messages/facts.ts';
import type { ReactPorts } from '../ports.ts';
import { canHandOver } from './hand-over.ts';
import { noteShortage } from './lasting.ts';

/** A group of a batch, and what is in force for it. */
type Heard = { readonly facts: Facts; readonly inForce: InForce | undefined };
type Known = { readonly facts: Facts; readonly inForce: InForce };

/**
 * Whether all instances that began to run were launched by an Auto Scaling group of their own accord. They were members
 * before they ran, and nothing is done to join them. No request of Holdfast may have launched them, and no member waits
 * to leave until they serve. So what a look learns of their start can wait.
 */
const areRefills = ({ ran, ranInAsg }: Facts, { group, state, swaps }: InForce): boolean => {
  if (ran.length === 0) return true;
  if (!howHeld(group).isInAsgs || namedTargetGroups(group).length > 0) return false;
  if (state === undefined || state.reservations.some(isOpen)) return false;
  const inside = new Set(ranInAsg);
  const isOwn = (instance: string): boolean => state.newcomers?.[instance] !== undefined;
  return ran.every((one) => inside.has(one) && !isOwn(one)) && swaps.every(({ state: of }) => of !== 'waiting');
};

/** Whether signals report only that instances began to run. */
const isOnlyRunning = ({ isTick, leaving, ran, ended, refusedAsgs }: Facts): boolean =>
  !isTick && ran.length > 0 && leaving.length + ended.length + refusedAsgs.length === 0;

/** Whether signals report only instances that an Auto Scaling group launched, and that run. */
const isRefilled = ({ facts, inForce }: Known): boolean => isOnlyRunning(facts) && areRefills(facts, inForce);

/**
 * Whether signals report only instances that run, and that Holdfast joins to the group or has launched. Where running
 * instances need nothing more, they are in service. Of those that Holdfast launched, the state item notes that, until a
 * look shows that they run: often that look comes before the signal. Others may be instances of a request whose
 * response is not stored yet, so they are looked at.
 */
const isJoined = ({ facts, inForce: { group, state } }: Known, { seen }: Pick<Ports, 'seen'>): boolean => {
  const isOwn = (instance: string): boolean => state?.newcomers?.[instance] !== undefined || seen.wasNoted(instance);
  return isOnlyRunning(facts) && (!isAdmittedRunning(group) || facts.ran.every(isOwn));
};

/**
 * Whether signals report only the end of members that were leaving already, refills that Auto Scaling groups could not
 * launch, and those that run. A group that waits for its turn cannot do anything about these before its turn. A member
 * that waits to leave, or that stays, counts as there: its end is news, which a describe may not show for a while.
 */
const isExpected = ({ facts, inForce }: Known): boolean => {
  const { isTick, leaving, ended } = facts;
  if (isTick || leaving.length > 0 || !areRefills(facts, inForce)) return false;
  const left = inForce.swaps.filter(({ state }) => state !== 'waiting' && state !== 'withdrawn');
  const leavers = new Set(left.map(({ instance }) => instance));
  return ended.every((instance) => leavers.has(instance));
};

/** Whether expected signals of a group in Auto Scaling groups report ends alone. */
const areEnds = ({ facts: { ended, ran, refusedAsgs }, inForce: { group } }: Known): boolean =>
  howHeld(group).isInAsgs && ended.length > 0 && ran.length + refusedAsgs.length === 0;

/** In a storm over so few groups, the tick looks at all of them. */
const fewGroups = 3;

/**
 * Groups of which the minute's tick alone came, and that had warnings lately. In a storm over many groups, the budget
 * says which of them are looked at soon. No budget is read for a tick without a storm.
 */
const ofTickInStorm = (some: readonly Known[], nowMs: number): readonly Known[] => {
  const ticked = some.filter(
    ({ facts: { isMinute, isWoken, messages }, inForce: { swaps } }) =>
      isMinute === true && isWoken !== true && messages.length === 0 && justWarned(swaps, nowMs).length > 0,
  );
  return ticked.length > fewGroups ? ticked : [];
};

/** Groups that wait for a common look, and the time of the look to arrange. Undefined: it is arranged already. */
export type PutOff = ReadonlyMap<string, { readonly lookAtMs: number | undefined }>;

type Ports = Pick<ReactPorts, 'store' | 'clock' | 'seen'>;

/** The last common look of each group that this environment arranged. */
const arranged = rememberedByKey<Ports['store'], number>();

/** These groups wait for a look at this time, if there is one. If the wake for it is lost, the next tick looks. */
const until = (lookAtMs: number | undefined, groups: readonly string[], store: Ports['store']): PutOff => {
  if (lookAtMs === undefined) return new Map();
  const known = arranged(store);
  return new Map(
    groups.map((group) => {
      const isArranged = known.get(group) === lookAtMs;
      known.set(group, lookAtMs);
      return [group, { lookAtMs: isArranged ? undefined : lookAtMs }];
    }),
  );
};

/** A group is woken for its turn already. */
const woken = { lookAtMs: undefined } as const;

const namesOf = (some: readonly Known[]): readonly string[] => some.map(({ facts }) => facts.group);

/**
 * Groups whose turn comes later, also those that the tick leaves to the common look. After a lost race there is no
 * note, so another batch arranges their look too.
 */
const inLine = async (
  budget: AccountBudget,
  groups: readonly string[],
  ticked: readonly string[],
  { store, clock }: Ports,
): Promise<PutOff> => {
  const all = new Set([...groups, ...ticked]);
  const { groups: found, fresh, lookAtMs, budget: noted } = putOffLooks(budget, all, new Set(ticked), clock.now());
  if (fresh.size > 0) await store.putBudget(noted);
  return new Map([...found].map((group) => [group, { lookAtMs: fresh.has(group) ? lookAtMs : undefined }]));
};

/**
 * Groups that wait because of the account's budget. Where the turn of a group comes before the next common look, the
 * look at its turn serves for expected signals too. Once its turn is over, each signal causes a look, in case the wake
 * was lost.
 */
const byBudget = async (some: readonly Known[], ports: Ports): Promise<PutOff> => {
  const [expected, joined] = [some.filter(isExpected), some.filter((one) => isJoined(one, ports))];
  const ticked = ofTickInStorm(some, ports.clock.now());
  if (expected.length + joined.length + ticked.length === 0) return new Map();
  try {
    const budget = await ports.store.budget();
    const nowMs = ports.clock.now();
    noteShortage(ports.store, budget, nowMs);
    const left = isAutoScalingShort(budget, nowMs) ? namesOf(ticked) : [];
    const waiting = await inLine(budget, namesOf(expected), left, ports);
    const soon = haveTurnSoon(budget, nowMs);
    const ends = expected.filter((one) => areEnds(one) && !waiting.has(one.facts.group) && !soon.has(one.facts.group));
    return new Map([
      ...[...left, ...namesOf(expected)].flatMap((group) => (soon.has(group) ? [[group, woken] as const] : [])),
      ...until(joinLookAtMs(budget, nowMs), namesOf(joined), ports.store),
      ...until(endsLookAtMs(budget, nowMs), namesOf(ends), ports.store),
      ...waiting,
    ]);
  } catch (error) {
    if (!isFromAws(error)) throw error;
    return new Map();
  }
};

/**
 * Which groups of a batch wait for the look at their turn, or for the next common look: because their turn at the
 * account's buckets is still to come, because Auto Scaling has refilled them, because Auto Scaling's bucket is short
 * and leaving members have ended or only the tick came, or because members begin to run in a shortage that lasts. So
 * when thousands of members end, or begin to run, there is a look every few seconds, and not one for each batch of
 * signals. If the budget item cannot be read or written now, only refilled groups wait.
 */
export const putOff = async (batch: readonly Heard[], ports: Ports): Promise<PutOff> => {
  const may = batch.flatMap(({ facts, inForce }) =>
    inForce !== undefined && canHandOver(facts, inForce.group) ? [{ facts, inForce }] : [],
  );
  const [refilled, others] = [may.filter(isRefilled), may.filter((one) => !isRefilled(one))];
  const waiting = until(commonLookAtMs(ports.clock.now()), namesOf(refilled), ports.store);
  return new Map([...waiting, ...(await byBudget(others, ports))]);
};
