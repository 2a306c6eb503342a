import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AwsCli, awsClis, createAwsCli } from './aws-cli.ts';
import { eventually } from './eventually.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';
import { createCliSession, expectWholeDrain } from './sessions/cli-session.ts';

let sandbox: SandboxProcess;
beforeAll(async () => {
  sandbox = await startSandboxProcess(20);
});
afterAll(() => sandbox?.stop());

const interrupt = async (id: string): Promise<unknown> =>
  (await fetch(`${sandbox.url}/_sandbox/interrupt`, { method: 'POST', body: JSON.stringify({ instanceIds: [id] }) })).json();

describe.each(awsClis)('an operator with version $version of the AWS CLI', (cli) => {
  const name = `api-${cli.version}`;
  let aws: AwsCli;
  beforeAll(async () => {
    aws = createAwsCli(cli, sandbox.url);
  });

  test('keeps a group attached to an Auto Scaling group: puts a policy as YAML, loses a member to EC2, and reads what was done', async () => {
    const session = createCliSession(aws, name);
    const arn = await session.furnish();
    await session.putPolicy(-1);
    const { problems } = await session.status('rejected');
    expect(problems.L[0].M.path.S).toBe('size');
    await session.putPolicy(3);
    expect((await session.status('accepted')).message.S).toBe('Version 1 is in force.');

    const [taken = ''] = await session.serving(arn, 3);
    expect(await session.described()).toMatchObject({ MinSize: 0, MaxSize: 4, DesiredCapacity: 3 });
    expect(await interrupt(taken)).toEqual({ done: [taken], unknown: [] });
    await session.serving(arn, 3, taken);
    const executionArn = await session.endedDrain(taken);
    expectWholeDrain(await aws('stepfunctions', 'get-execution-history', '--execution-arn', executionArn, '--query', 'events[].type'));

    expect(await session.items('groups')).toEqual(['accepted', 'policy', 'status', 'version#000001']);
    expect(await session.items('state')).toEqual(expect.arrayContaining(['state', expect.stringMatching(/^decision#/)]));
    expect((await session.items('state')).filter((item) => item.endsWith(`#${taken}`))).toHaveLength(1);
    const gone = await aws('ec2', 'describe-instances', '--instance-ids', taken, '--query', 'Reservations[0].Instances[0].State.Name');
    expect(['shutting-down', 'terminated']).toContain(gone);
    await eventually('the maximum stands where it was', async () => {
      const { MaxSize, DesiredCapacity } = await session.described();
      return MaxSize === 4 && DesiredCapacity === 3;
    });
  });

  test('finds what the stack made: tables, rules, the state machine', async () => {
    expect((await aws('dynamodb', 'list-tables')).TableNames).toEqual(['holdfast-groups', 'holdfast-state']);
    const { Table } = await aws('dynamodb', 'describe-table', '--table-name', 'holdfast-state');
    expect(Table).toMatchObject({ TableStatus: 'ACTIVE', GlobalSecondaryIndexes: [{ IndexName: 'by-instance' }] });
    expect(await aws('events', 'list-rules', '--query', 'Rules[].Name')).toContain('holdfast-interruption');
    const machine: string = await aws('stepfunctions', 'list-state-machines', '--query', 'stateMachines[0].stateMachineArn');
    expect(await aws('stepfunctions', 'describe-state-machine', '--state-machine-arn', machine)).toMatchObject({ type: 'STANDARD' });
  });

  const deadLetters = async (): Promise<object> => {
    const url: string = await aws('sqs', 'get-queue-url', '--queue-name', 'holdfast-signals-dlq', '--query', 'QueueUrl');
    return aws('sqs', 'get-queue-attributes', '--queue-url', url, '--attribute-names', 'ApproximateNumberOfMessages', '--query', 'Attributes');
  };
  const speaksJson = cli.version === 1;
  test(
    speaksJson
      ? 'finds the dead-letter queue empty'
      : 'gets an error that SQS is not available for it, because before 2.13 it uses a protocol that the sandbox does not have',
    async () => {
      if (speaksJson) expect(await deadLetters()).toEqual({ ApproximateNumberOfMessages: '0' });
      else await expect(deadLetters()).rejects.toThrow('The sandbox does not simulate sqs:GetQueueUrl.');
    },
  );

  test('gets the fault by its name', async () => {
    await expect(aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'none', '--desired-capacity', '1')).rejects.toThrow(
      'ValidationError',
    );
    await expect(aws('ec2', 'describe-vpcs')).rejects.toThrow('The sandbox does not simulate ec2:DescribeVpcs.');
  });
});
