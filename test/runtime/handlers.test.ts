import { describe, expect, test } from 'vitest';
import { env, type FunctionBundle, type Surroundings } from '../../core/contract.ts';
import { create as createAcceptPolicy } from '../../functions/accept-policy/handler.ts';
import { create as createBeginDrain } from '../../functions/begin-drain/handler.ts';
import { create as createCheckDrain } from '../../functions/check-drain/handler.ts';
import { create as createEndDrain } from '../../functions/end-drain/handler.ts';
import { create as createReact } from '../../functions/react/handler.ts';
import { create as createTick } from '../../functions/tick/handler.ts';

const nowMs = Date.UTC(2026, 10, 20, 12);
const context = { awsRequestId: 'r', functionName: 'f', getRemainingTimeInMillis: () => 30_000 };
const variables = {
  [env.name]: 'prod',
  [env.groupsTable]: 'groups',
  [env.stateTable]: 'state',
  [env.signalsQueueUrl]: 'https://sqs.eu-west-1.amazonaws.com/1/signals',
  [env.drainStateMachineArn]: 'arn:aws:states:eu-west-1:1:stateMachine:drain',
  [env.eventBusName]: 'bus',
};

type SentRequest = { readonly headers: Readonly<Record<string, string>>; readonly body?: unknown };
type Sent = { readonly operation: string; readonly input: Readonly<Record<string, unknown>> };
type Reply = (sent: Sent) => Readonly<Record<string, unknown>> | { readonly fails: string };

/** The services with JSON protocols, as far as a function needs them: what each call sent, and its response. */
const wireOf = (reply: Reply) => {
  const sent: Sent[] = [];
  const handle = async ({ headers, body }: SentRequest) => {
    const target = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-amz-target')?.[1] ?? 'Unknown.Unknown';
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
    const one = { operation: target.split('.')[1] ?? '', input: JSON.parse(text) as Sent['input'] };
    sent.push(one);
    const answer = reply(one);
    const content = 'fails' in answer ? { __type: `com.amazonaws#${answer.fails}`, message: 'No.' } : answer;
    const response = {
      statusCode: 'fails' in answer ? 400 : 200,
      headers: { 'content-type': headers['content-type'] ?? 'application/x-amz-json-1.0' },
      body: new TextEncoder().encode(JSON.stringify(content)),
    };
    return { response };
  };
  const requestHandler = { handle, destroy: () => {}, httpHandlerConfigs: () => ({}), updateHttpClientConfig: () => {} };
  return { sent, requestHandler };
};

