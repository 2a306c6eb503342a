import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

/** What this process holds once everything that nobody needs is let go. */
export const heldMemory = (): string => {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, rss } = process.memoryUsage();
  return `${megabytes(heapUsed)} of heap, ${megabytes(rss)} resident`;
};
