import { ApiError } from '../api.ts';
import type { WorldClock } from '../clock.ts';

/** Responses by client token. The same request again gets the same response. A different request with the same token is refused. */
export type TokenMemory = {
  answer<T>(token: string | undefined, request: unknown, make: () => T): T;
};

type Remembered = { readonly request: string; readonly answer: unknown; readonly untilMs: number };

export const createTokenMemory = (clock: Pick<WorldClock, 'now'>, keptMs: number): TokenMemory => {
  const remembered = new Map<string, Remembered>();
  return {
    answer: <T>(token: string | undefined, request: unknown, make: () => T): T => {
      if (token === undefined || token === '') return make();
      const text = JSON.stringify(request);
      const known = remembered.get(token);
      if (known !== undefined && known.untilMs > clock.now()) {
        if (known.request === text) return known.answer as T;
        throw new ApiError('IdempotentParameterMismatch', `The client token ${token} was used before with other parameters.`);
      }
      const answer = make();
      remembered.set(token, { request: text, answer, untilMs: clock.now() + keptMs });
      return answer;
    },
  };
};
