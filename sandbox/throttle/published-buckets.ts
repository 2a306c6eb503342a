import { type ApiCall, ApiError } from '../api.ts';
import { isMutating } from '../call-log.ts';
import type { WorldClock } from '../clock.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Lets a call pass, or returns the throttling error of AWS. */
export type Throttle = { readonly admit: (call: Pick<ApiCall, 'service' | 'operation' | 'input'>) => ApiError | undefined };

/** Calls with the same name share a bucket. */
type BucketRule = { readonly name: string; readonly capacity: number; readonly refillPerSecond: number };

/** Request buckets of single actions: "Request throttling for the Amazon EC2 API", table of request token bucket sizes. */
const ec2Actions: Readonly<Record<string, readonly [capacity: number, refillPerSecond: number]>> = {
  RunInstances: [5, 2],
  StartInstances: [5, 2],
  TerminateInstances: [100, 5],
  CreateTags: [100, 10],
  DeleteTags: [100, 10],
  RequestSpotInstances: [50, 5],
};

/** Inputs that make a describe a filtered or paginated one; what else narrows a describe are its lists of ids. */
const isNarrowed = (input: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(input).some(([name, value]) => value !== undefined && name !== 'DryRun' && (name === 'MaxResults' || Array.isArray(value)));

const ec2Sizes = (call: Pick<ApiCall, 'operation' | 'input'>): readonly [number, number] => {
  const own = ec2Actions[call.operation];
  if (own !== undefined) return own;
  if (isMutating(call.operation)) return [50, 5];
  return call.operation.startsWith('Describe') && !isNarrowed(call.input) ? [50, 10] : [100, 20];
};

const ec2Rule = (call: Pick<ApiCall, 'operation' | 'input'>): BucketRule => {
  const [capacity, refillPerSecond] = ec2Sizes(call);
  return { name: `ec2:${call.operation}:${capacity}`, capacity, refillPerSecond };
};

/** "Request throttling for the Elastic Load Balancing API"; where its text and table differ, the lower number. */
const loadBalancingRule = ({ operation }: Pick<ApiCall, 'operation'>): BucketRule => {
  if (operation === 'RegisterTargets' || operation === 'DeregisterTargets') return { name: 'elb:targets', capacity: 20, refillPerSecond: 4 };
  if (!isMutating(operation)) return { name: 'elb:describe', capacity: 40, refillPerSecond: 10 };
  return { name: 'elb:mutating', capacity: 20, refillPerSecond: 3 };
};

/** Auto Scaling says that one bucket is shared by all its actions and does not say how large it is: a cautious assumption. */
const autoScalingRule: BucketRule = { name: 'autoscaling', capacity: 20, refillPerSecond: 5 };

const ruleOf = (call: Pick<ApiCall, 'service' | 'operation' | 'input'>): BucketRule | undefined => {
  if (call.service === 'ec2') return ec2Rule(call);
  if (call.service === 'autoscaling') return autoScalingRule;
  return call.service === 'elasticloadbalancing' ? loadBalancingRule(call) : undefined;
};

/** The throttling error of each service. */
export const throttlingError = (service: string): ApiError => {
  if (service === 'ec2') return new ApiError('RequestLimitExceeded', 'Request limit exceeded.', 503);
  if (service === 'sqs') return new ApiError('RequestThrottled', 'Request was throttled.', 403);
  const code = service === 'autoscaling' || service === 'elasticloadbalancing' || service === 'sts' ? 'Throttling' : 'ThrottlingException';
  return new ApiError(code, 'Rate exceeded');
};

/** Request buckets of EC2, Auto Scaling and Elastic Load Balancing, per account. Resource buckets belong to the services themselves. */
export const createPublishedThrottle = ({ clock }: { readonly clock: Pick<WorldClock, 'now'> }): Throttle => {
  const buckets = new Map<string, TokenBucket>();
  const bucketOf = (rule: BucketRule): TokenBucket => {
    const bucket = buckets.get(rule.name) ?? createTokenBucket({ ...rule, clock });
    buckets.set(rule.name, bucket);
    return bucket;
  };
  return {
    admit: (call) => {
      const rule = ruleOf(call);
      return rule === undefined || bucketOf(rule).take() ? undefined : throttlingError(call.service);
    },
  };
};
