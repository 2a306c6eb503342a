import type { Reservation } from '../launch/reservation.ts';
import type { Offering } from '../pool/offering.ts';

/** After this many interruptions within a time, their market or their family rests (`breaker` of a policy). */
export type BreakerRule = { readonly interruptions: number; readonly withinMs: number; readonly holdMs: number };

/** What a breaker covers: all spot offerings of the group, or those of one instance family. */
export type BreakerKey = 'spot' | `spot/${string}`;

/** The one launch that tests whether interruptions are over. */
export type Trial = { readonly reservation: string; readonly atMs: number; readonly instance?: string };

/**
 * An open breaker. What it covers is passed over until `untilMs`. From then on it is half-open: one instance at a time
 * is launched there.
 */
export type Breaker = {
  readonly openedAtMs: number;
  readonly untilMs: number;
  /** Interruptions that opened it. */
  readonly interruptions: number;
  readonly trial?: Trial;
};

export type Breakers = Readonly<Partial<Record<BreakerKey, Breaker>>>;

/** Interruptions of one family of about the same time. No breaker has opened because of them yet. */
export type InterruptionTally = { readonly family: string; readonly atMs: number; readonly count: number };

/** What a group's state remembers for its breakers. */
export type BreakerMemory = {
  readonly breakers?: Breakers;
  readonly interruptions?: readonly InterruptionTally[];
};

/** `m7g` of `m7g.large`. */
export const familyOf = ({ instanceType }: Pick<Offering, 'instanceType'>): string =>
  instanceType.split('.')[0] ?? instanceType;

const covers = (key: BreakerKey, offering: Offering): boolean =>
  offering.market === 'spot' && (key === 'spot' || key === `spot/${familyOf(offering)}`);

const longestTrialMs = 15 * 60_000;

/** A launch that lives for so long shows that interruptions are over. */
export const provesAfterMs = ({ withinMs }: BreakerRule): number => Math.min(withinMs, longestTrialMs);

/**
 * The state of a breaker for an offering. `open`: the offering is passed over. `tried`: one launch tests it, and other
 * launches wait for the result. `half-open`: one test launch may begin.
 */
export type OverOffering = {
  readonly breaker: BreakerKey;
  readonly is: 'open' | 'tried' | 'half-open';
  readonly untilMs: number;
};

export type BreakerRules = {
  readonly breakers?: Breakers | undefined;
  readonly rule?: BreakerRule | undefined;
  /** An earlier part of the same plan launches for half-open breakers. */
  isTried?: boolean | undefined;
};

type Ruled = { readonly rule: BreakerRule; readonly nowMs: number } & Pick<BreakerRules, 'isTried'>;

const standingOf = (breaker: BreakerKey, one: Breaker, { rule, isTried, nowMs }: Ruled): OverOffering => {
  if (nowMs < one.untilMs) return { breaker, is: 'open', untilMs: one.untilMs };
  const triedMs = one.trial?.atMs ?? (isTried ? nowMs : undefined);
  if (triedMs === undefined) return { breaker, is: 'half-open', untilMs: one.untilMs + rule.holdMs };
  return { breaker, is: 'tried', untilMs: triedMs + provesAfterMs(rule) };
};

export const entriesOf = (breakers: Breakers | undefined): readonly (readonly [BreakerKey, Breaker])[] =>
  Object.entries(breakers ?? {}) as [BreakerKey, Breaker][];

/** The strictest breaker over any of these offerings. Undefined when none covers one. */
export const breakerOver = (
  offerings: readonly Offering[],
  { breakers, rule, isTried }: BreakerRules,
  nowMs: number,
): OverOffering | undefined => {
  if (rule === undefined) return undefined;
  const over = entriesOf(breakers)
    .filter(([key]) => offerings.some((offering) => covers(key, offering)))
    .map(([key, one]) => standingOf(key, one, { rule, isTried, nowMs }));
  return over.find(({ is }) => is === 'open') ?? over.find(({ is }) => is === 'tried') ?? over[0];
};

/** The open breaker that closes last. Undefined when none is open; half-open ones are not. */
export const openBreaker = ({ breakers, rule }: BreakerRules, nowMs: number): OverOffering | undefined =>
  rule === undefined
    ? undefined
    : entriesOf(breakers)
        .map(([key, one]) => standingOf(key, one, { rule, nowMs }))
        .filter(({ is }) => is === 'open')
        .toSorted((one, other) => other.untilMs - one.untilMs)[0];

/** Breakers with the trials that these launches begin. */
export const withTrials = (
  { breakers }: Pick<BreakerMemory, 'breakers'>,
  fresh: readonly Reservation[],
  nowMs: number,
): Pick<BreakerMemory, 'breakers'> => {
  const trials = fresh.filter(({ placement }) => placement.trial);
  if (breakers === undefined || trials.length === 0) return {};
  const tried = Object.fromEntries(
    entriesOf(breakers).map(([key, one]) => {
      const own = trials.find(({ placement }) => placement.offerings.some((offering) => covers(key, offering)));
      const isOver = nowMs >= one.untilMs && one.trial === undefined;
      return [key, own !== undefined && isOver ? { ...one, trial: { reservation: own.id, atMs: nowMs } } : one];
    }),
  );
  return { breakers: tried };
};

/** An instance that EC2 granted under a reservation. */
type Granted = { readonly reservation: string; readonly instance: string; readonly offering: Offering };

/**
 * Breakers after the response of EC2: a trial has its instance, or the trial is over.
 *
 * @param asked ids of the reservations for which EC2 has responded
 * @param stays ids of the reservations that are still to come, or were granted
 */
export const withAnswers = (
  breakers: Breakers | undefined,
  {
    asked,
    stays,
    granted,
  }: {
    readonly asked: ReadonlySet<string>;
    readonly stays: ReadonlySet<string>;
    readonly granted: readonly Granted[];
  },
): Breakers | undefined => {
  if (breakers === undefined) return undefined;
  return Object.fromEntries(
    entriesOf(breakers).map(([key, one]) => {
      const { trial, ...rest } = one;
      if (trial === undefined || !asked.has(trial.reservation)) return [key, one];
      const own = granted.filter(({ reservation }) => reservation === trial.reservation);
      const found = own.find(({ offering }) => covers(key, offering));
      if (found !== undefined) return [key, { ...one, trial: { ...trial, instance: found.instance } }];
      // Without a response, it may still be launched.
      return [key, own.length === 0 && stays.has(trial.reservation) ? one : rest];
    }),
  );
};
