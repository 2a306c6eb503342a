import type { OfferingKey } from '../pool/offering.ts';
import { type BucketName, buckets, type Level, tokensAt } from './account-buckets.ts';
import { type FullAt, pacedBuckets, tokensLeft } from './call-pace.ts';
import { type Ask, byNeed, type Waiting } from './need.ts';

/** `isForLook`: only a look that begins later shows what the tokens were for. */
type Given = { readonly by: string; readonly atMs: number; readonly isForLook?: true };

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
  readonly waiting: readonly Waiting[];
  /** Groups that were given tokens a moment ago, and the decision that was given them. */
  readonly given: Readonly<Record<string, Given>>;
  /** Offerings that EC2 refused for lack of capacity a moment ago, to any group. */
  readonly refused: Readonly<Record<OfferingKey, number>>;
};

export const emptyBudget: AccountBudget = { version: 0, levels: {}, waiting: [], given: {}, refused: {} };

/** Whether a group may launch now. */
export type Turn =
  /** `instances` may be fewer than wanted. The others have their turn at `restAtMs`. */
  | {
      readonly kind: 'now';
      readonly instances: number;
      readonly sinceMs: number;
      readonly restAtMs?: number;
      readonly ahead: number;
    }
  /** `ahead`: the number of groups with a greater need that wait for the same bucket. */
  | { readonly kind: 'later'; readonly turnAtMs: number; readonly sinceMs: number; readonly ahead: number }
  /** Another decision about this group was given tokens a moment ago, and is about to launch. */
  | { readonly kind: 'taken' };

/** Within this time, a decision that was given tokens has stored its launches. */
const takenMs = 1_000;
/** No look takes longer than this. */
const longestLookMs = 10_000;
/** A group that misses its turn by this time loses its place. */
const patienceMs = 10_000;
/** How long a refusal to one group keeps other groups from requesting the same offering. */
const refusedMs = 30_000;
/** A group whose turn comes within this time is not called. */
const soonMs = 5_000;
/** When the bucket of instances is low, a call for fewer instances than this is not worth its token. */
const leastInstances = 20;

/** The level of a bucket: the lower one of the level after turns and the level after all calls. */
const levelAt = ({ levels, fullAt = {} }: AccountBudget, name: BucketName, nowMs: number): number => {
  const left = tokensAt(buckets[name], levels[name], nowMs);
  const paced = pacedBuckets.find((one) => one === name);
  return paced === undefined ? left : Math.min(left, tokensLeft(paced, fullAt, nowMs));
};

const names = Object.keys(buckets) as BucketName[];

/** Tokens in the buckets now, and tokens left after the turns of all groups ahead. */
type Purse = { readonly there: Record<BucketName, number>; readonly left: Record<BucketName, number> };

const spend = (tokens: Record<BucketName, number>, { bucket, calls }: Waiting, instances: number): void => {
  tokens[bucket] -= calls;
  tokens.instances -= instances;
};

/** Calls that launch nothing do not wait for the bucket of launched instances. */
const drawsOn = ({ bucket, instances }: Waiting): readonly BucketName[] =>
  instances > 0 ? [bucket, 'instances'] : [bucket];

/** When a bucket has the tokens that it lacks. */
const thereAtMs = ({ left }: Purse, bucket: BucketName, nowMs: number): number =>
  nowMs + Math.ceil((Math.max(0, -left[bucket]) / buckets[bucket].perSecond) * 1_000);

type Line = {
  readonly waiting: Waiting[];
  readonly turns: Map<string, Turn>;
  readonly ahead: Map<BucketName, number>;
  /** Undefined where nobody can be called. */
  readonly called: Called[] | undefined;
};

/**
 * The turn of a waiting group. It is called for a turn that comes earlier than it was told, unless the difference is
 * small.
 */
const calledAtMs = ({ group, instances, turnAtMs }: Waiting, { called }: Line, atMs: number): number => {
  if (called === undefined || instances === 0 || turnAtMs - atMs <= soonMs) return turnAtMs;
  called.push({ group, atMs });
  return atMs;
};

const turnOf = (one: Waiting, isHere: boolean, purse: Purse, line: Line, nowMs: number): void => {
  const { left, there } = purse;
  const calls = Math.min(one.calls, buckets[one.bucket].holds);
  const instances = Math.min(one.instances, leastInstances);
  const ahead = line.ahead.get(one.bucket) ?? 0;
  const isThere = drawsOn(one).every((name) => left[name] >= (name === 'instances' ? instances : calls));
  if (isHere && isThere) {
    // A look that launches nothing takes no instances, even if groups ahead wait for more instances than there are.
    const given = Math.min(one.instances, Math.max(0, Math.floor(left.instances)));
    for (const tokens of [left, there]) spend(tokens, { ...one, calls }, given);
    const rest = one.instances - given;
    left.instances -= Math.min(rest, leastInstances);
    const restAtMs = thereAtMs(purse, 'instances', nowMs);
    if (rest > 0) line.waiting.push({ ...one, calls: 1, instances: rest, turnAtMs: restAtMs });
    const turn: Turn = { kind: 'now', instances: given, sinceMs: one.sinceMs, ahead, ...(rest > 0 && { restAtMs }) };
    line.turns.set(one.group, turn);
    return;
  }
  // Its calls are refilled long before the instances that it lacks, so others may make theirs until then.
  const lacksInstances = instances > 0 && left.instances < instances;
  spend(left, { ...one, calls: lacksInstances ? 0 : calls }, instances);
  const turnAtMs = Math.max(...drawsOn(one).map((name) => thereAtMs(purse, name, nowMs)));
  const isNext = line.waiting.length === 0;
  const earliestMs = isThere ? nowMs : isNext ? turnAtMs : one.turnAtMs;
  line.waiting.push({ ...one, turnAtMs: isHere ? turnAtMs : calledAtMs(one, line, earliestMs) });
  line.ahead.set(one.bucket, ahead + 1);
  if (isHere) line.turns.set(one.group, { kind: 'later', turnAtMs, sinceMs: one.sinceMs, ahead });
};

