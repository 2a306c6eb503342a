/** A statement of an identity policy, as the template writes it. */
export type PolicyStatement = Readonly<Record<string, unknown>>;

export type RolePolicy = { readonly name: string; readonly statements: readonly PolicyStatement[] };

/** What each role of the stack may do. */
export type Roles = {
  add(role: string): void;
  grant(role: string, policyName: string, document: unknown): void;
  /** A managed policy of the stack itself, by its ARN. */
  define(arn: string, document: unknown): void;
  attach(role: string, policyArn: string): void;
  policiesOf(role: string): readonly RolePolicy[];
  readonly names: readonly string[];
};

const logging: PolicyStatement = { Effect: 'Allow', Action: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], Resource: '*' };

/** Managed policies of AWS that functions often have. The sandbox does not know what other managed policies allow. */
const awsManaged: Readonly<Record<string, readonly PolicyStatement[]>> = {
  'arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole': [logging],
};

const statementsOf = (document: unknown): readonly PolicyStatement[] =>
  [(document as { Statement?: PolicyStatement[] } | undefined)?.Statement ?? []].flat();

export const createRoles = (): Roles => {
  const roles = new Map<string, { readonly inline: RolePolicy[]; readonly attached: string[] }>();
  const managed = new Map<string, readonly PolicyStatement[]>(Object.entries(awsManaged));
  const of = (role: string) => {
    const known = roles.get(role) ?? { inline: [], attached: [] };
    roles.set(role, known);
    return known;
  };
  return {
    add: (role) => {
      of(role);
    },
    grant: (role, name, document) => {
      of(role).inline.push({ name, statements: statementsOf(document) });
    },
    define: (arn, document) => {
      managed.set(arn, statementsOf(document));
    },
    attach: (role, policyArn) => {
      of(role).attached.push(policyArn);
    },
    policiesOf: (role) => {
      const { inline, attached } = of(role);
      return [
        ...inline,
        ...attached.map((arn) => {
          const statements = managed.get(arn);
          if (statements === undefined) throw new Error(`The sandbox does not know what the managed policy ${arn} of role ${role} allows.`);
          return { name: arn, statements };
        }),
      ];
    },
    get names() {
      return [...roles.keys()];
    },
  };
};
