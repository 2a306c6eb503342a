import { upToThrice } from '../../../aws/calls/unless-troubled.ts';
import { metrics } from '../../../core/contract.ts';
import { fitting, mostStateBytes } from '../../../core/group-state/state-size.ts';
import type { GroupState } from '../../../core/view/view.ts';
import type { ReactPorts } from '../ports.ts';

/** After this many lost races for the state item of a group, its messages are returned to the queue. */
export const mostConflicts = 10;

/**
 * Writes a group's state within its size bound, and returns it as written. Parts that were left out for that are
 * logged.
 */
export const putState = async (
  group: string,
  wanted: GroupState,
  { store, clock, telemetry }: ReactPorts,
): Promise<GroupState | 'conflict'> => {
  const { state, shed, bytes } = fitting(wanted, clock.now());
  if (shed.length > 0) {
    telemetry.logger.warn('The state of a group was too large: parts that can be learned again were left out.', {
      group,
      shed,
      bytes,
    });
  }
  if (bytes > mostStateBytes) {
    telemetry.count(metrics.actionsFailed);
    telemetry.logger.error('The state of a group is too large.', { group, bytes, bound: mostStateBytes });
  }
  return (await store.putState(group, state)) === 'done' ? state : 'conflict';
};

/** The same for a write that costs much when it is lost. Each write has a mark, so a repeat recognizes it. */
export const putStateAgain: typeof putState = (...write) => upToThrice(() => putState(...write));
