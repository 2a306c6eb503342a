import { codeOf, isFromAws, retryOf, statusOf, troubleOf } from './errors.ts';

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

/**
 * The same for a write that costs much when it is lost: the call is made up to three times while AWS has trouble with
 * it, and the last error is thrown. A repeat must recognize a write that was carried out without a response.
 */
export const upToThrice = async <T extends object | string>(call: () => Promise<T>): Promise<T> =>
  (await unlessTroubled(call())) ?? (await unlessTroubled(call())) ?? call();

/**
 * Whether a call failed soon and for now: AWS responded that it cannot carry it out, or the connection broke. Attempts
 * that time out take long.
 */
export const failedSoon = (error: unknown): boolean =>
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(codeOf(error)) ||
  troubleOf(error) === 'throttled' ||
  (retryOf(error) === 'later' && statusOf(error) > 0);
