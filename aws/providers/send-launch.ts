import type { LaunchOrder, LaunchResult } from '../../core/ports/launches.ts';
import { type Watch, watchAttempts } from '../calls/attempts.ts';
import { codeOf, isFromAws, type LaunchTrouble, leaseOver, messageOf, troubleOf } from '../calls/errors.ts';

export type LaunchFailure =
  | Exclude<LaunchResult, { kind: 'answered' }>
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/** Until when this invocation may send the request. */
export type Lease = Pick<LaunchOrder, 'leaseUntilMs'> & { readonly now: () => number };

/** Thrown instead of an attempt. The SDK retries only errors that a service returned, so it does not retry this one. */
class LeaseOver extends Error {}

/**
 * Sends a launch and classifies its failure. The SDK's retries end with the error of the last attempt only. A throttle
 * counts as a throttle only when no attempt before it may have been carried out, so each attempt is observed. No
 * attempt begins after the lease, because an invocation may be frozen before an attempt, and then another invocation
 * sends the request.
 */
export const sendLaunch = async <Answer>(
  watch: Watch,
  { leaseUntilMs, now }: Lease,
  send: () => Promise<Answer>,
): Promise<Answer | LaunchFailure> => {
  const attempts: LaunchTrouble[] = [];
  watchAttempts(watch, {
    before: () => {
      if (now() >= leaseUntilMs) throw new LeaseOver();
    },
    failed: (error) => attempts.push(troubleOf(error)),
  });
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

/** Responses have no `kind`. */
export const isFailure = (answer: object): answer is LaunchFailure => 'kind' in answer;
