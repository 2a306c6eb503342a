import { CreateAutoScalingGroupCommand, PutLifecycleHookCommand } from '@aws-sdk/client-auto-scaling';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateLaunchTemplateCommand, CreateSubnetCommand, CreateVpcCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { CreateListenerCommand, CreateLoadBalancerCommand, CreateTargetGroupCommand } from '@aws-sdk/client-elastic-load-balancing-v2';
import { CreateStateMachineCommand, ListStateMachinesCommand } from '@aws-sdk/client-sfn';
import { CreateQueueCommand, GetQueueUrlCommand } from '@aws-sdk/client-sqs';
import {
  createAutoScalingClient,
  createDocumentClient,
  createEc2Client,
  createElbClient,
  createEventBridgeClient,
  createSfnClient,
  createSqsClient,
} from '../../../aws/calls/clients.ts';
import { instanceIndex, keys } from '../../../core/contract.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/door.ts';
import type { WorldSpec } from '../../../sandbox/world/spec.ts';
import type { CloudName } from './cloud-names.ts';
import { type RunMachine, runByCalls, runInSandbox } from './machines.ts';

export const zones = ['us-east-1a', 'us-east-1b'] as const;
/** Group names, the same on every cloud. `held`: a terminate hook. */
export const groups = { plain: 'plain', held: 'held', full: 'full' } as const;
export const instanceType = 'm7g.large';
/** Has room for one instance; on our own cloud alone. */
export const smallSubnet = 'subnet-small';
export const stateTable = 'holdfast-state';

const clientsOf = (endpoint: string) => {
  const config = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' }, maxAttempts: 1 };
  return {
    ec2: createEc2Client(config),
    autoScaling: createAutoScalingClient(config),
    elb: createElbClient(config),
    sqs: createSqsClient(config),
    sfn: createSfnClient(config),
    events: createEventBridgeClient(config),
    tables: createDocumentClient(config),
    config,
  };
};

type Clients = ReturnType<typeof clientsOf>;

/** What a check finds in its cloud. */
export type Ground = {
  readonly vpc: string;
  readonly subnets: readonly [string, string];
  /** A target group that a listener sends requests to. */
  readonly usedTargetGroup: string;
  readonly template: { readonly id: string; readonly name: string };
  readonly queueUrl: string;
  readonly stateMachineArn: string;
};

export type Cloud = Clients &
  Ground & {
    readonly name: CloudName;
    /** Runs a state machine of its own to its end. */
    readonly runMachine: RunMachine;
    /** Changes what EC2 can give; only our own world supports this. */
    readonly world?: Sandbox['world'];
    /** Breaks calls; only our own cloud supports this. */
    readonly setFaults?: Sandbox['setFaults'];
    close(): Promise<void>;
  };

const templateName = 'contract';
const templateData = { ImageId: 'ami-0123456789abcdef0', InstanceType: instanceType } as const;

const createTemplate = async ({ ec2 }: Clients): Promise<Ground['template']> => {
  const { LaunchTemplate } = await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: templateName, LaunchTemplateData: templateData }));
  return { id: LaunchTemplate?.LaunchTemplateId ?? '', name: templateName };
};

const createGroups = async ({ autoScaling }: Clients, subnet: string): Promise<void> => {
  const sizes = { plain: [0, 4, 1], held: [0, 4, 1], full: [1, 1, 1] } as const;
  for (const [key, [MinSize, MaxSize, DesiredCapacity]] of Object.entries(sizes)) {
    await autoScaling.send(
      new CreateAutoScalingGroupCommand({
        AutoScalingGroupName: key,
        MinSize,
        MaxSize,
        DesiredCapacity,
        VPCZoneIdentifier: subnet,
        MixedInstancesPolicy: {
          LaunchTemplate: {
            LaunchTemplateSpecification: { LaunchTemplateName: templateName, Version: '$Default' },
            Overrides: [{ InstanceType: instanceType }],
          },
          InstancesDistribution: {
            OnDemandBaseCapacity: 0,
            OnDemandPercentageAboveBaseCapacity: 0,
            SpotAllocationStrategy: 'price-capacity-optimized',
          },
        },
      }),
    );
  }
  const LifecycleTransition = 'autoscaling:EC2_INSTANCE_TERMINATING';
  await autoScaling.send(
    new PutLifecycleHookCommand({
      AutoScalingGroupName: groups.held,
      LifecycleHookName: 'drain',
      LifecycleTransition,
      HeartbeatTimeout: 600,
      DefaultResult: 'CONTINUE',
    }),
  );
};

const createNetwork = async ({ ec2 }: Clients): Promise<Pick<Ground, 'vpc' | 'subnets'>> => {
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.8.0.0/16' }));
  const VpcId = Vpc?.VpcId ?? '';
  const subnet = async (AvailabilityZone: string, CidrBlock: string): Promise<string> =>
    (await ec2.send(new CreateSubnetCommand({ VpcId, AvailabilityZone, CidrBlock }))).Subnet?.SubnetId ?? '';
  return { vpc: VpcId, subnets: [await subnet(zones[0], '10.8.1.0/24'), await subnet(zones[1], '10.8.2.0/24')] };
};

/** The state table as the stack makes it. */
const createTable = async ({ config }: Clients): Promise<void> => {
  const client = new DynamoDBClient(config);
  const key = (AttributeName: string, KeyType: 'HASH' | 'RANGE') => ({ AttributeName, KeyType });
  await client.send(
    new CreateTableCommand({
      TableName: stateTable,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [key(keys.group, 'HASH'), key(keys.item, 'RANGE')],
      AttributeDefinitions: [keys.group, keys.item, instanceIndex.key].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexes: [
        { IndexName: instanceIndex.name, KeySchema: [key(instanceIndex.key, 'HASH')], Projection: { ProjectionType: 'KEYS_ONLY' } },
      ],
    }),
  );
  client.destroy();
};

