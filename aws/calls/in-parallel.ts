import pMap from 'p-map';

/**
 * Runs the work for every item with at most `limit` under way, and returns the results in the order of the items. The
 * first failure is thrown when everything under way has settled, so that nothing runs on after the return. No item is
 * begun after it.
 */
export const inParallel = async <T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> => {
  const failures: unknown[] = [];
  const attempt = async (item: T, index: number): Promise<R | undefined> => {
    if (failures.length > 0) return undefined;
    try {
      return await work(item, index);
    } catch (failure) {
      failures.push(failure);
      return undefined;
    }
  };
  const results = await pMap(items, attempt, { concurrency: limit });
  if (failures.length > 0) throw failures[0];
  return results as readonly R[];
};

/**
 * The results of work that is under way already. The first failure is thrown when all of it has settled, so that no
 * call is made after the return.
 */
export const allSettled = async <T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [Key in keyof T]: Awaited<T[Key]> }> => {
  await Promise.allSettled(work);
  // biome-ignore lint/plugin: nothing is under way any more
  return Promise.all(work);
};

/** The first failure of work on several items, with its cause. Absent: all of it succeeded. */
export type Failed = { readonly failure?: { readonly error: unknown } };

/**
 * Runs the work for every item, with at most `limit` items under way. A failure stops none of the others. Returns the
 * first failure, and throws nothing.
 */
export const eachInParallel = async <T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<Failed> => {
  const failures: unknown[] = [];
  await pMap(items, (item) => work(item).catch((failure: unknown) => failures.push(failure)), { concurrency: limit });
  return failures.length === 0 ? {} : { failure: { error: failures[0] } };
};

/** @throws the error of the first failure, if there is one */
export const throwIfFailed = ({ failure }: Failed): void => {
  if (failure !== undefined) throw failure.error;
};
