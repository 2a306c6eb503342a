import { chunks } from '../../../aws/calls/chunks.ts';
import { isFromAws } from '../../../aws/calls/errors.ts';
import { allSettled } from '../../../aws/calls/in-parallel.ts';
import { groupsPerMessage } from '../../../aws/messages/own-message.ts';
import type { Clock, Wakes } from '../../../core/ports/surroundings.ts';

/** Groups of one batch are woken at common times, so that one message wakes them and one look serves them. */
const stepMs = 2_000;

/** The next common time; a group that is alone in its batch waits for no other. */
export const commonTime = (atMs: number, groupsAtOnce: number): number =>
  groupsAtOnce > 1 ? Math.ceil(atMs / stepMs) * stepMs : atMs;

/** A wake that is due sooner is sent as soon as another group of the batch has ended. */
const soonMs = 2_000;

/** The wakes of a batch, collected. */
export type WakesTogether = Wakes & {
  /** Sends those that are due soon, or all. Returns the groups whose wakes could not be sent. */
  send(which: 'due' | 'all'): Promise<readonly string[]>;
};

type Wake = { readonly atMs: number; readonly how?: 'together' };

const ways: readonly Wake['how'][] = [undefined, 'together'];

/** The earlier one of two wakes. At the same time, a group that is woken for something due is not woken with others. */
const sooner = (one: Wake, other: Wake = one): Wake => {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs ? one : other;
  return one.how === undefined ? one : other;
};

/**
 * Collects the wakes of the groups of one batch, and sends one message for all that are due at the same time. When the
 * invocation dies before that, its messages are delivered again, and the next tick comes in any case.
 */
export const wakesTogether = ({ wake, came }: Wakes, clock: Clock): WakesTogether => {
  /** The earliest wake of each group. The look at that time arranges the next one. */
  const pending = new Map<string, Wake>();
  const sendAt = async ({ atMs, how }: Wake, groups: readonly string[]): Promise<readonly string[]> => {
    try {
      await wake(groups, atMs, how);
      return [];
    } catch (error) {
      if (!isFromAws(error)) throw error;
      return groups;
    }
  };
  return {
    wake: async (groups, atMs, how) => {
      if (how === 'ahead') await sendAt({ atMs }, groups);
      else for (const group of groups) pending.set(group, sooner({ atMs, ...(how && { how }) }, pending.get(group)));
    },
    came,
    send: async (which) => {
      const nowMs = clock.now();
      const due = [...pending].filter(([, { atMs }]) => which === 'all' || atMs - nowMs < soonMs);
      for (const [group] of due) pending.delete(group);
      const messages = [...Map.groupBy(due, ([, { atMs }]) => atMs)].flatMap(([atMs, all]) =>
        ways.flatMap((how) => {
          const groups = all.flatMap(([group, one]) => (one.how === how ? [group] : []));
          return chunks(groups, groupsPerMessage).map((part) => [{ atMs, ...(how && { how }) }, part] as const);
        }),
      );
      return (await allSettled(messages.map(([one, part]) => sendAt(one, part)))).flat();
    },
  };
};