const younger = <Entry>(
  entries: Readonly<Record<string, Entry>>,
  atMs: (entry: Entry) => number,
  thanMs: number,
): Readonly<Record<string, Entry>> =>
  Object.fromEntries(Object.entries(entries).filter(([, entry]: [string, Entry]) => atMs(entry) > thanMs));

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

/** A group whose turn comes earlier than it was told. */
export type Called = { readonly group: string; readonly atMs: number };

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
 * @param mayCall whether whoever asks can wake those that are called.
 */
export const shareOut = (budget: AccountBudget, asks: readonly Ask[], nowMs: number, mayCall = false): Shared => {
  const taken = asks.filter((ask) => isTaken(budget, ask, nowMs));
  const asking = new Map(asks.filter((ask) => !taken.includes(ask)).map((ask) => [ask.group, ask]));
  const before = budget.waiting.filter(({ turnAtMs }) => nowMs - turnAtMs < patienceMs);
  const since = new Map(before.map(({ group, sinceMs }) => [group, sinceMs]));
  const present = [...asking.values()].map(({ by: _, lookedAtMs: __, ...ask }) => ({
    ...ask,
    sinceMs: since.get(ask.group) ?? nowMs,
    turnAtMs: nowMs,
  }));
  const inOrder = [...before.filter(({ group }) => !asking.has(group)), ...present].toSorted(byNeed);
  const levels = Object.fromEntries(names.map((name) => [name, levelAt(budget, name, nowMs)])) as Purse['there'];
  const purse: Purse = { there: { ...levels }, left: { ...levels } };
  const line: Line = {
    waiting: [],
    turns: new Map(taken.map(({ group }) => [group, { kind: 'taken' }])),
    ahead: new Map(),
    called: mayCall ? [] : undefined,
  };
  for (const one of inOrder) turnOf(one, asking.has(one.group), purse, line, nowMs);
  const givenNow = [...asking.values()].filter(({ group }) => line.turns.get(group)?.kind === 'now');
  return {
    turns: line.turns,
    called: line.called ?? [],
    budget: {
      version: budget.version + 1,
      levels: Object.fromEntries(names.map((name) => [name, { tokens: purse.there[name], atMs: nowMs }])),
      waiting: line.waiting,
      given: {
        ...younger(budget.given, ({ atMs, isForLook }) => atMs + (isForLook ? longestLookMs : takenMs), nowMs),
        ...Object.fromEntries(givenNow.map((ask) => [ask.group, givenFor(ask, nowMs)])),
      },
      refused: younger(budget.refused, (atMs) => atMs, nowMs - refusedMs) as AccountBudget['refused'],
    },
  };
};

/** Numbers of tokens by bucket. */
export type Tokens = Readonly<Partial<Record<BucketName, number>>>;

/** Facts about the account that launches showed. */
export type Lessons = {
  /** Buckets that AWS found empty, because others in the account draw on them too. */
  readonly empty: ReadonlySet<BucketName>;
  readonly refused: ReadonlySet<OfferingKey>;
  readonly granted: ReadonlySet<OfferingKey>;
  /** Tokens of a turn that were not spent: for launches after a lost race, and for instances that EC2 refused. */
  readonly unspent: Tokens;
};

/** Levels with tokens that were not spent. A level that was never written is full. */
const givenBack = ({ levels }: AccountBudget, unspent: Tokens, nowMs: number): AccountBudget['levels'] =>
  Object.fromEntries(
    names.flatMap((name) => {
      const [level, back = 0] = [levels[name], unspent[name]];
      if (level === undefined || back === 0) return [];
      const tokens = Math.min(buckets[name].holds, tokensAt(buckets[name], level, nowMs) + back);
      return [[name, { tokens, atMs: nowMs }] as const];
    }),
  );

/**
 * The budget after launches. A bucket that AWS found empty is empty, and a granted offering no longer counts as
 * refused.
 */
export const withLessons = (
  budget: AccountBudget,
  { empty, refused, granted, unspent }: Lessons,
  nowMs: number,
): AccountBudget => ({
  ...budget,
  levels: {
    ...budget.levels,
    ...givenBack(budget, unspent, nowMs),
    ...Object.fromEntries(
      [...empty].map((name) => [name, { tokens: Math.min(0, levelAt(budget, name, nowMs)), atMs: nowMs }]),
    ),
  },
  refused: Object.fromEntries([
    ...Object.entries(budget.refused).filter(([key]) => !granted.has(key as OfferingKey)),
    ...[...refused].map((key) => [key, nowMs]),
  ]),
});
