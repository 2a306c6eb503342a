import type { Member } from '../view/view.ts';
import type { Swap } from './swap.ts';

/**
 * How long a member that cannot be terminated (termination protection, a missing right) is not chosen to leave again.
 * Its owner has to act first.
 */
export const keptForMs = 3_600_000;

/** Whether the end of an instance was refused for good. Then it is a member again, and this swap only records that. */
export const isKept = ({ state, keptUntilMs }: Swap): boolean => keptUntilMs !== undefined && state !== 'gone';

/**
 * Members and swaps as a decision sees them. Members that are kept stay, and are not chosen to leave, like members
 * protected from scale-in.
 */
export const seeKept = <T extends { readonly members: readonly Member[]; readonly swaps: readonly Swap[] }>(
  view: T,
): T => {
  const kept = new Set(view.swaps.filter(isKept).map(({ instance }) => instance));
  if (kept.size === 0) return view;
  return {
    ...view,
    members: view.members.map((member) => (kept.has(member.instance) ? { ...member, protected: true } : member)),
    swaps: view.swaps.filter((swap) => !isKept(swap)),
  };
};
