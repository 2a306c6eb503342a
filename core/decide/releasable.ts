import type { Headcount } from '../view/headcount.ts';
import { isIdle } from '../view/unserved.ts';
import type { Member } from '../view/view.ts';

/** A part of a budget that one rule draws on, member by member. */
export type Account = {
  /** Whether this member may leave besides those that were taken. */
  readonly allows: (instance: string) => boolean;
  /** Counts this member as gone in this account. */
  readonly take: (instance: string) => void;
};

/** `room`: how many members that serve may leave, before any is taken. */
export type RemovalAccount = Account & { readonly room: number };

/** Takes a member from all these accounts if each of them allows it to leave. Returns whether it did. */
export const takeFrom = (accounts: readonly Account[], instance: string): boolean => {
  const isAllowed = accounts.every((account) => account.allows(instance));
  if (isAllowed) for (const account of accounts) account.take(instance);
  return isAllowed;
};

const idsOf = (members: readonly Member[]): ReadonlySet<string> => new Set(members.map(({ instance }) => instance));

/**
 * Members that may stop serving. All rules draw on the same number: the members that serve and stay, less the desired
 * size.
 *
 * A replacement makes room only once it is known to serve. A leaving member that may serve counts as serving: it needs
 * room in the account of its own rule. It does not change the room of other rules, because it never added to it.
 *
 * @param going members that leave by an earlier grant
 * @param hopeless members that never served, for so long that they would be given up. No other member waits for them.
 */
export const releasableFor = (
  { staying, waiting }: Headcount,
  desired: number,
  going: ReadonlySet<string>,
  hopeless: ReadonlySet<string> = new Set(),
) => {
  const serving = idsOf(staying.filter((member) => member.serving));
  const idle = idsOf(staying.filter(isIdle));
  // In service, but not yet ready by the policy: these do work that would be lost.
  const working = idsOf(staying.filter(({ unready, instance }) => unready !== undefined && !hopeless.has(instance)));
  const swapped = waiting.map(({ instance }) => instance);
  const idleFor = (ids: readonly string[]): number =>
    ids.filter((instance) => idle.has(instance) && !going.has(instance)).length;
  const without = new Set([...swapped, ...hopeless]);
  const servingStill = (ids: Iterable<string>): number =>
    [...ids].filter((instance) => serving.has(instance) && !going.has(instance)).length;
  const left = (): number => servingStill(serving) - desired;
  /** How many must serve beyond the desired size before a member leaves. */
  const least = (instance: string): number => {
    if (!idle.has(instance)) return 1;
    return working.has(instance) ? 0 : Number.NEGATIVE_INFINITY;
  };
  return {
    left,
    /**
     * A member that does not serve loses no work when it leaves, but it may come to serve before its replacement. So
     * only replacements that serve make room for it. A member that never served does not hold up others. A member that
     * works and is not ready by the policy leaves once others serve the desired size.
     */
    forSwaps: (below: number): Account => {
      let forServing = left() + below;
      let forAll = forServing + idleFor([...without]);
      return {
        allows: (instance) => forAll > 0 && forServing >= least(instance),
        take: (instance) => {
          forAll -= 1;
          if (!idle.has(instance)) forServing -= 1;
        },
      };
    },
    /** A member that does no work needs no room, because the group has enough without it. */
    forRemovals: (): RemovalAccount => {
      let forServing = left() - servingStill(swapped);
      return {
        room: Math.max(0, forServing),
        allows: (instance) => forServing >= least(instance),
        take: (instance) => {
          if (!idle.has(instance)) forServing -= 1;
        },
      };
    },
  };
};
