import type { WorldClock } from '../clock.ts';
import type { Cloud } from '../cloud.ts';
import { forkRandom } from '../random.ts';
import type { Surroundings } from './writer.ts';

type Stage = { readonly clock: WorldClock; readonly cloud: Pick<Cloud, 'call'> };

/** What a writer uses in a running sandbox. It calls as an operator with this name. */
export const surroundingsOf = ({ clock, cloud }: Stage, seed: number, as: string): Surroundings => ({
  clock,
  call: (operation, input) => cloud.call({ service: 'autoscaling', operation, input, caller: { kind: 'operator', as } }),
  random: forkRandom(seed, as),
});
