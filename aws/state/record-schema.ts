import * as z from 'zod/mini';
import type {
  CarriedOut,
  DecisionRecord,
  LaunchOutcome,
  Outcome,
  SizeChange,
  TrimmedPart,
  ViewDigest,
} from '../../core/decision/decision-record.ts';
import { type SignalCause, signalKinds } from '../../core/signals/signal.ts';
import {
  cost,
  launchTrouble,
  leaveReason,
  number,
  objectOf,
  offering,
  swapState,
  text,
  texts,
} from './common-schema.ts';
import { decision } from './decision-schema.ts';

const cause = z.union(
  signalKinds.map(({ kind, cause: fields }) => z.object({ code: z.literal(kind), ...fields })),
) as unknown as z.ZodMiniType<SignalCause>;

const adjustment = z.object({ kind: z.enum(['instances', 'percent']), by: number });

const sizeChange: z.ZodMiniType<SizeChange> = z.discriminatedUnion('code', [
  z.object({ code: z.literal(['policy', 'caught-up', 'outside']), from: number, to: number }),
  z.object({ code: z.literal('schedule'), at: text, timezone: text, atMs: number, from: number, to: number }),
  z.object({
    code: z.literal('alarm'),
    alarm: text,
    atMs: number,
    adjust: adjustment,
    fromThreshold: z.optional(number),
    from: number,
    to: number,
    lasts: z.optional(z.literal(true)),
  }),
  z.object({ code: z.literal('alarm-quiet'), alarm: text, why: z.enum(['suppressed', 'muted']) }),
  z.object({ code: z.literal('alarm-cooling'), alarm: text, untilMs: number }),
  z.object({ code: z.literal('alarm-late'), alarm: text, atMs: number }),
]);

const viewDigest = objectOf<ViewDigest>({
  nowMs: number,
  desired: number,
  members: number,
  serving: number,
  unread: z.optional(number),
  byPool: z.record(text, number),
  swaps: z.partialRecord(swapState, number),
  reservations: number,
  prices: z.optional(z.object({ readAtMs: z.optional(number), isStated: z.optional(z.literal(true)) })),
  ended: z.optional(texts),
  stateVersion: z.optional(number),
});

const asked = { reservation: text, pool: text, count: number, replaces: texts };
const refusals = z.array(z.object({ offering, code: text }));

const launchOutcome: z.ZodMiniType<LaunchOutcome> = z.union([
  z.object({ ...asked, result: z.literal('answered'), instances: texts, refusals }),
  z.object({ ...asked, result: launchTrouble, code: text }),
]);

const acted = {
  claimed: z.array(z.object({ instance: text, reason: leaveReason, drain: z.optional(text) })),
  drainsStarted: number,
  admitted: texts,
  restored: texts,
  wakeAtMs: z.optional(number),
};

const outcome: z.ZodMiniType<Outcome> = z.discriminatedUnion('code', [
  z.object({
    code: z.literal('carried-out'),
    launches: z.array(launchOutcome),
    ...acted,
    failed: z.array(z.object({ instance: text, awsCode: text })),
  }),
  z.object({
    code: z.literal('observed'),
    leaves: z.array(z.object({ instance: text, reason: leaveReason })),
    adds: cost,
    ends: cost,
    now: cost,
  }),
  z.object({
    code: z.literal('not-carried-out'),
    overtaken: z.union([
      z.object({ by: z.literal('state'), readVersion: number }),
      z.object({ by: z.literal('policy'), policyVersion: number }),
      z.object({ by: z.literal('claims'), instances: z.array(text), count: number }),
    ]),
  }),
]);

const head = { group: text, id: text, atMs: number, policyVersion: number, correlation: text };

/** The form in which decisions are stored now. */
export const record = objectOf<DecisionRecord>({
  ...head,
  causes: z.array(cause),
  sizes: z.array(sizeChange),
  rounds: z.array(decision),
  view: z.optional(viewDigest),
  outcome: z.optional(outcome),
  trimmed: z.optional(z.array(z.object({ part: z.enum(['rounds', 'view', 'outcome']), bytes: z.optional(number) }))),
});

const firstLaunch = z.union([
  z.pipe(
    z.object({ ...asked, instances: texts, refusals }),
    z.transform((answered): LaunchOutcome => ({ ...answered, result: 'answered' })),
  ),
  z.pipe(
    z.object({ ...asked, trouble: launchTrouble, code: text }),
    z.transform(({ trouble: result, ...rest }): LaunchOutcome => ({ ...rest, result })),
  ),
]);

const firstOutcome = z.pipe(
  z.object({ launches: z.array(firstLaunch), ...acted, failed: z.array(z.object({ instance: text, code: text })) }),
  z.transform(
    ({ failed, ...rest }): CarriedOut => ({
      code: 'carried-out',
      ...rest,
      failed: failed.map(({ instance, code }) => ({ instance, awsCode: code })),
    }),
  ),
);

/** The first version stored a sentence instead of a part that was too large. */
const leftOut = z.object({ trimmed: text });

const isLeftOut = (part: object | undefined): part is { trimmed: string } => part !== undefined && 'trimmed' in part;

/** The form in which the first version stored decisions. */
export const firstRecord: z.ZodMiniType<DecisionRecord> = z.pipe(
  z.object({
    ...head,
    because: texts,
    decision: z.union([leftOut, z.array(decision)]),
    viewDigest: z.union([leftOut, viewDigest]),
    outcome: z.optional(z.union([leftOut, firstOutcome])),
  }),
  z.transform(({ because, decision: rounds, viewDigest: view, outcome: came, ...rest }): DecisionRecord => {
    const trimmed = Object.entries({ rounds, view, outcome: came }).flatMap(([part, value]) =>
      isLeftOut(value) ? [{ part: part as TrimmedPart }] : [],
    );
    return {
      ...rest,
      causes: because.map((told) => ({ code: 'prose', text: told })),
      sizes: [],
      rounds: isLeftOut(rounds) ? [] : rounds,
      ...(!isLeftOut(view) && { view }),
      ...(came !== undefined && !isLeftOut(came) && { outcome: came }),
      ...(trimmed.length > 0 && { trimmed }),
    };
  }),
);
