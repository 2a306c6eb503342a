import type { Owner } from '../../../core/ports/owners.ts';
import type { Signal } from '../../../core/signals/signal.ts';
import { describeLagMs } from '../../../core/times/times.ts';
import type { Member } from '../../../core/view/view.ts';

const mostRemembered = 20_000;
/**
 * Remembered for this time only, because a member may move to another group. The tick finds the end of such a member.
 */
const rememberedForMs = 180_000;

/** The members that looks of one environment showed, so that no look-up is needed when thousands of them end. */
export type SeenMembers = {
  note(group: string, members: readonly Member[], nowMs: number): void;
  /**
   * The owner of an instance that ends for good, if a look has shown it. Its owner cannot change any more. An older
   * event is believed only if describes do not show the instance alive, so it has to be looked up.
   */
  ownerOfEnded(signal: Signal, nowMs: number): Owner | undefined;
  /** Called when a policy was written, because members may be in other groups then. */
  forget(): void;
};

const endsForGood = (signal: Signal): signal is Signal & { readonly kind: 'state-change' } =>
  signal.kind === 'state-change' && (signal.state === 'shutting-down' || signal.state === 'terminated');

export const createSeenMembers = (): SeenMembers => {
  const seen = new Map<string, { readonly owner: Owner; readonly atMs: number }>();
  return {
    note: (group, members, atMs) => {
      if (seen.size + members.length > mostRemembered) seen.clear();
      for (const { instance, offering } of members.slice(0, mostRemembered))
        seen.set(instance, { owner: { group, offering, state: 'shutting-down' }, atMs });
    },
    ownerOfEnded: (signal, nowMs) => {
      const isYoung = nowMs - signal.atMs <= describeLagMs;
      const known = isYoung && endsForGood(signal) ? seen.get(signal.instance) : undefined;
      return known === undefined || nowMs - known.atMs >= rememberedForMs ? undefined : known.owner;
    },
    forget: () => seen.clear(),
  };
};
