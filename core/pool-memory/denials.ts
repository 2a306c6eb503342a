import type { Pool } from '../pool/pool.ts';
import { poolsBelow, type Selector } from '../selector/selector.ts';
import { askAgainAfterMs } from './ask-again.ts';

/** A launch that EC2 denied because of how it is configured: a right that is missing, or a template that is gone. */
export type Denial = {
  readonly code: string;
  readonly message: string;
  readonly atMs: number;
  /** The pool is asked again then: somebody may have mended it. */
  readonly untilMs: number;
};

/**
 * Denied launches by pool. They say nothing about capacity, so they are no refusals of offerings: another pool of the
 * same offerings may have what this one lacks. One is kept until a request of its pool is answered.
 */
export type Denials = Readonly<Record<string, Denial>>;

const longestMessage = 200;
/** What nobody has asked about for so long may have been mended. */
const keptForMs = 3_600_000;

/** How EC2 answered a request of a pool. */
export type Answer = { readonly pool: string; readonly kind: 'answered' } | Denied;

type Denied = {
  readonly pool: string;
  readonly kind: 'invalid';
  readonly code: string;
  readonly message: string;
};

/** However many pools are denied, each is asked again within this many turns. */
const mostTurns = 5;

/** Pools take turns, so that one of them is asked each minute, however many there are. */
const withDenial = (known: Map<string, Denial>, { pool, code, message }: Denied, nowMs: number): void => {
  const resting = [...known].filter(([name, { untilMs }]) => name !== pool && nowMs < untilMs).length;
  const turns = Math.min(mostTurns, resting + 1);
  known.set(pool, {
    code,
    message: message.slice(0, longestMessage),
    atMs: nowMs,
    untilMs: nowMs + turns * askAgainAfterMs,
  });
};

/** What was denied to several pools for one reason is mended for all of them. */
const withoutReason = (known: Map<string, Denial>, pool: string): void => {
  const mended = known.get(pool)?.code;
  for (const [name, { code }] of known) if (code === mended) known.delete(name);
};

/** Denials after EC2 answered requests. */
export const rememberDenials = (
  denials: Denials | undefined,
  answers: readonly Answer[],
  nowMs: number,
): Denials | undefined => {
  const known = new Map(Object.entries(denials ?? {}).filter(([, { atMs }]) => nowMs - atMs < keptForMs));
  for (const answer of answers) {
    if (answer.kind === 'answered') withoutReason(known, answer.pool);
    else withDenial(known, answer, nowMs);
  }
  return known.size === 0 ? undefined : Object.fromEntries(known);
};

/** The denial that lets a pool rest. */
export const restOfDenial = (
  denials: Denials | undefined,
  { name }: Pick<Pool, 'name'>,
  nowMs: number,
): Denial | undefined => {
  const denial = denials?.[name];
  return denial !== undefined && nowMs < denial.untilMs ? denial : undefined;
};

/** Denials whose pools may be asked at once. */
export const withoutRest = (denials: Denials): Denials =>
  Object.fromEntries(Object.entries(denials).map(([pool, denial]) => [pool, { ...denial, untilMs: denial.atMs }]));

/** Denials as if each lasted until its pool has been asked: nothing may depend on what was denied last time. */
export const untilDisproved = (denials: Denials | undefined): Denials | undefined =>
  denials &&
  Object.fromEntries(
    Object.entries(denials).map(([pool, denial]) => [pool, { ...denial, untilMs: Number.POSITIVE_INFINITY }]),
  );

/** Whether some pool of a tree was denied last time. */
export const isDeniedIn = (denials: Denials | undefined, selector: Selector): boolean =>
  denials !== undefined && poolsBelow(selector).some((pool) => denials[pool] !== undefined);
