import { z } from 'zod';

/** A statement of an identity policy, as the synthesized template has it after its references were resolved. */
export type Statement = {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: OneOrMany;
  readonly NotAction?: OneOrMany;
  readonly Resource?: OneOrMany;
  readonly NotResource?: OneOrMany;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMany>>>>;
};

export type OneOrMany = string | readonly string[];

export const asList = (value: OneOrMany | undefined): readonly string[] => (value === undefined ? [] : typeof value === 'string' ? [value] : value);

const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const oneOrMany = z.union([scalar, z.array(scalar)]);

/** Strict: an element that the evaluator does not know (a principal, for example) must not be passed over. */
const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMany.optional(),
  NotAction: oneOrMany.optional(),
  Resource: oneOrMany.optional(),
  NotResource: oneOrMany.optional(),
  Condition: z.record(z.string(), z.record(z.string(), oneOrMany)).optional(),
});

/**
 * Reads statements as a template holds them.
 * @throws ZodError for anything that is not a statement of an identity policy.
 */
export const parseStatements = (statements: readonly unknown[]): readonly Statement[] =>
  z.array(statementSchema).parse(statements) as readonly Statement[];
