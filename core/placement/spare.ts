/**
 * Spares: the members that a group keeps above its size, on spot alone. No single member is a spare: all members that
 * serve take work. When one leaves, the group is still at its size, and only a spare is missing. So no member on demand
 * is launched for it.
 */

import type { Group } from '../group/group.ts';
import { howHeld } from '../group/holding.ts';
import { noReturns } from '../returning/memory.ts';
import { ownersMax } from '../view/raised-max.ts';
import type { Member, View } from '../view/view.ts';

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
  return asg === undefined ? spare : Math.max(0, Math.min(spare, ownersMax(state.raised, asg) - state.desired));
};

/**
 * How many of these members a group keeps: its size, and for each spare one on spot. So a group with only members on
 * demand keeps no more than its size. Replacements of a running move are no spares, because members leave for them.
 */
export const keptAmong = (view: Look, members: readonly Member[]): number => {
  const wanted = sparesWanted(view);
  if (wanted === 0) return view.state.desired;
  const { moves } = view.state.returns ?? noReturns;
  const moving = new Set(moves.flatMap(({ reservation, leaving }) => (leaving.length > 0 ? [reservation] : [])));
  const spot = members.filter((member) => isSpot(member) && !moving.has(member.reservation ?? ''));
  return view.state.desired + Math.min(wanted, spot.length);
};

/** Whether a group keeps spares. */
export const hasSpares = ({ spare = 0 }: Pick<Group, 'spare'>): boolean => spare > 0;
