/** How a client waits between two attempts. */
export type Pauses = {
  readonly sleep: (ms: number) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
};

export type Attempts = {
  /** Attempts of a call, the first one included. */
  readonly most: number;
  /** The same while AWS throttles. A throttle is returned at once. */
  readonly mostThrottled: number;
  /** The upper bound of the first pause after a throttle. The bound doubles with each further pause. */
  readonly throttledMs: number;
};

type Failure = { readonly errorType: 'THROTTLING' | 'TRANSIENT' | 'SERVER_ERROR' | 'CLIENT_ERROR' };
type Token = { readonly operation: string; getRetryCount(): number; getRetryDelay(): number };

/** The part of an SDK client's configuration that decides on repeats. */
type Retries = {
  readonly mode: 'standard';
  acquireInitialRetryToken(operation: string): Promise<Token>;
  refreshRetryTokenForRetry(token: Token, failure: Failure): Promise<Token>;
  recordSuccess(token: Token): void;
};

/** The longest first pause after a broken connection or a server error. */
const brokenMs = 50;
const longestPauseMs = 20_000;

/**
 * After this many calls in a row that were given up, without a response or throttled, the trouble counts as lasting.
 * They are counted for the service and for each of its operations.
 */
const inVainAtMost = 2;

/** The pause is over when the token is given, so the SDK has nothing left to wait for. */
const tokenOf = (operation: string, count: number): Token => ({
  operation,
  getRetryCount: () => count,
  getRetryDelay: () => 0,
});

/** The part of an SDK client that this needs. */
type Client = {
  readonly middlewareStack: {
    add(middleware: never, options: { readonly step: 'initialize'; readonly name: string }): void;
  };
};
type Context = { readonly commandName?: string; partition_id?: string };

/** Passes the operation of each call to the retries of a client. The SDK passes on the value of `partition_id`. */
export const retriedByOperation = <C extends Client>(client: C): C => {
  const middleware = (next: (args: unknown) => Promise<unknown>, context: Context) => (args: unknown) => {
    context.partition_id = context.commandName ?? '';
    return next(args);
  };
  client.middlewareStack.add(middleware as never, { step: 'initialize', name: 'retriedByOperation' });
  return client;
};

/** Calls in a row that were given up. */
const createInVain = () => {
  let calls = 0;
  const ofOperation = new Map<string, number>();
  return {
    isLasting: (operation: string): boolean =>
      calls >= inVainAtMost || (ofOperation.get(operation) ?? 0) >= inVainAtMost,
    givenUp: (operation: string): void => {
      calls += 1;
      ofOperation.set(operation, (ofOperation.get(operation) ?? 0) + 1);
    },
    answered: (operation: string): void => {
      calls = 0;
      ofOperation.delete(operation);
    },
  };
};

/**
 * Repeats calls as the SDK's standard mode does, with pauses that double and are drawn at random. After two calls in a
 * row that were given up, each call is made only once, until one gets a response that is not a throttle. The same holds
 * for one operation, while calls of other operations get responses. So a lasting outage or throttle costs one call
 * instead of several, and the caller tries again later in any case.
 */
export const createRetries = ({ sleep, random }: Pauses, { most, mostThrottled, throttledMs }: Attempts): Retries => {
  const inVain = createInVain();
  return {
    mode: 'standard',
    acquireInitialRetryToken: async (operation) => tokenOf(operation, 0),
    refreshRetryTokenForRetry: async (last, { errorType }) => {
      const { operation } = last;
      if (errorType === 'CLIENT_ERROR' || errorType === 'SERVER_ERROR') {
        inVain.answered(operation);
        throw new Error('The call was answered.');
      }
      const isThrottled = errorType === 'THROTTLING';
      const count = last.getRetryCount() + 1;
      if (inVain.isLasting(operation) || count >= (isThrottled ? mostThrottled : most)) {
        inVain.givenUp(operation);
        throw new Error('No attempts are left.');
      }
      const baseMs = isThrottled ? throttledMs : brokenMs;
      await sleep(Math.floor(random() * Math.min(longestPauseMs, baseMs * 2 ** (count - 1))));
      return tokenOf(operation, count);
    },
    recordSuccess: ({ operation }) => inVain.answered(operation),
  };
};
