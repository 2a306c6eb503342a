import { setImmediate } from 'node:timers/promises';

type Asking<Question, Answer> = {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Merges work: those who ask at the same moment are served together. Whoever asks while earlier work is under way is
 * served by the next one, together with all others who asked meanwhile. No answer is older than its question.
 *
 * @param work returns one answer for each question, in their order
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
    // Whoever else asks at this moment may be some promises behind.
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
