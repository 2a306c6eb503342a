import { ApiError } from '../api.ts';

export type Page<T> = { readonly items: readonly T[]; readonly next?: string };

const encode = (offset: number): string => Buffer.from(`from:${offset}`).toString('base64url');

/** How a later page is read: from an earlier state of the list. The two entries at the start of the page may have changed places. */
export type Later<T> = { readonly list: () => readonly T[]; readonly moved: () => boolean };

/** The offset in a token that {@link pageOf} gave out; undefined when it is not one of ours. */
const decode = (token: string): number | undefined => {
  const match = /^from:(\d+)$/.exec(Buffer.from(token, 'base64url').toString());
  return match?.[1] === undefined ? undefined : Number(match[1]);
};

/** One page of a list that only grows at its end. `invalid` is the service's own error code for a wrong token. */
export const pageOf = <T>(items: readonly T[], size: number | undefined, token: string | undefined, invalid: string): Page<T> => {
  const from = token === undefined ? 0 : decode(token);
  if (from === undefined) throw new ApiError(invalid, 'The token is not valid.');
  const to = size === undefined ? items.length : from + size;
  return to < items.length ? { items: items.slice(from, to), next: encode(to) } : { items: items.slice(from, to) };
};

/**
 * Lists that change between pages continue after the last ordinal shown, so that nothing is skipped or shown twice. `show` may leave entries out. It is
 * called only for those of this page, so that ten pages do not cost ten times the list.
 */
export const pageByOrdinal = <Item extends { readonly ordinal: number }, T>(
  items: readonly Item[],
  show: (item: Item) => T | undefined,
  size: number | undefined,
  token: string | undefined,
  invalid: string,
): Page<T> => {
  const from = token === undefined ? 0 : decode(token);
  if (from === undefined) throw new ApiError(invalid, 'The token is not valid.');
  const shown: T[] = [];
  for (const item of items) {
    const one = item.ordinal < from ? undefined : show(item);
    if (one === undefined) continue;
    if (shown.length === size) return { items: shown, next: encode(item.ordinal) };
    shown.push(one);
  }
  return { items: shown };
};

/** Pages of a list without an order of its own: each counts from the list's beginning, as the list is when the page is requested. */
export const pageOfMoving = <T>(
  items: readonly T[],
  later: Later<T>,
  size: number | undefined,
  token: string | undefined,
  invalid: string,
): Page<T> => {
  const from = token === undefined ? 0 : decode(token);
  if (from === undefined || from === 0) return pageOf(items, size, token, invalid);
  const list = [...later.list()];
  const [before, first] = [list[from - 1], list[from]];
  if (before !== undefined && first !== undefined && later.moved()) list.splice(from - 1, 2, first, before);
  return pageOf(list, size, token, invalid);
};
