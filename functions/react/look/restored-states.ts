import { asRestored, writesOf } from '../../../core/group-state/restored.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import type { ReactPorts } from '../ports.ts';
import { rememberingNotes } from './lost-notes.ts';
import { rememberingWarnings } from './lost-warnings.ts';

/** The most groups that are remembered, those read last. */
const mostGroups = 10_000;

/** What an environment has read of the state items of groups. */
const createSeen = () => {
  const seen = new Map<string, number>();
  return {
    /** The highest number of writes that was read. 0: none was. */
    writes: (group: string): number => seen.get(group) ?? 0,
    saw: (group: string, state: GroupState): void => {
      const writes = Math.max(seen.get(group) ?? 0, writesOf(state));
      seen.delete(group);
      seen.set(group, writes);
      if (seen.size > mostGroups) seen.delete(seen.keys().next().value ?? '');
    },
  };
};

/**
 * Notices state items that a user restored from an older time. The number of writes only grows, so a lower number than
 * this environment has seen shows a restore. An environment that has not seen the item relies on the members alone.
 * What it knows that nothing else shows (warnings, what must be put back in Auto Scaling groups) outlives the item.
 */
export const noticingRestored = (
  store: StateStore,
  { logger }: Pick<Telemetry, 'logger'>,
  now: () => number,
): Pick<ReactPorts, 'store' | 'believed'> => {
  const seen = createSeen();
  const warnings = rememberingWarnings(store);
  const notes = rememberingNotes(now);
  const told = new Map<string, number>();
  const tell = (group: string, detail: { readonly writes: number; readonly seen: number }): void => {
    if (told.get(group) === detail.writes) return;
    told.set(group, detail.writes);
    logger.warn('The state of a group is older than one that was read before: it was restored.', {
      group,
      ...detail,
    });
  };
  /** A missing item changes no number. The next item counts its writes from the time of the first one. */
  const read = (group: string, state: GroupState | undefined): GroupState | undefined => {
    notes.read(group, state, state !== undefined && writesOf(state) < seen.writes(group));
    if (state !== undefined) seen.saw(group, state);
    return state;
  };
  return {
    store: {
      ...store,
      state: async (group) => read(group, await store.state(group)),
      stateAndSwaps: async (group) => {
        const found = await store.stateAndSwaps(group);
        const lost = await warnings.lost(group, found.swaps);
        return { ...found, state: read(group, found.state), ...(lost.length > 0 && { lost }) };
      },
      claim: async (swap) => {
        const result = await store.claim(swap);
        if (result.kind === 'claimed') warnings.claimed(swap);
        return result;
      },
      putState: async (group, state) => {
        const written = await store.putState(group, state);
        if (written === 'done') {
          seen.saw(group, state);
          notes.wrote(group, state);
        }
        return written;
      },
    },
    believed: (group, state) => {
      const whole = notes.withLost(group, state);
      const writes = seen.writes(group);
      if (writesOf(state) >= writes) return whole;
      tell(group, { writes: writesOf(state), seen: writes });
      return asRestored(whole, writes, now());
    },
  };
};
