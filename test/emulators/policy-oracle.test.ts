import { beforeAll, describe, expect, test, vi } from 'vitest';
import { playScenario, readScenario, startSandbox, toWorldSpec } from '../../sandbox/door.ts';
import { evaluate } from '../../sandbox/iam/evaluate.ts';
import type { Statement } from '../../sandbox/iam/statement.ts';
import { type Asked, differences, type Oracle, openOracle } from './policy-oracle.ts';

const asked = vi.hoisted(() => new Map<string, unknown>()) as Map<string, Asked>;

/** Our own evaluator, with every question that it is asked written down once. */
vi.mock('../../sandbox/iam/evaluate.ts', async (original) => {
  const real = await original<typeof import('../../sandbox/iam/evaluate.ts')>();
  const record: typeof real.evaluate = (statements, question) => {
    // Where a call leaves open which of many things it touches, one of them is asked about: the oracle takes a wildcard for every type at once.
    const one = { ...question, resource: question.resource.replace(/\/\*$/, '/x') };
    asked.set(JSON.stringify([statements, one]), { statements, question: one });
    return real.evaluate(statements, question);
  };
  return { ...real, evaluate: record };
});

/** Keys that some condition looks at; changing any other changes nothing. */
const keysIn = (statements: readonly Statement[]): ReadonlySet<string> =>
  new Set(statements.flatMap(({ Condition = {} }) => Object.values(Condition).flatMap((keys) => Object.keys(keys).map((key) => key.toLowerCase()))));

/** Questions near those of the run, most of them about what nobody may do: other resources, other tags, tags that are not there. */
const neighboursOf = ({ statements, question }: Asked): readonly Asked[] => {
  const { resource, context } = question;
  const resources = resource === '*' ? [] : [resource.replace(/.$/, 'X'), resource.replace(/holdfast/, 'holdfast-b')];
  const keys = keysIn(statements);
  const looked = Object.entries(context).filter(([key]) => keys.has(key));
  const contexts = looked.flatMap(([key, values]) => {
    const { [key]: _, ...without } = context;
    return [without, { ...context, [key]: values.map((value) => `${value}x`) }, { ...context, [key]: values.map((value) => `x${value}`) }];
  });
  return [
    ...resources.map((changed) => ({ statements, question: { ...question, resource: changed } })),
    ...contexts.map((changed) => ({ statements, question: { ...question, context: changed } })),
  ];
};

const record = async (name: string): Promise<void> => {
  const scenario = await readScenario(name);
  const sandbox = await startSandbox({ mode: 'simulated', spec: toWorldSpec(scenario.world), seed: scenario.seed });
  try {
    await playScenario(sandbox, scenario);
  } finally {
    await sandbox.close();
  }
};

describe('our policy evaluator and iam-simulate', () => {
  let oracle: Oracle;
  let run: readonly Asked[];
  beforeAll(async () => {
    oracle = await openOracle();
    for (const name of ['zone-outage', 'attached-group', 'single-market-groups']) await record(name);
    run = [...asked.values()];
  });

  test('agree on every question of a recorded run', async () => {
    expect(run.length).toBeGreaterThan(50);
    expect(await differences(oracle, run)).toEqual([]);
  });

  test('agree on questions near those of the run, allowed and denied', async () => {
    const near = new Map(run.flatMap(neighboursOf).map((one) => [JSON.stringify([one.statements, one.question]), one]));
    const questions = [...near.values()];
    expect(await differences(oracle, questions)).toEqual([]);
    const kinds = new Set(questions.map(({ statements, question }) => evaluate(statements, question).kind));
    expect(kinds).toEqual(new Set(['allowed', 'denied-implicitly']));
  });
});
