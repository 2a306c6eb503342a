import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { WorldClock } from '../../../sandbox/clock.ts';
import type { FunctionSpec, StartEnvironment } from '../../../sandbox/platform/functions/environment.ts';
import { createFunctions, type Functions } from '../../../sandbox/platform/functions/functions.ts';
import type { InvocationRecord } from '../../../sandbox/platform/functions/invocation.ts';
import { traceHeader } from '../../../sandbox/platform/functions/lineage.ts';
import { liveEnvironments } from '../../../sandbox/platform/functions/live-environment.ts';
import { simulatedEnvironments } from '../../../sandbox/platform/functions/simulated-environment.ts';
import { createLiveClock, type LiveClock } from '../../../sandbox/platform/live-clock.ts';
import { createVirtualClock } from '../../../sandbox/platform/virtual-clock.ts';
import { createRandom } from '../../../sandbox/random.ts';

const spec: FunctionSpec = {
  name: 'fixture',
  arn: 'arn:aws:lambda:eu-west-1:123456789012:function:fixture',
  role: 'fixture-role',
  file: join(import.meta.dirname, 'fixtures', 'assembly', 'asset.code', 'index.mjs'),
  timeoutSeconds: 1,
  memoryMb: 512,
  variables: { STEP: 'environment', TABLE: 'items' },
};

const create = (clock: WorldClock, start: StartEnvironment, more: Partial<FunctionSpec> = {}, concurrency = 1_000) => {
  const functions = createFunctions({ clock, start, random: createRandom(1), coldStartMs: 0, overheadMs: 0, concurrency });
  const records: InvocationRecord[] = [];
  functions.add({ ...spec, ...more });
  functions.observe((record) => void records.push(record));
  return { functions, records };
};

const simulated = (more: Partial<FunctionSpec> = {}, concurrency = 1_000) => {
  const clock = createVirtualClock(0);
  const neverAnswers = { handle: () => new Promise(() => undefined) };
  const start = simulatedEnvironments({ clock, seed: 1, region: 'eu-west-1', patienceMs: 50, requestHandler: () => neverAnswers });
  return { clock, drive: clock.drive, ...create(clock, start, more, concurrency) };
};

let used: Functions | undefined;
afterEach(() => used?.close());
const threads = (clock: LiveClock) => liveEnvironments({ clock, activities: new Map(), region: 'eu-west-1', endpoint: 'http://127.0.0.1:9' });
const live = (factor = 1, more: Partial<FunctionSpec> = {}) => {
  const clock = createLiveClock({ factor });
  const made = create(clock, threads(clock), more);
  used = made.functions;
  return { clock, drive: <T>(work: Promise<T>): Promise<T> => work, ...made };
};

