import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException, DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DescribeExecutionCommand, ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { QueueDoesNotExist, ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { ApiError } from '../../../sandbox/api.ts';
import { cloudOf, direct, recordingService, type Seen } from './stand-in.ts';

const QueueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/signals';

test('SQS: batches with attributes pass, and blobs come back as bytes', async () => {
  const seen: Seen[] = [];
  const md5 = createHash('md5').update('hello').digest('hex');
  const answers = {
    SendMessageBatch: { Successful: [{ Id: '1', MessageId: 'm-1', MD5OfMessageBody: md5 }], Failed: [] },
    ReceiveMessage: {
      Messages: [
        { MessageId: 'm-1', Body: 'hello', MD5OfBody: md5, MessageAttributes: { raw: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) } } },
      ],
    },
  };
  const client = new SQSClient(direct(cloudOf([recordingService('sqs', answers, seen)])));
  const Entries = [
    { Id: '1', MessageBody: 'hello', DelaySeconds: 5, MessageAttributes: { raw: { DataType: 'Binary', BinaryValue: new Uint8Array([3]) } } },
  ];
  expect(await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).toMatchObject(answers.SendMessageBatch);
  expect(seen[0]?.input).toEqual({ QueueUrl, Entries });
  const received = await client.send(new ReceiveMessageCommand({ QueueUrl }));
  expect(received.Messages?.[0]?.MessageAttributes?.raw?.BinaryValue).toEqual(new Uint8Array([1, 2]));
});

test('SQS errors are typed and keep the code of the older protocol', async () => {
  const client = new SQSClient(direct(cloudOf([recordingService('sqs', { ReceiveMessage: new ApiError('QueueDoesNotExist', 'No such queue') })])));
  const call = client.send(new ReceiveMessageCommand({ QueueUrl }));
  await expect(call).rejects.toBeInstanceOf(QueueDoesNotExist);
  await expect(call).rejects.toMatchObject({ Error: { Code: 'AWS.SimpleQueueService.NonExistentQueue', Type: 'Sender' } });
});

test('Step Functions: dates are dates on both sides, errors are typed', async () => {
  const executionArn = 'arn:aws:states:eu-west-1:123456789012:execution:drain:d-1';
  const startDate = new Date('2026-01-01T00:00:00.250Z');
  const description = { executionArn, stateMachineArn: 'arn:machine', status: 'RUNNING', startDate };
  const answers = { StartExecution: new ApiError('ExecutionAlreadyExists', 'Execution Already Exists'), DescribeExecution: description };
  const client = new SFNClient(direct(cloudOf([recordingService('states', answers)])));
  expect(await client.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject(description);
  const start = client.send(new StartExecutionCommand({ stateMachineArn: 'arn:machine', name: 'd-1', input: '{}' }));
  await expect(start).rejects.toBeInstanceOf(ExecutionAlreadyExists);
});

test('EventBridge: entries with times pass, partial failures come back', async () => {
  const seen: Seen[] = [];
  const answer = { FailedEntryCount: 1, Entries: [{ EventId: 'e-1' }, { ErrorCode: 'InternalFailure', ErrorMessage: 'try again' }] };
  const client = new EventBridgeClient(direct(cloudOf([recordingService('events', { PutEvents: answer }, seen)])));
  const Entries = [{ Source: 'holdfast', DetailType: 'Holdfast Fallback', Detail: '{}', Time: new Date('2026-01-01T00:00:01Z') }, { Source: 'x' }];
  expect(await client.send(new PutEventsCommand({ Entries }))).toMatchObject(answer);
  expect(seen[0]?.input).toEqual({ Entries });
});

test('DynamoDB: the JSON of the wire is passed on as it is; errors are typed and keep their members', async () => {
  const seen: Seen[] = [];
  const failed = new ApiError('ConditionalCheckFailedException', 'The conditional request failed', 400, { Item: { group: { S: 'workers' } } });
  const client = new DynamoDBClient(direct(cloudOf([recordingService('dynamodb', { GetItem: { Item: { n: { N: '1' } } }, PutItem: failed }, seen)])));
  const output = await client.send(new GetItemCommand({ TableName: 't', Key: { group: { S: 'workers' } } }));
  expect(output.Item).toEqual({ n: { N: '1' } });
  expect(seen[0]?.input).toEqual({ TableName: 't', Key: { group: { S: 'workers' } } });
  const put = client.send(new PutItemCommand({ TableName: 't', Item: { raw: { B: new Uint8Array([1]) } } }));
  await expect(put).rejects.toBeInstanceOf(ConditionalCheckFailedException);
  await expect(put).rejects.toMatchObject({ Item: { group: { S: 'workers' } } });
  expect(seen[1]?.input).toEqual({ TableName: 't', Item: { raw: { B: 'AQ==' } } });
});
