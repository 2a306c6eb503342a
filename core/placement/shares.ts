import { type Offering, type OfferingKey, offeringKey } from '../pool/offering.ts';
import type { Headcount } from '../view/headcount.ts';
import type { View } from '../view/view.ts';
import type { Placement } from './placement.ts';

/** What a share is of. */
export type ShareOf = 'instance-type' | 'zone' | 'offering';

/** The most that one instance type, one zone and one offering may hold, in percent of the size. Absent: no limit. */
export type MaxShare = { readonly instanceType?: number; readonly zone?: number; readonly offering?: number };

/** Members of an offering that count towards shares. */
export type Sharing = { readonly offering: Offering; readonly count: number };

/** The limits, the size that they are a part of, and the members that count. */
export type Shared = { readonly maxShare: MaxShare; readonly size: number; readonly held: readonly Sharing[] };

/** A share that is full, or over its limit. */
type Full = { readonly of: ShareOf; readonly held: number; readonly most: number };

/** The most members of a share: rounded up, and one at least. */
export const mostOf = (percent: number, size: number): number => Math.max(1, Math.ceil((size * percent) / 100 - 1e-9));

type Limit = {
  readonly of: ShareOf;
  readonly most: number;
  readonly keyOf: (offering: Offering) => string;
  readonly counts: Map<string, number>;
};

/** Counts members by what limits are about, while a plan places or removes them. */
export type ShareBook = {
  /** The first share of an offering that has no room for another member. */
  readonly full: (offering: Offering) => Full | undefined;
  /** The first share of an offering that holds more than its limit. */
  readonly over: (offering: Offering) => Full | undefined;
  /** Whether two offerings are in the same shares. */
  readonly alike: (one: Offering, other: Offering) => boolean;
  /** Counts members in or out. True when a share became full, or has room again, or is at its limit again. */
  readonly add: (offering: Offering, by: number) => boolean;
};

const limitsOf = ({ instanceType, zone, offering }: MaxShare, size: number): readonly Limit[] => {
  const limit = (of: ShareOf, percent: number | undefined, keyOf: Limit['keyOf']): readonly Limit[] =>
    percent === undefined ? [] : [{ of, most: mostOf(percent, size), keyOf, counts: new Map() }];
  return [
    ...limit('instance-type', instanceType, (one) => one.instanceType),
    ...limit('zone', zone, (one) => one.zone),
    ...limit('offering', offering, offeringKey),
  ];
};

const heldIn = ({ keyOf, counts }: Limit, offering: Offering): number => counts.get(keyOf(offering)) ?? 0;

/** A book with all members that count. */
export const shareBook = ({ maxShare, size, held }: Shared): ShareBook => {
  const limits = limitsOf(maxShare, size);
  const add = (offering: Offering, by: number): boolean => {
    let hasTurned = false;
    for (const limit of limits) {
      const before = heldIn(limit, offering);
      const after = before + by;
      limit.counts.set(limit.keyOf(offering), after);
      hasTurned ||= Math.sign(before - limit.most) !== Math.sign(after - limit.most);
    }
    return hasTurned;
  };
  const find = (offering: Offering, isFound: (held: number, most: number) => boolean): Full | undefined => {
    const limit = limits.find((one) => isFound(heldIn(one, offering), one.most));
    return limit && { of: limit.of, held: heldIn(limit, offering), most: limit.most };
  };
  for (const { offering, count } of held) add(offering, count);
  return {
    add,
    full: (offering) => find(offering, (count, most) => count >= most),
    over: (offering) => find(offering, (count, most) => count > most),
    alike: (one, other) => limits.every(({ keyOf }) => keyOf(one) === keyOf(other)),
  };
};

/** An offering that its share forbids. */
export type AtShare = Full & { readonly code: 'at-share'; readonly offering: OfferingKey };

export const atShare = (book: ShareBook | undefined, offering: Offering): AtShare | undefined => {
  const full = book?.full(offering);
  return full && { code: 'at-share', offering: offeringKey(offering), ...full };
};

/** The share in which a launch counts until it is shown. All its offerings are in the shares of the first one. */
export const sharingOf = ({ offerings: [first], count }: Pick<Placement, 'offerings' | 'count'>): readonly Sharing[] =>
  first === undefined ? [] : [{ offering: first, count }];

/**
 * The shares of a group. Members that wait to be replaced, and members that leave, do not count, because their
 * replacements take their places.
 */
export const sharedIn = (
  { group, state }: Pick<View, 'group' | 'state'>,
  { staying, waiting, inFlight }: Pick<Headcount, 'staying' | 'waiting' | 'inFlight'>,
  leaving: readonly string[] = [],
): Shared | undefined => {
  if (group.maxShare === undefined) return undefined;
  const gone = new Set([...waiting.map(({ instance }) => instance), ...leaving]);
  const members = staying.filter(({ instance }) => !gone.has(instance));
  return {
    maxShare: group.maxShare,
    size: state.desired,
    held: [...members.map(({ offering }) => ({ offering, count: 1 })), ...inFlight.flatMap(sharingOf)],
  };
};
