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
