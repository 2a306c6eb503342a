import type { OfferingKey } from '../pool/offering.ts';
import { type BucketName, buckets, type Level } from './account-buckets.ts';
import { type FullAt, pacedBuckets, tokensLeft } from './call-pace.ts';
import { type Called, type Line, type Purse, serve, type Turn } from './line.ts';
import { type Ask, asOfNow, byNeed, type Waiting } from './need.ts';
import { tokensBeside, type UnderWay, underWayNow, withoutRefused } from './under-way.ts';

/** `isForLook`: only a look that begins later shows what the tokens were for. */
type Given = { readonly by: string; readonly atMs: number; readonly isForLook?: true };

/** When EC2 refused an offering, and with which code. */
type RefusedNow = { readonly atMs: number; readonly code: string };

/** How many groups request an offering, and since when. */
type AskedNow = { readonly atMs: number; readonly groups: number };

/**
 * One item for all groups: what Holdfast spends of the account's buckets, and which groups wait for them. It only
 * paces. If it is lost or cannot be written, launches are requested without it.
 */
export type AccountBudget = {
  /** Number of writes. Every write is conditional on the number that was read. */
  readonly version: number;
  /** What is left of each bucket after the turns. */
  readonly levels: Readonly<Partial<Record<BucketName, Level>>>;
  /** When the paced buckets are full again after all calls, with and without turns. Only read here. */
  readonly fullAt?: FullAt;
  /** Instances of turns that EC2 may not have taken from its bucket yet. */
  readonly underWay: UnderWay;
  readonly waiting: readonly Waiting[];
  /** The last decision of each group that was given tokens, for a second, or for ten seconds with `isForLook`. */
  readonly given: Readonly<Record<string, Given>>;
  /** Offerings that EC2 refused to any group for lack of capacity, within the last 30 s. */
  readonly refused: Readonly<Record<OfferingKey, RefusedNow>>;
  /** When EC2 granted an offering last to any group, within the same time. */
  readonly granted: Readonly<Record<OfferingKey, number>>;
  /** Groups that have just been given turns for an offering, while EC2's response is not known yet. */
  readonly asked: Readonly<Record<OfferingKey, AskedNow>>;
};

export const emptyBudget: AccountBudget = {
  version: 0,
  levels: {},
  underWay: [],
  waiting: [],
  given: {},
  refused: {},
  granted: {},
  asked: {},
};

/** Within this time, a decision that was given tokens has stored its launches. */
const takenMs = 1_000;
/** No look takes longer than this. */
const longestLookMs = 10_000;
/** The tokens of a group that misses its turn by this time are for others. */
const patienceMs = 10_000;
/**
 * A group that misses its turn comes in its old place when it requests again within this time. Functions may be busy
 * with other groups for long. Two ticks come meanwhile.
 */
const placeKeptMs = 130_000;
/**
 * How long what EC2 returned to one group counts for the others. A refusal keeps them from requesting the same
 * offering.
 */
export const learnedMs = 30_000;
/** No group waits longer for what others learn. A launch call takes 1.5 s. */
export const learnsWithinMs = 2_000;
/** What turns have left of a bucket. */
const afterTurns = ({ levels, underWay }: AccountBudget, name: BucketName, nowMs: number): number =>
  tokensBeside(buckets[name], levels[name], name === 'instances' ? underWay : [], nowMs);

/** The level of a bucket: the lower one of the level after turns and the level after all calls. */
export const levelAt = (budget: AccountBudget, name: BucketName, nowMs: number): number => {
  const { fullAt = {} } = budget;
  const left = afterTurns(budget, name, nowMs);
  const paced = pacedBuckets.find((one) => one === name);
  return paced === undefined ? left : Math.min(left, tokensLeft(paced, fullAt, nowMs));
};

const names = Object.keys(buckets) as BucketName[];

const younger = <Entry>(
  entries: Readonly<Record<string, Entry>>,
  atMs: (entry: Entry) => number,
  thanMs: number,
): Readonly<Record<string, Entry>> =>
  Object.fromEntries(Object.entries(entries).filter(([, entry]: [string, Entry]) => atMs(entry) > thanMs));

/** The first offering of each placement of a request. */
export const firstOfferings = ({ offerings = [] }: Pick<Ask, 'offerings'>): readonly OfferingKey[] => [
  ...new Set(offerings.flatMap(([key]) => key ?? [])),
];

