import type { Owner } from '../../../core/ports/owners.ts';
import type { Signal } from '../../../core/signals/signal.ts';
import type { Member } from '../../../core/view/view.ts';

const mostRemembered = 20_000;
/** A member may be in another group later. The tick finds its end then. */
const rememberedForMs = 180_000;

/** Members as the looks of one environment showed them, so that the ends of thousands of them need no look-up. */
export type SeenMembers = {
  note(group: string, members: readonly Member[], nowMs: number): void;
  /** The owner of an instance that ends for good, if a look has shown it. EC2 cannot show anything else any more. */
  ownerOfEnded(signal: Signal, nowMs: number): Owner | undefined;
  /** A policy was written: members may be in other groups. */
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
      const known = endsForGood(signal) ? seen.get(signal.instance) : undefined;
      return known === undefined || nowMs - known.atMs >= rememberedForMs ? undefined : known.owner;
    },
    forget: () => seen.clear(),
  };
};
