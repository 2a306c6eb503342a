import type { ApiCall, ApiError } from '../api.ts';
import type { AccessCheck, CheckDeps, DeriveChecks } from './access-check.ts';
import { type ActionCatalogue, readActionCatalogue } from './action-catalogue.ts';
import { parseOperator } from './condition.ts';
import { dynamoDbChecks, sqsChecks } from './data-checks.ts';
import { denial, deniedSentence } from './denial.ts';
import { ec2Checks } from './ec2-checks.ts';
import { evaluate, type Verdict } from './evaluate.ts';
import { autoScalingChecks, loadBalancingChecks } from './group-checks.ts';
import { refusePlainOperators } from './multivalued-keys.ts';
import type { Statement } from './statement.ts';
import { eventsChecks, lambdaChecks, statesChecks, stsChecks } from './workflow-checks.ts';

/** What each operation needs, by service. An operation that is missing here and is not a plain describe is refused to every role. */
const checksByService: Readonly<Record<string, Readonly<Record<string, DeriveChecks>>>> = {
  ec2: ec2Checks,
  autoscaling: autoScalingChecks,
  elasticloadbalancing: loadBalancingChecks,
  dynamodb: dynamoDbChecks,
  sqs: sqsChecks,
  states: statesChecks,
  events: eventsChecks,
  sts: stsChecks,
  lambda: lambdaChecks,
};

/** Other services whose rights a call needs. A launch, for example, reads a parameter and passes a role. */
const servicesBehind = ['ssm', 'iam'];

export type AuthoriserOptions = CheckDeps & {
  /** Statements of all policies of a role. A caller whose role is not here may do nothing. */
  readonly policiesByRole: Readonly<Record<string, readonly Statement[]>>;
};

/** How a statement was used. A statement without use may grant more than the role needs. */
type StatementUse = {
  readonly role: string;
  readonly sid: string | undefined;
  /** Position among the role's statements, from 0. */
  readonly index: number;
  readonly effect: Statement['Effect'];
  readonly uses: number;
  /** Actions that it allowed or denied. */
  readonly actions: readonly string[];
};

export type Authoriser = {
  /** Returns the error that AWS would give, or nothing when the call is allowed. The operator may do everything. */
  authorise(call: ApiCall): ApiError | undefined;
  usage(): readonly StatementUse[];
};

const createUsage = (policiesByRole: AuthoriserOptions['policiesByRole']) => {
  const used = new Map<string, { uses: number; readonly actions: Set<string> }>();
  return {
    note: (role: string, index: number, action: string): void => {
      const key = `${role} ${index}`;
      const use = used.get(key) ?? { uses: 0, actions: new Set() };
      use.uses += 1;
      use.actions.add(action);
      used.set(key, use);
    },
    read: (): readonly StatementUse[] =>
      Object.entries(policiesByRole).flatMap(([role, statements]) =>
        statements.map(({ Sid, Effect }, index) => {
          const use = used.get(`${role} ${index}`);
          return { role, sid: Sid, index, effect: Effect, uses: use?.uses ?? 0, actions: [...(use?.actions ?? [])].sort() };
        }),
      ),
  };
};

/** A policy that cannot be evaluated must fail at the start, not at the first call that meets it. */
const refuseUnknownOperators = (policiesByRole: AuthoriserOptions['policiesByRole']): void => {
  for (const { Condition } of Object.values(policiesByRole).flat()) Object.keys(Condition ?? {}).forEach(parseOperator);
};

const principalArn = ({ place }: CheckDeps, role: string): string => `arn:aws:sts::${place.accountId}:assumed-role/${role}/${role}`;

const createDerivation = (catalogue: ActionCatalogue, deps: CheckDeps) => {
  const derive = (call: ApiCall): readonly AccessCheck[] | undefined => {
    const derived = checksByService[call.service]?.[call.operation];
    if (derived !== undefined) return derived(call.input, deps);
    const action = `${call.service}:${call.operation}`;
    return catalogue.isWildcardOnly(action) ? [{ action, resource: '*', context: {} }] : undefined;
  };
  const globalKeys = (role: string): AccessCheck['context'] => ({
    'aws:RequestedRegion': [deps.place.region],
    'aws:PrincipalAccount': [deps.place.accountId],
    'aws:ResourceAccount': [deps.place.accountId],
    'aws:PrincipalArn': [`arn:aws:iam::${deps.place.accountId}:role/${role}`],
    'aws:SecureTransport': ['true'],
  });
  const contextOf = (check: AccessCheck, role: string): AccessCheck['context'] => {
    const visible = catalogue.visibleContext({ ...check, context: { 'ec2:Region': [deps.place.region], ...check.context } });
    const context = { ...globalKeys(role), ...visible };
    return Object.fromEntries(Object.entries(context).map(([key, values]) => [key.toLowerCase(), values]));
  };
  return { derive, contextOf };
};

/** Checks every call of a role against its policies, with the resources and condition keys that AWS uses. */
export const createAuthoriser = async (options: AuthoriserOptions): Promise<Authoriser> => {
  const { policiesByRole } = options;
  refuseUnknownOperators(policiesByRole);
  await refusePlainOperators(Object.values(policiesByRole).flat());
  const { derive, contextOf } = createDerivation(await readActionCatalogue([...Object.keys(checksByService), ...servicesBehind]), options);
  const usage = createUsage(policiesByRole);

  const ask = (check: AccessCheck, role: string): Verdict =>
    evaluate(policiesByRole[role] ?? [], { action: check.action, resource: check.resource, context: contextOf(check, role) });
  const verdicts = new Map<string, Verdict>();
  /** A check without condition keys of its own always has the same verdict. */
  const verdictOn = (check: AccessCheck, role: string): Verdict => {
    if (Object.keys(check.context).length > 0) return ask(check, role);
    const name = `${role} ${check.action} ${check.resourceType} ${check.resource}`;
    const verdict = verdicts.get(name) ?? ask(check, role);
    verdicts.set(name, verdict);
    return verdict;
  };
  const decide = (call: ApiCall, role: string, check: AccessCheck): ApiError | undefined => {
    const verdict = verdictOn(check, role);
    if (verdict.kind !== 'denied-implicitly') usage.note(role, verdict.statement, check.action);
    if (verdict.kind === 'allowed') return undefined;
    const isExplicit = verdict.kind === 'denied-explicitly';
    return denial(call.service, deniedSentence({ ...check, principalArn: principalArn(options, role), isExplicit }));
  };
  const authorise: Authoriser['authorise'] = (call) => {
    if (call.caller.kind === 'operator') return undefined;
    const role = call.caller.name;
    const checks = derive(call);
    if (checks === undefined) {
      return denial(call.service, `The sandbox does not know what rights ${call.service}:${call.operation} needs; role ${role} may not call it.`);
    }
    for (const check of checks) {
      const denied = decide(call, role, check);
      if (denied !== undefined) return denied;
    }
    return undefined;
  };
  return { authorise, usage: usage.read };
};