/** Runs one invocation of a function, and returns its result, its calls, and the values that it counted. */
const invoked = async (create: FunctionBundle['create'], event: unknown, reply: Reply = () => ({})) => {
  const { sent, requestHandler } = wireOf(reply);
  const counted: string[] = [];
  const surroundings: Surroundings = {
    id: 'environment',
    env: variables,
    now: () => nowMs,
    elapsedMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    clientConfig: { region: 'eu-west-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, requestHandler },
    quiet: true,
    onMetric: (metric, value) => void counted.push(`${metric} ${value}`),
  };
  return { result: await create(surroundings)(event, context), sent, counted };
};
const operations = (sent: readonly Sent[]) => sent.map(({ operation, input }) => `${operation} ${input.TableName ?? input.QueueUrl ?? ''}`.trim());

describe('the function react', () => {
  const record = (messageId: string, body: unknown) => ({
    messageId,
    receiptHandle: `receipt of ${messageId}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:signals',
    attributes: { SentTimestamp: String(nowMs), ApproximateFirstReceiveTimestamp: String(nowMs + 4_000) },
  });
  const written = (group: string) => ({
    version: '0',
    id: 'e-1',
    'detail-type': 'Holdfast Policy Change',
    source: 'holdfast',
    account: '123456789012',
    time: new Date(nowMs).toISOString(),
    region: 'eu-west-1',
    resources: [],
    detail: { group },
  });

  test('acknowledges a message that it cannot read, and counts it', async () => {
    const { result, counted, sent } = await invoked(createReact, { Records: [record('m-1', 'no JSON')] });
    expect(result).toEqual({ batchItemFailures: [] });
    expect(counted).toEqual(['PoisonMessages 1', 'Problems 1']);
    expect(sent).toEqual([]);
  });

  test('counts its time from when its messages were received, which a wake was long after it was sent', async () => {
    const wake = { ...written('web'), 'detail-type': 'Holdfast Tick' };
    const late = { ...record('m-1', wake), attributes: { SentTimestamp: String(nowMs), ApproximateFirstReceiveTimestamp: String(nowMs + 90_000) } };
    const signalsLate = async (one: unknown) => (await invoked(createReact, { Records: [one, record('m-2', 'no JSON')] })).counted;
    expect(await signalsLate({ ...late, body: JSON.stringify(written('web')) })).toContain('SignalsLate 1');
    expect(await signalsLate(record('m-1', written('web')))).not.toContain('SignalsLate 1');
  });

  test('returns the messages of a group that fails, so that the queue delivers them again', async () => {
    const { result, counted } = await invoked(createReact, { Records: [record('m-1', 'no JSON'), record('m-2', written('web'))] }, () => ({
      fails: 'ResourceNotFoundException',
    }));
    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-2' }] });
    expect(counted).toContain('GroupsFailed 1');
  });

  test('is done with a group that has no policy and no state, after it read both tables', async () => {
    const { result, sent } = await invoked(createReact, { Records: [record('m-2', written('web'))] });
    expect(result).toEqual({ batchItemFailures: [] });
    expect(new Set(sent.map(({ input }) => input.TableName))).toEqual(new Set(['groups', 'state']));
  });

  test('fails where its event is no batch of a queue', async () => {
    for (const event of [{}, { Records: [{ messageId: 'm-1', body: '{}' }] }, { Records: [{ ...record('m-1', '{}'), attributes: {} }] }])
      await expect(invoked(createReact, event)).rejects.toThrow();
  });
});

test('the function tick reads the registry, and sends a message also without groups', async () => {
  const { result, sent } = await invoked(createTick, {});
  expect(result).toEqual({ groups: 0 });
  expect(operations(sent)).toEqual(['Query groups', 'SendMessageBatch https://sqs.eu-west-1.amazonaws.com/1/signals']);
  const [entry] = (sent[1]?.input.Entries ?? []) as readonly { readonly MessageBody: string }[];
  expect(JSON.parse(entry?.MessageBody ?? '')).toMatchObject({ 'detail-type': 'Holdfast Tick', detail: { groups: [], isScheduled: true } });
});

describe('the steps of a drain whose group and members are gone', () => {
  const drain = { group: 'web', drain: 'd-1' };

  test('end it, and count nothing as failed', async () => {
    const begun = await invoked(createBeginDrain, drain);
    expect([begun.result, begun.counted]).toEqual([{ next: 'end' }, []]);
    expect(begun.sent.map(({ input }) => input.TableName)).toEqual(expect.arrayContaining(['state']));
    const checked = await invoked(createCheckDrain, { ...drain, step: { untilIso: new Date(nowMs).toISOString() } });
    expect([checked.result, checked.counted]).toEqual([{ next: 'end' }, []]);
    const ended = await invoked(createEndDrain, { ...drain, error: { Error: 'States.TaskFailed', Cause: '{"errorMessage":"Died."}' } });
    expect([ended.result, ended.counted]).toEqual([{ next: 'over', drained: 0, gone: 0, ended: 0, late: 0, failed: 0 }, []]);
  });

  test('fail where their input is no order of a drain, and count that themselves', async () => {
    for (const create of [createBeginDrain, createCheckDrain, createEndDrain]) await expect(invoked(create, { group: 'web' })).rejects.toThrow();
  });
});

describe('the function accept-policy', () => {
  test('looks policies up again when its schedule invokes it', async () => {
    const event = { 'detail-type': 'Scheduled Event', time: new Date(nowMs).toISOString() };
    const { result, sent } = await invoked(createAcceptPolicy, event);
    expect(result).toEqual({ waited: 0, groups: 0 });
    expect(operations(sent)).toEqual(['Query groups', 'Query groups']);
  });

  test('reads the policy of a group whose item changed, and returns records that failed', async () => {
    const changed = { dynamodb: { SequenceNumber: '1', Keys: { group: { S: 'web' }, item: { S: 'policy' } } }, eventName: 'MODIFY' };
    const { result, sent } = await invoked(createAcceptPolicy, { Records: [changed] }, () => ({ fails: 'ResourceNotFoundException' }));
    expect(result).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(new Set(sent.map(({ input }) => input.TableName))).toEqual(new Set(['groups']));
  });
});

test('a function that is wired without its variables fails, and its error names the missing one', async () => {
  const surroundings = {
    id: 'environment',
    env: {},
    now: () => nowMs,
    elapsedMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    clientConfig: {},
    quiet: true,
  };
  for (const create of [createReact, createTick, createBeginDrain, createEndDrain, createAcceptPolicy])
    expect(() => create(surroundings)).toThrow(/^Environment variable HOLDFAST_\w+ is not set/);
});
