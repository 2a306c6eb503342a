import type { Turn } from '../decision/decision.ts';
import type { Run } from './pick.ts';
import type { Rank } from './standing.ts';
import type { Branch, Choice } from './tree.ts';

/** The behaviour of a kind of selector. Its choices are in configured order. */
export type SelectorKind = {
  /**
   * What members move for between its children: an earlier tier, a lower price, equal counts, or their shares
   * (`core/returning/`).
   */
  readonly movesFor: 'tier' | 'price' | 'counts' | 'shares' | 'nothing';
  /** The rank at which it gives, from the choices that can give. */
  rankOf(giving: readonly Choice[]): Rank;
  /** The choice that gives the next instance. Undefined when none can. */
  choose(branch: Branch, run: Run): Choice | undefined;
  /** The reason of its choice, with the counts before the instance. */
  turnOf(branch: Branch, choice: Choice): Turn;
  /** The candidate that it would have filled last. */
  undo(branch: Branch, candidates: readonly Choice[]): Choice | undefined;
  /** Choices whose prices count as its own. */
  priced(branch: Branch): readonly Choice[];
  /** Whether the plan passed over a choice, because others gave something better since its last visit. */
  wasPassedOver(branch: Branch, choice: Choice): boolean;
};