/** How many groups request each offering now. */
export const askedNow = ({ asked }: AccountBudget, nowMs: number): AccountBudget['asked'] =>
  younger(asked, ({ atMs }) => atMs, nowMs - learnsWithinMs) as AccountBudget['asked'];

const alsoAsked = (asked: AccountBudget['asked'], asks: readonly Ask[], nowMs: number): AccountBudget['asked'] => {
  const counts = [...Map.groupBy(asks.flatMap(firstOfferings), (key) => key)];
  const fresh = counts.map(([key, { length }]) => {
    const { atMs, groups } = asked[key] ?? { atMs: nowMs, groups: 0 };
    return [key, { atMs, groups: groups + length }] as const;
  });
  return { ...asked, ...Object.fromEntries(fresh) };
};

/** What EC2 refused a moment ago. */
export const refusedNow = ({ refused }: AccountBudget, nowMs: number): AccountBudget['refused'] =>
  younger(refused, ({ atMs }) => atMs, nowMs - learnedMs) as AccountBudget['refused'];

const isTaken = ({ given }: AccountBudget, { group, by, lookedAtMs }: Ask, nowMs: number): boolean => {
  const last = given[group];
  // Another function whose clock is a minute ahead must not hold up this group for a minute.
  const sinceMs = Math.max(takenMs, nowMs - (lookedAtMs ?? nowMs));
  return last !== undefined && last.by !== by && Math.abs(nowMs - last.atMs) < sinceMs;
};

const givenFor = ({ by, lookedAtMs }: Ask, atMs: number): Given => ({
  by,
  atMs,
  ...(lookedAtMs !== undefined && { isForLook: true }),
});

/** Whether a group that has missed its turn keeps its place. A drain that looks is in line for one look alone. */
const keepsPlace = ({ instances, turnAtMs }: Waiting, nowMs: number): boolean =>
  instances > 0 && nowMs - turnAtMs < placeKeptMs;

const dueOf = (before: Waiting | undefined): Pick<Waiting, 'dueAtMs'> =>
  before?.dueAtMs === undefined ? {} : { dueAtMs: before.dueAtMs };

/**
 * Turns by group, and the budget after them. `called`: groups that wait for a later turn and for which there are tokens
 * now, because others gave back what EC2 refused them, and the first group in line, when its tokens are there earlier.
 */
export type Shared = {
  readonly budget: AccountBudget;
  readonly turns: ReadonlyMap<string, Turn>;
  readonly called: readonly Called[];
};

/**
 * Gives tokens to the requesting groups, in the order of need among all waiting groups.
 *
 * @param mayCall whether the requesting function can wake the groups that are called
 */
export const shareOut = (budget: AccountBudget, asks: readonly Ask[], nowMs: number, mayCall = false): Shared => {
  const taken = asks.filter((ask) => isTaken(budget, ask, nowMs));
  const asking = new Map(asks.filter((ask) => !taken.includes(ask)).map((ask) => [ask.group, ask]));
  const waiting = budget.waiting.map((one) => asOfNow(one, nowMs));
  const before = waiting.filter(({ turnAtMs }) => nowMs - turnAtMs < patienceMs);
  const missed = waiting.filter((one) => !before.includes(one) && keepsPlace(one, nowMs));
  const known = new Map([...before, ...missed].map((one) => [one.group, one]));
  const present = [...asking.values()].map(({ by: _, lookedAtMs: __, offerings: ___, ...ask }) => {
    const place = { sinceMs: known.get(ask.group)?.sinceMs ?? nowMs, turnAtMs: nowMs };
    return asOfNow({ ...ask, ...place, ...dueOf(known.get(ask.group)) }, nowMs);
  });
  const inOrder = [...before.filter(({ group }) => !asking.has(group)), ...present].toSorted(byNeed);
  const levels = Object.fromEntries(names.map((name) => [name, levelAt(budget, name, nowMs)])) as Purse['there'];
  const purse: Purse = { there: { ...levels }, left: { ...levels }, owed: 0 };
  const line: Line = {
    waiting: [],
    turns: new Map(taken.map(({ group }) => [group, { kind: 'taken' }])),
    awaited: new Set(),
    called: mayCall ? [] : undefined,
    kept: { urgency: undefined, instances: 0 },
  };
  for (const one of inOrder) serve(one, asking.has(one.group), purse, line, nowMs);
  const givenNow = [...asking.values()].filter(({ group }) => line.turns.get(group)?.kind === 'now');
  const instances = [...line.turns.values()].reduce((sum, turn) => sum + (turn.kind === 'now' ? turn.instances : 0), 0);
  return {
    turns: line.turns,
    called: line.called ?? [],
    budget: {
      version: budget.version + 1,
      levels: Object.fromEntries(names.map((name) => [name, { tokens: purse.there[name], atMs: nowMs }])),
      underWay: [...underWayNow(budget.underWay, nowMs), ...(instances > 0 ? [{ atMs: nowMs, instances }] : [])],
      waiting: [...line.waiting, ...missed.filter(({ group }) => !asking.has(group))],
      given: {
        ...younger(budget.given, ({ atMs, isForLook }) => atMs + (isForLook ? longestLookMs : takenMs), nowMs),
        ...Object.fromEntries(givenNow.map((ask) => [ask.group, givenFor(ask, nowMs)])),
      },
      refused: refusedNow(budget, nowMs),
      asked: alsoAsked(askedNow(budget, nowMs), givenNow, nowMs),
      granted: younger(budget.granted, (atMs) => atMs, nowMs - learnedMs) as AccountBudget['granted'],
    },
  };
};

