import type { Swap } from '../../core/swap.ts';
import type { Gathered } from './gather.ts';
import { learnFromLosses } from './group-state.ts';
import { withoutEnded } from './mend.ts';
import type { Run } from './run.ts';

/**
 * What signals teach the state, beyond what was claimed: offerings that EC2 takes from, launches that came to nothing.
 */
export const learn = (gathered: Gathered, { facts, ports }: Run, warned: readonly Swap[]): Gathered => {
  const ended = [...gathered.holdings.ended, ...facts.ended];
  return {
    ...gathered,
    state: learnFromLosses(withoutEnded(gathered.state, ended), warned, gathered.swaps, ports.clock.now()),
  };
};
