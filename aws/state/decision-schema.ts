import * as z from 'zod/mini';
import type { BreakerKey } from '../../core/breaker/breaker.ts';
import type {
  Decision,
  Leaving,
  PlacementReason,
  Rejection,
  RemovalRank,
  RemovalReason,
  Turn,
} from '../../core/decision/decision.ts';
import type { Remark } from '../../core/decision/remark.ts';
import type { Placement } from '../../core/placement/placement.ts';
import type { Better } from '../../core/returning/better-place.ts';
import type { MoveReason } from '../../core/returning/plan-return.ts';
import type { NotMoved } from '../../core/returning/rule.ts';
import {
  added,
  asgRemarks,
  cost,
  goneAsgs,
  leaveReason,
  number,
  objectOf,
  offering,
  offeringKey,
  prose,
  raisedMax,
  suspension,
  text,
  texts,
  turnRemarks,
} from './common-schema.ts';

const turn: z.ZodMiniType<Turn> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('tiered'), tier: number, of: number }),
  z.object({ kind: z.literal('spread'), by: z.enum(['zone', 'pool', 'instance-type']), name: text, held: number }),
  z.object({ kind: z.literal('weighted'), name: text, belowShare: number }),
  z.object({ kind: z.literal('cheapest'), name: text, priceUsdPerHour: z.optional(number) }),
]);

const placementReason: z.ZodMiniType<PlacementReason> = z.union([
  z.object({
    pool: text,
    count: number,
    turns: z.array(turn),
    lastResort: z.optional(z.enum(['advised', 'interrupted', 'trial', 'refused', 'breaker'])),
    spare: z.optional(z.literal(true)),
    owed: z.optional(z.object({ onDemand: number, held: number })),
    prose: z.optional(text),
  }),
  // As the first version stored it.
  z.pipe(
    z.object({ pool: text, count: number, why: text }),
    z.transform(({ pool, count, why }) => ({ pool, count, turns: [], prose: why })),
  ),
]);

const shareOf = z.enum(['instance-type', 'zone', 'offering']);
const breakerKey = z.custom<BreakerKey>(
  (value) => typeof value === 'string' && (value === 'spot' || value.startsWith('spot/')),
  'expected spot or spot/family',
);

const where = { path: text, pool: text };

const rejection: z.ZodMiniType<Rejection> = z.union([
  z.discriminatedUnion('code', [
    z.object({ ...where, code: z.literal('at-cap'), held: number, cap: number }),
    z.object({ ...where, code: z.literal('at-maximum'), held: number, max: number }),
    z.object({ ...where, code: z.literal('asg-gone'), offering: offeringKey, asg: text }),
    z.object({ ...where, code: z.literal('no-offering') }),
    z.object({
      ...where,
      code: z.literal('over-price'),
      offering: offeringKey,
      priceUsdPerHour: number,
      limitUsdPerHour: number,
    }),
    z.object({ ...where, code: z.literal('refused'), offering: offeringKey, awsCode: text, untilMs: number }),
    z.object({
      ...where,
      code: z.enum(['boots-failed', 'denied']),
      offering: offeringKey,
      awsCode: text,
      awsMessage: text,
      untilMs: number,
    }),
    z.object({ ...where, code: z.enum(['interrupted', 'advised']), offering: offeringKey, untilMs: number }),
    z.object({ ...where, code: z.literal('at-share'), offering: offeringKey, of: shareOf, held: number, most: number }),
    z.object({
      ...where,
      code: z.literal('breaker'),
      offering: offeringKey,
      breaker: breakerKey,
      is: z.enum(['open', 'tried', 'half-open']),
      untilMs: number,
    }),
    z.object({ ...where, code: z.literal('more-offerings'), count: number }),
  ]),
  // As the first version stored it.
  z.pipe(
    z.object({ ...where, why: text }),
    z.transform(({ path, pool, why }) => ({ path, pool, code: 'prose' as const, text: why })),
  ),
]);

const removalRank: z.ZodMiniType<RemovalRank> = z.discriminatedUnion('order', [
  z.object({ order: z.literal('dearest-first'), aboutUsdPerHour: z.optional(number) }),
  z.object({ order: z.enum(['oldest-first', 'newest-first']), launchedAtMs: number }),
  z.object({ order: z.literal('same-order') }),
]);

const removalReason: z.ZodMiniType<RemovalReason> = z.union([
  z.object({
    code: z.literal('surplus'),
    rank: removalRank,
    unhealthy: z.optional(z.literal(true)),
    overShare: z.optional(shareOf),
  }),
  z.object({ code: z.literal('return'), reservation: text, pool: z.optional(text) }),
  z.object({ code: z.literal('stand-in'), pool: text }),
  z.object({ code: z.literal('stray'), firstSeenAtMs: number, sightings: number }),
  prose,
]);

