import { expect, test } from 'vitest';
import { env, metrics, type Surroundings } from '../../core/contract.ts';
import { capacityDeps } from '../../functions/runtime/capacity.ts';
import type { Telemetry } from '../../functions/runtime/telemetry.ts';

/** The clients of a function whose calls to AWS all fail, and what it logs and counts. */
const clients = () => {
  const told: unknown[] = [];
  const telemetry = {
    count: (name: string) => void told.push(name),
    logger: { warn: (text: string, more: object) => void told.push([text, more]) },
  } as unknown as Telemetry;
  const handle = async (): Promise<never> => Promise.reject(Object.assign(new Error('No answer.'), { name: 'TimeoutError' }));
  const surroundings: Surroundings = {
    id: 'environment',
    env: { [env.name]: 'prod', [env.stateTable]: 'state' },
    now: () => 1_000_000,
    elapsedMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    clientConfig: {
      region: 'eu-west-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      requestHandler: { handle, destroy: () => {}, httpHandlerConfigs: () => ({}), updateHttpClientConfig: () => {} },
    },
    quiet: true,
  };
  const patience = { actMs: 1_000, lookMs: 1_000, healthMs: 1_000, reads: 'look' } as const;
  return { told, deps: capacityDeps(surroundings, telemetry, patience) };
};

test('an optional read that fails is counted, and logged with its name and its code', () => {
  const { told, deps } = clients();
  deps.missed?.('DescribeInstanceStatus', 'AccessDenied');
  expect(told).toEqual([
    metrics.readsMissed,
    ['An optional read failed. The work goes on without it.', { read: 'DescribeInstanceStatus', code: 'AccessDenied' }],
  ]);
});

test('a call goes on where the pace of the account cannot be read, and that is counted and logged', async () => {
  const { told, deps } = clients();
  expect(await deps.pacer.take({ bucket: 'createFleet', kind: 'act', patienceMs: 1_000 })).toBe(true);
  expect(told).toEqual([
    metrics.readsMissed,
    ['Calls go on without the pace of the account for a while.', { error: expect.objectContaining({ message: 'No answer.' }) }],
  ]);
});
