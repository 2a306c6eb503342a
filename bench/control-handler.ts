import { AutoScalingClient, DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateFleetCommand, DescribeInstancesCommand, EC2Client } from '@aws-sdk/client-ec2';

const ec2 = new EC2Client({});
const autoScaling = new AutoScalingClient({});
const dynamoDb = new DynamoDBClient({});

/** The handler that `react` is compared with: three clients that every solution needs, one or two commands of each, and nothing else. */
export const handler = async (): Promise<void> => {
  await ec2.send(new DescribeInstancesCommand({}));
  await ec2.send(new CreateFleetCommand({ LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } }));
  await autoScaling.send(new DescribeAutoScalingGroupsCommand({}));
  await dynamoDb.send(new GetItemCommand({ TableName: 'none', Key: {} }));
};
