/**
 * Runs the work for every item with at most `limit` under way, and gives the results in the order of the items.
 * The first failure is thrown once what is under way has settled; nothing new is begun after it.
 */
export const inParallel = async <T, R>(items: readonly T[], limit: number, work: (item: T, index: number) => Promise<R>): Promise<readonly R[]> => {
  const results = new Array<R>(items.length);
  const failures: unknown[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failures.length > 0) return;
      await work(item, index).then(
        (result) => {
          results[index] = result;
        },
        (error: unknown) => {
          failures.push(error);
        },
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
  return results;
};
