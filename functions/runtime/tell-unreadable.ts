import type { TellUnreadable } from '../../aws/state/unreadable.ts';
import { metrics } from '../../core/contract.ts';
import type { Telemetry } from './telemetry.ts';

/** Counts and logs stored items that could not be read in full. */
export const tellUnreadable =
  ({ count, logger }: Telemetry): TellUnreadable =>
  (found) => {
    count(metrics.unreadableItems);
    logger.error('A stored item could not be read in full. The unreadable parts count as lost.', { ...found });
  };
