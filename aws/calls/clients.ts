import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Surroundings } from '../../core/contract.ts';
import { isHeldByTransaction } from './errors.ts';

/**
 * What the surroundings merge into the configuration of every client: request handler, endpoint, credentials, region,
 * attempts.
 */
export type ClientConfig = Surroundings['clientConfig'];

/**
 * Three attempts of eight seconds end within the thirty seconds of a function. Without `throwOnRequestTimeout` the SDK
 * does not end a request at its time-out: it only logs a warning and waits.
 *
 * The SDK repeats CreateFleet and LaunchInstances like any other call, also after a time-out of a request that may have
 * been carried out. That is safe because each carries the token of its reservation, serialized once for all attempts,
 * and EC2 answers a repeat with the first result. What is still unknown after the last attempt is returned as
 * `ambiguous`, and requested again later under the same token.
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

/** The SDK repeats what is marked as retryable. It does not know that a transaction holds an item for a moment only. */
const repeatWhileHeld = (client: DynamoDBClient): DynamoDBClient => {
  client.middlewareStack.add(
    (next) => (args) =>
      next(args).catch((error: unknown) => {
        throw isHeldByTransaction(error) ? Object.assign(error, { $retryable: {} }) : error;
      }),
    { step: 'deserialize', priority: 'high', name: 'repeatWhileHeld' },
  );
  return client;
};

/** Takes plain JavaScript values, with numbers of any size. Fields that are undefined are not stored. */
export const createDocumentClient = (config: ClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(repeatWhileHeld(new DynamoDBClient(merged(config))), {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
