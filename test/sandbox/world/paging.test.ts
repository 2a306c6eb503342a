import { describe, expect, it } from 'vitest';
import { pageByOrdinal } from '../../../sandbox/world/paging.ts';

const list = Array.from({ length: 100 }, (_, index) => ({ ordinal: index + 1 }));

describe('a page of a list that changes', () => {
  it('reads only what it shows, and the entry that the next page begins with', () => {
    const read: number[] = [];
    const page = (token?: string) =>
      pageByOrdinal(
        list,
        ({ ordinal }) => {
          read.push(ordinal);
          return ordinal % 2 === 0 ? ordinal : undefined;
        },
        3,
        token,
        'InvalidNextToken',
      );
    const first = page();
    expect(first.items).toEqual([2, 4, 6]);
    expect(page(first.next).items).toEqual([8, 10, 12]);
    expect(read).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('is the last one where nothing more is shown', () => {
    const show = ({ ordinal }: { readonly ordinal: number }) => (ordinal <= 3 ? ordinal : undefined);
    expect(pageByOrdinal(list, show, 3, undefined, 'InvalidNextToken')).toEqual({ items: [1, 2, 3] });
  });
});
