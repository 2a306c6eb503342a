import { type Context, conditionsHold } from './condition.ts';
import { asList, type Statement } from './statement.ts';
import { matchesWildcard } from './wildcard.ts';

/** One question to IAM: is this action allowed on this resource, with these condition keys? */
export type Question = { readonly action: string; readonly resource: string; readonly context: Context };

export type Verdict =
  | { readonly kind: 'allowed'; readonly statement: number }
  | { readonly kind: 'denied-explicitly'; readonly statement: number }
  | { readonly kind: 'denied-implicitly' };

const matchesAction = ({ Action, NotAction }: Statement, action: string): boolean => {
  const matches = (pattern: string): boolean => matchesWildcard(pattern.toLowerCase(), action.toLowerCase());
  return Action !== undefined ? asList(Action).some(matches) : !asList(NotAction).some(matches);
};

const knownActions = new WeakMap<Statement, Map<string, boolean>>();

/** Whether a statement is about an action. Worked out once for each pair: there are few of them, and every call asks. */
const coversAction = (statement: Statement, action: string): boolean => {
  const known = knownActions.get(statement) ?? new Map<string, boolean>();
  knownActions.set(statement, known);
  const covers = known.get(action) ?? matchesAction(statement, action);
  known.set(action, covers);
  return covers;
};

const coversResource = ({ Resource, NotResource }: Statement, resource: string): boolean => {
  const matches = (pattern: string): boolean => matchesWildcard(pattern, resource);
  return Resource !== undefined ? asList(Resource).some(matches) : !asList(NotResource).some(matches);
};

const applies = (statement: Statement, { action, resource, context }: Question): boolean =>
  coversAction(statement, action) && coversResource(statement, resource) && conditionsHold(statement.Condition, context);

/** IAM's logic for one identity policy: a deny that applies wins, then an allow that applies; otherwise it is denied. */
export const evaluate = (statements: readonly Statement[], question: Question): Verdict => {
  const denied = statements.findIndex((statement) => statement.Effect === 'Deny' && applies(statement, question));
  if (denied >= 0) return { kind: 'denied-explicitly', statement: denied };
  const allowed = statements.findIndex((statement) => statement.Effect === 'Allow' && applies(statement, question));
  return allowed >= 0 ? { kind: 'allowed', statement: allowed } : { kind: 'denied-implicitly' };
};
