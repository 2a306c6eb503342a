import type { LaunchResult } from '../../core/ports.ts';
import { codeOf, isFromAws, type LaunchTrouble, messageOf, troubleOf } from '../errors.ts';

/** Sees every attempt of a command go by. */
type AttemptWatch = <Args, Answer>(next: (args: Args) => Promise<Answer>) => (args: Args) => Promise<Answer>;
/** Low priority in this step runs inside the SDK's retry middleware. */
const innermost = { step: 'finalizeRequest', name: 'watchLaunchAttempts', priority: 'low' } as const;
type Watch = (watch: AttemptWatch, where: typeof innermost) => void;

export type LaunchFailure =
  | Extract<LaunchResult, { kind: 'throttled' | 'ambiguous' | 'invalid' }>
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

/**
 * Sends a launch and says what a failure means. The SDK's retries end with the error of the last attempt only; a throttle is a throttle only when no
 * attempt before it may have been carried out, so each is watched.
 */
export const sendLaunch = async <Answer>(watch: Watch, send: () => Promise<Answer>): Promise<Answer | LaunchFailure> => {
  const attempts: LaunchTrouble[] = [];
  const record = (error: unknown): never => {
    attempts.push(troubleOf(error));
    throw error;
  };
  watch((next) => (args) => next(args).catch(record), innermost);
  return send().catch((error: unknown) => {
    if (!isFromAws(error)) throw error;
    return asFailure(attempts.includes('ambiguous') ? 'ambiguous' : troubleOf(error), error);
  });
};

const asFailure = (trouble: LaunchTrouble, error: unknown): LaunchFailure => {
  const code = codeOf(error);
  return trouble === 'throttled' || trouble === 'ambiguous' ? { kind: trouble, code } : { kind: trouble, code, message: messageOf(error) };
};

/** Answers have no `kind`. */
export const isFailure = (answer: object): answer is LaunchFailure => 'kind' in answer;
