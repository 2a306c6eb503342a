import type { LeavingFact } from '../swap/claim.ts';

/** A member of an observed or paused group that leaves, or should leave, by a signal. */
export type Heard = Omit<LeavingFact, 'owner' | 'drainWantedAtMs'>;

/** A cost per hour at known prices, and how many of how many instances have one. */
export type Cost = { readonly usdPerHour: number; readonly priced: number; readonly of: number };

/** Missing members that an observed decision would have launched, until the group has them again. */
export type Need = {
  /** The stored decision. */
  readonly decision: string;
  readonly atMs: number;
  readonly cost: Cost;
};

/**
 * Actions that the last look left out because of the group's mode. The next look uses them to see whether the situation
 * is new. No decision counts them.
 */
export type NotDone = {
  readonly missing: number;
  readonly surplus: number;
  /** In an observed group, the latest 300. In a paused group, events that AWS announced for later. */
  readonly heard?: Readonly<Record<string, Omit<Heard, 'instance'>>>;
  /** Members that would move, to other Auto Scaling groups or to better places: they are stored already. */
  readonly moved?: readonly string[];
  readonly need?: Need;
};
