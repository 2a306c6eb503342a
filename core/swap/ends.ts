import { asGone } from '../drain/shortfall.ts';
import type { Group } from '../group/group.ts';
import { modeOf } from '../group/mode.ts';
import { beyondAdvice } from '../limits/advice-budget.ts';
import type { Holdings } from '../ports/capacity-provider.ts';
import type { Owner } from '../ports/owners.ts';
import { traitsOf } from '../removal/leave-reason.ts';
import { isAlive } from '../signals/signal-age.ts';
import { describeLagMs } from '../times/times.ts';
import type { GroupState } from '../view/view.ts';
import { keptInService } from './kept-in-service.ts';
import { wasLeftAlone } from './let-go.ts';
import { isMisplaced, keptByMinimum } from './moved-members.ts';
import type { Swap } from './swap.ts';

/**
 * A swap whose instance no describe shows any more is closed after this time. Describes show ended instances for about
 * an hour, and new ones within minutes.
 */
const unseenMs = 600_000;
/**
 * Ended swaps stay beside the active ones for this time, because describes may still show their instances. Then they
 * become history.
 */
const retireAfterMs = 600_000;
/**
 * After this time, a terminating hook does not count while the Auto Scaling group still shows the member in service.
 * Describes of groups lag by seconds.
 */
const hookedMs = 60_000;

/** The facts of a look about the instances of swaps. */
type Look = {
  readonly group: Pick<Group, 'holding' | 'mode' | 'rebalance'>;
  readonly holdings: Holdings;
  /** Instances that have ended by signals, and those of them that are only stopped. */
  readonly heard: { readonly ended: readonly string[]; readonly stopped: readonly string[] };
  /** Members that EC2 warned about and did not take, and that are in service again. */
  readonly back?: ReadonlySet<string>;
  readonly nowMs: number;
  readonly state: Pick<GroupState, 'desired' | 'reservations' | 'advised' | 'chosen'>;
};

/**
 * The look, with what EC2 shows about instances that the look did not. `beyond` is undefined if it could not be read.
 */
type LookBeyond = Look & { readonly beyond: ReadonlyMap<string, Owner> | undefined };

const stoppedIn = ({ holdings, heard }: Look): ReadonlySet<string> => new Set([...holdings.stopped, ...heard.stopped]);

/** Instances that have ended. One that is only stopped may start again. */
const endedIn = (look: Look): ReadonlySet<string> => {
  const stopped = stoppedIn(look);
  return new Set([...look.holdings.ended, ...look.heard.ended].filter((instance) => !stopped.has(instance)));
};

/** Whether an unseen instance was claimed so long ago that a describe would show it by now. */
export const isLongUnseen = ({ claimedAtMs, deadlineMs = 0 }: Swap, nowMs: number): boolean =>
  nowMs - Math.max(claimedAtMs, deadlineMs) >= unseenMs;

/**
 * Swaps whose instances the look has not shown for long. The instances have ended, or their user took them out of the
 * group. A describe of EC2 shows which.
 */
export const unseenIn = (swaps: readonly Swap[], look: Look): readonly Swap[] => {
  const { holdings, nowMs } = look;
  const members = holdings.members.map(({ instance }) => instance);
  const shown = new Set([...members, ...holdings.aside, ...stoppedIn(look), ...endedIn(look)]);
  return swaps.filter((swap) => swap.state !== 'gone' && !shown.has(swap.instance) && isLongUnseen(swap, nowMs));
};

/** Swaps whose instance has ended. */
const goneIn = (swaps: readonly Swap[], unseen: ReadonlySet<Swap>, look: LookBeyond): readonly Swap[] => {
  const { beyond } = look;
  const ended = endedIn(look);
  return swaps.filter((swap) => {
    if (swap.state === 'gone') return false;
    if (ended.has(swap.instance)) return true;
    return beyond !== undefined && unseen.has(swap) && !isAlive(beyond.get(swap.instance));
  });
};

/**
 * Whether the reason of a waiting swap is over: its member is again where the policy holds its members, or it serves
 * now.
 */
