import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { env, type FunctionName, metrics, type Surroundings } from '../../core/contract.ts';
import { requireEnv } from '../../functions/runtime/env.ts';
import { createTelemetry } from '../../functions/runtime/telemetry.ts';
import { tellUnreadable } from '../../functions/runtime/tell-unreadable.ts';
import { withRuntime } from '../../functions/runtime/with-runtime.ts';

const surroundings: Surroundings = {
  id: 'environment',
  env: {},
  now: () => 0,
  elapsedMs: () => 0,
  sleep: async () => {},
  random: () => 0.5,
  clientConfig: {},
  quiet: true,
};
const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => 30_000 } as never;

/** The values that functions add to their metrics, one after the other. */
const written = (): { readonly surroundings: Surroundings; readonly values: string[] } => {
  const values: string[] = [];
  return { surroundings: { ...surroundings, onMetric: (metric, value) => void values.push(`${metric} ${value}`) }, values };
};

/** What a function counts in an invocation that fails. */
const countedBy = async (name: FunctionName): Promise<readonly string[]> => {
  const { surroundings: heard, values } = written();
  const { create } = withRuntime(name, () => () => Promise.reject(new Error('The table does not answer.')));
  await expect(create(heard)({}, context)).rejects.toThrow('The table does not answer.');
  return values.filter((value) => value.startsWith(metrics.functionErrors));
};

/** The lines that a function writes to its standard output and its standard error meanwhile. */
const linesOf = async (work: () => unknown): Promise<readonly string[]> => {
  const lines: string[] = [];
  const before = { ...console };
  const keep = (text: unknown): void => void lines.push(String(text));
  // The libraries for logs and metrics may have a console of their own, which writes there.
  const streams = [process.stdout, process.stderr].map((stream) => ({ stream, write: stream.write }));
  Object.assign(console, { log: keep, info: keep, warn: keep, error: keep });
  for (const { stream } of streams)
    stream.write = (text: string | Uint8Array): boolean => {
      lines.push(...String(text).split('\n').filter(Boolean));
      return true;
    };
  try {
    await work();
  } finally {
    Object.assign(console, before);
    for (const { stream, write } of streams) stream.write = write;
  }
  return lines;
};

test('problems that share an alarm are counted twice: by themselves and together', () => {
  const { surroundings: heard, values } = written();
  const telemetry = createTelemetry('react', heard);
  telemetry.count(metrics.poisonMessages, 3);
  telemetry.count(metrics.launched, 2);
  telemetry.count(metrics.interruptions);
  telemetry.count(metrics.actionsFailed, 0);
  telemetry.duration(metrics.replacementRequestedMs, 40);
  expect(values).toEqual(['PoisonMessages 3', 'Problems 3', 'Launched 2', 'Interruptions 1', 'ReplacementRequestedMs 40']);
});

test('a function whose errors have no alarm at Lambda counts them itself', async () => {
  expect(await countedBy('begin-drain')).toEqual([`${metrics.functionErrors} 1`]);
  expect(await countedBy('accept-policy')).toEqual([`${metrics.functionErrors} 1`]);
  expect(await countedBy('react')).toEqual([]);
  expect(await countedBy('tick')).toEqual([]);
});

test('a function gets its event and its context, and its result is returned', async () => {
  const heard: unknown[] = [];
  const { create } = withRuntime('tick', ({ env: variables }) => async (event, { awsRequestId }) => {
    heard.push(event, awsRequestId, variables);
    return { groups: 3 };
  });
  expect(await create({ ...surroundings, env: { [env.name]: 'prod' } })({ time: 'now' }, context)).toEqual({ groups: 3 });
  expect(heard).toEqual([{ time: 'now' }, 'r', { [env.name]: 'prod' }]);
});

test('a function fails a second before its time is over, so that it can still log and count that', async () => {
  const { create } = withRuntime('tick', () => () => sleep(200, 'late'));
  const left = (ms: number) => ({ awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => ms }) as never;
  await expect(create(surroundings)({}, left(1_020))).rejects.toThrow();
  expect(await create(surroundings)({}, left(1_900))).toBe('late');
});

test('a function makes its ports once for all invocations, and its clients pause by the clock of its surroundings', async () => {
  const made: unknown[] = [];
  const { create } = withRuntime('tick', ({ clientConfig }) => {
    made.push(clientConfig);
    return async () => ({});
  });
  const work = create({ ...surroundings, clientConfig: { region: 'eu-west-1' } });
  await work({}, context);
  await work({}, context);
  expect(made).toEqual([{ region: 'eu-west-1', pauses: { sleep: surroundings.sleep, random: surroundings.random } }]);
});

test('what a function counted is written when it ends and when it fails, under the name of the deployment; a quiet one writes nothing', async () => {
  const linesFrom = (name: FunctionName, rest: Partial<Surroundings>, fails: boolean) =>
    linesOf(async () => {
      const { create } = withRuntime(name, (_, telemetry) => async () => {
        telemetry.count(metrics.launched, 2);
        if (fails) throw new Error('The table does not answer.');
      });
      await create({ ...surroundings, quiet: false, ...rest })({}, context).catch(() => undefined);
    });
  const metricsIn = (lines: readonly string[]) => lines.filter((line) => line.includes('"_aws"')).map((line) => JSON.parse(line));
  const prod = { env: { [env.name]: 'prod' } };
  expect(metricsIn(await linesFrom('tick', prod, false))).toMatchObject([{ service: 'prod', Launched: 2 }]);
  expect(metricsIn(await linesFrom('tick', {}, false))).toMatchObject([{ service: 'holdfast', Launched: 2 }]);
  const failed = await linesFrom('tick', prod, true);
  expect(metricsIn(failed)).toMatchObject([{ service: 'prod', Launched: 2 }]);
  const errors = failed.filter((line) => line.includes('"ERROR"')).map((line) => JSON.parse(line));
  expect(errors).toMatchObject([
    {
      message: 'The invocation failed. Its messages are delivered again.',
      service: 'prod',
      function: 'tick',
      function_request_id: 'r',
      error: { message: 'The table does not answer.' },
    },
  ]);
  expect(await linesFrom('tick', { ...prod, quiet: true }, true)).toEqual([]);
});

test('an invocation that counts nothing writes no metrics', async () => {
  const lines = await linesOf(() => withRuntime('tick', () => async () => ({})).create({ ...surroundings, quiet: false })({}, context));
  expect(lines).toEqual([]);
});

test('a variable that the construct sets is read, and one that is missing or empty is an error that names it', () => {
  const read = (value: string | undefined) => requireEnv({ ...surroundings, env: { [env.stateTable]: value } }, env.stateTable);
  expect(read('holdfast-state')).toBe('holdfast-state');
  expect(() => read(undefined)).toThrow('Environment variable HOLDFAST_STATE_TABLE is not set.');
  expect(() => read('')).toThrow('deploy the stack again, and do not edit the function by hand.');
});

test('a stored item that cannot be read in full is counted and logged', async () => {
  const { surroundings: heard, values } = written();
  const lines = await linesOf(() => tellUnreadable(createTelemetry('react', { ...heard, quiet: false }))({ item: 'state', group: 'web' } as never));
  expect(values).toEqual([`${metrics.unreadableItems} 1`, `${metrics.problems} 1`]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'ERROR', message: 'A stored item could not be read in full. The unreadable parts count as lost.', item: 'state', group: 'web' },
  ]);
});
