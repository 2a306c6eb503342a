import type { Chronicle } from '../chronicle.ts';
import type { Policy } from '../policy/policy.ts';
import { isMap, type Json, mapsOf, numberOf, textOf } from '../read-json.ts';
import { remembered } from '../remembered.ts';
import { type DecisionWrite, decisionWrite } from './decision-writes.ts';

/** What one round of a decision gives as its reasons, as it is stored. */
export type SaidReasoning = {
  /** The desired size that it was made for. */
  readonly desired: number;
  readonly staying: number;
  readonly rejected: readonly Json[];
  readonly reasons: readonly Json[];
  readonly placements: readonly Json[];
  readonly moves: readonly Json[];
  readonly removals: readonly Json[];
  readonly remarks: readonly Json[];
};

/** A stored decision with the policy that it names, and the time of its look by the clock of its function. */
export type Reasoned = {
  readonly id: string;
  readonly group: string;
  readonly policy: Policy;
  readonly lookedMs: number;
  /** How many served when it looked, and how many swaps there were by their state. */
  readonly serving: number;
  readonly swaps: Json;
  readonly sizes: readonly Json[];
  readonly rounds: readonly SaidReasoning[];
  readonly write: DecisionWrite;
};

const roundOf = ({ desired, staying, rejected, reasons, placements, moves, removals, remarks }: Json): SaidReasoning => ({
  desired: numberOf(desired),
  staying: numberOf(staying),
  rejected: mapsOf(rejected),
  reasons: mapsOf(reasons),
  placements: mapsOf(placements),
  moves: mapsOf(moves),
  removals: mapsOf(removals),
  remarks: mapsOf(remarks),
});

/** Decisions of groups that act, and whose sizes count instances. */
export const reasoned = remembered((chronicle: Chronicle): readonly Reasoned[] =>
  mapsOf(chronicle.history.stored.decisions).flatMap(({ id, group, policyVersion, sizes, rounds, view }): readonly Reasoned[] => {
    const name = textOf(group);
    const write = decisionWrite(chronicle, name, textOf(id));
    const policy = chronicle.groups.get(name)?.policies.findLast(({ version }) => version === policyVersion)?.policy;
    if (write === undefined || policy?.mode !== 'act' || !isMap(view)) return [];
    const looked = { lookedMs: numberOf(view.nowMs), serving: numberOf(view.serving), swaps: isMap(view.swaps) ? view.swaps : {} };
    return [{ id: textOf(id), group: name, policy, ...looked, sizes: mapsOf(sizes), rounds: mapsOf(rounds).map(roundOf), write }];
  }),
);
