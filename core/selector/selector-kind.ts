import type { Turn } from '../decision/decision.ts';
import type { Run } from './pick.ts';
import type { Rank } from './standing.ts';
import type { Branch, Choice } from './tree.ts';

/** What a kind of selector decides, of its choices in configured order. */
export type SelectorKind = {
  /** Of the choices that give at the best rank, those that it picks from. */
  candidates(best: readonly Choice[]): readonly Choice[];
  /** The rank that it gives at, of the choices that can give. */
  rankOf(giving: readonly Choice[]): Rank;
  /** The choice that gives the next instance. Undefined when none can. */
  choose(branch: Branch, run: Run): Choice | undefined;
  /** Why it chose so, as it was before the instance was counted. */
  turnOf(branch: Branch, choice: Choice): Turn;
  /** Of these, the choice that it would have filled last. */
  undo(branch: Branch, candidates: readonly Choice[]): Choice | undefined;
  /** Choices whose prices count as its own. */
  priced(branch: Branch): readonly Choice[];
  /** Whether the plan passed over a choice that gave nothing as good since the last visit. */
  wasPassedOver(branch: Branch, choice: Choice): boolean;
};
