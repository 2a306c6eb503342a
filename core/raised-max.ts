import type { AsgView, RaisedMax } from './view.ts';

/**
 * Whether we gave a maximum this value at any time since we first raised it: a raise that was noted may never have been
 * carried out.
 */
export const isGiven = ({ toMax, earlier = [] }: RaisedMax, max: number): boolean =>
  max === toMax || earlier.includes(max);

/**
 * Whether a maximum stands as its owner left it, or as we raised it. Anything else is the owner's own change since, and
 * theirs from then on.
 */
export const isKnown = (raised: RaisedMax, max: number): boolean => max === raised.fromMax || isGiven(raised, max);

/** The owner's value of a maximum, whatever it was raised to since. */
export const ownersMax = (raised: readonly RaisedMax[], { name, max }: Pick<AsgView, 'name' | 'max'>): number => {
  const before = raised.find(({ asg }) => asg === name);
  return before !== undefined && isGiven(before, max) ? before.fromMax : max;
};

/** A maximum raised once more: the owner's value stays known, and so does every value that we gave it. */
export const raisedTo = (
  raised: readonly RaisedMax[],
  { name, max }: Pick<AsgView, 'name' | 'max'>,
  toMax: number,
): RaisedMax => {
  const before = raised.find(({ asg }) => asg === name);
  if (before === undefined || !isKnown(before, max)) return { asg: name, fromMax: max, toMax };
  const earlier = [...new Set([...(before.earlier ?? []), before.toMax])].filter((given) => given !== toMax);
  return { asg: name, fromMax: before.fromMax, toMax, ...(earlier.length > 0 && { earlier }) };
};
