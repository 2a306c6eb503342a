/** Observes every attempt of a command. */
type AttemptWatch = <Args, Answer>(next: (args: Args) => Promise<Answer>) => (args: Args) => Promise<Answer>;
/** Low priority in this step runs inside the SDK's retry middleware. */
const innermost = { step: 'finalizeRequest', name: 'watchAttempts', priority: 'low' } as const;
export type Watch = (watch: AttemptWatch, where: typeof innermost) => void;

export type Watching = {
  /** Runs before each attempt. An error that it throws takes the place of the attempt. */
  readonly before?: () => void;
  readonly failed: (error: unknown) => void;
};

/**
 * Observes the attempts of a command: the SDK's retries end with the error of the last attempt only, and that error
 * says nothing about the attempts before it.
 */
export const watchAttempts = (watch: Watch, { before, failed }: Watching): void =>
  watch(
    (next) => async (args) => {
      before?.();
      return next(args).catch((error: unknown) => {
        failed(error);
        throw error;
      });
    },
    innermost,
  );
