import type { BreakerNews } from '../breaker/learn.ts';
import type { UnfitAsg } from '../group/unfit.ts';
import type { Ahead, Need } from '../limits/need.ts';
import type { Cost } from '../observe/not-done.ts';
import type { OfferingKey } from '../pool/offering.ts';
import type { EndedWhy } from '../pool-memory/failed-boots.ts';
import type { WhyIdle } from '../view/unserved.ts';

/** A fact that a look found and did not act on, with the reason. */
export type Remark =
  /** A user took these out of their Auto Scaling group. They leave the group, and keep running. */
  | { readonly code: 'detached'; readonly instances: readonly string[]; readonly count: number }
  /** These were launched before, and serve now. */
  | { readonly code: 'serves'; readonly instances: readonly string[]; readonly count: number }
  /** EC2 warned about these and did not take them. They are in service again. */
  | { readonly code: 'put-back'; readonly instances: readonly string[]; readonly count: number }
  /** These ended before they served, for this reason of EC2. Their pool rests until `untilMs`. */
  | {
      readonly code: 'boots-failed';
      readonly pool: string;
      readonly awsCode: string;
      readonly awsMessage: string;
      readonly untilMs: number;
      readonly instances: readonly string[];
      readonly count: number;
    }
  /** These never served, for this reason, and are replaced elsewhere. Their pool rests until `untilMs`. */
  | {
      readonly code: 'given-up';
      readonly pool: string;
      readonly why: WhyIdle;
      readonly untilMs: number;
      readonly instances: readonly string[];
      readonly count: number;
    }
  /** `count` missing members are not launched now, because ten instances for each ended within ten minutes. */
  | { readonly code: 'deaths-bounded'; readonly count: number }
  /**
   * `count` missing members are not launched now, because the policy allows no more launches within the time. `atMost`:
   * the limit, plus one for each member that EC2 warned about. `ends`: why instances of the group ended.
   */
  | {
      readonly code: 'launches-bounded';
      readonly count: number;
      readonly launched: number;
      readonly atMost: number;
      readonly withinMs: number;
      readonly untilMs: number;
      readonly ends: readonly EndedWhy[];
    }
  | BreakerNews
  /** `count` were launched although their breaker is open, because nothing else in the tree gives. */
  | { readonly code: 'breaker-overridden'; readonly count: number }
  /** `count` spares are missing, because spot gives none now. */
  | { readonly code: 'spares-missing'; readonly count: number; readonly of: number }
  /** EC2 advises to replace these, and the policy's budget for that is spent. */
  | { readonly code: 'advice-over-budget'; readonly instances: readonly string[]; readonly count: number }
  /** EC2 advises to replace these, and the policy does not act on advice. */
  | { readonly code: 'advice-not-followed'; readonly instances: readonly string[]; readonly count: number }
  /**
   * The account's bucket has no tokens for this launch, because groups ahead need them more. `urgency`, `size`: the
   * need of this group. `aheadBy`: how many are ahead for which reason. Records of earlier versions lack these three.
   * `turnAtMs`: about when it launches.
   */
  | {
      readonly code: 'waits-for-turn';
      readonly bucket: string;
      readonly count: number;
      readonly urgency?: Need['urgency'];
      readonly size?: number;
      readonly ahead: number;
      readonly aheadBy?: Ahead;
      readonly turnAtMs: number;
    }
  /**
   * The account's bucket has tokens for a part of this launch alone. `count` of the `of` instances wait. `ahead`: how
   * many groups with a greater need wait for tokens of this bucket too. `turnAtMs`: about when the others follow.
   */
  | {
      readonly code: 'rest-waits-for-turn';
      readonly bucket: string;
      readonly count: number;
      readonly of: number;
      readonly urgency: Need['urgency'];
      readonly size: number;
      readonly ahead: number;
      readonly aheadBy: Ahead;
      readonly turnAtMs: number;
    }
  /** The launch waited this long for the account's bucket. */
  | { readonly code: 'waited-for-turn'; readonly bucket: string; readonly waitedMs: number }
  /** This many members above the desired size stay, because these Auto Scaling groups are at their minimum size. */
  | {
      readonly code: 'kept-by-minimum';
      readonly count: number;
      readonly asgs: readonly { readonly asg: string; readonly min: number }[];
    }
  /**
   * The owners of these Auto Scaling groups turned on settings with which the policy would be refused. While a size
   * counts no instances, nothing is launched or removed.
   */
  | { readonly code: 'asg-unfit'; readonly asgs: readonly UnfitAsg[] }
  /** These Auto Scaling groups of the policy do not exist: their owner has deleted them. No member can be there. */
  | { readonly code: 'asg-gone'; readonly asgs: readonly string[] }
  /** There are Auto Scaling groups of these names again. */
  | { readonly code: 'asg-back'; readonly asgs: readonly string[] }
  /** `count` missing members are not launched, because `maxShare` forbids everything that could be launched. */
  | { readonly code: 'shares-full'; readonly count: number }
  /**
   * The group has fewer on demand than it owes, because no on-demand pool gives any now. `offering`: no member moves
   * there until `untilMs`, because those that moved there did not stay.
   */
  | {
      readonly code: 'on-demand-short';
      readonly owed: number;
      readonly held: number;
      readonly offering?: OfferingKey;
      readonly untilMs?: number;
    }
  /** The group is paused, so nothing is done about its missing members and its members above the desired size. */
  | { readonly code: 'paused'; readonly missing: number; readonly surplus: number }
  /**
   * The group is observed. An observed decision would have launched. Since then the group has its desired size again,
   * by launches that are not Holdfast's.
   */
  | {
      readonly code: 'came-by-itself';
      readonly decision: string;
      readonly afterMs: number;
      readonly instances: readonly string[];
      readonly count: number;
      readonly cost: Cost;
      /** What the observed decision would have launched. */
      readonly wouldCost: Cost;
    };
