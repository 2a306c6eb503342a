import type { Placement } from '../../core/placement/placement.ts';
import { type Offering, offeringKey } from '../../core/pool/offering.ts';
import type { LaunchedInstance, LaunchResult, Refusal } from '../../core/ports/launches.ts';
import { isRequestLimit, scopeOfRefusal, troubleOfCode, unexplainedShortfall } from '../calls/errors.ts';

/** One entry of `Errors[]`: it is about an override (a type in a zone), never about an instance. */
export type Complaint = {
  readonly instanceType?: string | undefined;
  readonly zone?: string | undefined;
  readonly subnet?: string | undefined;
  readonly code: string;
  readonly message: string;
};

const concerns = (complaint: Complaint, offering: Offering): boolean =>
  (complaint.instanceType === undefined || complaint.instanceType === offering.instanceType) &&
  (complaint.zone === undefined || complaint.zone === offering.zone);

/**
 * Offerings that complaints name and nobody requested: a request to an Auto Scaling group cannot name a type, so the
 * group may try others first.
 */
const triedBeside = ({ offerings }: Placement, complaints: readonly Complaint[]): readonly Offering[] => {
  const market = offerings[0]?.market;
  const named = complaints.flatMap(({ instanceType, zone }): readonly Offering[] =>
    instanceType === undefined || zone === undefined || market === undefined ? [] : [{ instanceType, zone, market }],
  );
  const known = new Set(offerings.map(offeringKey));
  return [...new Map(named.map((one) => [offeringKey(one), one])).values()].filter(
    (one) => !known.has(offeringKey(one)),
  );
};

/** A throttle or a server error. */
const isPassing = ({ code }: Complaint): boolean => ['throttled', 'ambiguous'].includes(troubleOfCode(code));
const isRefusal = ({ code }: Complaint): boolean => troubleOfCode(code) === 'refused';

const refusal = (offering: Offering, { code, message, subnet }: Complaint): Refusal => {
  const scope = scopeOfRefusal(code) ?? 'offering';
  return { offering, code, message, scope, ...(scope === 'subnet' && subnet !== undefined && { subnet }) };
};

/**
 * What complaints say about an offering: one refusal for each reach. One subnet of a zone may have no addresses while
 * the zone has no capacity, and a repeat in another subnet would be refused again.
 */
const refusalsOf = (offering: Offering, said: readonly Complaint[]): readonly Refusal[] => {
  const all = said.filter((one) => concerns(one, offering)).map((one) => refusal(offering, one));
  const reach = ({ scope, subnet }: Refusal): string => `${scope} ${subnet}`;
  return all.filter((one, index) => all.findIndex((other) => reach(other) === reach(one)) === index);
};

/**
 * EC2 granted fewer than requested without an error (a total price was reached): the placement cannot be granted as it
 * is.
 */
const unexplained = (placement: Placement, given: number): Complaint => ({
  code: unexplainedShortfall,
  message: `EC2 granted ${given} of ${placement.count} without a reason`,
});

/**
 * What a response with instances and errors means for the placement.
 * - An offering that gave instances is refused only when the placement is short: then its error says that no more are
 *   left. A subnet without free addresses is full whatever its offering gave.
 * - Throttles and server errors inside the response are no statement about capacity, and neither are errors of
 *   configuration. So none of them is a refusal. What they kept back is requested again. If such a request brings
 *   nothing and no refusal, it is a throttle, or denied where no part of it was throttled.
 * - Such a throttle is final. It is about the bucket of launched instances, because EC2 took the call.
 */
export const toLaunchResult = (
  placement: Placement,
  given: readonly LaunchedInstance[],
  complaints: readonly Complaint[],
): LaunchResult => {
  const short = given.length < placement.count;
  const refusing = complaints.filter(isRefusal);
  const [first] = complaints;
  const empty = complaints.some(({ code }) => isRequestLimit(code)) && ({ empty: 'instances' } as const);
  if (given.length === 0 && first && refusing.length === 0) {
    const passing = complaints.find(isPassing);
    return passing === undefined
      ? { kind: 'invalid', ...textOf(first) }
      : { kind: 'throttled', code: passing.code, ...empty };
  }
  const gave = new Set(given.map(({ offering }) => offeringKey(offering)));
  const said = short && complaints.length === 0 ? [unexplained(placement, given.length)] : refusing;
  const tried = [...placement.offerings, ...triedBeside(placement, said)];
  const refusals = tried.flatMap((offering) => {
    const isRefused = short || !gave.has(offeringKey(offering));
    return refusalsOf(offering, said).filter(({ subnet }) => isRefused || subnet !== undefined);
  });
  return { kind: 'answered', instances: given, refusals, ...empty };
};

const textOf = ({ code, message }: Complaint) => ({ code, message });

/** Refuses every offering of a placement for one reason. */
export const refusedAll = (placement: Placement, code: string, message: string): LaunchResult => ({
  kind: 'answered',
  instances: [],
  refusals: placement.offerings.map((offering) => refusal(offering, { code, message })),
});
