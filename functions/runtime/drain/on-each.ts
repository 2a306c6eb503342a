import pMap from 'p-map';

/**
 * Works on every item, so many at once, and on all of them whatever fails: one instance in trouble must not keep the
 * others from their end.
 * Throws the only failure as it is, or several as one that counts them.
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
      `${failures.length} of ${items.length} failed, the first with: ${String(failures[0])}. The rest is done.`,
      {
        cause: failures[0],
      },
    );
  }
  return results as Result[];
};
