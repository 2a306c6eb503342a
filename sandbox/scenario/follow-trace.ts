import type { WorldClock } from '../clock.ts';
import type { World } from '../world/world.ts';
import type { CapacityChange } from './trace.ts';

/**
 * Lets the spot capacity of one instance type follow a trace, from now on. If more instances run than the new capacity, EC2 warns the surplus and takes it
 * after the notice.
 */
export const followTrace = (
  { world, clock }: { readonly world: Pick<World, 'setOffering'>; readonly clock: Pick<WorldClock, 'now' | 'at'> },
  changes: readonly CapacityChange[],
  { instanceType, noticeMs }: { readonly instanceType: string; readonly noticeMs: number },
): void => {
  const startMs = clock.now();
  for (const { atMs, zone, ...change } of changes) {
    const apply = (): void => void world.setOffering({ instanceType, zone, market: 'spot' }, { ...change, reclaim: { noticeMs } });
    if (atMs === 0) apply();
    else clock.at(startMs + atMs, apply);
  }
};
