import type { Chronicle } from './chronicle.ts';
import type { Finding, Rule } from './finding.ts';

/** A rule about one group, for all groups of a history. */
export const inEveryGroup =
  (broken: (chronicle: Chronicle, group: string) => readonly Omit<Finding, 'rule'>[]): Rule['broken'] =>
  (chronicle) =>
    [...chronicle.groups.keys()].flatMap((group) => broken(chronicle, group));
