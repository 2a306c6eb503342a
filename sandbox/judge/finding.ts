import type { Chronicle } from './chronicle.ts';

/** Something that broke a rule: whom it concerns, when, and what shows it, in plain English. */
export type Finding = {
  readonly rule: string;
  readonly group?: string;
  readonly instance?: string;
  readonly asg?: string;
  /** The invocation that did it, or should have. */
  readonly invocation?: string;
  readonly atMs: number;
  /** How many members it is about, where it is about as many as a group lacks. */
  readonly members?: number;
  readonly detail: string;
};

/** One thing that must hold in every run. */
export type Rule = {
  readonly name: string;
  /** One sentence, for the documentation. */
  readonly meaning: string;
  readonly broken: (chronicle: Chronicle) => readonly Omit<Finding, 'rule'>[];
};

/**
 * What one kind of trouble excuses, and no more: findings of one rule, about the instance or group that the trouble met, while it lasts.
 * Two tests belong to each: one that shows that it is needed, one that shows that it reaches no further.
 */
export type Allowance = {
  readonly name: string;
  /** The rule whose findings it excuses. */
  readonly excuses: string;
  readonly trouble: string;
  readonly reaches: string;
  readonly reason: string;
  readonly covers: (finding: Finding, chronicle: Chronicle) => boolean;
};
