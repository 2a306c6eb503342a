import { asRestored, writesOf } from '../../../core/group-state/restored.ts';
import type { StateStore } from '../../../core/ports/state-store.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import type { ReactPorts } from '../ports.ts';

/** The most groups that are remembered, those read last. */
const mostGroups = 10_000;

/**
 * Notices state items that a user restored from an older time. The number of writes only grows, so a lower number than
 * this environment has seen shows a restore. An environment that has not seen the item relies on the members alone.
 */
export const noticingRestored = (
  store: StateStore,
  { logger }: Pick<Telemetry, 'logger'>,
): Pick<ReactPorts, 'store' | 'believed'> => {
  const seen = new Map<string, number>();
  const told = new Map<string, number>();
  const tell = (group: string, detail: { readonly writes: number; readonly seen: number }): void => {
    if (told.get(group) === detail.writes) return;
    told.set(group, detail.writes);
    logger.warn('The state of a group is older than one that was read before: it was restored.', {
      group,
      ...detail,
    });
  };
  const saw = (group: string, state: GroupState): void => {
    const most = Math.max(seen.get(group) ?? 0, writesOf(state));
    seen.delete(group);
    seen.set(group, most);
    if (seen.size > mostGroups) seen.delete(seen.keys().next().value ?? '');
  };
  /** An item that is gone shows nothing: the next one counts on from the time at which it is written. */
  const read = (group: string, state: GroupState | undefined): GroupState | undefined => {
    if (state !== undefined) saw(group, state);
    return state;
  };
  return {
    store: {
      ...store,
      state: async (group) => read(group, await store.state(group)),
      stateAndSwaps: async (group) => {
        const found = await store.stateAndSwaps(group);
        return { ...found, state: read(group, found.state) };
      },
      putState: async (group, state) => {
        const written = await store.putState(group, state);
        if (written === 'done') saw(group, state);
        return written;
      },
    },
    believed: (group, state) => {
      const writes = seen.get(group) ?? 0;
      if (writesOf(state) >= writes) return state;
      tell(group, { writes: writesOf(state), seen: writes });
      return asRestored(state, writes);
    },
  };
};
