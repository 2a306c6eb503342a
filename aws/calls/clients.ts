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
import { keepingMiddleware } from './kept-middleware.ts';
import { type Attempts, createRetries, type Pauses, retriedByOperation } from './retries.ts';

/**
 * The configuration that the surroundings add to every client: request handler, endpoint, credentials, region.
 * `pauses`: how a client waits between attempts. Without it the SDK waits by itself.
 */
export type ClientConfig = Surroundings['clientConfig'] & { readonly pauses?: Pauses; readonly maxAttempts?: number };

/** Calls to services whose request limits all groups share. A repeat takes tokens from other groups. */
const scarce: Attempts = { most: 3, mostThrottled: 3, throttledMs: 500 };
/**
 * Calls to our own tables, queue, bus and state machine. If one of them fails, the whole look with all its calls is
 * repeated. So a throttled call gets two more attempts.
 */
const own: Attempts = { most: 3, mostThrottled: 5, throttledMs: 200 };

/**
 * Three attempts of eight seconds end within the thirty seconds of a function. Without `throwOnRequestTimeout` the SDK
 * does not end a request at its time-out: it only logs a warning and waits.
 *
 * The SDK repeats CreateFleet and LaunchInstances like any other call, also after a time-out of a request that may have
 * been carried out. That is safe because each carries the token of its reservation, serialized once for all attempts,
 * and EC2 returns the first result to a repeat. A launch that is still unknown after the last attempt is `ambiguous`,
 * and is requested again later under the same token.
 */
const defaults = {
  retryMode: 'standard',
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 8_000,
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: 100 },
  },
};

const merged = ({ pauses, maxAttempts, ...config }: ClientConfig, kind: Attempts): Record<string, unknown> => {
  const attempts = maxAttempts === undefined ? kind : { ...kind, most: maxAttempts, mostThrottled: maxAttempts };
  return {
    ...defaults,
    maxAttempts: attempts.mostThrottled,
    ...(pauses && { retryStrategy: createRetries(pauses, attempts) }),
    ...config,
  };
};

/** What every client of ours has beside its configuration. */
const clientOf = <C extends Parameters<typeof retriedByOperation>[0] & Parameters<typeof keepingMiddleware>[0]>(
  client: C,
): C => keepingMiddleware(retriedByOperation(client));

export const createEc2Client = (config: ClientConfig): EC2Client => clientOf(new EC2Client(merged(config, scarce)));

export const createAutoScalingClient = (config: ClientConfig): AutoScalingClient =>
  clientOf(new AutoScalingClient(merged(config, scarce)));

export const createElbClient = (config: ClientConfig): ElasticLoadBalancingV2Client =>
  clientOf(new ElasticLoadBalancingV2Client(merged(config, scarce)));

export const createSqsClient = (config: ClientConfig): SQSClient => clientOf(new SQSClient(merged(config, own)));

export const createSfnClient = (config: ClientConfig): SFNClient => clientOf(new SFNClient(merged(config, own)));

export const createEventBridgeClient = (config: ClientConfig): EventBridgeClient =>
  clientOf(new EventBridgeClient(merged(config, own)));

/**
 * Marks errors of items in a transaction as retryable for the SDK, because a transaction holds an item only briefly.
 */
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
  keepingMiddleware(
    DynamoDBDocumentClient.from(repeatWhileHeld(retriedByOperation(new DynamoDBClient(merged(config, own)))), {
      marshallOptions: { removeUndefinedValues: true },
      unmarshallOptions: { wrapNumbers: Number },
    }),
  );
