import * as z from 'zod/mini';
import type { Offering, OfferingKey } from '../../core/offering.ts';
import { parseOfferingKey } from '../../core/offering.ts';
import type { Prose, Shortfall } from '../../core/shortfall.ts';
import type { LeaveReason, SwapState } from '../../core/swap.ts';
import type { RaisedMax } from '../../core/view.ts';

export const text = z.string();
export const texts = z.array(text);
export const number = z.number();

/** A schema that names every field of a type, optional ones included: a field that is added to the type and not here does not compile. */
export const objectOf = <T extends object>(shape: { readonly [Key in keyof T]-?: z.ZodMiniType<T[Key]> }): z.ZodMiniType<T> =>
  z.object(shape as Record<string, z.ZodMiniType>) as unknown as z.ZodMiniType<T>;

export const offering = objectOf<Offering>({ instanceType: text, zone: text, market: z.enum(['spot', 'on-demand']) });

export const offeringKey = z.custom<OfferingKey>(
  (value) => typeof value === 'string' && parseOfferingKey(value) !== undefined,
  'expected instance type/zone/market',
);

export const leaveReason: z.ZodMiniType<LeaveReason> = z.enum(['interruption', 'rebalance', 'hook', 'scale-in', 'unwanted']);

export const swapState: z.ZodMiniType<SwapState> = z.enum(['waiting', 'leaving', 'draining', 'drained', 'gone']);

export const raisedMax = objectOf<RaisedMax>({ asg: text, fromMax: number, toMax: number, earlier: z.optional(z.array(number)) });

const proseObject = z.object({ code: z.literal('prose'), text });

/** What the first version stored in place of data: a sentence. */
export const prose: z.ZodMiniType<Prose> = z.union([
  proseObject,
  z.pipe(
    text,
    z.transform((sentence) => ({ code: 'prose' as const, text: sentence })),
  ),
]);

const cut = { cutAtMs: number, by: z.enum(['ec2', 'auto-scaling', 'holdfast']) };

export const shortfall: z.ZodMiniType<Shortfall> = z.union([
  z.discriminatedUnion('code', [
    z.object({ code: z.literal('delay-exceeds-deadline'), delayMs: number, leftMs: number, ...cut }),
    z.object({ code: z.literal(['not-released', 'not-ended']), awsCode: text }),
    z.object({ code: z.literal(['not-released-in-time', 'still-draining']), ...cut }),
    z.object({ code: z.literal('drain-broke'), error: text, cause: z.optional(text) }),
    z.object({ code: z.literal(['ended-before-drain', 'let-go']) }),
  ]),
  prose,
]);

/** Why a value is not what a schema says: where, and what was expected. */
export const problemsOf = (error: z.core.$ZodError): readonly string[] =>
  error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'the item'}: ${message}`);
