/** Consecutive parts of at most `size` items: AWS limits how many ids a call takes. */
export const chunks = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));

/** What one part may hold. A heavier item has a part of its own. */
export type PartLimits = { readonly items: number; readonly weight: number };

/** Consecutive parts of at most so many items, and of at most so much weight together. */
export const chunksByWeight = <T>(
  items: readonly T[],
  weightOf: (item: T) => number,
  most: PartLimits,
): readonly (readonly T[])[] => {
  const parts: { readonly items: T[]; weight: number }[] = [];
  for (const item of items) {
    const [weight, last] = [weightOf(item), parts.at(-1)];
    if (last === undefined || last.items.length >= most.items || last.weight + weight > most.weight)
      parts.push({ items: [item], weight });
    else {
      last.items.push(item);
      last.weight += weight;
    }
  }
  return parts.map((part) => part.items);
};
