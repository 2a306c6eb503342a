import { parseOfferingKey } from '../../../core/pool/offering.ts';
import type { Newcomer } from '../../../core/pool-memory/boot-memory.ts';
import type { LaunchedInstance } from '../../../core/ports/launches.ts';
import type { Owner } from '../../../core/ports/owners.ts';
import type { Signal } from '../../../core/signals/signal.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { describeLagMs } from '../../../core/times/times.ts';
import type { Member } from '../../../core/view/view.ts';

const mostRemembered = 20_000;
/**
 * Remembered for this time only, because a member may move to another group. The tick finds the end of such a member.
 */
const rememberedForMs = 180_000;

/**
 * The members that looks of one environment showed, that it launched, that state items note as launched, or that have
 * swaps, so that no look-up is needed when thousands of them end, or begin to run.
 */
export type SeenMembers = {
  note(group: string, members: readonly Member[], nowMs: number): void;
  /** EC2 granted these instances to a group, from one pool. */
  launched(group: string, pool: string, instances: readonly LaunchedInstance[], nowMs: number): void;
  /** The state item of a group notes these instances, which any environment may have launched. */
  noted(group: string, newcomers: Readonly<Record<string, Newcomer>>): void;
  /** These members of a group leave, by its swaps. Any environment may have claimed them. */
  leaving(group: string, swaps: readonly Swap[], nowMs: number): void;
  /**
   * The owner of an instance that ends for good, if a look or a swap has shown it. Its owner cannot change any more. An
   * older event is believed only if describes do not show the instance alive, so it has to be looked up. Also the owner
   * of an instance that begins to run, if a look has shown it, EC2 has granted it, or an item has noted it, before. If
   * it was moved since, the next tick of its new group finds it.
   */
  ownerOf(signal: Signal, nowMs: number): Owner | undefined;
  /** Whether a state item has noted this instance as launched. The note ends when a look shows that it came up. */
  wasNoted(instance: string): boolean;
  /** Called when a policy was written, because members may be in other groups then. */
  forget(): void;
};

type StateChange = Signal & { readonly kind: 'state-change' };

/** What the signal shows of an instance that a look has shown before. Undefined: a describe has to show more. */
const shownBy = ({ state, atMs }: StateChange, owner: Owner): Owner | undefined => {
  if (state === 'shutting-down' || state === 'terminated') return { ...owner, state: 'shutting-down' };
  // A running event from before its launch is about an earlier start.
  return state === 'running' && atMs >= (owner.launchedAtMs ?? 0) ? owner : undefined;
};

/** When an owner was known, and whether by a note of its launch. */
type Found = { readonly atMs: number; readonly wasNoted?: boolean };

/** What an item in the table says of an instance. */
type Told = Pick<Owner, 'launchedAtMs' | 'asg'> & { readonly pool: string; readonly offering?: string };

const toOwner = (group: string, { pool, offering: key, launchedAtMs, asg }: Told): Owner => {
  const offering = key === undefined ? undefined : parseOfferingKey(key);
  return {
    group,
    pool,
    state: 'pending',
    ...(offering && { offering }),
    ...(asg !== undefined && { asg }),
    ...(launchedAtMs !== undefined && { launchedAtMs }),
  };
};

export const createSeenMembers = (): SeenMembers => {
  const seen = new Map<string, Found & { readonly owner: Owner }>();
  const wasNoted = (instance: string): boolean => seen.get(instance)?.wasNoted === true;
  const makeRoom = (count: number): void => {
    if (seen.size + count > mostRemembered) seen.clear();
  };
  const told = (
    group: string,
    instance: string,
    what: Told,
    atMs: number,
    more: Pick<Found, 'wasNoted'> = {},
  ): void => {
    const { owner, ...before } = seen.get(instance) ?? { atMs };
    // A list that is full keeps what it has: others would be looked up instead. A look may have shown it elsewhere.
    if (owner === undefined ? seen.size >= mostRemembered : owner.group !== group) return;
    // What is known already says more.
    const last = { ...before, atMs: Math.max(before.atMs, atMs), ...more };
    seen.set(instance, { owner: owner ?? toOwner(group, what), ...last });
  };
  return {
    launched: (group, pool, instances, atMs) => {
      makeRoom(instances.length);
      for (const { instance, offering } of instances)
        seen.set(instance, { owner: { group, pool, offering, state: 'pending', launchedAtMs: atMs }, atMs });
    },
    noted: (group, newcomers) => {
      for (const [instance, one] of Object.entries(newcomers))
        told(group, instance, { ...one, launchedAtMs: one.atMs }, one.atMs, { wasNoted: true });
    },
    leaving: (group, swaps, atMs) => {
      for (const swap of swaps) if (swap.state !== 'withdrawn') told(group, swap.instance, swap, atMs);
    },
    note: (group, members, atMs) => {
      makeRoom(members.length);
      for (const { instance, pool, offering, state, launchedAtMs, asg } of members.slice(0, mostRemembered)) {
        const known = { ...(pool !== undefined && { pool }), ...(asg !== undefined && { asg }) };
        const owner = { group, offering, state, launchedAtMs, ...known };
        seen.set(instance, { owner, atMs, wasNoted: wasNoted(instance) });
      }
    },
    ownerOf: (signal, nowMs) => {
      if (signal.kind !== 'state-change' || nowMs - signal.atMs > describeLagMs) return undefined;
      const known = seen.get(signal.instance);
      return known === undefined || nowMs - known.atMs >= rememberedForMs ? undefined : shownBy(signal, known.owner);
    },
    wasNoted,
    forget: () => seen.clear(),
  };
};
