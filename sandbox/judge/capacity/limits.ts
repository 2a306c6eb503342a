import type { Chronicle } from '../chronicle.ts';
import { couldBeKnown, headcountAt } from '../members/staying.ts';
import { type MaxShare, type Policy, shareFields } from '../policy/policy.ts';
import { nameOf, type OfferingName } from '../world/cloud.ts';
import type { Life } from '../world/life.ts';

/** A share of a size, rounded up (docs/policy.md). */
const shareOf = (percent: number, size: number): number => Math.ceil((size * percent) / 100 - 1e-9);

/** How many of a size a policy wants on demand: the larger of the two, and no more than all. */
export const owedBy = ({ onDemand }: Policy, size: number): number =>
  onDemand === undefined ? 0 : Math.min(size, Math.max(onDemand.floor, shareOf(onDemand.percent, size)));

export const isOnDemand = ({ market }: Pick<Life, 'market'>): boolean => market === 'on-demand';

type Launch = { readonly life: Life; readonly group: string; readonly sinceMs: number };

/** Members that stay with a launch, including itself, as far as its function could know. Members that wait to be replaced do not count. */
export const stayingWith = (chronicle: Chronicle, { life, group, sinceMs }: Launch): readonly Life[] =>
  headcountAt(chronicle, group, life.launchedAtMs, { order: life.order, sinceMs }).staying.filter((one) =>
    couldBeKnown(chronicle, one, { sinceMs, atMs: life.launchedAtMs }),
  );

/**
 * Whether a launch on demand may have been made because its group had less on demand than its policy asks for.
 *
 * @param counts whether another member counts. Absent: all that EC2 launched before it do
 */
export const mayBeOwed = (chronicle: Chronicle, policy: Policy, launch: Launch, counts: (other: Life) => boolean = () => true): boolean => {
  const { life, group, sinceMs } = launch;
  if (policy.onDemand === undefined || !isOnDemand(life)) return false;
  const owed = owedBy(policy, Math.max(0, ...chronicle.desiredIn(group, sinceMs, life.launchedAtMs)));
  return stayingWith(chronicle, launch).filter((other) => isOnDemand(other) && counts(other)).length <= owed;
};

type Field = (typeof shareFields)[number];

/** The key of an offering in each kind of share. */
const keyOf: Readonly<Record<Field, (offering: OfferingName) => string>> = {
  instanceType: ({ instanceType }) => instanceType,
  zone: ({ zone }) => zone,
  offering: nameOf,
};

/** The most that one of these may hold: a share of the size, and one at least. */
export const mostOf = (percent: number, size: number): number => Math.max(1, shareOf(percent, size));

export type FullShare = { readonly field: Field; readonly name: string; readonly held: number; readonly most: number };

const limitsOf = (shares: MaxShare): readonly { readonly field: Field; readonly percent: number }[] =>
  shareFields.flatMap((field) => {
    const percent = shares[field];
    return percent === undefined ? [] : [{ field, percent }];
  });

/** Shares of an offering that are exceeded among these members. */
export const overShares = ({ maxShare }: Policy, offering: OfferingName, held: readonly OfferingName[], size: number): readonly FullShare[] =>
  limitsOf(maxShare).flatMap(({ field, percent }) => {
    const name = keyOf[field](offering);
    const count = held.filter((one) => keyOf[field](one) === name).length;
    const most = mostOf(percent, size);
    return count > most ? [{ field, name, held: count, most }] : [];
  });

/** Whether two are in one of the shares that a policy limits. */
export const sharesOne = ({ field }: Pick<FullShare, 'field'>, one: OfferingName, other: OfferingName): boolean =>
  keyOf[field](one) === keyOf[field](other);

export const hasShares = ({ maxShare }: Policy): boolean => limitsOf(maxShare).length > 0;

/** Whether one more of an offering exceeds no share. */
export const hasShareRoom = (policy: Policy, offering: OfferingName, held: readonly OfferingName[], size: number): boolean =>
  overShares(policy, offering, [...held, offering], size).length === 0;
