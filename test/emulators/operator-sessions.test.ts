import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../scripts/emulators/run-command.ts';
import { eventually } from './eventually.ts';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.ts';

const awsCli = process.env.HOLDFAST_AWS_CLI ?? '';
let sandbox: SandboxProcess;

beforeAll(async () => {
  sandbox = await startSandboxProcess(20);
});

afterAll(() => sandbox?.stop());

const operatorEnv = (): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  PYTHONDONTWRITEBYTECODE: '1',
  AWS_ENDPOINT_URL: sandbox.url,
  AWS_DEFAULT_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'any',
  AWS_SECRET_ACCESS_KEY: 'any',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_PAGER: '',
});

const say = async (command: string, args: readonly string[]): Promise<string> => {
  const { code, output } = await runCommand(command, args, { env: operatorEnv(), timeoutMs: 110_000 });
  if (code !== 0) throw new Error(`${args.slice(0, 2).join(' ')} ended with ${code}: ${output}`);
  return output;
};

/** Plays a session in Python; what it prints at its end is its report. */
const play = async (session: string) =>
  JSON.parse(await say(join(dirname(awsCli), 'python'), [join(import.meta.dirname, 'sessions', `${session}.py`)]));

// biome-ignore lint/suspicious/noExplicitAny: answers are of as many shapes as there are calls.
const aws = async (...args: readonly string[]): Promise<any> => {
  const output = await say(awsCli, [...args, '--output', 'json']);
  return output === '' ? undefined : JSON.parse(output);
};

const wholeDrain = (history: readonly string[]): void => {
  expect([history[0], history.at(-1)]).toEqual(['ExecutionStarted', 'ExecutionSucceeded']);
  expect(history).toEqual(expect.arrayContaining(['TaskSucceeded', 'ChoiceStateExited', 'WaitStateExited']));
};

describe('an operator with boto3', () => {
  test('keeps a group by tag: puts a policy as a map, loses a member to EC2 and one by hand, and reads what was done', async () => {
    const told = await play('own_group');
    expect(told).toMatchObject({
      template: 1,
      accepted: 'Version 1 is in force.',
      version: 1,
      spot: 3,
      warned: { done: [told.taken], unknown: [] },
      drain: 'SUCCEEDED',
      serving: 3,
      unknown: 'InvalidInstanceID.NotFound',
    });
    expect(told.rejected).toContain('size');
    expect(told.groups).toEqual(['accepted', 'policy', 'status', 'version#000001']);
    expect(told.swaps).toHaveLength(1);
    expect(told.decisions).toBeGreaterThanOrEqual(3);
    wholeDrain(told.history);
  });

  test('keeps a group in single-market Auto Scaling groups: puts a policy as YAML, loses a member to EC2 and one by hand', async () => {
    const told = await play('single_market');
    expect(told).toMatchObject({
      rejected: '',
      accepted: 'Version 1 is in force.',
      first: { 'batch-spot-a': 2, 'batch-spot-b': 2, 'batch-od-c': 0 },
      drain: 'SUCCEEDED',
      groups: ['accepted', 'policy', 'status', 'version#000001'],
      serving: 4,
    });
    expect(told.swaps).toHaveLength(1);
    wholeDrain(told.history);
  });
});

