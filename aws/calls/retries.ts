/** How a client waits between two attempts. */
export type Pauses = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
};

export type Attempts = {
  /** Attempts of a call, the first one included. */
  readonly most: number;
  /** The same while AWS throttles: such an answer comes at once. */
  readonly mostThrottled: number;
  /** The longest first pause after a throttle. Each further one may be twice as long. */
  readonly throttledMs: number;
};

type Failure = { readonly errorType: 'THROTTLING' | 'TRANSIENT' | 'SERVER_ERROR' | 'CLIENT_ERROR' };
type Token = { getRetryCount(): number; getRetryDelay(): number };

/** The part of an SDK client's configuration that decides on repeats. */
type Retries = {
  readonly mode: 'standard';
  acquireInitialRetryToken(): Promise<Token>;
  refreshRetryTokenForRetry(token: Token, failure: Failure): Promise<Token>;
  recordSuccess(): void;
};

/** The longest first pause after a broken connection or a server error. */
const brokenMs = 50;
const longestPauseMs = 20_000;

/** So many calls in a row that were given up, without an answer or throttled, show that it is not over in a moment. */
const inVainAtMost = 2;

/** The pause is over when the token is given, so the SDK has nothing left to wait for. */
const tokenOf = (count: number): Token => ({ getRetryCount: () => count, getRetryDelay: () => 0 });

/**
 * Repeats calls as the SDK's standard mode does, with pauses that double and are drawn at random. After two calls in a
 * row that were given up each call is made once: one that is answered, and not throttled, ends that. An outage or a
 * throttle that lasts costs one call where it would cost several, and whoever made the call comes again later in any
 * case.
 */
export const createRetries = ({ sleep, random }: Pauses, { most, mostThrottled, throttledMs }: Attempts): Retries => {
  let inVain = 0;
  const answered = (): void => {
    inVain = 0;
  };
  return {
    mode: 'standard',
    acquireInitialRetryToken: async () => tokenOf(0),
    refreshRetryTokenForRetry: async (last, { errorType }) => {
      if (errorType === 'CLIENT_ERROR' || errorType === 'SERVER_ERROR') {
        answered();
        throw new Error('The call was answered.');
      }
      const isThrottled = errorType === 'THROTTLING';
      const count = last.getRetryCount() + 1;
      if (inVain >= inVainAtMost || count >= (isThrottled ? mostThrottled : most)) {
        inVain += 1;
        throw new Error('No attempts are left.');
      }
      const baseMs = isThrottled ? throttledMs : brokenMs;
      await sleep(Math.floor(random() * Math.min(longestPauseMs, baseMs * 2 ** (count - 1))));
      return tokenOf(count);
    },
    recordSuccess: answered,
  };
};