describe.each([
  ['in this process, in virtual time', simulated],
  ['in a thread, in wall time', live],
] as const)('a function %s', (_, setUp) => {
  it('is started once, and used again while it is warm', async () => {
    const { functions, records, drive } = setUp();
    expect(await drive(functions.invoke('fixture', { count: true }))).toMatchObject({ kind: 'ok', value: 1 });
    expect(await drive(functions.invoke(spec.arn, { count: true }))).toMatchObject({ kind: 'ok', value: 2 });
    expect(records.map(({ coldStart }) => coldStart)).toEqual([true, false]);
  });

  it('starts cold after a deployment, which lets a call at work end', async () => {
    const { functions, records, drive } = setUp();
    const calls = Promise.all([functions.invoke('fixture', { count: true }), Promise.resolve().then(functions.renew)]);
    expect(await drive(calls)).toMatchObject([{ kind: 'ok', value: 1 }, undefined]);
    expect(await drive(functions.invoke('fixture', { count: true }))).toMatchObject({ kind: 'ok', value: 1 });
    functions.renew();
    expect(await drive(functions.invoke('fixture', { count: true }))).toMatchObject({ kind: 'ok', value: 1 });
    expect(records.map(({ coldStart }) => coldStart)).toEqual([true, true, true]);
  });

  it('runs in an environment of its own for every call at the same time', async () => {
    const { functions, drive } = setUp();
    const both = Promise.all([functions.invoke('fixture', { count: true }), functions.invoke('fixture', { count: true })]);
    expect((await drive(both)).map((result) => result.kind === 'ok' && result.value)).toEqual([1, 1]);
  });

  it('receives its event, context and variables', async () => {
    const { functions, drive } = setUp();
    const result = await drive(functions.invoke('fixture', { step: 'environment', at: undefined }));
    expect(result).toMatchObject({ kind: 'ok', value: { event: { step: 'environment' }, name: 'fixture', region: 'eu-west-1' } });
  });

  it('is ended when it takes too long, and started anew', async () => {
    const { functions, drive, clock } = setUp();
    await drive(functions.invoke('fixture', { count: true }));
    const startedMs = clock.now();
    const result = await drive(functions.invoke('fixture', { step: 'slow' }));
    expect(result).toMatchObject({
      kind: 'error',
      errorType: 'Sandbox.Timedout',
      errorMessage: expect.stringContaining('Task timed out after 1.00 seconds'),
    });
    expect(clock.now() - startedMs).toBeGreaterThanOrEqual(1000);
    expect(await drive(functions.invoke('fixture', { count: true }))).toMatchObject({ kind: 'ok', value: 1 });
  });

  it('returns the class and the message of what it throws', async () => {
    const { functions, drive } = setUp();
    expect(await drive(functions.invoke('fixture', { step: 'failing' }))).toMatchObject({
      kind: 'error',
      errorType: 'TypeError',
      errorMessage: 'not this way',
    });
  });
});