const isBack = (swap: Swap, { group, holdings }: Look): boolean => {
  const { withdrawnWhen } = traitsOf(swap);
  if (withdrawnWhen === 'never' || swap.state !== 'waiting') return false;
  const member = holdings.members.find(({ instance }) => instance === swap.instance);
  if (member === undefined) return false;
  return withdrawnWhen === 'serving' ? member.serving : !isMisplaced(group, member);
};

const isMistake = (swap: Swap, held: ReadonlySet<string>, nowMs: number): boolean =>
  traitsOf(swap).endedBy === 'auto-scaling' &&
  swap.deadlineMs === undefined &&
  held.has(swap.instance) &&
  nowMs - swap.claimedAtMs >= hookedMs;

/** A waiting swap is called off when the group does not act. */
const isCalledOff = ({ state }: Swap, { group }: Look): boolean => state === 'waiting' && modeOf(group) !== 'act';

/**
 * Whether what waits for its turn is no member: it stands by, or is in a warm pool. Nothing is replaced for it. Where
 * describes lag, a member that has just joined looks the same.
 */
const isAside = ({ instance, state, claimedAtMs }: Swap, { holdings, nowMs }: Look): boolean =>
  state === 'waiting' && holdings.aside.includes(instance) && nowMs - claimedAtMs >= describeLagMs;

/**
 * Swaps that are over: errors, swaps kept for long enough, claims for advice beyond the budget, and swaps whose
 * instance ended or left a while ago.
 */
const overIn = (swaps: readonly Swap[], unseen: ReadonlySet<Swap>, look: LookBeyond): readonly Swap[] => {
  const { holdings, nowMs, beyond } = look;
  const held = new Set(holdings.asgs.flatMap(({ holds }) => holds));
  const kept = keptByMinimum(swaps, holdings.asgs);
  const beyondBudget = beyondAdvice(swaps, look);
  return swaps.filter((swap) =>
    swap.state === 'gone'
      ? // Its drain may look again only when the target groups are done, and has to say how it ended.
        nowMs - Math.max(swap.goneAtMs ?? nowMs, swap.busyUntilMs ?? 0) >= retireAfterMs
      : isCalledOff(swap, look) ||
        beyondBudget.has(swap) ||
        isAside(swap, look) ||
        (unseen.has(swap) && isAlive(beyond?.get(swap.instance))) ||
        wasLeftAlone(swap) ||
        look.back?.has(swap.instance) === true ||
        isMistake(swap, held, nowMs) ||
        isBack(swap, look) ||
        kept.has(swap.instance) ||
        (swap.keptUntilMs ?? Number.POSITIVE_INFINITY) <= nowMs,
  );
};

/** How the swaps of a group change in a look. */
type Ends = {
  /** Swaps whose instance has ended, before and after. */
  readonly gone: readonly { readonly before: Swap; readonly after: Swap }[];
  /** Swaps that become history. */
  readonly over: readonly Swap[];
  /** The others, as they are afterwards. */
  readonly open: readonly Swap[];
};

/** Closes swaps whose instance has ended, and finds those that become history. */
export const endsIn = (swaps: readonly Swap[], look: LookBeyond): Ends => {
  const unseen = new Set(unseenIn(swaps, look));
  const gone = goneIn(swaps, unseen, look).map((before) => ({ before, after: asGone(before, look.nowMs) }));
  const closed = new Map(gone.map(({ after }) => [after.instance, after]));
  const kept = keptInService({ swaps: swaps.filter(({ instance }) => !closed.has(instance)), ...look });
  const over = [
    // The end of an instance counts before every other reason: its swap stays, because describes may still show it.
    ...overIn(swaps, unseen, look).filter(({ instance }) => !kept.has(instance) && !closed.has(instance)),
    ...swaps.filter(({ instance }) => kept.has(instance)).map(({ shortfall: _not, ...swap }) => swap),
  ];
  const overIds = new Set(over.map(({ instance }) => instance));
  const open = swaps.filter(({ instance }) => !overIds.has(instance)).map((swap) => closed.get(swap.instance) ?? swap);
  return { gone, over, open };
};
