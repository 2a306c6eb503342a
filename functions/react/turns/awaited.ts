import type { Ask } from '../../../core/limits/need.ts';
import type { ReactPorts } from '../ports.ts';
import { createDue } from './due.ts';

type BucketOfCalls = Ask['bucket'];

/**
 * A request waits so long for the other groups of its batch. Their looks and calls may wait for tokens of another
 * bucket for longer.
 */
const othersWithinMs = 2_000;

/** The groups of a batch for whose first requests the others wait, so that the order of need holds for all. */
export type Awaited = {
  /** Whether a request still waits for a group of its bucket. */
  holdsUp(ask: Pick<Ask, 'bucket' | 'group'>): boolean;
  /** A request of a bucket waits from now on, for a bounded time. */
  waitsFrom(bucket: BucketOfCalls): void;
  /** Nobody waits for this group any more. */
  without(group: string): void;
};

/** @param changed is told when requests may not have to wait any more. */
export const createAwaited = (
  buckets: ReadonlyMap<string, BucketOfCalls>,
  ports: Pick<ReactPorts, 'sleep' | 'store' | 'clock'>,
  changed: () => void,
): Awaited => {
  const left = new Map(buckets);
  /** Buckets for which a request has waited as long as it may. */
  const overdue = new Set<BucketOfCalls>();
  const due = createDue(ports, changed);
  const isAwaited = (bucket: BucketOfCalls): boolean => !overdue.has(bucket) && [...left.values()].includes(bucket);
  return {
    holdsUp: ({ bucket, group }) => isAwaited(bucket) && !due.has(group),
    waitsFrom: (bucket) => {
      if (!isAwaited(bucket)) return;
      due.look();
      void ports.sleep(othersWithinMs).then(() => {
        overdue.add(bucket);
        changed();
      });
    },
    without: (group) => {
      left.delete(group);
      changed();
    },
  };
};