describe('an operator with the AWS CLI', () => {
  const key = (item: string) => JSON.stringify({ group: { S: 'api' }, item: { S: item } });
  const putPolicy = (policy: string) =>
    aws('dynamodb', 'put-item', '--table-name', 'holdfast-groups', '--item', JSON.stringify({ ...JSON.parse(key('policy')), policy: { S: policy } }));
  const status = (wanted: string) =>
    eventually(`api is ${wanted}`, async () => {
      const { Item } = (await aws('dynamodb', 'get-item', '--table-name', 'holdfast-groups', '--key', key('status'), '--consistent-read')) ?? {};
      return Item?.status.S === wanted && Item;
    });
  const healthy = async (arn: string): Promise<readonly string[]> =>
    aws(
      'elbv2',
      'describe-target-health',
      '--target-group-arn',
      arn,
      '--query',
      "TargetHealthDescriptions[?TargetHealth.State=='healthy'].Target.Id",
    );
  const described = async () => (await aws('autoscaling', 'describe-auto-scaling-groups', '--auto-scaling-group-names', 'api')).AutoScalingGroups[0];
  /** The members in service, once there are as many as wanted, all of them healthy and none of them gone. */
  const serving = (arn: string, wanted: number, gone?: string) =>
    eventually(`${wanted} members serve`, async () => {
      const { Instances } = await described();
      const ids: string[] = Instances.filter((it: { LifecycleState: string }) => it.LifecycleState === 'InService').map(
        (it: { InstanceId: string }) => it.InstanceId,
      );
      const well = await healthy(arn);
      return ids.length === wanted && !ids.includes(gone ?? '') && ids.every((id) => well.includes(id)) && ids;
    });
  const policy = `
group: api
size: 3
asg: api
capacity: { tiered: [{ spread: [a, b] }, c] }
defaults: { launchTemplate: api, instanceTypes: [m7g.large] }
pools:
  a: { market: spot, subnets: [subnet-a] }
  b: { market: spot, subnets: [subnet-b] }
  c: { market: on-demand, subnets: [subnet-c] }
drain: { timeout: 30s }
`;
  const template = JSON.stringify({ ImageId: 'ami-0123456789abcdef0', InstanceType: 'm7g.large' });

  const createGroup = async (): Promise<string> => {
    await aws('ec2', 'create-launch-template', '--launch-template-name', 'api', '--launch-template-data', template);
    const vpc: string = await aws('ec2', 'describe-subnets', '--subnet-ids', 'subnet-a', '--query', 'Subnets[0].VpcId');
    await aws('elbv2', 'create-target-group', '--name', 'api', '--protocol', 'HTTP', '--port', '80', '--vpc-id', vpc);
    // A new target group has no load balancer, so its targets would never be healthy: the group serves the one that has.
    const arn: string = await aws('elbv2', 'describe-target-groups', '--names', 'web', '--query', 'TargetGroups[0].TargetGroupArn');
    const sizes = ['--min-size', '0', '--max-size', '4', '--desired-capacity', '0'];
    const places = ['--launch-template', 'LaunchTemplateName=api', '--vpc-zone-identifier', 'subnet-a,subnet-b,subnet-c'];
    await aws('autoscaling', 'create-auto-scaling-group', '--auto-scaling-group-name', 'api', ...sizes, ...places, '--target-group-arns', arn);
    return arn;
  };

  const interrupt = async (id: string): Promise<unknown> =>
    (await fetch(`${sandbox.url}/_sandbox/interrupt`, { method: 'POST', body: JSON.stringify({ instanceIds: [id] }) })).json();

  const endedDrain = (id: string): Promise<string> =>
    eventually(`a drain of ${id} has ended`, async () => {
      const machine: string = await aws('stepfunctions', 'list-state-machines', '--query', 'stateMachines[0].stateMachineArn');
      const { executions } = await aws('stepfunctions', 'list-executions', '--state-machine-arn', machine, '--status-filter', 'SUCCEEDED');
      for (const { executionArn } of executions) {
        const { input } = await aws('stepfunctions', 'describe-execution', '--execution-arn', executionArn);
        if (input.includes(id)) return executionArn;
      }
      return undefined;
    });

  test('keeps a group attached to an Auto Scaling group: puts a policy as YAML, loses a member to EC2, and reads what was done', async () => {
    const arn = await createGroup();
    await putPolicy(policy.replace('size: 3', 'size: -1'));
    const { problems } = await status('rejected');
    expect(problems.L[0].M.path.S).toBe('size');
    await putPolicy(policy);
    expect((await status('accepted')).message.S).toBe('Version 1 is in force.');

    const [taken = ''] = await serving(arn, 3);
    expect(await described()).toMatchObject({ MinSize: 0, MaxSize: 4, DesiredCapacity: 3 });
    expect(await interrupt(taken)).toEqual({ done: [taken], unknown: [] });
    await serving(arn, 3, taken);
    const executionArn = await endedDrain(taken);
    wholeDrain(await aws('stepfunctions', 'get-execution-history', '--execution-arn', executionArn, '--query', 'events[].type'));

    const swap = JSON.stringify({ group: { S: 'api' }, item: { S: `swap#${taken}` } });
    const { Item } = await aws('dynamodb', 'get-item', '--table-name', 'holdfast-state', '--key', swap);
    expect(Item.group.S).toBe('api');
    const gone = await aws('ec2', 'describe-instances', '--instance-ids', taken, '--query', 'Reservations[0].Instances[0].State.Name');
    expect(['shutting-down', 'terminated']).toContain(gone);
    await eventually('the maximum stands where it was', async () => {
      const { MaxSize, DesiredCapacity } = await described();
      return MaxSize === 4 && DesiredCapacity === 3;
    });
  });

  test('finds the dead-letter queue empty; version 1 of the CLI must be told the address for SQS', async () => {
    const address = ['--endpoint-url', sandbox.url];
    const url: string = await aws('sqs', 'get-queue-url', '--queue-name', 'holdfast-signals-dlq', '--query', 'QueueUrl', ...address);
    const { Attributes } = await aws(
      'sqs',
      'get-queue-attributes',
      '--queue-url',
      url,
      '--attribute-names',
      'ApproximateNumberOfMessages',
      ...address,
    );
    expect(Attributes).toEqual({ ApproximateNumberOfMessages: '0' });
  });

  test('is told by name what is wrong', async () => {
    await expect(aws('autoscaling', 'set-desired-capacity', '--auto-scaling-group-name', 'none', '--desired-capacity', '1')).rejects.toThrow(
      'ValidationError',
    );
    await expect(aws('ec2', 'describe-vpcs')).rejects.toThrow('The sandbox does not simulate ec2:DescribeVpcs.');
  });
});
