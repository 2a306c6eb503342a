import { setImmediate } from 'node:timers/promises';

type Asking<Question, Answer> = {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Merges simultaneous calls into one piece of work. Calls that arrive while work is under way wait, and share the next
 * piece of work. So no result is older than its call.
 *
 * @param work returns one result for each call, in their order
 */
export const merging = <Question, Answer>(
  work: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): ((question: Question) => Promise<Answer>) => {
  let waiting: Asking<Question, Answer>[] = [];
  let isAtWork = false;

  const serve = async (all: readonly Asking<Question, Answer>[]): Promise<void> => {
    try {
      const answers = await work(all.map(({ question }) => question));
      for (const [index, { resolve }] of all.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  };
  const serveAll = async (): Promise<void> => {
    if (isAtWork) return;
    isAtWork = true;
    // Other simultaneous calls may arrive a few promises later.
    await setImmediate();
    for (let all = waiting; all.length > 0; all = waiting) {
      waiting = [];
      await serve(all);
    }
    isAtWork = false;
  };

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      void serveAll();
    });
};