/** Numbers of tokens by bucket. */
export type Tokens = Readonly<Partial<Record<BucketName, number>>>;

/** Facts about the account that launches showed. */
export type Lessons = {
  /** Buckets that AWS found empty, because others in the account draw on them too. */
  readonly empty: ReadonlySet<BucketName>;
  /** Offerings without capacity, with the code that EC2 returned. */
  readonly refused: ReadonlyMap<OfferingKey, string>;
  readonly granted: ReadonlySet<OfferingKey>;
  /** Tokens of a turn that were not spent: for launches after a lost race, and for instances that EC2 refused. */
  readonly unspent: Tokens;
  /** Groups that have nothing to launch. They keep no place in line. */
  readonly idle?: ReadonlySet<string>;
  /** Decisions that had a turn and launch nothing, by group. They hold up no other decision. */
  readonly dropped?: ReadonlyMap<string, string>;
};

/** Whether the other groups should know these facts, even if no group asks for a turn with the same write. */
export const areWorthAWrite = ({ empty, refused, unspent }: Lessons): boolean =>
  empty.size + refused.size + Object.values(unspent).reduce((sum, count) => sum + count, 0) > 0;

/** Levels with tokens that were not spent. A level that was never written is full. */
const givenBack = (budget: AccountBudget, unspent: Tokens, nowMs: number): AccountBudget['levels'] =>
  Object.fromEntries(
    names.flatMap((name) => {
      const back = unspent[name] ?? 0;
      if (budget.levels[name] === undefined || back === 0) return [];
      const tokens = Math.min(buckets[name].holds, afterTurns(budget, name, nowMs) + back);
      return [[name, { tokens, atMs: nowMs }] as const];
    }),
  );

/** The budget after looks and launches. A bucket that AWS found empty is empty, and a granted offering not refused. */
export const withLessons = (
  budget: AccountBudget,
  { empty, refused, granted, unspent, idle, dropped }: Lessons,
  nowMs: number,
): AccountBudget => ({
  ...budget,
  underWay: withoutRefused(budget.underWay, unspent.instances ?? 0),
  waiting: budget.waiting.filter(({ group }) => !idle?.has(group)),
  given: Object.fromEntries(Object.entries(budget.given).filter(([group, { by }]) => dropped?.get(group) !== by)),
  levels: {
    ...budget.levels,
    ...givenBack(budget, unspent, nowMs),
    ...Object.fromEntries(
      [...empty].map((name) => [name, { tokens: Math.min(0, levelAt(budget, name, nowMs)), atMs: nowMs }]),
    ),
  },
  refused: Object.fromEntries([
    ...Object.entries(budget.refused).filter(([key]) => !granted.has(key as OfferingKey)),
    ...[...refused].map(([key, code]) => [key, { atMs: nowMs, code }]),
  ]),
  granted: { ...budget.granted, ...Object.fromEntries([...granted].map((key) => [key, nowMs])) },
});
