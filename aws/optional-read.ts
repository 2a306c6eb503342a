import { codeOf, isFromAws } from './errors.ts';

/** Told of a read that failed and that the work goes on without. */
export type Missed = (read: string, code: string) => void;

/**
 * A read that nobody waits for as long as for a call that does something (aws/clients.ts): three attempts leave an
 * invocation most of its time.
 */
export const hasty = { requestTimeout: 2_500 } as const;

/**
 * A read that only improves a decision: undefined when AWS does not give it now. What must be read is not read through
 * this.
 */
export const optionalRead = <T>(read: string, missed: Missed, work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    if (!isFromAws(error)) throw error;
    missed(read, codeOf(error));
    return undefined;
  });
