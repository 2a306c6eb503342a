import * as z from 'zod/mini';
import { precedences, urgencies } from '../../core/limits/need.ts';
import { type OfferingKey, parseOfferingKey } from '../../core/pool/offering.ts';
import type { LaunchResult } from '../../core/ports/launches.ts';
import type { Prose } from '../../core/swap/shortfall.ts';
import { anyOf, type Check, mapOf } from './checks.ts';
import * as shapes from './shapes.ts';

export const text = z.string();
export const texts = z.array(text);
export const number = z.number();

/** A schema from a check. */
const from = <T>(check: Check<T>): z.ZodMiniType<T> => z.custom<T>((raw) => check(raw) === undefined);

export const offering = from(shapes.offering);
export const cost = from(shapes.cost);
export const added = from(shapes.added);
export const raisedMax = from(shapes.raisedMax);
const unfitAsg = from(shapes.unfitAsg);
export const suspension = from(shapes.suspension);
export const goneAsgs = from(mapOf(shapes.goneAsg));
export const leaveReason = from(shapes.leaveReason);
export const swapState = from(shapes.swapState);
export const launchTrouble = from(
  anyOf<Exclude<LaunchResult['kind'], 'answered'>>({
    throttled: true,
    ambiguous: true,
    invalid: true,
    'made-before': true,
    'not-asked': true,
  }),
);

/**
 * A schema that names every field of a type, optional ones included. A field that is added to the type and not here
 * does not compile.
 */
export const objectOf = <T extends object>(
  shape: { readonly [Key in keyof T]-?: z.ZodMiniType<T[Key]> },
): z.ZodMiniType<T> => z.object(shape as Record<string, z.ZodMiniType>) as unknown as z.ZodMiniType<T>;

export const offeringKey = z.custom<OfferingKey>(
  (value) => typeof value === 'string' && parseOfferingKey(value) !== undefined,
  'expected instance type/zone/market',
);

/** A sentence, which the first version stored instead of data. */
export const prose: z.ZodMiniType<Prose> = z.union([
  z.object({ code: z.literal('prose'), text }),
  z.pipe(
    text,
    z.transform((sentence) => ({ code: 'prose' as const, text: sentence })),
  ),
]);

/** Why a value does not fit a schema: the path, and what was expected. */
export const problemsOf = (error: z.core.$ZodError): readonly string[] =>
  error.issues.slice(0, 5).map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));

const aheadBy = z.partialRecord(z.enum(precedences), number);

/** The remarks about Auto Scaling groups. */
export const asgRemarks = [
  z.object({
    code: z.literal('kept-by-minimum'),
    count: number,
    asgs: z.array(z.object({ asg: text, min: number })),
  }),
  z.object({ code: z.literal('asg-unfit'), asgs: z.array(unfitAsg) }),
  z.object({ code: z.enum(['asg-gone', 'asg-back']), asgs: texts }),
] as const;

/** The remarks of a launch that waits, that waited, or that waits in part for the account's bucket. */
export const turnRemarks = [
  z.object({
    code: z.literal('waits-for-turn'),
    bucket: text,
    count: number,
    urgency: z.optional(z.enum(urgencies)),
    size: z.optional(number),
    ahead: number,
    aheadBy: z.optional(aheadBy),
    turnAtMs: number,
  }),
  z.object({ code: z.literal('waited-for-turn'), bucket: text, waitedMs: number }),
  z.object({
    code: z.literal('rest-waits-for-turn'),
    bucket: text,
    count: number,
    of: number,
    urgency: z.enum(urgencies),
    size: number,
    ahead: number,
    aheadBy,
    turnAtMs: number,
  }),
] as const;
