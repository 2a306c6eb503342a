import { boundProblems, idleScaling } from './bound-rules.ts';
import { hopelessCaps } from './cap-rules.ts';
import { capacityProblems, unusedPools } from './capacity-rules.ts';
import { reservedText } from './field.ts';
import { outsideLimitProblems } from './limit-rules.ts';
import { poolProblems } from './pool-rules.ts';
import { type Problem, problemOf, sortedProblems } from './problem.ts';
import { asMap, isDeeperThan, isLargerThan, prototypeKeys } from './reading.ts';
import { groupSchema, type Policy } from './schema.ts';
import { shapeProblems } from './shape-problems.ts';

/** `warnings` do not reject a policy. They name parts of it that are allowed and have no effect. */
export type Validation =
  | { readonly kind: 'valid'; readonly policy: Policy; readonly warnings: readonly Problem[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Documents that people write are a third as deep. The bound limits the cost of a hostile document. */
const maxDocumentDepth = 40;

/**
 * A quarter of a DynamoDB item, because a policy is stored together with its resolution. A group of fifty pools takes a
 * tenth of it.
 */
const maxDocumentCharacters = 100_000;

/** Validates a group document of any origin and returns all its problems at once. Never throws. */
export const validatePolicy = (document: unknown): Validation => {
  if (isDeeperThan(document, maxDocumentDepth)) {
    return invalid([
      problemOf({ path: [], found: 'deeper nesting', allowed: `maps and lists at most ${maxDocumentDepth} deep` }),
    ]);
  }
  if (isLargerThan(document, maxDocumentCharacters)) {
    return invalid([
      problemOf({
        path: [],
        found: 'a larger document',
        allowed: `a document of at most ${maxDocumentCharacters} characters`,
      }),
    ]);
  }
  const parsed = groupSchema.safeParse(document);
  const shape = parsed.success ? [] : shapeProblems(document, parsed.error.issues);
  const fields = asMap(document) ?? {};
  const rules = [reservedKeys, capacityProblems, poolProblems, boundProblems, outsideLimitProblems].flatMap((rule) =>
    rule(fields),
  );
  if (!parsed.success || rules.length > 0) return invalid([...shape, ...rulesBeyond(shape, rules)]);
  return {
    kind: 'valid',
    policy: parsed.data,
    warnings: sortedProblems([unusedPools, idleScaling, hopelessCaps].flatMap((rule) => rule(parsed.data))),
  };
};

/** The parser leaves out fields called `__proto__`, so a pool or a tag of that name would be lost without a word. */
const reservedKeys = (document: unknown): readonly Problem[] =>
  prototypeKeys(document).map((path) => problemOf({ path, found: '"__proto__"', allowed: reservedText }));

const invalid = (problems: readonly Problem[]): Validation => ({ kind: 'invalid', problems: sortedProblems(problems) });

/** Where the shape is wrong, a rule about the same place would only repeat the problem. */
const rulesBeyond = (shape: readonly Problem[], rules: readonly Problem[]): readonly Problem[] => {
  const told = new Set(shape.map(({ path }) => path));
  return rules.filter(({ path }) => !told.has(path));
};
