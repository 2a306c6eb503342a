/** A whole number from a text, the same each time: to draw from a list, or to spread things over time. */
export const numberOf = (text: string): number =>
  [...text].reduce((hash, char) => (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) >>> 0, 7);
