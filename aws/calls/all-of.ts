/**
 * The items of all pages that an SDK paginator reads, in their order.
 *
 * @param itemsOf the items of one page; a page without any has none
 */
export const allOf = async <Page, Item>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly Item[] | undefined,
): Promise<readonly Item[]> => {
  const found: Item[] = [];
  for await (const page of pages) found.push(...(itemsOf(page) ?? []));
  return found;
};