const leaving = objectOf<Leaving>({ instance: text, reason: leaveReason, why: removalReason });

const some = { instances: texts, count: number };

const remark: z.ZodMiniType<Remark> = z.discriminatedUnion('code', [
  z.object({ code: z.enum(['detached', 'advice-not-followed', 'advice-over-budget', 'put-back', 'serves']), ...some }),
  z.object({
    code: z.literal('boots-failed'),
    pool: text,
    awsCode: text,
    awsMessage: text,
    untilMs: number,
    ...some,
  }),
  z.object({
    code: z.literal('given-up'),
    pool: text,
    why: z.enum(['pending', 'not-joined', 'status-checks', 'warm-up', 'target-health']),
    untilMs: number,
    ...some,
  }),
  z.object({ code: z.enum(['deaths-bounded', 'shares-full']), count: number }),
  z.object({
    code: z.literal('launches-bounded'),
    count: number,
    launched: number,
    atMost: number,
    withinMs: number,
    untilMs: number,
    ends: z.array(z.object({ awsCode: text, awsMessage: text, count: number })),
  }),
  z.object({
    code: z.literal('breaker-opened'),
    breaker: breakerKey,
    why: z.enum(['interruptions', 'trial']),
    interruptions: number,
    withinMs: number,
    untilMs: number,
  }),
  z.object({ code: z.literal('breaker-closed'), breaker: breakerKey, why: z.enum(['trial', 'quiet']) }),
  z.object({ code: z.literal('breaker-overridden'), count: number }),
  z.object({ code: z.literal('spares-missing'), count: number, of: number }),
  ...turnRemarks,
  ...asgRemarks,
  z.object({ code: z.literal('on-demand-short'), owed: number, held: number }),
  z.object({ code: z.literal('paused'), missing: number, surplus: number }),
  z.object({
    code: z.literal('came-by-itself'),
    decision: text,
    afterMs: number,
    ...some,
    cost,
    wouldCost: cost,
  }),
]);

const better: z.ZodMiniType<Better> = z.discriminatedUnion('code', [
  z.object({ code: z.literal('earlier-tier'), tier: number, from: number }),
  z.object({ code: z.literal('cheaper'), usdPerHour: number, fromUsdPerHour: number }),
  z.object({ code: z.literal('spot-again') }),
  z.object({ code: z.literal('on-demand-owed'), owed: number, held: number }),
  z.object({ code: z.literal('fewer-members'), held: number, fromHeld: number }),
  z.object({ code: z.literal('below-share'), below: number, fromAbove: number }),
]);

const moveReason = objectOf<MoveReason>({ pool: text, instances: texts, why: better });

const notMoved: z.ZodMiniType<NotMoved> = z.discriminatedUnion('code', [
  z.object({ code: z.literal('resting'), offering: offeringKey, untilMs: number }),
  z.object({
    code: z.literal('would-not-pay'),
    offering: offeringKey,
    usdPerHour: number,
    fromUsdPerHour: number,
    lifeMs: number,
  }),
  z.object({ code: z.literal('window-closed') }),
  z.object({ code: z.enum(['unsettled', 'flapping']), untilMs: number }),
  z.object({ code: z.literal('breaker-open'), breaker: breakerKey, untilMs: number }),
  z.object({ code: z.literal('budget'), withinMs: number }),
]);

/** A stored decision of either version. The versions differ in the form of the reasons only. */
export const decision = objectOf<Decision>({
  group: text,
  desired: number,
  staying: number,
  placements: z.array(
    objectOf<Placement>({
      pool: text,
      count: number,
      offerings: z.array(offering),
      avoidSubnets: z.optional(texts),
      moves: z.optional(texts),
      trial: z.optional(z.literal(true)),
    }),
  ),
  unplaced: number,
  reasons: z.array(placementReason),
  rejected: z.array(rejection),
  removals: z.array(leaving),
  drains: texts,
  admissions: texts,
  raise: z.array(raisedMax),
  restore: z.array(raisedMax),
  lower: z.optional(z.array(raisedMax)),
  suspend: z.optional(z.array(suspension)),
  resume: z.optional(z.array(suspension)),
  takeDown: z.optional(z.array(added)),
  takeOver: z.array(z.object({ asg: text, desired: number })),
  leftToGroups: z.optional(texts),
  uncovered: z.optional(number),
  unnoticed: texts,
  cheapest: z.record(text, text),
  moves: z.optional(z.array(moveReason)),
  notMoved: z.optional(notMoved),
  remarks: z.optional(z.array(remark)),
  keptByMinimum: z.optional(number),
  onDemandShort: z.optional(number),
  goneAsgs: z.optional(goneAsgs),
  spares: z.optional(z.object({ placed: number, missing: number })),
  wakeAtMs: z.optional(number),
});
