import type { Chronicle } from './chronicle.ts';

/** A broken rule: the group or instance, the time, and the evidence, in plain English. */
export type Finding = {
  readonly rule: string;
  readonly group?: string;
  readonly instance?: string;
  readonly asg?: string;
  /** The invocation that broke the rule, by doing or by omitting something. */
  readonly invocation?: string;
  readonly atMs: number;
  /** When Holdfast received the message that it had to act on, if the finding is about that. */
  readonly heardAtMs?: number;
  /** How many members the group lacks, if the finding is about missing members. */
  readonly members?: number;
  readonly detail: string;
};

/** One thing that must hold in every run. */
export type Rule = {
  readonly name: string;
  /** A few short sentences, for the documentation. */
  readonly meaning: string;
  readonly broken: (chronicle: Chronicle) => readonly Omit<Finding, 'rule'>[];
};

/**
 * One kind of trouble. It excuses findings of one rule, about the instance or group that had the trouble, and only while the trouble lasts. Each allowance has
 * two tests: one shows that it is needed, one shows that it excuses nothing else.
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
