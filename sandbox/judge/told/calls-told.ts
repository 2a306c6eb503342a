import { tags } from '../../../core/contract.ts';
import { type CallLog, isMutating, type LoggedCall } from '../../call-log.ts';
import type { Actor, FunctionEvent, HistoryEvent } from '../history.ts';
import { targetGroupName } from '../policy/policy.ts';
import type { Untimed } from '../untimed.ts';
import { nameOf } from '../world/cloud.ts';

type Called = Extract<FunctionEvent, { kind: 'called' }>;
type Refused = Extract<FunctionEvent, { kind: 'refused' }>;
type Launch = NonNullable<Called['launch']>;
type Content = Parameters<Parameters<CallLog['observe']>[0]>[1];

type Fleet = {
  readonly ClientToken?: string;
  readonly TagSpecifications?: readonly { readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[] }[];
  readonly TargetCapacitySpecification?: { readonly TotalTargetCapacity?: number };
};
type LaunchInstances = { readonly ClientToken?: string; readonly AutoScalingGroupName?: string; readonly RequestedCapacity?: number };

const tagged = ({ TagSpecifications: specifications = [] }: Fleet, key: string): string | undefined =>
  specifications.flatMap(({ Tags = [] }) => Tags).find(({ Key }) => Key === key)?.Value;

const tokenOf = ({ ClientToken: token }: { readonly ClientToken?: string }) => (token === undefined ? {} : { token });

const fleetOf = (input: Fleet): Launch => {
  const [group, pool] = [tagged(input, tags.group)?.split('/')[1], tagged(input, tags.pool)];
  const count = input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0;
  return { ...(group !== undefined && { group }), ...(pool !== undefined && { pool }), count, ...tokenOf(input) };
};

const launchesOf: Readonly<Record<string, (input: Content['input']) => Launch>> = {
  'ec2:CreateFleet': fleetOf,
  'autoscaling:LaunchInstances': ({ AutoScalingGroupName: asg, RequestedCapacity = 0, ...input }: LaunchInstances) => ({
    ...(asg !== undefined && { asg }),
    count: RequestedCapacity,
    ...tokenOf(input),
  }),
};

type Deregistration = { readonly TargetGroupArn?: string; readonly Targets?: readonly { readonly Id?: string }[] };

const takenOutBy = (operation: string, { TargetGroupArn = '', Targets = [] }: Deregistration): Pick<Called, 'takesOut' | 'takesOutOf'> =>
  operation === 'DeregisterTargets' ? { takesOut: Targets.flatMap(({ Id }) => Id ?? []), takesOutOf: targetGroupName(TargetGroupArn) } : {};

type Joining = { readonly InstanceIds?: readonly string[] } & Deregistration;

/** Instances that a call was to put into an Auto Scaling group or a target group. */
const putInBy: Readonly<Record<string, (input: Joining) => readonly string[]>> = {
  AttachInstances: ({ InstanceIds = [] }) => InstanceIds,
  RegisterTargets: ({ Targets = [] }) => Targets.flatMap(({ Id }) => Id ?? []),
};

const taggedBy = (operation: string, { Resources: tags = [] }: { readonly Resources?: readonly string[] }): Pick<Called, 'tags'> =>
  operation === 'CreateTags' ? { tags } : {};

const startedBy = (operation: string, { name }: { readonly name?: string }): Pick<Called, 'starts'> =>
  operation === 'StartExecution' && name !== undefined ? { starts: name } : {};

type Processes = { readonly AutoScalingGroupName?: string; readonly ScalingProcesses?: readonly string[] };

const processesIn = (operation: string, { AutoScalingGroupName: asg = '', ScalingProcesses: names = [] }: Processes): Pick<Called, 'processes'> =>
  operation === 'SuspendProcesses' || operation === 'ResumeProcesses' ? { processes: { asg, names } } : {};

type Query = {
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
};

/** The partition comes first in a key condition, and is compared for equality. */
const partitionIn = (operation: string, { KeyConditionExpression: condition = '', ExpressionAttributeValues: values }: Query) => {
  const partition = operation === 'Query' ? values?.[/= *(:\w+)/.exec(condition)?.[1] ?? '']?.S : undefined;
  return partition === undefined ? {} : { partition };
};