const createMachine = async ({ sfn }: Clients): Promise<string> => {
  const States = { Hold: { Type: 'Wait', Seconds: 30, End: true } };
  const definition = JSON.stringify({ StartAt: 'Hold', States });
  const command = new CreateStateMachineCommand({ name: 'contract', definition, roleArn: 'arn:aws:iam::123456789012:role/contract' });
  return (await sfn.send(command)).stateMachineArn ?? '';
};

const createUsedTargetGroup = async ({ elb }: Clients, { vpc, subnets }: Pick<Ground, 'vpc' | 'subnets'>): Promise<string> => {
  const made = await elb.send(new CreateTargetGroupCommand({ Name: 'used', Protocol: 'HTTP', Port: 80, VpcId: vpc }));
  const TargetGroupArn = made.TargetGroups?.[0]?.TargetGroupArn ?? '';
  const { LoadBalancers } = await elb.send(new CreateLoadBalancerCommand({ Name: 'contract', Subnets: [...subnets] }));
  const DefaultActions = [{ Type: 'forward' as const, TargetGroupArn }];
  const LoadBalancerArn = LoadBalancers?.[0]?.LoadBalancerArn;
  await elb.send(new CreateListenerCommand({ LoadBalancerArn, Protocol: 'HTTP', Port: 80, DefaultActions }));
  return TargetGroupArn;
};

const closer =
  (clients: Clients, more: () => Promise<void> = async () => undefined) =>
  async (): Promise<void> => {
    for (const [name, client] of Object.entries(clients)) if (name !== 'config') (client as { destroy(): void }).destroy();
    await more();
  };

/** An emulator, furnished through its own API. */
export const openEmulator = async (name: 'ministack' | 'moto', url: string): Promise<Cloud> => {
  if (name === 'moto') await fetch(`${url}/moto-api/reset`, { method: 'POST' });
  else await fetch(`${url}/_ministack/reset`, { method: 'POST' });
  const clients = clientsOf(url);
  const network = await createNetwork(clients);
  const template = await createTemplate(clients);
  await createGroups(clients, network.subnets[0]);
  await createTable(clients);
  const usedTargetGroup = await createUsedTargetGroup(clients, network);
  const { QueueUrl: queueUrl = '' } = await clients.sqs.send(new CreateQueueCommand({ QueueName: 'contract' }));
  const ground: Ground = { ...network, usedTargetGroup, template, queueUrl, stateMachineArn: await createMachine(clients) };
  return { ...clients, ...ground, name, runMachine: runByCalls(clients.sfn), close: closer(clients) };
};

const spec: WorldSpec = {
  zones,
  subnets: [
    ...zones.map((zone) => ({ id: `subnet-${zone.at(-1)}`, zone })),
    { id: smallSubnet, zone: zones[1], freeAddresses: 1 },
    ...['c', 'd', 'e', 'f'].map((letter) => ({ id: `subnet-${letter}`, zone: zones[0] })),
  ],
  offerings: zones.flatMap((zone) =>
    (['spot', 'on-demand'] as const).map((market) => ({
      instanceType,
      zone,
      market,
      capacity: null,
      priceUsdPerHour: market === 'spot' ? 0.03 : 0.08,
    })),
  ),
  launchTemplates: [],
  autoScalingGroups: [],
  targetGroups: [],
  quotas: { 'on-demand': 20 },
  timing: { pendingSeconds: [40, 40], bootSeconds: [20, 20], lagSeconds: [0, 0], asgPeriodSeconds: 30, latencyMs: {} },
};

/** Our own cloud, live on loopback: its queue, table and state machine are the stack's, everything else is made as on the emulators. */
export const openSandbox = async (): Promise<Cloud> => {
  // So fast that the published token buckets are full again before the next check: throttles are provoked where they are looked at.
  const sandbox = await startSandbox({ mode: 'live', spec, speed: 100 });
  const clients = clientsOf(sandbox.url ?? '');
  const template = await createTemplate(clients);
  const subnets = ['subnet-a', 'subnet-b'] as const;
  await createGroups(clients, subnets[0]);
  const { Subnets } = await clients.ec2.send(new DescribeSubnetsCommand({}));
  const { QueueUrl: queueUrl = '' } = await clients.sqs.send(new GetQueueUrlCommand({ QueueName: 'holdfast-signals' }));
  const { stateMachines } = await clients.sfn.send(new ListStateMachinesCommand({}));
  const network = { vpc: Subnets?.[0]?.VpcId ?? '', subnets };
  const ground: Ground = {
    ...network,
    usedTargetGroup: await createUsedTargetGroup(clients, network),
    template,
    queueUrl,
    stateMachineArn: stateMachines?.[0]?.stateMachineArn ?? '',
  };
  return {
    ...clients,
    ...ground,
    name: 'sandbox',
    runMachine: runInSandbox,
    world: sandbox.world,
    setFaults: sandbox.setFaults,
    close: closer(clients, sandbox.close),
  };
};

export const createTargetGroup = async ({ elb, vpc }: Cloud, Name: string): Promise<string> => {
  const { TargetGroups } = await elb.send(new CreateTargetGroupCommand({ Name, Protocol: 'HTTP', Port: 80, VpcId: vpc }));
  return TargetGroups?.[0]?.TargetGroupArn ?? '';
};
