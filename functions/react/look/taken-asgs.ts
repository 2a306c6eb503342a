import { allSettled } from '../../../aws/calls/in-parallel.ts';
import type { Group } from '../../../core/group/group.ts';
import { namedAsgs } from '../../../core/group/holders.ts';
import { howHeld } from '../../../core/group/holding.ts';
import type { AsgClaim } from '../../../core/policy/ports.ts';
import type { Holdings } from '../../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import { notedAsgs, notesThat, withNotes } from '../../../core/view/notes.ts';
import type { GroupState } from '../../../core/view/view.ts';

type Store = Pick<StateStore, 'claimOf' | 'state'>;

/** Without a claim, it was named before there were claims. */
const isOurs = (claim: AsgClaim | undefined, group: string): boolean =>
  claim === undefined || (claim.group === group && !claim.released);

/** Whether another group holds it now, and has read what we left there to put back. */
const hasHeir = async (claim: AsgClaim | undefined, group: string, store: Store): Promise<boolean> =>
  claim !== undefined &&
  claim.group !== group &&
  !claim.released &&
  ((await store.state(claim.group))?.holders?.includes(claim.asg) ?? false);

/**
 * The state without the Auto Scaling groups of earlier policies that this group no longer holds. A claim ends when its
 * group is let go, and a policy that comes back with other Auto Scaling groups has no members in the earlier ones.
 * Maxima that we raised there are still put back by us, what attaching added is taken off, and processes that we
 * suspended are resumed, until another holder takes that over.
 */
export const withoutTaken = async (group: Group, state: GroupState, store: Store): Promise<GroupState> => {
  const named = new Set(namedAsgs(group));
  const noted = notedAsgs(state);
  const ever = new Set([...(state.holders ?? []), ...noted]);
  const claims = await allSettled([...ever].filter((asg) => !named.has(asg)).map((asg) => store.claimOf(asg)));
  const left = claims.filter((claim) => !isOurs(claim, group.name));
  if (left.length === 0) return state;
  const lost = new Set(left.flatMap((claim) => claim?.asg ?? []));
  const taken = new Set<string>();
  for (const asg of noted) {
    const claim = left.find((candidate) => candidate?.asg === asg);
    if (await hasHeir(claim, group.name, store)) taken.add(asg);
  }
  const { holders: before = [], ...rest } = state;
  const holders = before.filter((asg) => !lost.has(asg));
  const kept = withNotes(
    rest,
    notesThat(state, ({ asg }) => !taken.has(asg)),
  );
  return { ...kept, ...(holders.length > 0 && { holders }) };
};

/**
 * The holdings of a group, without members that have its tag and are in an Auto Scaling group that another group holds
 * now. They count there. Otherwise a group that was renamed and written again would count them too, and launch nothing.
 * Of a group that holds its members in Auto Scaling groups, only instances in these are members.
 */
export const withoutForeign = async (group: Group, holdings: Holdings, store: Store): Promise<Holdings> => {
  const { elsewhere = {}, members } = holdings;
  const asgs = [...new Set(Object.values(elsewhere))];
  const isTaken = async (asg: string): Promise<boolean> => {
    if (howHeld(group).isInAsgs) return true;
    const claim = await store.claimOf(asg);
    return !claim?.released && !isOurs(claim, group.name);
  };
  const taken = await allSettled(asgs.map(isTaken));
  const foreign = Object.keys(elsewhere).filter((instance) => taken[asgs.indexOf(elsewhere[instance] ?? '')]);
  return foreign.length === 0
    ? holdings
    : { ...holdings, members: members.filter(({ instance }) => !foreign.includes(instance)), foreign };
};
