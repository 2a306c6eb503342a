import type { Leaving } from '../decision/decision.ts';
import { isCalledOff } from '../swap/kept-in-service.ts';
import type { Swap } from '../swap/swap.ts';
import { drainAgainAtMs } from '../times/again.ts';
import type { GroupState, Member, View } from '../view/view.ts';

/**
 * Auto Scaling groups that did not let a surplus go, by name: since when, and until when no other surplus is chosen
 * there. Absent: none.
 */
export type RefusedReleases = Readonly<Record<string, { readonly sinceMs: number; readonly untilMs: number }>>;

/** A refusal this long after a pause counts as a new one. */
const otherRefusalMs = 600_000;

/** What a look shows of members that their Auto Scaling groups did not let go. */
type Look = { readonly members: readonly Member[]; readonly swaps: readonly Swap[]; readonly nowMs: number };

/**
 * The state with a pause for each Auto Scaling group that did not let a surplus go, because of its minimum size or
 * because AWS did not carry out the call. The pause is as long as the surplus has been refused, two minutes at most. So
 * a refusal that lasts costs few drains.
 */
export const noteRefusedReleases = (
  { refusedReleases = {}, ...state }: GroupState,
  { members, swaps, nowMs }: Look,
): GroupState => {
  const known = Object.entries(refusedReleases).filter(([, { untilMs }]) => nowMs - untilMs < otherRefusalMs);
  const next = new Map(known);
  const alive = new Set(members.map(({ instance }) => instance));
  for (const { asg, instance, drainOrderedAtMs, claimedAtMs } of swaps.filter(isCalledOff)) {
    if (asg === undefined || !alive.has(instance)) continue;
    const sinceMs = next.get(asg)?.sinceMs ?? drainOrderedAtMs ?? claimedAtMs;
    next.set(asg, { sinceMs, untilMs: drainAgainAtMs(nowMs, { sinceMs }) });
  }
  return next.size === 0 ? state : { ...state, refusedReleases: Object.fromEntries(next) };
};

/** Those of a surplus whose Auto Scaling groups may let them go by now. The others keep their place in the order. */
export const releasableNow = (chosen: readonly Leaving[], { members, state, nowMs }: View): readonly Leaving[] => {
  const { refusedReleases = {} } = state;
  const held = members.filter(({ asg = '' }) => (refusedReleases[asg]?.untilMs ?? 0) > nowMs);
  const ids = new Set(held.map(({ instance }) => instance));
  return chosen.filter(({ instance }) => !ids.has(instance));
};
