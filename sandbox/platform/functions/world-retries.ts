import type { WorldClock } from '../../clock.ts';
import type { Random } from '../../random.ts';

type Failure = { readonly errorType: 'THROTTLING' | 'TRANSIENT' | 'SERVER_ERROR' | 'CLIENT_ERROR' };
type Token = { getRetryCount(): number; getRetryDelay(): number };

/** The part of an SDK client's configuration that decides on retries. */
export type WorldRetries = {
  readonly mode: 'standard';
  acquireInitialRetryToken(): Promise<Token>;
  refreshRetryTokenForRetry(token: Token, failure: Failure): Promise<Token>;
  recordSuccess(): void;
};

const longestDelayMs = 20_000;

/** The pause lies in the world's time, so that the SDK itself has nothing left to wait for. */
const token = (count: number): Token => ({ getRetryCount: () => count, getRetryDelay: () => 0 });

/** The SDK's standard retries (exponential delays with full jitter, longer after a throttle), waiting on the world's clock. */
export const worldRetries = (
  { clock, random, inWorld }: { readonly clock: WorldClock; readonly random: Random; readonly inWorld: <T>(work: Promise<T>) => Promise<T> },
  maxAttempts = 3,
): WorldRetries => ({
  mode: 'standard',
  acquireInitialRetryToken: async () => token(0),
  refreshRetryTokenForRetry: async (last, { errorType }) => {
    const count = last.getRetryCount() + 1;
    if (errorType === 'CLIENT_ERROR' || count >= maxAttempts) throw new Error('No attempts are left.');
    const baseMs = errorType === 'THROTTLING' ? 500 : 100;
    await inWorld(clock.sleep(Math.min(longestDelayMs, random() * baseMs * 2 ** (count - 1))));
    return token(count);
  },
  recordSuccess: () => undefined,
});
