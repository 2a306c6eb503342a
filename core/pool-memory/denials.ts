import type { Pool } from '../pool/pool.ts';
import { poolsBelow, type Selector } from '../selector/selector.ts';
import { askAgainAfterMs } from './ask-again.ts';

/** A launch that EC2 denied because of how it is configured: a right that is missing, or a template that is gone. */
export type Denial = {
  readonly code: string;
  readonly message: string;
  readonly atMs: number;
  /** The pool is requested again then, because a user may have fixed it. */
  readonly untilMs: number;
  /** Whether a request of another pool got a response since then. So the cause is the pool's own. */
  readonly isItsOwn?: true;
};

/**
 * Denied launches by pool. They are no statement about capacity, so the offerings are not refused: another pool with
 * the same offerings may be configured correctly. A denial is kept until a request of its pool gets a response.
 */
export type Denials = Readonly<Record<string, Denial>>;

const longestMessage = 200;
/** A denial that was not tested for this time no longer counts, because a user may have fixed it. */
const keptForMs = 3_600_000;

type Denied = { readonly code: string; readonly message: string };

/** The result of a request of a pool, and what EC2 said where it denied the request. */
export type Answer = { readonly pool: string; readonly denied?: Denied };

/** Each denied pool is requested again within this many turns, however many there are. */
const mostTurns = 5;

/** Pools take turns, so that one of them is requested each minute, however many there are. */
const withDenial = (known: Map<string, Denial>, pool: string, { code, message }: Denied, nowMs: number): void => {
  const resting = [...known].filter(([name, { untilMs }]) => name !== pool && nowMs < untilMs).length;
  const turns = Math.min(mostTurns, resting + 1);
  const before = known.get(pool);
  known.set(pool, {
    code,
    message: message.slice(0, longestMessage),
    atMs: nowMs,
    untilMs: nowMs + turns * askAgainAfterMs,
    ...(before?.code === code && before.isItsOwn && { isItsOwn: true }),
  });
};

/** Removes the denials that have the same reason as a pool that works now: all of them are fixed. */
const withoutReason = (known: Map<string, Denial>, pool: string): void => {
  const mended = known.get(pool)?.code;
  for (const [name, { code }] of known) if (code === mended) known.delete(name);
};

/** Denials after the results of requests. */
export const rememberDenials = (
  denials: Denials | undefined,
  answers: readonly Answer[],
  nowMs: number,
): Denials | undefined => {
  const known = new Map(Object.entries(denials ?? {}).filter(([, { atMs }]) => nowMs - atMs < keptForMs));
  for (const { pool, denied } of answers) {
    if (denied === undefined) withoutReason(known, pool);
    else withDenial(known, pool, denied, nowMs);
  }
  const works = answers.some(({ denied }) => denied === undefined);
  const denied = [...known].map(([pool, one]) => [pool, works ? { ...one, isItsOwn: true as const } : one] as const);
  return denied.length === 0 ? undefined : Object.fromEntries(denied);
};

/** Whether AWS denied the latest launch of a pool, or of another one for a cause that may be common to all pools. */
export const mayBeDenied = (denials: Denials | undefined, pool: string): boolean =>
  Object.entries(denials ?? {}).some(([name, { isItsOwn }]) => name === pool || isItsOwn !== true);

/** The denial that lets a pool rest. */
export const restOfDenial = (
  denials: Denials | undefined,
  { name }: Pick<Pool, 'name'>,
  nowMs: number,
): Denial | undefined => {
  const denial = denials?.[name];
  return denial !== undefined && nowMs < denial.untilMs ? denial : undefined;
};

/** Denials after a user wrote the policy: pools that were denied until then may be requested at once. */
export const withoutRest = (denials: Denials, writtenAtMs: number): Denials =>
  Object.fromEntries(
    Object.entries(denials).map(([pool, denial]) => [
      pool,
      denial.atMs > writtenAtMs ? denial : { ...denial, untilMs: denial.atMs },
    ]),
  );

/**
 * Denials as if each lasted until its pool is requested again, so that no member leaves because of an untested pool.
 */
export const untilDisproved = (denials: Denials | undefined): Denials | undefined =>
  denials &&
  Object.fromEntries(
    Object.entries(denials).map(([pool, denial]) => [pool, { ...denial, untilMs: Number.POSITIVE_INFINITY }]),
  );

/** Whether some pool of a tree was denied last time. */
export const isDeniedIn = (denials: Denials | undefined, selector: Selector): boolean =>
  denials !== undefined && poolsBelow(selector).some((pool) => denials[pool] !== undefined);
