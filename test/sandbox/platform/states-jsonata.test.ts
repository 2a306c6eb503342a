import { describe, expect, it } from 'vitest';
import { checkDefinition, type MachineDefinition, type State } from '../../../sandbox/platform/states/definition.ts';
import { createStateMachines } from '../../../sandbox/platform/states/state-machines.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../../sandbox/random.ts';

const arn = 'arn:aws:states:us-east-1:123456789012:stateMachine:m';

const run = async (states: Readonly<Record<string, object>>, input: unknown = {}) => {
  const clock = createVirtualClock(0);
  const machines = createStateMachines({
    clock,
    random: createRandom(1),
    place: { accountId: '123456789012', region: 'us-east-1' },
    transitionMs: 0,
    tasks: { invoke: async (_, payload) => ({ kind: 'ok', value: payload }), call: async () => ({}) },
  });
  const definition = { QueryLanguage: 'JSONata', StartAt: 'A', States: states } as MachineDefinition;
  machines.add({ name: 'm', arn, role: 'role', roleArn: 'arn:aws:iam::123456789012:role/role', definition });
  machines.start(arn, JSON.stringify(input));
  await clock.run();
  const { status, error, output } = machines.executions().at(-1)!;
  return { status, error, result: output === undefined ? undefined : JSON.parse(output) };
};

const wrong = { status: 'FAILED', error: 'States.QueryEvaluationError' };
const end = { Type: 'Succeed' };

describe('expressions that Step Functions refuses', () => {
  it.each([
    ['?: of JSONata 2.1', '{% $states.input.a ?: 1 %}'],
    ['?? of JSONata 2.1', '{% $states.input.a ?? 1 %}'],
    ['$eval', '{% $eval("1 + 1") %}'],
    ['$eval handed to another function', '{% $map(["1"], $eval) %}'],
  ])('%s, wherever it stands', async (_, expression) => {
    expect(await run({ A: { Type: 'Pass', Output: { deep: [expression] }, End: true } }, { a: 1 })).toMatchObject(wrong);
    expect(await run({ A: { Type: 'Pass', Assign: { x: expression }, End: true } }, { a: 1 })).toMatchObject(wrong);
    expect(await run({ A: { Type: 'Choice', Choices: [{ Condition: expression, Next: 'B' }], Default: 'B' }, B: end }, { a: 1 })).toMatchObject(
      wrong,
    );
  });

  it('but not the conditional of JSONata 2.0', async () => {
    expect((await run({ A: { Type: 'Pass', Output: '{% $exists($states.input.a) ? $states.input.a : 1 %}', End: true } })).result).toBe(1);
  });
});

describe('Assign', () => {
  const x = { Type: 'Pass', Assign: { x: 1 }, Next: 'B' };

  it('does not see what the same state assigns: a variable that is new there is nothing, and the state fails', async () => {
    expect(await run({ A: { Type: 'Pass', Assign: { x: 1, y: '{% $x + 1 %}' }, End: true } })).toMatchObject(wrong);
    expect(await run({ A: { Type: 'Pass', Assign: { y: 1 }, Output: '{% $y %}', End: true } })).toMatchObject(wrong);
  });

  it.each([
    ['a choice', { Type: 'Choice', Choices: [{ Condition: '{% true %}', Next: 'C', Assign: { x: 2, y: '{% $x %}' } }] }],
    [
      'the default of a choice',
      { Type: 'Choice', Choices: [{ Condition: '{% false %}', Next: 'A' }], Default: 'C', Assign: { x: 2, y: '{% $x %}' } },
    ],
    [
      'a catcher',
      {
        Type: 'Parallel',
        Branches: [{ StartAt: 'F', States: { F: { Type: 'Fail', Error: 'E' } } }],
        Catch: [{ ErrorEquals: ['E'], Next: 'C', Assign: { x: 2, y: '{% $x %}' } }],
        End: true,
      },
    ],
  ])('of %s sees the variables as they were before', async (_, state) => {
    const { result } = await run({ A: x, B: state, C: { Type: 'Pass', Output: '{% [$x, $y] %}', End: true } });
    expect(result).toEqual([2, 1]);
  });

  it('does nothing when the state fails', async () => {
    const failing = { Type: 'Pass', Assign: { x: 2, y: '{% $nothing %}' }, End: true };
    const outer = {
      Type: 'Parallel',
      Branches: [{ StartAt: 'F', States: { F: failing } }],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'C' }],
      End: true,
    };
    expect((await run({ A: x, B: outer, C: { Type: 'Pass', Output: '{% $x %}', End: true } })).result).toBe(1);
  });
});

describe('Parallel', () => {
  const branch = (output: unknown) => ({ StartAt: 'P', States: { P: { Type: 'Pass', Output: output, End: true } } });

  it('applies Output and Assign to the list of what its branches gave', async () => {
    const parallel = {
      Type: 'Parallel',
      Branches: [branch({ n: 1 }), branch({ n: 2 })],
      Output: { sum: '{% $sum($states.result.n) %}', of: '{% $states.input.of %}' },
      Assign: { first: '{% $states.result[0].n %}' },
      Next: 'B',
    };
    const { result } = await run({ A: parallel, B: { Type: 'Pass', Output: '{% [$states.input, $first] %}', End: true } }, { of: 2 });
    expect(result).toEqual([{ sum: 3, of: 2 }, 1]);
  });
});

describe('Choice', () => {
  it.each([
    ['a number', '{% 1 %}'],
    ['text', '{% "true" %}'],
    ['null', '{% null %}'],
    ['a list', '{% [true] %}'],
    ['nothing', '{% $states.input.none %}'],
  ])('fails on a condition that is %s, and does not fall through to the default', async (_, condition) => {
    expect(await run({ A: { Type: 'Choice', Choices: [{ Condition: condition, Next: 'B' }], Default: 'B' }, B: end })).toMatchObject(wrong);
  });
});

describe('a state machine in JSONata', () => {
  const refused = (state: object) => {
    const definition = { QueryLanguage: 'JSONata', StartAt: 'A', States: { A: state as State, B: end as State } };
    return expect(() => checkDefinition(definition));
  };

  it.each([
    ['InputPath', { Type: 'Pass', InputPath: '$.a', End: true }],
    ['Result', { Type: 'Pass', Result: 1, End: true }],
    ['Parameters', { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', Parameters: {}, End: true }],
    ['TimeoutSecondsPath', { Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', TimeoutSecondsPath: '$.t', End: true }],
    ['ResultPath', { Type: 'Parallel', Branches: [], Catch: [{ ErrorEquals: ['E'], ResultPath: '$.e', Next: 'B' }], End: true }],
    ['Variable', { Type: 'Choice', Choices: [{ Variable: '$.a', IsPresent: true, Next: 'B' }] }],
    ['ErrorPath', { Type: 'Fail', ErrorPath: '$.e' }],
  ])('is refused with a field of JSONPath: %s', (field, state) => {
    refused(state).toThrow(`State A is in JSONata and must not have ${field}.`);
  });

  it('is refused with a field of JSONPath inside a branch, and with a state in JSONPath', () => {
    const branch = { StartAt: 'I', States: { I: { Type: 'Pass', OutputPath: '$', End: true } } };
    refused({ Type: 'Parallel', Branches: [branch], End: true }).toThrow('State I is in JSONata and must not have OutputPath.');
    refused({ Type: 'Pass', QueryLanguage: 'JSONPath', End: true }).toThrow(
      'State A is in JSONPath, which a state machine in JSONata must not have.',
    );
  });
});
