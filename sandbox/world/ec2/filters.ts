import { ApiError } from '../../api.ts';

export type Filter = { readonly Name?: string; readonly Values?: readonly string[] };

/** The values that a thing has under a filter's name. */
export type FilterField<T> = (thing: T) => string | readonly string[] | undefined;

/** One call takes no more values than this in one filter. */
const valueLimit = 200;

const matcher = (pattern: string): ((value: string) => boolean) => {
  if (!/[*?\\]/.test(pattern)) return (value) => value === pattern;
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  const expression = new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
  return (value) => expression.test(value);
};

/** Plain values are looked up in a set: the filters of a storm carry hundreds of ids. */
const oneOf = (values: readonly string[]): ((value: string) => boolean) => {
  const plain = new Set(values.filter((value) => !/[*?\\]/.test(value)));
  const patterns = values.filter((value) => !plain.has(value)).map(matcher);
  return (value) => plain.has(value) || patterns.some((matches) => matches(value));
};

const compile = <T>(filter: Filter, fieldOf: (name: string) => FilterField<T> | undefined): ((thing: T) => boolean) => {
  const name = filter.Name ?? '';
  const field = fieldOf(name);
  if (field === undefined) throw new ApiError('InvalidParameterValue', `The filter '${name}' is invalid`);
  const values = filter.Values ?? [];
  if (values.length > valueLimit) {
    throw new ApiError('FilterLimitExceeded', `The maximum number of filter values specified on a single call is ${valueLimit}`);
  }
  const wanted = oneOf(values);
  return (thing) => {
    const found = field(thing);
    if (found === undefined) return false;
    return typeof found === 'string' ? wanted(found) : found.some(wanted);
  };
};

/** A test for all filters at once. An instance must match one value of each filter. Throws `InvalidParameterValue` for a filter that the call does not know. */
export const allOf = <T>(filters: readonly Filter[] | undefined, fieldOf: (name: string) => FilterField<T> | undefined): ((thing: T) => boolean) => {
  const tests = (filters ?? []).map((filter) => compile(filter, fieldOf));
  return (thing) => tests.every((test) => test(thing));
};
