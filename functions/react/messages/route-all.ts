import { isFromAws } from '../../../aws/calls/errors.ts';
import type { ReactPorts } from '../ports.ts';
import { namesGroup, type Received, type Routed, route } from './route.ts';

/**
 * Finds the groups of a batch. If the owners of instances cannot be read, signals that name their group go on, and the
 * others are delivered again.
 */
export const routeAll = async (
  received: readonly Received[],
  {
    owners,
    strangers,
    seen,
    store,
    clock,
    telemetry,
  }: Pick<ReactPorts, 'owners' | 'strangers' | 'seen' | 'store' | 'clock' | 'telemetry'>,
): Promise<Routed> => {
  const routed = (signals: readonly Received[]): Promise<Routed> =>
    route(signals, { owners, strangers, seen, claims: store }, () => store.registry(), clock.now());
  try {
    return await routed(received);
  } catch (error) {
    if (!isFromAws(error)) throw error;
    const others = received.filter(({ signal }) => !namesGroup(signal));
    telemetry.logger.error('The groups of signals could not be found. The signals are delivered again.', {
      error: error as Error,
      signals: others.length,
    });
    const { again, ...rest } = await routed(received.filter(({ signal }) => namesGroup(signal)));
    return { ...rest, again: [...again, ...others.map(({ message }) => message)] };
  }
};
