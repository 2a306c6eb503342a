import * as z from 'zod/mini';
import { eventSource, ownMessages } from '../contract.ts';
import { groupNamePattern } from '../policy/group-name.ts';
import { neverOver, noCause, signalKind, type Unread } from './signal-kind.ts';

/** `isScheduled`: a tick of the schedule. The next one follows within a minute. Any other tick is a wake. */
type Tick = {
  readonly kind: 'tick';
  readonly groups: readonly string[];
  readonly atMs: number;
  readonly isScheduled: boolean;
  /** The time that a wake was sent for. */
  readonly forMs?: number;
  /** Other groups may have joined the look of that time. */
  readonly isShared?: true;
};

const name = z.string().check(z.regex(groupNamePattern));

/**
 * A request to look at groups, every minute by the schedule, or at the time of a wake. `group` names one group,
 * `groups` several.
 */
export const tick = signalKind({
  kind: 'tick',
  source: eventSource,
  detailType: ownMessages.tick,
  comes: { by: 'queue' },
  detail: z.object({
    group: z.optional(name),
    groups: z.optional(z.array(name)),
    isScheduled: z._default(z.boolean(), false),
    forMs: z.optional(z.number()),
    isShared: z.optional(z.boolean()),
  }),
  toSignal: ({ group, groups = group === undefined ? [] : [group], isScheduled, ...wake }, atMs): Tick | Unread => {
    const { forMs, isShared } = wake;
    const time = { ...(forMs !== undefined && { forMs }), ...(isShared && { isShared }) };
    if (groups.length > 0) return { kind: 'tick', groups, atMs, isScheduled, ...time };
    return isScheduled
      ? { kind: 'ignored', why: 'a tick while no policy is in force' }
      : { kind: 'invalid', why: 'detail.group: expected a name, or a list of names at detail.groups' };
  },
  about: ({ groups }) => ({ groups }),
  isOver: neverOver,
  // The next tick follows within a minute, the ticks of an outage would pile up, and one message names many groups.
  comesAgain: 'never',
  adds: ({ isScheduled }) => ({ isTick: true, ...(isScheduled ? { isMinute: true } : { isWoken: true }) }),
  ...noCause,
});
