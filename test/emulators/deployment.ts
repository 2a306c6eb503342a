import { CreateLaunchTemplateCommand, CreateSubnetCommand, CreateVpcCommand, DescribeInstancesCommand, type Instance } from '@aws-sdk/client-ec2';
import { CreateTargetGroupCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { ListExecutionsCommand, ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { DeleteMessageCommand, GetQueueAttributesCommand, GetQueueUrlCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { createDocumentClient, createEc2Client, createElbClient, createSfnClient, createSqsClient } from '../../aws/calls/clients.ts';
import { groupTagValue, items, tags } from '../../core/contract.ts';
import { eventually } from './eventually.ts';

type Clients = ReturnType<typeof clientsOf>;

const clientsOf = (url: string) => {
  const config = { endpoint: url, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
  return {
    ec2: createEc2Client(config),
    elb: createElbClient(config),
    sqs: createSqsClient(config),
    sfn: createSfnClient(config),
    tables: createDocumentClient(config),
  };
};

/** What a user has before Holdfast: two subnets, a launch template, a target group. */
const furnish = async ({ ec2, elb }: Clients) => {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.9.0.0/16' }));
  const VpcId = Vpc?.VpcId ?? '';
  const subnet = async (zone: string, CidrBlock: string): Promise<string> => {
    const { Subnet } = await ec2.send(new CreateSubnetCommand({ VpcId, AvailabilityZone: zone, CidrBlock }));
    return Subnet?.SubnetId ?? '';
  };
  const subnets = [await subnet('us-east-1a', '10.9.1.0/24'), await subnet('us-east-1b', '10.9.2.0/24')] as const;
  const LaunchTemplateData = { ImageId: 'ami-0123456789abcdef0', InstanceType: 'm7g.large' as const };
  await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: 'web', LaunchTemplateData }));
  const { TargetGroups } = await elb.send(new CreateTargetGroupCommand({ Name: 'web', Protocol: 'HTTP', Port: 80, VpcId }));
  return { subnets, targetGroup: TargetGroups?.[0]?.TargetGroupArn ?? '' };
};

/** An operator's view of the deployed stack, through AWS's own APIs alone. */
export const openDeployment = async (url: string) => {
  const clients = clientsOf(url);
  const { sqs, sfn, tables, ec2 } = clients;
  const ground = await furnish(clients);
  const item = async (table: 'groups' | 'state', group: string, name: string) =>
    (await tables.send(new GetCommand({ TableName: `holdfast-${table}`, Key: { group, item: name } }))).Item;

  const queueUrl = async (name: string): Promise<string> => (await sqs.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl ?? '';

  return {
    ...ground,
    item,
    putPolicy: (policy: Readonly<Record<string, unknown>>) =>
      tables.send(new PutCommand({ TableName: 'holdfast-groups', Item: { group: policy.group, item: items.policy, policy } })),

    /** The group's status, when it is about what was written after `sinceMs`. */
    statusSince: (group: string, sinceMs: number) =>
      eventually(`a status of ${group}`, async () => {
        const status = await item('groups', group, items.status);
        return Number(status?.atMs ?? 0) >= sinceMs ? status : undefined;
      }),

    async instances(group: string): Promise<readonly Instance[]> {
      const Filters = [{ Name: `tag:${tags.group}`, Values: [groupTagValue('holdfast', group)] }];
      const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters }));
      const found = Reservations.flatMap(({ Instances = [] }) => Instances);
      return found.filter(({ State }) => State?.Name === 'running' || State?.Name === 'pending');
    },

    async stateItems(group: string): Promise<readonly Record<string, unknown>[]> {
      const query = { KeyConditionExpression: '#g = :g', ExpressionAttributeNames: { '#g': 'group' }, ExpressionAttributeValues: { ':g': group } };
      return (await tables.send(new QueryCommand({ TableName: 'holdfast-state', ...query }))).Items ?? [];
    },

    /** Puts a text on the signals queue, as EventBridge would. */
    signal: async (body: unknown): Promise<void> => {
      const MessageBody = typeof body === 'string' ? body : JSON.stringify(body);
      await sqs.send(new SendMessageCommand({ QueueUrl: await queueUrl('holdfast-signals'), MessageBody }));
    },

    /** Messages of a queue: waiting, and taken but not acknowledged. */
    async depth(name: string): Promise<{ readonly waiting: number; readonly taken: number }> {
      const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const command = new GetQueueAttributesCommand({ QueueUrl: await queueUrl(name), AttributeNames: [...AttributeNames] });
      const { Attributes: found } = await sqs.send(command);
      return { waiting: Number(found?.ApproximateNumberOfMessages), taken: Number(found?.ApproximateNumberOfMessagesNotVisible) };
    },

    /** Writes an item by hand, as nobody should. */
    putItem: async (table: 'groups' | 'state', Item: Readonly<Record<string, unknown>>): Promise<void> => {
      await tables.send(new PutCommand({ TableName: `holdfast-${table}`, Item }));
    },

    /** Takes every message off the dead-letter queue and sends it again, as StartMessageMoveTask does. Returns the messages. */
    async redrive(): Promise<readonly { readonly body: string; readonly receives: number }[]> {
      const [QueueUrl, home] = [await queueUrl('holdfast-signals-dlq'), await queueUrl('holdfast-signals')];
      const moved: { body: string; receives: number }[] = [];
      for (;;) {
        const names = ['ApproximateReceiveCount'] as const;
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: [...names] }),
        );
        if (Messages.length === 0) return moved;
        for (const { Body = '', ReceiptHandle, Attributes: told } of Messages) {
          await sqs.send(new SendMessageCommand({ QueueUrl: home, MessageBody: Body }));
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
          // The receive that took it from here is one of them.
          moved.push({ body: Body, receives: Number(told?.ApproximateReceiveCount) - 1 });
        }
      }
    },

    async executions() {
      const { stateMachines = [] } = await sfn.send(new ListStateMachinesCommand({}));
      const drain = stateMachines.find(({ name }) => name === 'holdfast-drain');
      if (drain === undefined) return [];
      return (await sfn.send(new ListExecutionsCommand({ stateMachineArn: drain.stateMachineArn }))).executions ?? [];
    },

    close: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
};

export type Deployment = Awaited<ReturnType<typeof openDeployment>>;
