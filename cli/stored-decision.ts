import type { Decision } from '../core/decision.ts';
import type { DecisionRecord } from '../core/ports.ts';

/** What came of a decision, as react stores it. A part may be missing where the record was too large and was trimmed. */
export type Outcome = {
  readonly launches?: readonly {
    readonly reservation: string;
    readonly pool: string;
    readonly count: number;
    readonly replaces: readonly string[];
    readonly instances?: readonly string[];
    readonly refusals?: readonly {
      readonly offering: { readonly instanceType: string; readonly zone: string; readonly market: string };
      readonly code: string;
    }[];
    readonly trouble?: string;
    readonly code?: string;
  }[];
  readonly claimed?: readonly { readonly instance: string; readonly reason: string; readonly drain?: string }[];
  readonly admitted?: readonly string[];
  readonly drainsStarted?: number;
};

export const outcomeOf = (record: DecisionRecord): Outcome => (record.outcome ?? {}) as Outcome;

/** The rounds of a decision: the first, and one after each refusal. */
export const roundsOf = (record: DecisionRecord): readonly Partial<Decision>[] =>
  Array.isArray(record.decision) ? (record.decision as Partial<Decision>[]) : [];

/**
 * What a decision has to do with an instance, or undefined when nothing. Where a function died before it wrote down what EC2 answered, the reservation
 * that the instance is tagged with leads to its decision all the same: its id begins with the decision's.
 */
export const partIn = (record: DecisionRecord, instance: string, reservation?: string): 'launched' | 'let go' | 'replaced' | undefined => {
  const { launches = [], claimed = [] } = outcomeOf(record);
  if (launches.some(({ instances = [] }) => instances.includes(instance)) || reservation?.startsWith(`${record.id}-`)) return 'launched';
  if (claimed.some((one) => one.instance === instance)) return 'let go';
  if (launches.some(({ replaces }) => replaces.includes(instance))) return 'replaced';
  return undefined;
};
