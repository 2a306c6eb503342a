import type { Sandbox } from '../../sandbox/door.ts';

/** A right of a role: one action of one statement, and the statement as the template has it. */
export type Right = {
  readonly role: string;
  readonly action: string;
  readonly resources: readonly string[];
  readonly condition: unknown;
};

const listed = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : value === undefined ? [] : [String(value)]);

/** What a role is called in words: the function's own name, or what the role is for. */
const nameOf = ({ platform }: Sandbox, role: string): string => {
  const fn = platform.functions.specs.find((spec) => spec.role === role);
  return fn?.name.replace('holdfast-', '') ?? 'drain-workflow';
};

type Keyed = Right & { readonly key: string };

const rightsIn = (sandbox: Sandbox): readonly Keyed[] => {
  const { roles } = sandbox.platform;
  return roles.names.flatMap((role) => {
    const statements = roles.policiesOf(role).flatMap((policy) => policy.statements);
    return statements.flatMap(({ Action, Resource, Condition }, index) =>
      listed(Action).map((action) => ({
        key: `${role} ${index} ${action}`,
        role: nameOf(sandbox, role),
        action,
        resources: listed(Resource),
        condition: Condition,
      })),
    );
  });
};

export type Usage = {
  /** Remembers the actions that the roles of this sandbox needed. */
  note(sandbox: Sandbox): void;
  readonly rights: readonly Right[];
  /** Rights that no run has needed so far. */
  readonly unused: readonly Right[];
  /** Calls that no role allowed: who, what. */
  readonly denied: readonly string[];
};

/** Collects over many runs of one stack. */
export const createUsage = (): Usage => {
  const used = new Set<string>();
  const denied = new Set<string>();
  let rights: readonly Keyed[] = [];
  return {
    note: (sandbox) => {
      rights = rightsIn(sandbox);
      for (const { role, index, actions } of sandbox.rights.usage()) for (const action of actions) used.add(`${role} ${index} ${action}`);
      for (const { caller, service, operation, outcome } of sandbox.callLog.calls()) {
        if (/AccessDenied|UnauthorizedOperation/.test(outcome ?? '')) denied.add(`${nameOf(sandbox, caller)}: ${service}:${operation}`);
      }
    },
    get rights() {
      return rights;
    },
    get unused() {
      return rights.filter(({ key }) => !used.has(key));
    },
    get denied() {
      return [...denied].sort();
    },
  };
};
