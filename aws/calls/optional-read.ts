import { codeOf, isFromAws } from './errors.ts';

/** Called for a failed read that the work does not need. */
export type Missed = (read: string, code: string) => void;

/**
 * The time limit of an optional read is shorter than that of a call that changes something (aws/calls/clients.ts):
 * three attempts leave an invocation most of its time.
 */
export const hasty = { requestTimeout: 2_500 } as const;

/** A read that only improves a decision. Undefined when AWS does not respond now. Required reads do not use this. */
export const optionalRead = <T>(read: string, missed: Missed, work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    if (!isFromAws(error)) throw error;
    missed(read, codeOf(error));
    return undefined;
  });
