import type { Random } from '../random.ts';

const digits = '0123456789abcdef';

/** A version 4 UUID that follows from the seed. */
export const uuid = (random: Random): string => {
  let text = '';
  for (const char of 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx') text += char === 'x' ? digits[Math.floor(random() * 16)] : char;
  return text;
};
