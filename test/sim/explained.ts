import { partIn } from '../../cli/stored-decision.ts';
import type { Swap } from '../../core/swap.ts';
import type { Evidence } from './evidence.ts';

const launchUnexplained = ({ lives, decisions }: Evidence): readonly string[] =>
  lives
    .filter(({ group, reservation }) => group !== undefined && reservation !== undefined)
    .filter(({ instance, reservation }) => !decisions.some((record) => partIn(record, instance, reservation) === 'launched'))
    .map(({ instance, reservation }) => `${instance} was launched for ${reservation}, and no stored decision says why`);

/** Where a signal took it the swap itself says why; whom Holdfast chose by itself, a decision must have named, with the reason. */
const leavingUnexplained = ({ swaps, decisions }: Evidence): readonly string[] => {
  const byId = new Map(decisions.map((record) => [record.id, record]));
  const isExplained = ({ instance, reason, decision }: Swap): boolean => {
    if (reason !== 'scale-in' && reason !== 'unwanted') return true;
    const record = byId.get(decision);
    return record?.rounds.some(({ removals }) => removals.some((one) => one.instance === instance)) === true;
  };
  return swaps
    .filter((swap) => !isExplained(swap))
    .map(({ instance, reason, decision }) => `${instance} left (${reason}), and decision ${decision} does not say why`);
};

/** Whatever came or went by Holdfast's will can be explained from what is stored, by the look-up that `holdfast explain` makes. */
export const everythingExplained = (evidence: Evidence): readonly string[] => [...launchUnexplained(evidence), ...leavingUnexplained(evidence)];
