import type { Breaker, InterruptionTally, Trial } from '../../core/breaker/breaker.ts';
import type { Chosen } from '../../core/decision/chosen-members.ts';
import type { Reservation } from '../../core/launch/reservation.ts';
import type { LaunchTally } from '../../core/limits/launch-limit.ts';
import type { Need, NotDone } from '../../core/observe/not-done.ts';
import type { Remembered } from '../../core/policy/ports.ts';
import type { Denial } from '../../core/pool-memory/denials.ts';
import type { Lesson } from '../../core/pool-memory/pool-memory.ts';
import type { RefusedReleases } from '../../core/removal/refused-releases.ts';
import type { Loss, Move, Returns } from '../../core/returning/memory.ts';
import type { KnownAlarm } from '../../core/scaling/lasting-alarms.ts';
import type { Idle } from '../../core/view/unserved.ts';
import type { GroupState, Stray } from '../../core/view/view.ts';
import { deaths, failedBoots, failing, newcomer, offeringKey, refill } from './boot-schema.ts';
import { anyOf, flag, isMap, listOf, mapOf, number, objectOf, oneOf, optional, text } from './checks.ts';
import { absentOr, eachIn, eachOf, maybe, orElse, type Readers, type Reading, readFields } from './readers.ts';
import { added, cost, goneAsg, hook, leaveReason, placement, raisedMax, suspension, unfitAsg } from './shapes.ts';

/**
 * Version of the form in which group states and swaps are stored, under attribute `schema`. Items of the first version
 * have none.
 */
export const stateSchema = 2;

const reservation = objectOf<Reservation>({
  id: text,
  token: text,
  placement,
  decision: text,
  replaces: listOf(text),
  atMs: number,
  leaseUntilMs: number,
  repeatFromMs: optional(number),
  instances: optional(listOf(text)),
  unanswerable: optional(oneOf(true)),
  rewrittenAtMs: optional(number),
  forgetAtMs: number,
});

const lesson = objectOf<Lesson>({
  kind: anyOf({ refused: true, interrupted: true, advised: true }),
  code: text,
  atMs: number,
  coolingUntilMs: number,
  streak: number,
  takenAtOnceMs: optional(number),
  interruptedAtMs: optional(number),
});

const knownAlarm = objectOf<KnownAlarm>({
  atMs: number,
  isOn: flag,
  quiet: optional(anyOf({ suppressed: true, muted: true })),
  fromThreshold: optional(number),
});

const idle = objectOf<Idle>({
  why: anyOf({ pending: true, 'not-joined': true, 'status-checks': true, 'warm-up': true, 'target-health': true }),
  sinceMs: number,
});

const stray = objectOf<Stray>({ firstSeenAtMs: number, sightings: number });

const chosen = objectOf<Chosen>({ decision: text, instances: listOf(text), untilMs: number });

const denial = objectOf<Denial>({
  code: text,
  message: text,
  atMs: number,
  untilMs: number,
  isItsOwn: optional(oneOf(true)),
});

const launchTally = objectOf<LaunchTally>({ atMs: number, count: number, desired: number });

const breaker = objectOf<Breaker>({
  openedAtMs: number,
  untilMs: number,
  interruptions: number,
  trial: optional(objectOf<Trial>({ reservation: text, atMs: number, instance: optional(text) })),
});

const interruptionTally = objectOf<InterruptionTally>({ family: text, atMs: number, count: number });

const gap = objectOf<GroupState['asgGaps'][string]>({
  sinceMs: number,
  refused: flag,
  closed: optional(oneOf(true)),
});

const refusedRelease = objectOf<RefusedReleases[string]>({ sinceMs: number, untilMs: number });

const prices = objectOf<GroupState['prices']>({
  atMs: number,
  readAtMs: optional(number),
  usdPerHour: mapOf(number),
});

const throttle = objectOf<NonNullable<GroupState['throttle']>>({
  sinceMs: optional(number),
  untilMs: number,
  streak: number,
});

const heard = objectOf<NonNullable<NotDone['heard']>[string]>({
  reason: leaveReason,
  atMs: number,
  heardAtMs: optional(number),
  deadlineMs: optional(number),
  untilMs: optional(number),
  hook: optional(hook),
});

const notDone = objectOf<NotDone>({
  missing: number,
  surplus: number,
  heard: optional(mapOf(heard)),
  moved: optional(listOf(text)),
  need: optional(objectOf<Need>({ decision: text, atMs: number, cost })),
});

const returns = objectOf<Returns>({
  moves: listOf(objectOf<Move>({ reservation: text, atMs: number, leaving: listOf(text), count: number })),
  losses: listOf(objectOf<Loss>({ offering: offeringKey, atMs: number, livedMs: number, latestMs: optional(number) })),
  askedAtMs: optional(number),
  changedAtMs: optional(number),
});

