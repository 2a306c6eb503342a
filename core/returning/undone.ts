import { type OfferingKey, offeringKey } from '../pool/offering.ts';
import type { AsgView, GroupState, Member } from '../view/view.ts';
import { type Loss, type Move, noReturns, paysAfterMs, rememberLosses } from './memory.ts';

type Shown = { readonly members: readonly Member[]; readonly asgs: readonly AsgView[] };

/**
 * What Auto Scaling groups launched by themselves although they lacked nothing: they even out their zones, and end
 * another member for each of these.
 */
const forZones = ({ members, asgs }: Shown): readonly Member[] => {
  const above = new Set(asgs.filter(({ desired, held }) => held > desired).map(({ name }) => name));
  return members.filter(({ asg, reservation }) => reservation === undefined && asg !== undefined && above.has(asg));
};

/** Moves after which this instance was launched, before they had paid. */
const answeredBy = (moves: readonly Move[], { launchedAtMs }: Member): readonly Move[] =>
  moves.filter(({ atMs }) => launchedAtMs >= atMs && launchedAtMs - atMs < paysAfterMs);

/** Where a move went to, as far as that is still known. */
const wentTo = ({ reservation }: Move, { members }: Shown, { reservations }: GroupState): ReadonlySet<OfferingKey> => {
  const shown = members.filter((member) => member.reservation === reservation).map(({ offering }) => offering);
  const asked = reservations
    .filter(({ id }) => id === reservation)
    .flatMap(({ placement }) => placement.offerings[0] ?? []);
  return new Set([...shown, ...asked].map(offeringKey));
};

/**
 * The state with moves that an Auto Scaling group has just undone: they count as losses where they went to. So the next
 * ones wait for longer, and a tree that asks for other zones than the group does not work against it.
 */
export const rememberUndone = (state: GroupState, shown: Shown, nowMs: number): GroupState => {
  const { returns = noReturns } = state;
  if (returns.moves.length === 0) return state;
  const losses = forZones(shown).flatMap((member) =>
    answeredBy(returns.moves, member).flatMap((move) =>
      [...wentTo(move, shown, state)].map(
        (offering): Loss => ({ offering, atMs: member.launchedAtMs, livedMs: member.launchedAtMs - move.atMs }),
      ),
    ),
  );
  if (losses.length === 0) return state;
  return { ...state, returns: { ...returns, losses: rememberLosses(returns.losses, losses, nowMs) } };
};
