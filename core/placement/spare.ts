/**
 * Spares: the members that a group keeps above its size, on spot alone. No single member is a spare: all members that
 * serve take work. When one leaves, the group is still at its size, and only a spare is missing. So no member on demand
 * is launched for it.
 */

import type { Group } from '../group/group.ts';
import { howHeld } from '../group/holding.ts';
import { noReturns } from '../returning/memory.ts';
import { ownersMax } from '../view/raised-max.ts';
import { cannotJoin, sizeNow } from '../view/size-now.ts';
import type { Member, View } from '../view/view.ts';
import { shareBook } from './shares.ts';

type Look = Pick<View, 'group' | 'state' | 'asgs'>;

const isSpot = ({ offering }: Pick<Member, 'offering'>): boolean => offering.market === 'spot';

/**
 * How many members above its size a group wants. In an Auto Scaling group that members are attached to, the owner's
 * maximum bounds them, because a maximum that is raised for members cannot be put back while they stay.
 */
export const sparesWanted = ({ group, state, asgs }: Look): number => {
  const { spare = 0 } = group;
  const { joins } = howHeld(group);
  const asg = asgs.find(({ name }) => name === joins);
  if (cannotJoin({ group, asgs })) return 0;
  return asg === undefined ? spare : Math.max(0, Math.min(spare, ownersMax(state.raised, asg) - state.desired));
};

/** How many members on spot have to leave until no share holds more than its limit. */
const overShares = ({ group: { maxShare }, state }: Look, members: readonly Member[]): number => {
  if (maxShare === undefined) return 0;
  const held = members.map(({ offering }) => ({ offering, count: 1 }));
  const book = shareBook({ maxShare, size: state.desired, held });
  return members.filter((member) => {
    if (!isSpot(member) || book.over(member.offering) === undefined) return false;
    book.add(member.offering, -1);
    return true;
  }).length;
};

/**
 * Members without the replacements of moves whose members on demand have yet to leave. A member on spot need not leave
 * where a spare is missing: it is one, and spot may give no other.
 */
const settledAmong = ({ state }: Look, members: readonly Member[]): readonly Member[] => {
  const { moves } = state.returns ?? noReturns;
  const shown = new Map(members.map((member) => [member.instance, member]));
  const moving = new Map(moves.map(({ reservation, leaving }) => [reservation, leaving]));
  const replaced = new Map<string, number>();
  return members.filter((member) => {
    const { reservation = '' } = member;
    const leaving = (moving.get(reservation) ?? []).filter((id) => {
      const one = shown.get(id);
      return one !== undefined && !isSpot(one);
    });
    const before = replaced.get(reservation) ?? 0;
    replaced.set(reservation, before + 1);
    return before >= leaving.length;
  });
};

/**
 * How many members a group would keep if it had no shares, and the members that count for shares. A spare that is
 * missing is not kept: the replacement of a move would be taken for it, and the shares may have no room for one.
 */
const keptBeforeShares = (view: Look, members: readonly Member[]) => {
  const wanted = sparesWanted(view);
  const settled = wanted === 0 ? [] : settledAmong(view, members);
  const above = Math.max(0, settled.length - sizeNow(view));
  const kept = sizeNow(view) + Math.min(wanted, above, settled.filter(isSpot).length);
  return { kept, settled };
};

/**
 * How many of these members a group keeps: its size, and for each spare one on spot. So a group with only members on
 * demand keeps no more than its size. Replacements of a move are no spares as long as a member on demand has yet to
 * leave for each. An Auto Scaling group may launch a member for which the shares have no room. This one is not kept as
 * a spare, because nothing could move in these shares.
 */
export const keptAmong = (view: Look, members: readonly Member[]): number => {
  const { kept, settled } = keptBeforeShares(view, members);
  const size = sizeNow(view);
  const over = kept === size ? 0 : overShares(view, settled);
  return over === 0 ? kept : Math.min(kept, Math.max(size, settled.length - over));
};

/**
 * How many of these members a group does not keep only because shares hold too many. No member of another share leaves
 * in their place: it would be a spare, and the next look would launch it again.
 */
export const keptButForShares = (view: Look, members: readonly Member[]): number =>
  keptBeforeShares(view, members).kept - keptAmong(view, members);

/** Whether a group keeps spares. */
export const hasSpares = ({ spare = 0 }: Pick<Group, 'spare'>): boolean => spare > 0;
