import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../sandbox/api.ts';
import type { InvocationResult } from '../../../sandbox/platform/functions/invocation.ts';
import type { MachineDefinition, State } from '../../../sandbox/platform/states/definition.ts';
import type { Execution } from '../../../sandbox/platform/states/execution.ts';
import { createStateMachines } from '../../../sandbox/platform/states/state-machines.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../../sandbox/random.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const place = { accountId: '123456789012', region: 'eu-west-1' };
const arn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:m';
const invokeArn = 'arn:aws:states:::lambda:invoke';

type Answer = (payload: unknown, attempt: number) => InvocationResult | Promise<InvocationResult>;

const setUp = (definition: MachineDefinition, answer: Answer = (payload) => ({ kind: 'ok', value: payload })) => {
  const clock = createVirtualClock(start);
  const invocations: { readonly atMs: number; readonly payload: unknown }[] = [];
  const calls: unknown[] = [];
  const machines = createStateMachines({
    clock,
    random: createRandom(1),
    place,
    transitionMs: 0,
    tasks: {
      invoke: async (_, payload) => {
        invocations.push({ atMs: clock.now() - start, payload });
        return answer(payload, invocations.length);
      },
      call: async (service, operation, input, role) => {
        calls.push({ service, operation, input, role });
        if (operation === 'DeleteItem') throw new ApiError('ResourceNotFoundException', 'no table');
        return { MessageId: '1' };
      },
    },
  });
  machines.add({ name: 'm', arn, role: 'machine-role', roleArn: 'arn:aws:iam::123456789012:role/machine-role', definition });
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many shapes.
  const call = async (operation: string, input: Record<string, unknown> = {}): Promise<any> =>
    machines.service.operations[operation]?.(input, { kind: 'operator' });
  const run = async (input: unknown = {}): Promise<Execution & { readonly result?: unknown; readonly atMs: number }> => {
    machines.start(arn, JSON.stringify(input));
    await clock.run();
    const execution = machines.executions().at(-1)!;
    return { ...execution, result: execution.output === undefined ? undefined : JSON.parse(execution.output), atMs: clock.now() - start };
  };
  return { clock, machines, call, run, invocations, calls };
};

const machine = (states: Readonly<Record<string, State>>, more: Partial<MachineDefinition> = {}): MachineDefinition => ({
  QueryLanguage: 'JSONata',
  StartAt: Object.keys(states)[0]!,
  States: states,
  ...more,
});
const task = (more: Partial<State> = {}): State => ({
  Type: 'Task',
  Resource: invokeArn,
  Arguments: { FunctionName: 'fn', Payload: '{% $states.input %}' },
  Output: '{% $states.result.Payload %}',
  End: true,
  ...more,
});
const only = (state: State) => setUp(machine({ A: { End: true, ...state } }));
const failing = (errorType: string, until = Number.POSITIVE_INFINITY): Answer => {
  return (payload, attempt) => (attempt < until ? { kind: 'error', errorType, errorMessage: 'trouble' } : { kind: 'ok', value: payload });
};

