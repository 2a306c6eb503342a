import { isMap, type Json, mapsOf } from '../read-json.ts';

const entriesOf = (value: unknown): readonly (readonly [string, Json])[] =>
  Object.entries(isMap(value) ? value : {}).flatMap(([key, one]) => (isMap(one) ? [[key, one] as const] : []));

const keysOf = (value: unknown): readonly string[] => (isMap(value) ? Object.keys(value) : []);

/** So many of the same about one time. */
export type Tally = { readonly atMs: number; readonly count: number };

/** What was learned about an offering, by its key. */
export type StoredLesson = {
  readonly offering: string;
  readonly kind: string;
  readonly code: string;
  readonly atMs: number;
  readonly coolingUntilMs: number;
  /** When EC2 last warned about a member there, where the lesson is about a refusal. */
  readonly interruptedAtMs?: number;
};

/** An interruption in an offering. `latestMs`: of several that count as one, the latest. */
export type StoredLoss = { readonly offering: string; readonly atMs: number; readonly latestMs: number };

/** What the state of a group remembers for its next decisions, as it is stored. */
export type StateMemory = {
  readonly launches: readonly Tally[];
  /** How many instances were requested and have no response yet. */
  readonly underWay: number;
  readonly warnings: readonly Tally[];
  readonly advised: readonly Tally[];
  readonly lessons: readonly StoredLesson[];
  readonly losses: readonly StoredLoss[];
  /** Launches for members that move. */
  readonly moves: readonly Tally[];
  /** Instances that come up, and instances that no look has found serving yet. */
  readonly newcomers: readonly string[];
  readonly arriving: readonly string[];
  /** Members that no look has found serving for a minute and more, and instances that were reported as ended. */
  readonly unserved: readonly string[];
  readonly ended: readonly string[];
};

export const nothingRemembered: StateMemory = {
  ...{ launches: [], underWay: 0, warnings: [], advised: [], lessons: [], losses: [], moves: [] },
  ...{ newcomers: [], arriving: [], unserved: [], ended: [] },
};

const talliesOf = (list: unknown): readonly Tally[] => mapsOf(list).map(({ atMs, count }) => ({ atMs: Number(atMs), count: Number(count) }));

const underWayIn = (reservations: unknown): number =>
  mapsOf(reservations)
    .filter(({ instances }) => instances === undefined)
    .reduce((sum, { placement }) => sum + (isMap(placement) ? Number(placement.count) : 0), 0);

/** What a stored state remembers. */
export const memoryIn = (state: Json): StateMemory => ({
  launches: talliesOf(state.launches),
  underWay: underWayIn(state.reservations),
  warnings: talliesOf(state.warnings),
  advised: talliesOf(state.advised),
  lessons: entriesOf(state.memory).map(([offering, { kind, code, atMs, coolingUntilMs, interruptedAtMs }]) => ({
    offering,
    kind: String(kind),
    code: String(code),
    atMs: Number(atMs),
    coolingUntilMs: Number(coolingUntilMs),
    ...(interruptedAtMs !== undefined && { interruptedAtMs: Number(interruptedAtMs) }),
  })),
  losses: mapsOf(isMap(state.returns) ? state.returns.losses : []).map(({ offering, atMs, latestMs = atMs }) => ({
    offering: String(offering),
    atMs: Number(atMs),
    latestMs: Number(latestMs),
  })),
  moves: talliesOf(isMap(state.returns) ? state.returns.moves : []),
  newcomers: keysOf(state.newcomers),
  arriving: keysOf(state.arriving),
  unserved: keysOf(state.unserved),
  ended: keysOf(state.ended),
});
