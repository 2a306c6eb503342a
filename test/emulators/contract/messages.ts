import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { StartExecutionCommand, StopExecutionCommand } from '@aws-sdk/client-sfn';
import { ChangeMessageVisibilityBatchCommand, SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import { codeOf, isExecutionAlreadyStarted } from '../../../aws/calls/errors.ts';
import type { Cloud } from './cloud.ts';
import { type Expectation, refusal } from './expectation.ts';

const sqsApi = (operation: string): string => `https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_${operation}.html`;
const startSource = 'https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html';
const putEventsSource = 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html';

const entries = (count: number) => Array.from({ length: count }, (_, index) => ({ Id: String(index), MessageBody: 'contract' }));
const start = ({ sfn, stateMachineArn }: Cloud, name: string, input = '{}', arn = stateMachineArn) =>
  sfn.send(new StartExecutionCommand({ stateMachineArn: arn, name, input }));
const event = (Detail: string) => ({ EventBusName: 'default', Source: 'holdfast', DetailType: 'Holdfast Contract', Detail });

const queues: readonly Expectation[] = [
  {
    call: 'SendMessage',
    rule: 'takes a message with a delay of up to 900 seconds',
    source: sqsApi('SendMessage'),
    async check({ sqs, queueUrl }) {
      const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'contract', DelaySeconds: 900 }));
      expect(MessageId).toEqual(expect.any(String));
    },
  },
  {
    call: 'SendMessage',
    rule: 'with a longer delay fails with InvalidParameterValue',
    source: sqsApi('SendMessage'),
    differs: { ministack: 'it is accepted' },
    async check({ sqs, queueUrl }) {
      const error = await refusal(sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: 'contract', DelaySeconds: 901 })));
      expect(codeOf(error)).toBe('InvalidParameterValue');
    },
  },
  {
    call: 'SendMessageBatch',
    rule: 'takes ten entries and returns a result for each by its id, with refused entries under Failed',
    source: sqsApi('SendMessageBatch'),
    async check({ sqs, queueUrl }) {
      const { Successful = [], Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries(10) }));
      expect(Successful.map(({ Id }) => Id).toSorted()).toEqual(entries(10).map(({ Id }) => Id));
      expect(Failed).toEqual([]);
    },
  },
  {
    call: 'SendMessageBatch',
    rule: 'with an entry that is not valid takes the others and names it under Failed',
    source: sqsApi('SendMessageBatch'),
    differs: { ministack: 'a delay beyond the limit is accepted' },
    async check({ sqs, queueUrl }) {
      const Entries = [...entries(1), { Id: 'late', MessageBody: 'contract', DelaySeconds: 901 }];
      const { Successful = [], Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      expect(Successful.map(({ Id }) => Id)).toEqual(['0']);
      expect(Failed).toMatchObject([{ Id: 'late', Code: 'InvalidParameterValue' }]);
    },
  },
  {
    call: 'SendMessageBatch',
    rule: 'with more than ten entries fails as a whole',
    source: sqsApi('SendMessageBatch'),
    async check({ sqs, queueUrl }) {
      const error = await refusal(sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: entries(11) })));
      expect(codeOf(error)).toMatch(/TooManyEntriesInBatchRequest/);
    },
  },
  {
    call: 'ChangeMessageVisibilityBatch',
    rule: 'returns a result for each entry by its id, and names one whose delivery is not known under Failed',
    source: sqsApi('ChangeMessageVisibilityBatch'),
    async check({ sqs, queueUrl }) {
      const Entries = [{ Id: 'lost', ReceiptHandle: 'a delivery that nobody knows', VisibilityTimeout: 60 }];
      const { Successful = [], Failed = [] } = await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
      expect([Successful, Failed.map(({ Id }) => Id)]).toEqual([[], ['lost']]);
    },
  },
];

const executions: readonly Expectation[] = [
  {
    call: 'StartExecution',
    rule: 'repeated with the same name and input while it runs returns the same execution',
    source: startSource,
    differs: { ministack: 'it fails with ExecutionAlreadyExists; a start that is repeated is taken for success by Holdfast either way' },
    async check(cloud) {
      const first = await start(cloud, 'same');
      expect((await start(cloud, 'same')).executionArn).toBe(first.executionArn);
    },
  },
  {
    call: 'StartExecution',
    rule: 'with a name that is taken and another input fails with ExecutionAlreadyExists',
    source: startSource,
    async check(cloud) {
      await start(cloud, 'taken');
      expect(isExecutionAlreadyStarted(await refusal(start(cloud, 'taken', '{"other":1}')))).toBe(true);
    },
  },
  {
    call: 'StartExecution',
    rule: 'with the name of an execution that has ended fails with ExecutionAlreadyExists, whatever the input',
    source: startSource,
    async check(cloud) {
      const { executionArn } = await start(cloud, 'ended');
      await cloud.sfn.send(new StopExecutionCommand({ executionArn }));
      expect(isExecutionAlreadyStarted(await refusal(start(cloud, 'ended')))).toBe(true);
    },
  },
  {
    call: 'StartExecution',
    rule: 'of a state machine that does not exist fails with StateMachineDoesNotExist',
    source: startSource,
    async check(cloud) {
      const arn = cloud.stateMachineArn.replace(/[^:]+$/, 'nobody');
      expect(codeOf(await refusal(start(cloud, 'nobody', '{}', arn)))).toBe('StateMachineDoesNotExist');
    },
  },
];

const events: readonly Expectation[] = [
  {
    call: 'PutEvents',
    rule: 'takes ten entries and returns an id for each, in their order',
    source: putEventsSource,
    async check({ events: bus }) {
      const answer = await bus.send(new PutEventsCommand({ Entries: Array.from({ length: 10 }, () => event('{"group":"contract"}')) }));
      expect(answer.FailedEntryCount).toBe(0);
      expect(answer.Entries?.map(({ EventId }) => typeof EventId)).toEqual(Array.from({ length: 10 }, () => 'string'));
    },
  },
  {
    call: 'PutEvents',
    rule: 'with an entry that is not valid takes the others and returns an ErrorCode for that one, in a successful response',
    source: putEventsSource,
    differs: { ministack: 'Detail that is no JSON is accepted' },
    async check({ events: bus }) {
      const answer = await bus.send(new PutEventsCommand({ Entries: [event('{}'), event('not JSON')] }));
      expect(answer.FailedEntryCount).toBe(1);
      expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([undefined, 'MalformedDetail']);
    },
  },
];

const tooMany: Expectation = {
  call: 'PutEvents',
  rule: 'with more than ten entries fails as a whole',
  source: putEventsSource,
  async check({ events: bus }) {
    const Entries = Array.from({ length: 11 }, () => event('{}'));
    expect(codeOf(await refusal(bus.send(new PutEventsCommand({ Entries }))))).toBe('ValidationException');
  },
};

export const messages: readonly Expectation[] = [...queues, ...executions, ...events, tooMany];
