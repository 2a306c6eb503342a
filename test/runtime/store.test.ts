import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { env, type Surroundings } from '../../core/contract.ts';
import { stateStore } from '../../functions/runtime/store.ts';
import { lambdaSurroundings } from '../../functions/runtime/surroundings.ts';
import { createTelemetry } from '../../functions/runtime/telemetry.ts';
import { startTables } from '../aws/tables.ts';
import { state } from '../core/views.ts';

let tables: Awaited<ReturnType<typeof startTables>>;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

/** The store of an environment as Lambda starts it. */
const storeOf = (change: Partial<Surroundings> = {}) => {
  const variables = { [env.groupsTable]: 'groups', [env.stateTable]: 'state' };
  const surroundings = { ...lambdaSurroundings(), env: variables, clientConfig: tables.config, quiet: true, ...change };
  return stateStore(surroundings, createTelemetry('react', surroundings));
};

test('two environments that write the same state do not take the write of the other one for their own', async () => {
  const first = state({ version: 1 });
  expect(await storeOf().putState('two', first)).toBe('done');
  expect(await storeOf().putState('two', first)).toBe('conflict');
  const id = randomUUID();
  expect(await storeOf({ id }).putState('one', first)).toBe('done');
  expect(await storeOf({ id }).putState('one', first)).toBe('done');
});