/** What a part of a response is about: a fleet puts the offering into its override, an Auto Scaling group beside the rest. */
type LaunchPart = {
  readonly Lifecycle?: Refused['market'];
  readonly MarketType?: Refused['market'];
  readonly InstanceType?: string;
  readonly AvailabilityZone?: string;
  readonly SubnetId?: string;
  readonly LaunchTemplateAndOverrides?: {
    readonly Overrides?: { readonly InstanceType?: string; readonly AvailabilityZone?: string; readonly SubnetId?: string };
  };
};
type LaunchError = LaunchPart & { readonly ErrorCode: string };
type Response = {
  readonly Errors?: readonly LaunchError[];
  readonly Instances?: readonly (LaunchPart & { readonly InstanceIds?: readonly string[] })[];
};

const placeOf = (part: LaunchPart): Pick<Refused, 'instanceType' | 'zone' | 'subnet' | 'market'> => {
  const { InstanceType = '', AvailabilityZone = '', SubnetId } = part.LaunchTemplateAndOverrides?.Overrides ?? part;
  const market = part.Lifecycle ?? part.MarketType ?? 'on-demand';
  return { instanceType: InstanceType, zone: AvailabilityZone, ...(SubnetId !== undefined && { subnet: SubnetId }), market };
};

/** The code for a subnet without free addresses. It says nothing about other subnets of its zone. */
export const noAddressCode = 'InsufficientFreeAddressesInSubnet';

/** Whether an error is a throttle, which says nothing about an offering. */
const isThrottle = ({ ErrorCode }: LaunchError): boolean => ErrorCode === 'RequestLimitExceeded';

const refusalsOf = (invocation: string, { count, pool: _pool, ...launch }: Launch, output: unknown): readonly Untimed<Refused>[] => {
  const { Errors = [], Instances = [] } = (output ?? {}) as Response;
  const given = Instances.flatMap(({ InstanceIds = [], ...part }) => InstanceIds.map(() => nameOf(placeOf(part))));
  return Errors.filter((error) => !isThrottle(error)).map((error) => {
    const place = placeOf(error);
    // A subnet is full whatever its offering gave. An Auto Scaling group chooses its subnets by itself.
    const isFull = error.ErrorCode === noAddressCode && place.subnet !== undefined && launch.asg === undefined;
    const isWhole = !isFull && given.length === count && given.includes(nameOf(place));
    return { kind: 'refused', invocation, ...launch, ...place, code: error.ErrorCode, ...(isWhole && { isBesideWhole: true }) };
  });
};

/** Codes for a call that its caller may not make (EC2 API Reference, error codes; Elastic Load Balancing and Auto Scaling, common errors). */
export const deniedCodes = new Set(['UnauthorizedOperation', 'AccessDenied']);

/** Ends that EC2 denies to a function. The member stays, as it does where its user protects it. */
const endsDenied = (
  by: Actor,
  operation: string,
  outcome: string,
  input: { readonly InstanceIds?: readonly string[] },
): readonly Untimed<HistoryEvent>[] =>
  operation === 'TerminateInstances' && deniedCodes.has(outcome)
    ? (input.InstanceIds ?? []).map((instance) => ({ kind: 'end-refused', instance, by }))
    : [];

/** The history events of a function's call. Calls of other callers are recorded by their effects. */
export const callEvents = (call: LoggedCall, { input, output }: Content): readonly Untimed<HistoryEvent>[] => {
  const { service, operation, invocation, outcome = 'unanswered', trouble, applied = false, atMs } = call;
  if (invocation === undefined) return [];
  // A dry run launches nothing, whatever its response is.
  const isDry = input.DryRun === true;
  const asked = launchesOf[`${service}:${operation}`]?.(input);
  const launch = isDry ? undefined : asked;
  const called: Untimed<Called> = {
    kind: 'called',
    invocation: invocation.id,
    function: invocation.functionName,
    service,
    operation,
    askedAtMs: atMs,
    outcome,
    ...(trouble && { trouble }),
    applied,
    isMutating: !isDry && isMutating(operation),
    ...(launch && { launch }),
    ...(isDry && asked?.group !== undefined && { tries: asked.group }),
    ...takenOutBy(operation, input),
    ...(putInBy[operation] && { putsIn: putInBy[operation](input) }),
    ...taggedBy(operation, input),
    ...startedBy(operation, input),
    ...processesIn(operation, input),
    ...partitionIn(operation, input),
  };
  const by: Actor = { kind: 'function', function: invocation.functionName, invocation: invocation.id };
  if (launch === undefined) return [called, ...endsDenied(by, operation, outcome, input)];
  return [called, ...refusalsOf(invocation.id, launch, output)];
};
