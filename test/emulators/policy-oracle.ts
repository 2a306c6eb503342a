import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { evaluate, type Question, type Verdict } from '../../sandbox/iam/evaluate.ts';
import type { Statement } from '../../sandbox/iam/statement.ts';

type Simulation = {
  readonly resultType: string;
  readonly overallResult?: 'Allowed' | 'ExplicitlyDenied' | 'ImplicitlyDenied';
  readonly errors?: { readonly message: string };
};
export type Oracle = { runSimulation(simulation: object, options: object): Promise<Simulation> };

/** A policy, and one thing that it is asked. */
export type Asked = { readonly statements: readonly Statement[]; readonly question: Question };

const oracleDir = process.env.HOLDFAST_IAM_SIMULATE_DIR ?? '';
const accountId = '123456789012';

const ask = async (oracle: Oracle, { statements, question }: Asked): Promise<string> => {
  const { action, resource, context } = question;
  const contextVariables = Object.fromEntries(Object.entries(context).map(([key, values]) => [key, values.length === 1 ? values[0] : values]));
  const answer = await oracle.runSimulation(
    {
      identityPolicies: [{ name: 'role', policy: { Version: '2012-10-17', Statement: statements } }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      request: { action, principal: `arn:aws:iam::${accountId}:role/role`, resource: { resource, accountId }, contextVariables },
    },
    {},
  );
  return answer.overallResult ?? `${answer.resultType}: ${answer.errors?.message ?? ''}`;
};

const names: Readonly<Record<Verdict['kind'], string>> = {
  allowed: 'Allowed',
  'denied-explicitly': 'ExplicitlyDenied',
  'denied-implicitly': 'ImplicitlyDenied',
};

export const openOracle = async (): Promise<Oracle> => (await import(pathToFileURL(join(oracleDir, 'dist', 'esm', 'index.js')).href)) as Oracle;

/** Questions that our evaluator and the oracle answer differently. */
export const differences = async (oracle: Oracle, questions: readonly Asked[]): Promise<readonly object[]> => {
  const found: object[] = [];
  for (const one of questions) {
    const [ours, theirs] = [names[evaluate(one.statements, one.question).kind], await ask(oracle, one)];
    if (ours !== theirs) found.push({ ...one, ours, theirs });
  }
  return found;
};
