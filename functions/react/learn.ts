import type { Swap } from '../../core/swap.ts';
import type { Gathered } from './gather.ts';
import { learnFromInterruptions } from './group-state.ts';
import { withoutEnded } from './mend.ts';
import type { Run } from './run.ts';

/** What signals teach the state, beyond what was claimed: offerings that EC2 takes from, launches that came to nothing. */
export const learn = (gathered: Gathered, { facts, ports }: Run, fresh: readonly Swap[]): Gathered => {
  const ended = [...gathered.holdings.ended, ...facts.ended];
  return { ...gathered, state: learnFromInterruptions(withoutEnded(gathered.state, ended), fresh, ports.clock.now()) };
};