const noPrices: GroupState['prices'] = { atMs: 0, usdPerHour: {} };

/**
 * Reads each field of a group's state. A field that cannot be read counts as lost, and the other fields stay. A lost
 * field is restored as after the loss of the whole item: memories fill again, prices are read again, and the size is
 * the policy's or the present number of members (`catchUp`). A lost size counts as larger than any number of members,
 * so that no member leaves because enough others seem to serve.
 */
const readers: Readers<GroupState> = {
  version: orElse(number, 0),
  renewedAtMs: maybe(number),
  marks: absentOr(eachOf(text)),
  desired: orElse(number, Number.MAX_SAFE_INTEGER),
  beyondMax: maybe(number),
  policyVersion: orElse(number, 0),
  policySize: orElse(text, ''),
  reservations: eachOf(reservation),
  lastReservation: maybe(text),
  memory: eachIn(lesson),
  alarms: eachIn(number),
  scheduled: maybe(objectOf<NonNullable<GroupState['scheduled']>>({ schedule: text, atMs: number })),
  alarmStates: absentOr(eachIn(knownAlarm)),
  raised: eachOf(raisedMax),
  added: absentOr(eachOf(added)),
  suspended: absentOr(eachOf(suspension)),
  holders: absentOr(eachOf(text)),
  targetGroups: absentOr(eachOf(text)),
  strays: eachIn(stray),
  unserved: absentOr(eachIn(idle)),
  detached: absentOr(eachOf(text)),
  keptByMinimum: maybe(number),
  unfit: absentOr(eachOf(unfitAsg)),
  goneAsgs: absentOr(eachIn(goneAsg)),
  onDemandShort: maybe(number),
  sparesMissing: maybe(number),
  notDone: maybe(notDone),
  chosen: absentOr(eachOf(chosen)),
  unreplaced: absentOr(eachOf(text)),
  ended: absentOr(eachIn(number)),
  newcomers: absentOr(eachIn(newcomer)),
  arriving: absentOr(eachIn(number)),
  cameUp: absentOr(eachOf(text)),
  registered: absentOr(eachIn(number)),
  failedBoots: absentOr(eachIn(failedBoots)),
  deaths: absentOr(eachOf(deaths)),
  refills: absentOr(eachIn(refill)),
  failing: absentOr(eachIn(failing)),
  latestRefill: absentOr(eachIn(number)),
  breakers: absentOr(eachIn(breaker)),
  advised: absentOr(eachOf(deaths)),
  counted: absentOr(eachOf(text)),
  interruptions: absentOr(eachOf(interruptionTally)),
  launches: absentOr(eachOf(launchTally)),
  warnings: absentOr(eachOf(deaths)),
  asgGaps: eachIn(gap),
  cheapest: eachIn(text),
  prices: orElse(prices, noPrices),
  throttle: maybe(throttle),
  returns: maybe(returns),
  refusedReleases: absentOr(eachIn(refusedRelease)),
  denials: absentOr(eachIn(denial)),
  uncovered: maybe(number),
  notes: maybe(number),
  checksDueAtMs: maybe(number),
  checksOf: maybe(number),
  wakeAtMs: orElse(number, 0),
};

/**
 * Reads a group's state, of this version or of an earlier one, which has `undone` for `renewedAtMs`. `version` is the
 * number that guards the item.
 */
export const readState = (
  raw: unknown,
  version: unknown,
): { readonly state: GroupState; readonly lost: readonly string[] } => {
  const { value, lost }: Reading<GroupState> = readFields(
    readers,
    isMap(raw) ? { renewedAtMs: raw.undone, ...raw } : {},
  );
  if (value === undefined) throw new Error('A group state has a value for every field.');
  const guarded = typeof version === 'number' ? { ...value, version } : value;
  const isSizeLost = value.desired === Number.MAX_SAFE_INTEGER || value.policySize === '';
  if (!lost.length || !isSizeLost) return { state: guarded, lost };
  const { lastReservation: _before, ...rest } = guarded;
  return { state: { ...rest, policySize: '' }, lost };
};

/**
 * The Auto Scaling groups that a stored state names, and what Holdfast suspends in them. Undefined when it names some
 * and none of them can be read.
 */
export const readHolders = (raw: unknown): Remembered | undefined => {
  const { holders = [], policyVersion, suspended }: Readonly<Record<string, unknown>> = isMap(raw) ? raw : {};
  const lost: string[] = [];
  const asgs = eachOf(text)(holders, 'holders', lost);
  if (asgs.length === 0 && lost.length > 0) return undefined;
  const noted = readers.suspended(suspended, 'suspended', lost);
  return {
    policyVersion: readers.policyVersion(policyVersion, 'policyVersion', lost),
    asgs,
    ...(noted !== undefined && noted.length > 0 && { suspended: noted }),
  };
};
