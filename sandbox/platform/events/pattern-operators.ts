type Operator = (argument: unknown, value: unknown) => boolean;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Prefix and suffix take text, or text to be compared without case. */
const edge = (argument: unknown, value: unknown, test: (text: string, part: string) => boolean): boolean => {
  if (typeof value !== 'string') return false;
  if (typeof argument === 'string') return test(value, argument);
  const part = isRecord(argument) ? argument['equals-ignore-case'] : undefined;
  return typeof part === 'string' && test(value.toLowerCase(), part.toLowerCase());
};

/** `*` stands for any run of characters; a backslash takes the next character literally. */
const wildcard = (pattern: string): RegExp => {
  let source = '';
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index] as string;
    if (char === '*') source += '.*';
    else source += (char === '\\' ? (pattern[++index] ?? '') : char).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  }
  return new RegExp(`^${source}$`, 's');
};

const comparisons: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

const numeric: Operator = (argument, value) => {
  const parts = Array.isArray(argument) ? argument : [];
  if (parts.length === 0 || parts.length % 2 !== 0) throw new Error('Event pattern is not valid. numeric needs pairs of a comparison and a number.');
  const holds: boolean[] = [];
  for (let index = 0; index < parts.length; index += 2) {
    const compare = comparisons[String(parts[index])];
    if (compare === undefined) throw new Error(`Event pattern is not valid. Unrecognized numeric range operator: ${parts[index]}.`);
    holds.push(typeof value === 'number' && compare(value, Number(parts[index + 1])));
  }
  return holds.every(Boolean);
};

const ipv4 = (address: string): number | undefined => {
  const parts = address.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !Number.isInteger(part) || part < 0 || part > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + part, 0);
};

const cidr: Operator = (argument, value) => {
  const [network = '', bits = '32'] = String(argument).split('/');
  const [base, address] = [ipv4(network), typeof value === 'string' ? ipv4(value) : undefined];
  if (base === undefined) throw new Error(`Event pattern is not valid. The sandbox matches IPv4 ranges only, not ${argument}.`);
  const size = 2 ** (32 - Number(bits));
  return address !== undefined && Math.floor(address / size) === Math.floor(base / size);
};

const anythingBut: Operator = (argument, value) => {
  if (!isRecord(argument)) return ![argument].flat().includes(value);
  const [operator] = Object.keys(argument);
  const inner = argument[String(operator)];
  return [inner].flat().every((one) => !matchesOperator({ [String(operator)]: one }, value));
};

const operators: Readonly<Record<string, Operator>> = {
  prefix: (argument, value) => edge(argument, value, (text, part) => text.startsWith(part)),
  suffix: (argument, value) => edge(argument, value, (text, part) => text.endsWith(part)),
  'equals-ignore-case': (argument, value) => typeof value === 'string' && value.toLowerCase() === String(argument).toLowerCase(),
  wildcard: (argument, value) => typeof value === 'string' && wildcard(String(argument)).test(value),
  'anything-but': anythingBut,
  numeric,
  cidr,
};

/**
 * Matches one value against `{"operator": argument}`.
 * @throws when EventBridge has no such operator.
 */
export const matchesOperator = (pattern: Readonly<Record<string, unknown>>, value: unknown): boolean => {
  const [name, ...others] = Object.keys(pattern);
  const operator = operators[String(name)];
  if (operator === undefined || others.length > 0)
    throw new Error(`Event pattern is not valid. Unrecognized match type ${[name, ...others].join(', ')}.`);
  return operator(pattern[String(name)], value);
};
