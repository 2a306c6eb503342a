import { randomUUID } from 'node:crypto';
import { CreateFleetCommand, type CreateFleetCommandInput, DescribeInstancesCommand, type Filter } from '@aws-sdk/client-ec2';
import { eventually } from '../eventually.ts';
import { type Cloud, instanceType } from './cloud.ts';

export const api = (operation: string): string => `https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_${operation}.html`;
export const errorCodes = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html';
export const idempotency = 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-idempotency.html';

export const unique = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 8)}`;
export const absentId = 'i-0aaaaaaaaaaaaaaaa';

export const fleet = (cloud: Cloud, count: number, change: Partial<CreateFleetCommandInput> = {}): CreateFleetCommand =>
  new CreateFleetCommand({
    Type: 'instant',
    ClientToken: unique('token'),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: cloud.template.name, Version: '$Default' },
        Overrides: [{ InstanceType: instanceType, SubnetId: cloud.subnets[1], Priority: 0 }],
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: 'spot' },
    SpotOptions: { AllocationStrategy: 'price-capacity-optimized' },
    ...change,
  });

export const tagged = (value: string) => [{ ResourceType: 'instance' as const, Tags: [{ Key: 'contract', Value: value }] }];

export const launch = async (cloud: Cloud, count: number, change: Partial<CreateFleetCommandInput> = {}): Promise<string[]> => {
  const { Instances } = await cloud.ec2.send(fleet(cloud, count, change));
  return (Instances ?? []).flatMap(({ InstanceIds }) => InstanceIds ?? []);
};

export const describe = async ({ ec2 }: Cloud, Name: string, ...Values: string[]) => {
  const Filters: Filter[] = [{ Name, Values }];
  const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: 1000 }));
  return Reservations.flatMap(({ Instances = [] }) => Instances);
};

/** One instance, whatever else the filter lets through. */
export const instanceOf = async (cloud: Cloud, id: string | undefined) =>
  (await describe(cloud, 'instance-id', id ?? '')).find(({ InstanceId }) => InstanceId === id);

export const launchRunning = async (cloud: Cloud, count = 1): Promise<string[]> => {
  const ids = await launch(cloud, count);
  for (const id of ids) await eventually('a running instance', async () => (await instanceOf(cloud, id))?.State?.Name === 'running');
  return ids;
};

type Page = { readonly found: readonly (string | undefined)[]; readonly next: string | undefined };

/** Reads pages to the last, and says how many there were. */
export const allPages = async (
  read: (token: string | undefined) => Promise<Page>,
): Promise<{ readonly pages: number; readonly seen: readonly string[] }> => {
  const seen: string[] = [];
  let pages = 0;
  let token: string | undefined;
  do {
    const { found, next } = await read(token);
    seen.push(...found.map((one) => one ?? ''));
    token = next;
    pages += 1;
  } while (token);
  return { pages, seen };
};
