import { expect, test, vi } from 'vitest';
import { type FunctionName, metrics, type Surroundings } from '../../core/contract.ts';
import { createTelemetry } from '../../functions/runtime/telemetry.ts';
import { withRuntime } from '../../functions/runtime/with-runtime.ts';

const surroundings: Surroundings = { env: {}, now: () => 0, sleep: async () => {}, random: () => 0.5, clientConfig: {}, quiet: true };
const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => 30_000 } as never;

/** What a function counts in an invocation that fails. */
const countedBy = async (name: FunctionName): Promise<readonly string[]> => {
  const counted: string[] = [];
  const { create } = withRuntime(name, (_, telemetry) => {
    vi.spyOn(telemetry, 'count').mockImplementation((metric) => void counted.push(metric));
    return () => Promise.reject(new Error('The table does not answer.'));
  });
  await expect(create(surroundings)({}, context)).rejects.toThrow('The table does not answer.');
  return counted;
};

/** The values that functions add to their metrics, one after the other. */
const written = (): { readonly surroundings: Surroundings; readonly values: string[] } => {
  const values: string[] = [];
  return { surroundings: { ...surroundings, onMetric: (metric, value) => void values.push(`${metric} ${value}`) }, values };
};

test('problems that share an alarm are counted twice: by themselves and together', () => {
  const { surroundings: heard, values } = written();
  const telemetry = createTelemetry('react', heard);
  telemetry.count(metrics.poisonMessages, 3);
  telemetry.count(metrics.launched, 2);
  telemetry.count(metrics.actionsFailed, 0);
  telemetry.duration(metrics.replacementRequestedMs, 40);
  expect(values).toEqual(['PoisonMessages 3', 'Problems 3', 'Launched 2', 'ReplacementRequestedMs 40']);
});

test('a function whose errors have no alarm at Lambda counts them itself', async () => {
  expect(await countedBy('begin-drain')).toEqual([metrics.functionErrors]);
  expect(await countedBy('accept-policy')).toEqual([metrics.functionErrors]);
  expect(await countedBy('react')).toEqual([]);
  expect(await countedBy('tick')).toEqual([]);
});
