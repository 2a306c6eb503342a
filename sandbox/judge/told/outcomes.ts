import type { Chronicle } from '../chronicle.ts';

/** The SDK's error names for a response that never came. */
const lostCodes = /^E[A-Z]+$|Timeout|Abort/;

/** Whether a recorded outcome of a call is the one that this error code names. */
export const isOutcome = (outcome: string, code: string): boolean => outcome === code || (outcome === 'lost' && lostCodes.test(code));

/** Whether any call failed with that code. */
export const failedWith = (chronicle: Chronicle, code: string): boolean => chronicle.of('called').some(({ outcome }) => isOutcome(outcome, code));
