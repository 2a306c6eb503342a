import { asList, type Statement } from './statement.ts';
import { matchesArn, matchesWildcard } from './wildcard.ts';

/** Condition keys of a request, in lower case, with every value that they have. */
export type Context = Readonly<Record<string, readonly string[]>>;

type Compare = (given: string, wanted: string) => boolean;
type Operator = { readonly compare: Compare; readonly isNegated: boolean };

const numeric =
  (compare: (given: number, wanted: number) => boolean): Compare =>
  (given, wanted) =>
    compare(Number(given), Number(wanted));

const dated =
  (compare: (given: number, wanted: number) => boolean): Compare =>
  (given, wanted) =>
    compare(Date.parse(given), Date.parse(wanted));

const comparisons: Readonly<Record<string, Compare>> = {
  StringEquals: (given, wanted) => given === wanted,
  StringEqualsIgnoreCase: (given, wanted) => given.toLowerCase() === wanted.toLowerCase(),
  StringLike: (given, wanted) => matchesWildcard(wanted, given),
  ArnEquals: (given, wanted) => matchesArn(wanted, given),
  ArnLike: (given, wanted) => matchesArn(wanted, given),
  Bool: (given, wanted) => given.toLowerCase() === wanted.toLowerCase(),
  NumericEquals: numeric((given, wanted) => given === wanted),
  NumericLessThan: numeric((given, wanted) => given < wanted),
  NumericLessThanEquals: numeric((given, wanted) => given <= wanted),
  NumericGreaterThan: numeric((given, wanted) => given > wanted),
  NumericGreaterThanEquals: numeric((given, wanted) => given >= wanted),
  DateEquals: dated((given, wanted) => given === wanted),
  DateLessThan: dated((given, wanted) => given < wanted),
  DateLessThanEquals: dated((given, wanted) => given <= wanted),
  DateGreaterThan: dated((given, wanted) => given > wanted),
  DateGreaterThanEquals: dated((given, wanted) => given >= wanted),
};

const negations: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
  NumericNotEquals: 'NumericEquals',
  DateNotEquals: 'DateEquals',
};

type ParsedOperator = Operator & { readonly isNull: boolean; readonly quantifier: 'all' | 'any' | 'none'; readonly isIfExists: boolean };

/**
 * Reads an operator with its prefix and suffix, for example `ForAnyValue:StringLikeIfExists`.
 * @throws naming the operator, when it is not one of those that are simulated.
 */
export const parseOperator = (text: string): ParsedOperator => {
  const [, prefix, name, suffix] = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(text) ?? [];
  const base = negations[name ?? ''] ?? name ?? '';
  const compare = comparisons[base];
  const isNull = name === 'Null';
  if (compare === undefined && !isNull) throw new Error(`The sandbox does not evaluate the condition operator ${text}`);
  const quantifier = prefix === undefined ? 'none' : prefix === 'ForAllValues' ? 'all' : 'any';
  return { compare: compare ?? Object.is, isNegated: base !== name, isNull, quantifier, isIfExists: suffix !== undefined };
};

/** If a key is missing, a condition holds with `IfExists`, with `ForAllValues`, and with a negated operator without a quantifier. */
const holdsWithoutValue = ({ isIfExists, isNegated, quantifier }: ParsedOperator): boolean =>
  isIfExists || quantifier === 'all' || (quantifier === 'none' && isNegated);

/** Values of one key are alternatives; with a negated operator none of them may match. */
const holdsForKey = (operator: ParsedOperator, given: readonly string[] | undefined, wanted: readonly string[]): boolean => {
  if (operator.isNull) return wanted.includes(String(given === undefined || given.length === 0));
  if (given === undefined || given.length === 0) return holdsWithoutValue(operator);
  const isMatch = (value: string): boolean => wanted.some((pattern) => operator.compare(value, pattern)) !== operator.isNegated;
  if (operator.quantifier === 'all') return given.every(isMatch);
  if (operator.quantifier === 'any') return given.some(isMatch);
  return operator.isNegated ? given.every(isMatch) : given.some(isMatch);
};

/** Every operator and every key of a statement's conditions must hold. */
export const conditionsHold = (condition: Statement['Condition'], context: Context): boolean =>
  Object.entries(condition ?? {}).every(([text, keys]) => {
    const operator = parseOperator(text);
    return Object.entries(keys).every(([key, values]) => holdsForKey(operator, context[key.toLowerCase()], asList(values).map(String)));
  });
