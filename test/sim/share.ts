import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';

/** Commit that is checked out: another commit plays another part. Without a repository there is one part for all. */
export const commitHash = (): string => {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'no commit';
  }
};

const numberOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

const checked = (parts: number): number => {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`Expected a whole number of parts, at least 1. Found ${parts}.`);
  return parts;
};

/**
 * One of so many parts of a list, counted from 1: every item is in exactly one of them.
 * @throws {RangeError} when there is no such part.
 */
export const partOf = <Item>(items: readonly Item[], parts: number, part: number): readonly Item[] => {
  if (!Number.isInteger(part) || part < 1 || part > checked(parts)) throw new RangeError(`Expected a part from 1 to ${parts}. Found ${part}.`);
  return items.filter((_, index) => index % parts === part - 1);
};

/**
 * One part in `parts` of a list, chosen by a text: the same text gives the same part, and over many texts every item is chosen equally often.
 * @throws {RangeError} when `parts` is not a whole number of at least 1.
 */
export const shareOf = <Item>(items: readonly Item[], parts: number, by: string, nameOf: (item: Item) => string): readonly Item[] => {
  const chosen = numberOf(by) % checked(parts);
  return items.filter((item) => numberOf(`${by} ${nameOf(item)}`) % parts === chosen);
};
