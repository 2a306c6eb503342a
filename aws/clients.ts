import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Surroundings } from '../functions/contract.ts';

/**
 * What the surroundings merge into the configuration of every client: request handler, endpoint, credentials, region,
 * attempts.
 */
export type ClientConfig = Surroundings['clientConfig'];

/**
 * Three attempts of eight seconds end inside the thirty seconds of a function.
 * Time-outs must be asked for twice: without `throwOnRequestTimeout` the SDK only logs a warning and waits on.
 *
 * The SDK repeats CreateFleet and LaunchInstances like any other call, also after a time-out that may have been carried
 * out. That is safe because each carries the token of its reservation, serialized once for all attempts: EC2 answers a
 * repeat with the first result. What stays unknown after the last attempt comes back as `ambiguous`, and is asked again
 * later under the same token.
 */
const defaults = {
  maxAttempts: 3,
  retryMode: 'standard',
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 8_000,
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: 100 },
  },
};

const merged = (config: ClientConfig): Record<string, unknown> => ({ ...defaults, ...config });

export const createEc2Client = (config: ClientConfig): EC2Client => new EC2Client(merged(config));

export const createAutoScalingClient = (config: ClientConfig): AutoScalingClient =>
  new AutoScalingClient(merged(config));

export const createElbClient = (config: ClientConfig): ElasticLoadBalancingV2Client =>
  new ElasticLoadBalancingV2Client(merged(config));

export const createSqsClient = (config: ClientConfig): SQSClient => new SQSClient(merged(config));

export const createSfnClient = (config: ClientConfig): SFNClient => new SFNClient(merged(config));

export const createEventBridgeClient = (config: ClientConfig): EventBridgeClient =>
  new EventBridgeClient(merged(config));

/**
 * Speaks plain JavaScript values, numbers of any size included; fields that are undefined are left out of what is
 * stored.
 */
export const createDocumentClient = (config: ClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(merged(config)), {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