describe('states', () => {
  it('Pass gives its input on, or what Output makes of it', async () => {
    expect((await only({ Type: 'Pass' }).run({ a: 1 })).result).toEqual({ a: 1 });
    expect((await only({ Type: 'Pass', Output: { twice: '{% $states.input.a * 2 %}', text: 'plain {% 1 %}' } }).run({ a: 2 })).result).toEqual({
      twice: 4,
      text: 'plain {% 1 %}',
    });
  });

  it('Task calls a function with its arguments and returns its response', async () => {
    const { run, invocations } = setUp(machine({ A: task({ Output: '{% $states.result %}' }) }), () => ({ kind: 'ok', value: { b: 2 } }));
    expect((await run({ a: 1 })).result).toEqual({ ExecutedVersion: '$LATEST', Payload: { b: 2 }, StatusCode: 200 });
    expect(invocations[0]?.payload).toEqual({ a: 1 });
  });

  it('Task makes AWS calls with the role of the state machine', async () => {
    const { run, calls } = setUp(
      machine({
        A: { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', Arguments: { MessageBody: 'x' }, Next: 'B' },
        B: {
          Type: 'Task',
          Resource: 'arn:aws:states:::aws-sdk:dynamodb:deleteItem',
          Arguments: {},
          Catch: [{ ErrorEquals: ['Dynamodb.ResourceNotFoundException'], Next: 'C' }],
          End: true,
        },
        C: { Type: 'Succeed' },
      }),
    );
    expect((await run()).status).toBe('SUCCEEDED');
    expect(calls[0]).toEqual({ service: 'sqs', operation: 'SendMessage', input: { MessageBody: 'x' }, role: 'machine-role' });
  });

  it('Wait waits for seconds or for a time, and not for a time that has passed', async () => {
    expect((await only({ Type: 'Wait', Seconds: '{% $states.input.s %}' }).run({ s: 90 })).atMs).toBe(90_000);
    expect((await only({ Type: 'Wait', Timestamp: '{% $states.input.t %}' }).run({ t: '2026-01-01T00:02:00Z' })).atMs).toBe(120_000);
    expect((await only({ Type: 'Wait', Timestamp: '2025-01-01T00:00:00Z' }).run({ a: 1 })).result).toEqual({ a: 1 });
    expect((await only({ Type: 'Wait', Timestamp: 'soon' }).run()).error).toBe('States.QueryEvaluationError');
    expect((await only({ Type: 'Wait', Seconds: -1 }).run()).error).toBe('States.QueryEvaluationError');
  });

  it('Choice takes the first rule that holds, or the default, or fails', async () => {
    const states = {
      A: {
        Type: 'Choice',
        Choices: [
          { Condition: '{% $states.input.n > 10 %}', Next: 'Big', Output: 'was big' },
          { Condition: '{% $states.input.n > 5 %}', Next: 'Some' },
        ],
        Default: 'Small',
      },
      Big: { Type: 'Succeed' },
      Some: { Type: 'Pass', Output: 'some', End: true },
      Small: { Type: 'Pass', Output: 'small', End: true },
    } as const;
    const results = [];
    for (const n of [11, 6, 1]) results.push((await setUp(machine(states)).run({ n })).result);
    expect(results).toEqual(['was big', 'some', 'small']);
    const { Default: _, ...undecided } = states.A;
    expect((await setUp(machine({ ...states, A: undecided as State })).run({ n: 1 })).error).toBe('States.NoChoiceMatched');
  });

  it('Choice fails on a condition that is no boolean', async () => {
    const { run } = setUp(machine({ A: { Type: 'Choice', Choices: [{ Condition: '{% 1 %}', Next: 'B' }], Default: 'B' }, B: { Type: 'Succeed' } }));
    expect(await run()).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  });

  it('Parallel runs branches at the same time, and applies Output to their results', async () => {
    const branch = (seconds: number): MachineDefinition => ({
      StartAt: 'W',
      States: { W: { Type: 'Wait', Seconds: seconds, Next: 'P' }, P: { Type: 'Pass', Output: seconds, End: true } },
    });
    const { run } = only({ Type: 'Parallel', Branches: [branch(20), branch(10)], Output: '{% $sum($states.result) %}' });
    const { result, atMs } = await run();
    expect([result, atMs]).toEqual([30, 20_000]);
  });

  it('Parallel fails with its first branch, and the others do nothing any more', async () => {
    const { run, invocations } = setUp(
      machine({
        A: {
          Type: 'Parallel',
          Branches: [
            { StartAt: 'F', States: { F: { Type: 'Fail', Error: 'Bad', Cause: 'so' } } },
            { StartAt: 'W', States: { W: { Type: 'Wait', Seconds: 5, Next: 'T' }, T: task() } },
          ],
          Catch: [{ ErrorEquals: ['Bad'], Next: 'Done', Output: '{% $states.errorOutput %}' }],
          End: true,
        },
        Done: { Type: 'Succeed' },
      }),
    );
    expect((await run()).result).toEqual({ Error: 'Bad', Cause: 'so' });
    expect(invocations).toEqual([]);
  });

  it('Map runs its states for every item, so many at once as it may', async () => {
    const { run } = only({
      Type: 'Map',
      Items: '{% $states.input.list %}',
      ItemSelector: { n: '{% $states.context.Map.Item.Value %}', at: '{% $states.context.Map.Item.Index %}' },
      MaxConcurrency: 2,
      ItemProcessor: {
        StartAt: 'W',
        States: {
          W: { Type: 'Wait', Seconds: 10, Next: 'P' },
          P: { Type: 'Pass', Output: '{% $states.input.n * 10 + $states.input.at %}', End: true },
        },
      },
    });
    const { result, atMs } = await run({ list: [1, 2, 3] });
    expect(result).toEqual([10, 21, 32]);
    expect(atMs).toBe(20_000);
  });

  it('Fail and Succeed end the execution', async () => {
    expect(await setUp(machine({ A: { Type: 'Fail', Error: '{% "Own" & "Error" %}', Cause: 'because' } })).run()).toMatchObject({
      status: 'FAILED',
      error: 'OwnError',
      cause: 'because',
    });
    expect(await setUp(machine({ A: { Type: 'Succeed', Output: 1 } })).run()).toMatchObject({ status: 'SUCCEEDED', result: 1 });
  });
});

describe('JSONata in states', () => {
  const output = async (expression: string, input: unknown = {}) => only({ Type: 'Pass', Output: `{% ${expression} %}` }).run(input);

  it('sees input, context and the world’s time', async () => {
    expect((await output('$states.context.Execution.Name', {})).result).toMatch(/^[0-9a-f-]{36}$/);
    expect((await output('$states.context.StateMachine.Name')).result).toBe('m');
    expect((await output('$millis()')).result).toBe(start);
    expect((await output('$now()')).result).toBe('2026-01-01T00:00:00.000Z');
    expect((await output('$fromMillis($toMillis($states.input.t) + 1000)', { t: '2026-01-01T00:00:00Z' })).result).toBe('2026-01-01T00:00:01.000Z');
  });

  it('has the functions that Step Functions adds', async () => {
    expect((await output('$partition([1,2,3], 2)')).result).toEqual([[1, 2], [3]]);
    expect((await output('$range(1, 9, 4)')).result).toEqual([1, 5, 9]);
    expect((await output('$parse(\'{"a":1}\').a')).result).toBe(1);
    expect((await output("$hash('a', 'SHA-256')")).result).toMatch(/^ca978112/);
    expect((await output('$uuid()')).result).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  it.each([
    ['nothing', '$states.input.none'],
    ['an error', '$error("x")'],
    ['$eval', '$eval("1 + 1")'],
    ['syntax that is not JSONata 2.0.6', '$states.input.a ?: 1'],
    ['a function', '$sum'],
  ])('fails on %s', async (_, expression) => {
    expect(await output(expression)).toMatchObject({ status: 'FAILED', error: 'States.QueryEvaluationError' });
  });

  it('assigns after the state: within it variables are as they were', async () => {
    const { run } = setUp(
      machine({
        A: { Type: 'Pass', Assign: { x: 1, y: 2 }, Next: 'B' },
        B: { Type: 'Pass', Assign: { x: '{% $y %}', y: '{% $x %}' }, Output: '{% [$x, $y] %}', Next: 'C' },
        C: { Type: 'Pass', Output: { before: '{% $states.input %}', after: '{% [$x, $y] %}' }, End: true },
      }),
    );
    expect((await run()).result).toEqual({ before: [1, 2], after: [2, 1] });
  });

  it('keeps a branch’s variables to the branch', async () => {
    const { run } = setUp(
      machine({
        A: { Type: 'Pass', Assign: { x: 'outer' }, Next: 'B' },
        B: {
          Type: 'Parallel',
          Branches: [
            { StartAt: 'I', States: { I: { Type: 'Pass', Assign: { x: 'inner' }, Next: 'J' }, J: { Type: 'Pass', Output: '{% $x %}', End: true } } },
          ],
          Next: 'C',
        },
        C: { Type: 'Pass', Output: '{% [$states.input[0], $x] %}', End: true },
      }),
    );
    expect((await run()).result).toEqual(['inner', 'outer']);
  });

  it('refuses fields of JSONPath, and machines that are in it', () => {
    expect(() => only({ Type: 'Pass', InputPath: '$.a' } as State)).toThrow('State A is in JSONata and must not have InputPath');
    expect(() => setUp({ StartAt: 'A', States: { A: { Type: 'Succeed' } } })).toThrow('State A is in JSONPath');
    expect(() => setUp(machine({ A: { Type: 'Pass', Next: 'Nowhere' } }))).toThrow('leads to Nowhere');
  });

  it('passes on no more than 256 KiB', async () => {
    const { run } = setUp(
      machine({
        A: { Type: 'Pass', Output: '{% $pad("x", 262144) %}', Catch: [{ ErrorEquals: ['States.ALL'], Next: 'B' }], Next: 'B' },
        B: { Type: 'Succeed' },
      }),
    );
    expect(await run()).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
  });
});

describe('trouble in states', () => {
  it('is tried again after growing delays, as often as a retrier sets', async () => {
    const retry = [{ ErrorEquals: ['Trouble'], IntervalSeconds: 2, BackoffRate: 3, MaxAttempts: 3, MaxDelaySeconds: 10 }];
    const { run, invocations } = setUp(machine({ A: task({ Retry: retry }) }), failing('Trouble'));
    expect(await run()).toMatchObject({ status: 'FAILED', error: 'Trouble' });
    expect(invocations.map(({ atMs }) => atMs)).toEqual([0, 2000, 8000, 18_000]);
  });

  it('goes on when a retry succeeds, and applies the jitter that the retry names', async () => {
    const retry = [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 4, JitterStrategy: 'FULL' as const }];
    const { run, invocations } = setUp(machine({ A: task({ Retry: retry }) }), failing('Trouble', 2));
    expect((await run({ a: 1 })).result).toEqual({ a: 1 });
    expect(invocations[1]?.atMs).toBeGreaterThan(0);
    expect(invocations[1]?.atMs).toBeLessThan(4000);
  });

  it.each([
    ['its own name', 'Trouble', 'Trouble', true],
    ['another name', 'Other', 'Trouble', false],
    ['States.TaskFailed', 'States.TaskFailed', 'Trouble', true],
    ['States.TaskFailed, of a time-out', 'States.TaskFailed', 'States.Timeout', false],
    ['States.ALL', 'States.ALL', 'States.Timeout', true],
    ['States.ALL, of too much data', 'States.ALL', 'States.DataLimitExceeded', false],
  ])('is caught by %s', async (_, caught, thrown, expected) => {
    const states = {
      A: { Type: 'Fail', Error: thrown } as State,
      B: { Type: 'Succeed' } as State,
    };
    const { run } = setUp(
      machine({
        P: { Type: 'Parallel', Branches: [{ StartAt: 'A', States: states }], Catch: [{ ErrorEquals: [caught], Next: 'B' }], End: true },
        B: { Type: 'Succeed' },
      }),
    );
    expect((await run()).status).toBe(expected ? 'SUCCEEDED' : 'FAILED');
  });

  it('is passed to the catcher, which may assign variables and change the output', async () => {
    const { run } = setUp(
      machine({
        A: task({
          Catch: [
            {
              ErrorEquals: ['States.ALL'],
              Next: 'B',
              Output: '{% $merge([$states.input, {"error": $states.errorOutput.Error}]) %}',
              Assign: { seen: true },
            },
          ],
        }),
        B: { Type: 'Pass', Output: '{% [$states.input, $seen] %}', End: true },
      }),
      failing('Trouble'),
    );
    expect((await run({ a: 1 })).result).toEqual([{ a: 1, error: 'Trouble' }, true]);
  });

  it('is a task or a machine that takes too long', async () => {
    const never: Answer = () => new Promise(() => undefined);
    const { run } = setUp(
      machine({ A: task({ TimeoutSeconds: 5, Catch: [{ ErrorEquals: ['States.Timeout'], Next: 'B' }] }), B: { Type: 'Succeed' } }),
      never,
    );
    expect(await run()).toMatchObject({ status: 'SUCCEEDED', atMs: 5000 });
    const slow = setUp(machine({ A: { Type: 'Wait', Seconds: 100, Next: 'B' }, B: task() }, { TimeoutSeconds: 30 }));
    expect((await slow.run()).status).toBe('TIMED_OUT');
    expect(slow.invocations).toEqual([]);
  });
});

describe('executions', () => {
  const waiting = machine({ A: { Type: 'Wait', Seconds: 60, End: true } });

  it('started again under a name are the same one while it runs with the same input, and refused otherwise', async () => {
    const { call, clock } = setUp(waiting);
    const first = await call('StartExecution', { stateMachineArn: arn, name: 'x', input: '{"a":1}' });
    expect(await call('StartExecution', { stateMachineArn: arn, name: 'x', input: '{"a":1}' })).toEqual(first);
    await expect(call('StartExecution', { stateMachineArn: arn, name: 'x', input: '{}' })).rejects.toMatchObject({ code: 'ExecutionAlreadyExists' });
    await clock.run();
    await expect(call('StartExecution', { stateMachineArn: arn, name: 'x', input: '{"a":1}' })).rejects.toMatchObject({
      code: 'ExecutionAlreadyExists',
    });
    await clock.run({ untilMs: clock.now() + 91 * 86_400_000 });
    expect((await call('StartExecution', { stateMachineArn: arn, name: 'x', input: '{"a":1}' })).executionArn).toBe(first.executionArn);
  });

  it('can be described, listed, followed and stopped', async () => {
    const { call, clock } = setUp(waiting);
    const { executionArn } = await call('StartExecution', { stateMachineArn: arn, name: 'x', input: '{"a":1}' });
    await clock.run({ untilMs: start + 30_000 });
    expect(await call('DescribeExecution', { executionArn })).toMatchObject({ status: 'RUNNING', input: '{"a":1}', name: 'x' });
    expect((await call('ListExecutions', { stateMachineArn: arn, statusFilter: 'RUNNING' })).executions).toHaveLength(1);
    await call('StopExecution', { executionArn, error: 'Enough', cause: 'stopped' });
    await clock.run();
    expect(await call('DescribeExecution', { executionArn })).toMatchObject({
      status: 'ABORTED',
      error: 'Enough',
      stopDate: new Date(start + 30_000),
    });
    const { events } = await call('GetExecutionHistory', { executionArn });
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['ExecutionStarted', 'WaitStateEntered', 'ExecutionAborted']);
    expect((await call('ListStateMachines')).stateMachines).toMatchObject([{ name: 'm', type: 'STANDARD' }]);
    expect(JSON.parse((await call('DescribeStateMachine', { stateMachineArn: arn })).definition)).toEqual(waiting);
    await expect(call('DescribeExecution', { executionArn: 'none' })).rejects.toMatchObject({ code: 'ExecutionDoesNotExist' });
  });

  it('leave a history with the type names and details of the API', async () => {
    const { run } = setUp(machine({ A: task({ Next: 'B', End: false }), B: { Type: 'Succeed' } }));
    const { events } = await run({ a: 1 });
    expect(events.map(({ type }) => type)).toEqual([
      'ExecutionStarted',
      'TaskStateEntered',
      'TaskScheduled',
      'TaskStarted',
      'TaskSucceeded',
      'TaskStateExited',
      'SucceedStateEntered',
      'SucceedStateExited',
      'ExecutionSucceeded',
    ]);
    expect(events[1]).toMatchObject({ id: 2, previousEventId: 1, stateEnteredEventDetails: { name: 'A', input: '{"a":1}' } });
    expect(events[2]).toMatchObject({ taskScheduledEventDetails: { resourceType: 'lambda', resource: 'invoke' } });
  });

  it('by the thousand at once take the time of one', async () => {
    const { machines, clock } = setUp(waiting);
    for (let index = 0; index < 1000; index += 1) machines.start(arn, '{}');
    await clock.run();
    expect(machines.executions().every(({ status }) => status === 'SUCCEEDED')).toBe(true);
    expect(clock.now() - start).toBe(60_000);
  });
});
