import { join } from 'node:path';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetExecutionHistoryCommand, ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { GetQueueUrlCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../sandbox/door.ts';
import { fromItem } from '../../../sandbox/platform/tables/plain-items.ts';
import type { WorldSpec } from '../../../sandbox/world/spec.ts';

const assembly = join(import.meta.dirname, 'fixtures', 'assembly');
const spec: WorldSpec = {
  zones: ['eu-west-1a'],
  subnets: [],
  offerings: [],
  launchTemplates: [],
  autoScalingGroups: [],
  targetGroups: [],
  timing: { pendingSeconds: [1, 1], bootSeconds: [1, 1], lagSeconds: [0, 0], asgPeriodSeconds: 10, latencyMs: { '*': [5, 20] } },
};
const startMs = Date.UTC(2026, 0, 1);
const order = (detail: Record<string, unknown>) => ({ source: 'shop', 'detail-type': 'Order', detail });

let sandbox: Sandbox;
afterEach(() => sandbox.close());
const simulated = async (seed = 1): Promise<Sandbox> => {
  sandbox = await startSandbox({ mode: 'simulated', spec, assembly, seed });
  return sandbox;
};
const itemsOf = async (): Promise<Record<string, Record<string, unknown>>> => {
  const items = (await sandbox.platform.tables.scan('shop-items')).map(fromItem);
  return Object.fromEntries(items.map((item) => [item.id, item]));
};

describe('a stack in virtual time', () => {
  it('brings an event over rule, queue, function, table, stream and function to a state machine and its end', async () => {
    await simulated();
    sandbox.putEvent(order({ id: 'one' }));
    sandbox.putEvent(order({ id: 'two' }));
    sandbox.putEvent({ ...order({ id: 'three' }), source: 'elsewhere' });
    await sandbox.run({ untilMs: startMs + 30_000 });
    const { one, two, three } = await itemsOf();
    expect([one?.kind, two?.kind, three]).toEqual(['order', 'order', undefined]);
    expect(Number(one?.finishedAtMs) - Number(one?.atMs)).toBeGreaterThan(5000);
    expect(Number(one?.finishedAtMs) - Number(one?.atMs)).toBeLessThan(7000);
    expect(sandbox.executions().map(({ name, status, output }) => [name, status, output])).toEqual([
      ['one', 'SUCCEEDED', '{"finished":"one"}'],
      ['two', 'SUCCEEDED', '{"finished":"two"}'],
    ]);
    const calls = sandbox.callLog.calls().map(({ caller, service, operation, outcome }) => `${caller} ${service}:${operation} ${outcome}`);
    expect(calls).toContain('intake-role dynamodb:PutItem ok');
    expect(calls).toContain('machine-role lambda:Invoke ok');
    expect(sandbox.invocations().find(({ functionName }) => functionName === 'intake')?.event).toMatchObject({
      Records: [{ eventSource: 'aws:sqs', eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:orders' }, {}],
    });
  });

  it('is the same every time from the same seed', async () => {
    const once = async () => {
      await simulated(7);
      for (const id of ['a', 'b', 'c']) sandbox.putEvent(order({ id }));
      await sandbox.run({ untilMs: startMs + 300_000 });
      const seen = sandbox.callLog.calls().map(({ realMs: _, ...call }) => call);
      return { seen, items: await itemsOf(), executions: sandbox.executions() };
    };
    const first = await once();
    await sandbox.close();
    expect(await once()).toEqual(first);
    expect(first.seen.length).toBeGreaterThan(10);
  });

  it('keeps its schedule, and plays an hour in a moment', async () => {
    await simulated();
    await sandbox.run({ untilMs: startMs + 3_600_500 });
    expect((await itemsOf()).ticks?.ticks).toBe(60);
    expect(sandbox.invocations().filter(({ coldStart }) => coldStart)).toHaveLength(1);
  });

  it('sets aside what a function names as failed, again and again', async () => {
    await simulated();
    sandbox.putEvent(order({ id: 'bad', broken: true }));
    await sandbox.run({ untilMs: startMs + 200_000 });
    expect(sandbox.invocations().filter(({ functionName }) => functionName === 'intake')).toHaveLength(3);
    expect(sandbox.deadLetters()).toBe(1);
  });

  it('kills a function over a call, gives its message again, and carries out nothing of it any more', async () => {
    await simulated();
    sandbox.setFaults([{ on: 'call', kind: 'crash-caller', when: 'after', match: { service: 'dynamodb', operation: 'PutItem' }, times: 1 }]);
    sandbox.putEvent(order({ id: 'one' }));
    sandbox.putEvent(order({ id: 'two' }));
    await sandbox.run({ untilMs: startMs + 20_000 });
    expect(Object.keys(await itemsOf())).toEqual(['one']);
    const [crashed] = sandbox.invocations();
    expect(crashed?.result).toMatchObject({ kind: 'error', errorType: 'Runtime.ExitError' });
    await sandbox.run({ untilMs: startMs + 60_000 });
    expect(Object.keys(await itemsOf()).sort()).toEqual(['one', 'two']);
    expect(sandbox.invocations().filter(({ functionName, coldStart }) => functionName === 'intake' && coldStart)).toHaveLength(2);
  });

  it('lets the SDK try again in world time when it is throttled', async () => {
    await simulated();
    sandbox.setFaults([{ on: 'call', kind: 'throttle', match: { service: 'dynamodb', operation: 'PutItem' }, times: 2 }]);
    sandbox.putEvent(order({ id: 'one' }));
    await sandbox.run({ untilMs: startMs + 20_000 });
    expect(Object.keys(await itemsOf())).toEqual(['one']);
    const outcomes = sandbox.callLog.calls({ operation: 'PutItem' }).map(({ outcome }) => outcome);
    expect(outcomes).toEqual([expect.stringMatching(/Throttl/), expect.stringMatching(/Throttl/), 'ok']);
  });

  it('drops, repeats and delays events of AWS services as faults require, and never those put past them', async () => {
    await simulated();
    sandbox.setFaults([{ on: 'event', kind: 'drop' }]);
    sandbox.emitEvent(order({ id: 'lost' }));
    sandbox.putEvent(order({ id: 'kept' }));
    await sandbox.run({ untilMs: startMs + 10_000 });
    expect(Object.keys(await itemsOf())).toEqual(['kept']);
    sandbox.setFaults([{ on: 'event', kind: 'duplicate', withinMs: 1000 }]);
    sandbox.emitEvent(order({ id: 'twice' }));
    await sandbox.run({ untilMs: startMs + 20_000 });
    const bodies = sandbox.invocations().flatMap(({ event }) => (event as { Records?: { body?: string }[] }).Records ?? []);
    expect(bodies.filter(({ body }) => body?.includes('twice'))).toHaveLength(2);
  });

  it('lets the clock of a warm function jump while a fault requires it', async () => {
    await simulated();
    const { functions } = sandbox.platform;
    const errorMs = async (): Promise<number> => {
      const answer = await sandbox.drive(functions.invoke('finish', { step: 'clock' }));
      return answer.kind === 'ok' ? Number(answer.value) - sandbox.clock.now() : Number.NaN;
    };
    expect(await errorMs()).toBe(0);
    sandbox.setFaults([{ on: 'clock', kind: 'step', withinMs: 60_000, times: 1 }]);
    const wrong = await errorMs();
    expect(wrong).not.toBe(0);
    expect(await errorMs()).toBe(wrong);
    sandbox.setFaults([]);
    expect(await errorMs()).toBe(0);
  });

  it('delivers a batch of a queue twice when a fault requires it', async () => {
    await simulated();
    sandbox.setFaults([{ on: 'message', kind: 'duplicate' }]);
    sandbox.putEvent(order({ id: 'twice' }));
    await sandbox.run({ untilMs: startMs + 20_000 });
    const bodies = sandbox.invocations().flatMap(({ event }) => (event as { Records?: { body?: string }[] }).Records ?? []);
    expect(bodies.filter(({ body }) => body?.includes('twice'))).toHaveLength(2);
  });

  it('refuses a function what its role does not allow', async () => {
    await simulated();
    const result = await sandbox.drive(sandbox.platform.functions.invoke('follow', { step: 'forbidden' }));
    expect(result).toMatchObject({ kind: 'error', errorType: 'AccessDeniedException' });
  });

  it('keeps a function warm, passes it its environment, and reports what it throws', async () => {
    await simulated();
    const { functions } = sandbox.platform;
    expect(await sandbox.drive(functions.invoke('finish', { count: true }))).toMatchObject({ kind: 'ok', value: 1 });
    expect(await sandbox.drive(functions.invoke('finish', { count: true }))).toMatchObject({ kind: 'ok', value: 2 });
    const failed = await sandbox.drive(functions.invoke('finish', { step: 'failing' }));
    expect(failed).toMatchObject({ kind: 'error', errorType: 'TypeError', errorMessage: 'not this way' });
    expect(await sandbox.drive(functions.invoke('finish', { step: 'environment' }))).toMatchObject({
      kind: 'ok',
      value: { event: { step: 'environment' }, name: 'finish', region: 'eu-west-1', leftMs: 10_000 },
    });
  });
});

describe('a stack in live time', () => {
  const live = async (speed = 1): Promise<Sandbox> => {
    sandbox = await startSandbox({ mode: 'live', spec, assembly, speed });
    return sandbox;
  };
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    const lastMs = Date.now() + 12_000;
    while (!(await holds())) {
      if (Date.now() > lastMs) throw new Error('It did not come about in time.');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const client = () => ({ endpoint: sandbox.url!, region: 'eu-west-1', credentials: { accessKeyId: 'me', secretAccessKey: 'x' } });

  it('serves real clients over HTTP, and runs functions in threads of their own', async () => {
    await live(10);
    const events = new EventBridgeClient(client());
    const put = await events.send(new PutEventsCommand({ Entries: [{ Source: 'shop', DetailType: 'Order', Detail: '{"id":"one"}' }] }));
    expect(put.FailedEntryCount).toBe(0);
    const large = { Source: 'shop', DetailType: 'Order', Detail: JSON.stringify({ id: 'x'.repeat(140_000) }) };
    await expect(events.send(new PutEventsCommand({ Entries: [large, large] }))).rejects.toThrow('Total size of the entries');
    const refused = await events.send(new PutEventsCommand({ Entries: [{ Source: 'aws.ec2', DetailType: 'Order', Detail: '{}' }] }));
    expect(refused.Entries?.[0]?.ErrorCode).toBe('NotAuthorizedForSourceException');
    await until(() => sandbox.executions().some(({ status }) => status === 'SUCCEEDED'));

    const { Item } = await new DynamoDBClient(client()).send(new GetItemCommand({ TableName: 'shop-items', Key: { id: { S: 'one' } } }));
    expect(Math.abs(Number(Item?.finishedAtMs?.N) - sandbox.clock.now())).toBeLessThan(60_000);
    const sfn = new SFNClient(client());
    const stateMachineArn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:finishing';
    const { executions } = await sfn.send(new ListExecutionsCommand({ stateMachineArn }));
    expect(executions).toMatchObject([{ name: 'one', status: 'SUCCEEDED' }]);
    const { events: history } = await sfn.send(new GetExecutionHistoryCommand({ executionArn: executions?.[0]?.executionArn }));
    expect(history?.map(({ type }) => type)).toContain('TaskSucceeded');

    const sqs = new SQSClient(client());
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: 'orders-dlq' }));
    expect(QueueUrl).toBe(`${sandbox.url}/123456789012/orders-dlq`);
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    expect((await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.[0]?.Body).toBe('hello');
  });

  it('kills a function over a call, and starts it anew', async () => {
    await live();
    const { functions } = sandbox.platform;
    expect(await functions.invoke('finish', { count: true })).toEqual({ kind: 'ok', value: 1 });
    expect(await functions.invoke('finish', { count: true })).toEqual({ kind: 'ok', value: 2 });
    sandbox.setFaults([{ on: 'call', kind: 'crash-caller', when: 'before', match: { operation: 'UpdateItem' }, times: 1 }]);
    expect(await functions.invoke('finish', { id: 'x' })).toMatchObject({ kind: 'error', errorType: 'Runtime.ExitError' });
    expect(await functions.invoke('finish', { count: true })).toEqual({ kind: 'ok', value: 1 });
    expect(await functions.invoke('finish', { step: 'failing' })).toMatchObject({ kind: 'error', errorType: 'TypeError' });
    expect(await functions.invoke('finish', { id: 'x' })).toEqual({ kind: 'ok', value: { finished: 'x' } });
  });
});
