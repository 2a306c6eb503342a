import type { Swap } from '../../core/swap.ts';
import type { Gathered } from './gather.ts';
import { learnFromLosses } from './group-state.ts';
import { withoutEnded } from './mend.ts';
import type { Run } from './run.ts';

/**
 * What the state learns from signals besides claims: offerings that EC2 takes instances from, and launches that failed.
 */
export const learn = (gathered: Gathered, { facts, ports }: Run, warned: readonly Swap[]): Gathered => {
  const ended = [...gathered.holdings.ended, ...facts.ended];
  return {
    ...gathered,
    state: learnFromLosses(withoutEnded(gathered.state, ended), warned, gathered.swaps, ports.clock.now()),
  };
};