describe('functions', () => {
  it('that fail to start return an error with its type', async () => {
    const clock = createLiveClock();
    const made = create(clock, threads(clock), { file: '/nowhere/index.mjs' });
    used = made.functions;
    expect(await made.functions.invoke('fixture', {})).toMatchObject({ kind: 'error', errorType: 'Runtime.ExitError' });
  });

  it('live in world time when the world runs faster than the wall', async () => {
    const { functions } = live(50);
    const result = await functions.invoke('fixture', { step: 'environment' });
    const { leftMs } = (result as { value: { leftMs: number } }).value;
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(1_000);
  });

  it('live hold the world back while they compute, and not while they pause', async () => {
    // A busy machine ends a pause late, so its function has more time than it needs.
    const { functions, records } = live(50, { timeoutSeconds: 60 });
    expect(await functions.invoke('fixture', { step: 'computing', forMs: 300 })).toMatchObject({ kind: 'ok' });
    expect(await functions.invoke('fixture', { step: 'pausing', forMs: 800 })).toMatchObject({ kind: 'ok' });
    const [computed = 0, paused = 0] = records.map(({ beganAtMs, endedAtMs }) => endedAtMs - beganAtMs);
    expect(computed).toBeLessThan(800);
    expect(paused).toBeGreaterThanOrEqual(800);
  });

  it('in virtual time get a remaining time in world time', async () => {
    const { functions, drive } = simulated();
    const result = await drive(functions.invoke('fixture', { step: 'environment' }));
    expect(result).toMatchObject({ kind: 'ok', value: { name: 'fixture', leftMs: 1_000 } });
  });

  it('called without waiting are tried again after one and two minutes, and then given up', async () => {
    const { functions, records, clock } = simulated();
    const given: unknown[] = [];
    functions.configureAsync('fixture', { onFailure: (event) => void given.push(event) });
    functions.invokeLater('fixture', { step: 'failing' });
    await clock.run();
    expect(records.map(({ startedAtMs }) => startedAtMs)).toEqual([0, 60_000, 180_000]);
    expect(given).toEqual([{ step: 'failing' }]);
  });

  it('called without waiting are not tried again when they may not, or are too old', async () => {
    for (const config of [{ maximumRetryAttempts: 0 }, { maximumAgeSeconds: 30 }]) {
      const { functions, records, clock } = simulated();
      functions.configureAsync('fixture', config);
      functions.invokeLater('fixture', { step: 'failing' });
      await clock.run();
      expect(records).toHaveLength(1);
    }
  });

  it('are stopped in a chain of sixteen calls of one function, unless it allows recursion', async () => {
    const endOf = async (name: string, calls: number, more: Partial<FunctionSpec> = {}): Promise<string> => {
      const { functions, drive } = simulated(more);
      const AWSTraceHeader = traceHeader(new Map([[name, calls]]));
      const result = await drive(functions.invoke('fixture', { count: true, Records: [{}, { attributes: { AWSTraceHeader } }] }));
      return result.kind === 'error' ? (result.errorType ?? '') : 'ok';
    };
    expect(await endOf('fixture', 15)).toBe('ok');
    expect(await endOf('fixture', 16)).toBe('Lambda.RecursiveInvocationException');
    expect(await endOf('fixture', 16, { recursiveLoop: 'Allow' })).toBe('ok');
    expect(await endOf('other', 16)).toBe('ok');
  });

  it('are refused beyond their reserved concurrency', async () => {
    const { functions, drive } = simulated({ reservedConcurrency: 1 });
    const results = await drive(Promise.all([functions.invoke('fixture', { count: true }), functions.invoke('fixture', { count: true })]));
    expect(results.map((result) => (result.kind === 'error' ? result.errorType : 'ok'))).toEqual(['ok', 'Lambda.TooManyRequestsException']);
  });

  it('share what the account allows at once, and what is reserved is of one alone', async () => {
    const { functions, drive } = simulated({}, 3);
    functions.add({ ...spec, name: 'other', arn: `${spec.arn}-other` });
    functions.add({ ...spec, name: 'reserved', arn: `${spec.arn}-reserved`, reservedConcurrency: 1 });
    const names = ['fixture', 'other', 'fixture', 'reserved', 'reserved'];
    const results = await drive(Promise.all(names.map((name) => functions.invoke(name, { count: true }))));
    expect(results.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'error', 'ok', 'error']);
  });

  it('called without waiting are tried again when they were throttled, and that costs no attempt', async () => {
    const { functions, records, clock } = simulated({ reservedConcurrency: 1 });
    functions.configureAsync('fixture', { maximumRetryAttempts: 0 });
    functions.invokeLater('fixture', { step: 'slow' });
    functions.invokeLater('fixture', { count: true });
    await clock.run();
    expect(records.map(({ result }) => result.kind)).toEqual(['error', 'ok']);
    expect(records.at(-1)?.startedAtMs).toBeGreaterThanOrEqual(1_000);
  });

  it('that were killed do nothing any more, and their call has failed', async () => {
    const { functions, clock, records } = simulated({ timeoutSeconds: 60 });
    const environments: string[] = [];
    const work = functions.invoke('fixture', { step: 'forbidden' });
    clock.after(1000, () => void environments.push(...['fixture-role#1'].filter((id) => functions.crash(id))));
    expect(await clock.drive(work)).toMatchObject({ kind: 'error', errorType: 'Runtime.ExitError' });
    expect(environments).toEqual(['fixture-role#1']);
    expect(functions.crash('fixture-role#1')).toBe(false);
    expect(records[0]?.endedAtMs).toBe(1000);
  });

  it('starts cold after its process ended while nothing ran in it', async () => {
    const { functions, clock, records } = simulated();
    const count = () => clock.drive(functions.invoke('fixture', { count: true }));
    expect([await count(), await count()]).toMatchObject([1, 2].map((value) => ({ kind: 'ok', value })));
    expect(functions.crash('fixture-role#1')).toBe(false);
    expect(await count()).toMatchObject({ kind: 'ok', value: 1 });
    expect(records.map(({ coldStart }) => coldStart)).toEqual([true, false, true]);
  });
});
