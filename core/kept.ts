import type { Swap } from './swap.ts';
import type { Member } from './view.ts';

/**
 * How long a member that cannot be ended (termination protection, a right that is missing) is not chosen to leave
 * again: its owner has to act first.
 */
export const keptForMs = 3_600_000;

/** Whether the end of an instance was refused for good: it is a member again, and this swap only remembers that. */
export const isKept = ({ state, keptUntilMs }: Swap): boolean => keptUntilMs !== undefined && state !== 'gone';

/**
 * Members and swaps as a decision sees them: who is kept stays, and is chosen no more than what is protected from
 * scale-in.
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
