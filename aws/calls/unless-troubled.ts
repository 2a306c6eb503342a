import { isFromAws, retryOf } from './errors.ts';

/**
 * The result of a call, or undefined when AWS could not carry it out now: throttled, a server error, or unreachable for
 * a moment. Any other error is thrown. For reads that can be repeated later, where waiting is better than failing.
 */
export const unlessTroubled = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isFromAws(error) && retryOf(error) === 'later') return undefined;
    throw error;
  }
};
