import pMap from 'p-map';

/**
 * Runs the work for every item, a few at once, and for all of them even when some fail, so that one instance in trouble
 * does not hold up the others. Throws a single failure as it is, and several as one error that counts them.
 */
export const onEach = async <Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> => {
  const failures: unknown[] = [];
  const attempt = async (item: Item): Promise<Result | undefined> => {
    try {
      return await work(item);
    } catch (failure) {
      failures.push(failure);
      return undefined;
    }
  };
  const results = await pMap(items, attempt, { concurrency: atOnce });
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) {
    throw new Error(
      `${failures.length} of ${items.length} failed, the first with: ${String(failures[0])}. The others succeeded.`,
      {
        cause: failures[0],
      },
    );
  }
  return results as Result[];
};
