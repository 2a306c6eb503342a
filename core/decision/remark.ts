import type { BreakerNews } from '../breaker/learn.ts';
import type { Cost } from '../observe/not-done.ts';
import type { EndedWhy } from '../pool-memory/failed-boots.ts';
import type { WhyIdle } from '../view/unserved.ts';

/** Something that a look found and that nothing was done about, with the reason. */
export type Remark =
  /** A user took these out of their Auto Scaling group: they are let go, and keep running. */
  | { readonly code: 'detached'; readonly instances: readonly string[]; readonly count: number }
  /** These were launched before, and serve by now. */
  | { readonly code: 'serves'; readonly instances: readonly string[]; readonly count: number }
  /** EC2 announced to take these and did not: they are in service again. */
  | { readonly code: 'put-back'; readonly instances: readonly string[]; readonly count: number }
  /** These died before they served, for this reason of EC2's: their pool rests until then. */
  | {
      readonly code: 'boots-failed';
      readonly pool: string;
      readonly awsCode: string;
      readonly awsMessage: string;
      readonly untilMs: number;
      readonly instances: readonly string[];
      readonly count: number;
    }
  /** These never served, for this reason, and are replaced elsewhere: their pool rests until then. */
  | {
      readonly code: 'given-up';
      readonly pool: string;
      readonly why: WhyIdle;
      readonly untilMs: number;
      readonly instances: readonly string[];
      readonly count: number;
    }
  /** So many missing members are not launched now, because ten instances for each died within ten minutes. */
  | { readonly code: 'deaths-bounded'; readonly count: number }
  /**
   * So many missing members are not launched now: within the time, as many were launched as the policy allows
   * (`atMost`, with one for each member that EC2 warned about). `ends`: why instances of the group ended.
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
  /** So many were launched although a breaker is open over their offerings, because nothing else in the tree gives. */
  | { readonly code: 'breaker-overridden'; readonly count: number }
  /** So many members above the size are missing, because spot gives none now. */
  | { readonly code: 'spares-missing'; readonly count: number; readonly of: number }
  /** EC2 advises to replace these, and the policy's budget for that is spent. */
  | { readonly code: 'advice-over-budget'; readonly instances: readonly string[]; readonly count: number }
  /** EC2 advises to replace these, and the policy says not to act on that. */
  | { readonly code: 'advice-not-followed'; readonly instances: readonly string[]; readonly count: number }
  /** The account's bucket has no tokens for this launch, and groups ahead need them more: its turn is about then. */
  | {
      readonly code: 'waits-for-turn';
      readonly bucket: string;
      readonly count: number;
      readonly ahead: number;
      readonly turnAtMs: number;
    }
  /** The launch waited so long for the account's bucket. */
  | { readonly code: 'waited-for-turn'; readonly bucket: string; readonly waitedMs: number }
  /** This many members above the desired size stay, because these Auto Scaling groups are at their minimum size. */
  | {
      readonly code: 'kept-by-minimum';
      readonly count: number;
      readonly asgs: readonly { readonly asg: string; readonly min: number }[];
    }
  /** So many missing members are not launched, because `maxShare` forbids what could be launched. */
  | { readonly code: 'shares-full'; readonly count: number }
  /** The group owes so many on demand and has fewer, because no on-demand pool gives any now. */
  | { readonly code: 'on-demand-short'; readonly owed: number; readonly held: number }
  /** The group is paused: so many are missing, or above the desired size, and nothing is done about it. */
  | { readonly code: 'paused'; readonly missing: number; readonly surplus: number }
  /**
   * The group is observed. It has its desired size again, by launches that are not Holdfast's, after an observed
   * decision would have launched.
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
