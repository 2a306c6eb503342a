import { canonicalText } from '../../core/policy/canonical.ts';
import { isDeeperThan } from '../../core/policy/reading.ts';
import { sha256 } from '../runtime/sha256.ts';

/** DynamoDB nests maps and lists 32 deep (DynamoDB Developer Guide, quotas). */
const mostDepth = 40;

/**
 * SHA-256, in hexadecimal, of the attribute `policy`: of a text as it is, of a map as JSON without white space whose
 * keys are in order. Undefined when there is no such attribute.
 */
export const digestOf = (attribute: unknown): string | undefined => {
  if (typeof attribute === 'string') return sha256(attribute);
  if (attribute === undefined || isDeeperThan(attribute, mostDepth)) return undefined;
  return sha256(canonicalText(attribute));
};
