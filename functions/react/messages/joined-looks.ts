import { inParallel } from '../../../aws/calls/in-parallel.ts';
import type { ReactPorts } from '../ports.ts';
import type { Received } from './route.ts';

const looksAtOnce = 20;

/**
 * Signals with all groups that are looked at with them: a shared wake names the groups of the environment that sent it,
 * and those of the others joined its look.
 */
export const withJoined = (
  received: readonly Received[],
  { looks, wakes }: Pick<ReactPorts, 'looks' | 'wakes'>,
): Promise<readonly Received[]> =>
  inParallel(received, looksAtOnce, async (one) => {
    const { signal } = one;
    if (signal.kind !== 'tick' || signal.forMs === undefined) return one;
    const joined = signal.isShared ? await looks.begin(signal.forMs) : [];
    const groups = [...new Set([...signal.groups, ...joined])];
    wakes.came(groups, signal.forMs);
    return { ...one, signal: { ...signal, groups } };
  });
