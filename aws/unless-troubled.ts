import { isFromAws, retryOf } from './errors.ts';

/**
 * What a call gives, or undefined when AWS could not carry it out now: throttled, out of order, or unreachable for a
 * moment. Anything else is thrown.
 * For what can be asked again later, where waiting is better than failing.
 */
export const unlessTroubled = async <T>(call: Promise<T>): Promise<T | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isFromAws(error) && retryOf(error) === 'later') return undefined;
    throw error;
  }
};
