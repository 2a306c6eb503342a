import { isOpen } from '../launch/reservation-life.ts';
import type { Swap } from '../swap/swap.ts';
import type { GroupState } from './view.ts';

/**
 * Changes of a group that its items and signals report, and that an earlier describe does not show. `granted`: what
 * EC2 granted under the stored reservations. `open`: reservations whose instances are not known yet, because their
 * requests are under way or had no response. `ended`: instances whose end was reported. `size`: how many members the
 * group should have.
 */
export type Changes = {
  readonly granted: readonly string[];
  readonly open: readonly string[];
  readonly ended: readonly string[];
  readonly size: number;
  /** Members that Holdfast registered with target groups of this policy version. Absent: none. */
  readonly registered?: { readonly policyVersion: number; readonly instances: readonly string[] };
};

/** What is known besides the state item. */
type Beside = { readonly swaps?: readonly Swap[]; readonly ended?: readonly string[] };

/** Changes of a group, as its items and these signals report them. Undefined without a state item. */
export const changesIn = (
  state: Pick<GroupState, 'reservations' | 'ended' | 'desired' | 'registered' | 'policyVersion'> | undefined,
  { swaps = [], ended = [] }: Beside,
): Changes | undefined =>
  state && {
    size: state.desired,
    ...(state.registered && {
      registered: { policyVersion: state.policyVersion, instances: Object.keys(state.registered) },
    }),
    granted: state.reservations.flatMap(({ instances = [] }) => instances),
    open: state.reservations.filter(isOpen).map(({ id }) => id),
    ended: [
      ...ended,
      ...Object.keys(state.ended ?? {}),
      ...swaps.flatMap((swap) => (swap.state === 'gone' ? [swap.instance] : [])),
    ],
  };
