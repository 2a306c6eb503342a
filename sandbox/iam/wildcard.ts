const compiled = new Map<string, RegExp>();

const compile = (pattern: string): RegExp => {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
};

/** IAM's wildcards: `*` for any characters, `?` for one. */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  if (!pattern.includes('*') && !pattern.includes('?')) return pattern === text;
  const known = compiled.get(pattern) ?? compile(pattern);
  compiled.set(pattern, known);
  return known.test(text);
};

/** Wildcards within each of the six parts of an ARN, never across the colons between the first five. */
export const matchesArn = (pattern: string, arn: string): boolean => {
  const wanted = arnParts(pattern);
  const given = arnParts(arn);
  return wanted.length === given.length && wanted.every((part, index) => matchesWildcard(part, given[index] ?? ''));
};

const arnParts = (arn: string): readonly string[] => {
  const [partition, ...rest] = arn.split(':');
  return [partition ?? '', ...rest.slice(0, 4), rest.slice(4).join(':')];
};
