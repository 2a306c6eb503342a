import type { LaunchOrder, LaunchResult } from '../../core/ports.ts';
import { codeOf, isFromAws, type LaunchTrouble, leaseOver, messageOf, troubleOf } from '../errors.ts';

/** Sees every attempt of a command go by. */
type AttemptWatch = <Args, Answer>(next: (args: Args) => Promise<Answer>) => (args: Args) => Promise<Answer>;
/** Low priority in this step runs inside the SDK's retry middleware. */
const innermost = { step: 'finalizeRequest', name: 'watchLaunchAttempts', priority: 'low' } as const;
type Watch = (watch: AttemptWatch, where: typeof innermost) => void;

export type LaunchFailure =
  | Exclude<LaunchResult, { kind: 'answered' }>
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Whose request it is to make, until when. */
export type Lease = Pick<LaunchOrder, 'leaseUntilMs'> & { readonly now: () => number };

/** Thrown in place of an attempt: the SDK does not retry what is no answer of a service. */
class LeaseOver extends Error {}

/**
 * Sends a launch and says what a failure means. The SDK's retries end with the error of the last attempt only; a
 * throttle is a throttle only when no attempt before it may have been carried out, so each is watched. None begins once
 * the lease is over: an invocation may have been frozen before any of them, for however long, and others have the
 * request by then.
 */
export const sendLaunch = async <Answer>(
  watch: Watch,
  { leaseUntilMs, now }: Lease,
  send: () => Promise<Answer>,
): Promise<Answer | LaunchFailure> => {
  const attempts: LaunchTrouble[] = [];
  const record = (error: unknown): never => {
    attempts.push(troubleOf(error));
    throw error;
  };
  watch(
    (next) => async (args) => {
      if (now() >= leaseUntilMs) throw new LeaseOver();
      return next(args).catch(record);
    },
    innermost,
  );
  return send().catch((error: unknown) => {
    const isAmbiguous = attempts.includes('ambiguous');
    if (error instanceof LeaseOver) return { kind: isAmbiguous ? 'ambiguous' : 'not-asked', code: leaseOver };
    if (!isFromAws(error)) throw error;
    return asFailure(isAmbiguous ? 'ambiguous' : troubleOf(error), error);
  });
};

const asFailure = (kind: LaunchTrouble, error: unknown): LaunchFailure => {
  const code = codeOf(error);
  return kind === 'refused' || kind === 'invalid' ? { kind, code, message: messageOf(error) } : { kind, code };
};

/** Answers have no `kind`. */
export const isFailure = (answer: object): answer is LaunchFailure => 'kind' in answer;
