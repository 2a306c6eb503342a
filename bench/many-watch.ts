import { asgTag } from '../aws/instances.ts';
import { isMutating } from '../sandbox/call-log.ts';
import type { Sandbox } from '../sandbox/door.ts';
import type { LaunchApi } from './many-need.ts';

/** A launch call of a function: for which group, by which API, when, how many instances it requested, and how many it got. */
export type LaunchCall = {
  readonly group: string;
  readonly api: LaunchApi;
  readonly atMs: number;
  readonly asked: number;
  readonly given: number;
  /** How many EC2 refused. A throttled call is refused nothing: its tokens were not there. */
  readonly refused: number;
  /** From the call to its response. */
  readonly tookMs: number;
};

/** A read, and the groups that it is for. A read that found nobody names none. */
export type Read = { readonly operation: string; readonly atMs: number; readonly groups: readonly string[] };

/** What functions did since the watch began. */
export type Seen = {
  readonly launches: LaunchCall[];
  /** Calls that read EC2, Auto Scaling or load balancers, by the function that decides, and the groups that they name or whose instances they find. */
  readonly reads: Read[];
  /** Operations that a bucket of the account refused, and who asked: one entry a call. */
  readonly throttled: string[];
  /** Every call to these services: operation and function. */
  readonly calls: { readonly name: string; readonly atMs: number; readonly isThrottled: boolean }[];
  readonly mutating: number;
};

const launchApis: Readonly<Record<string, LaunchApi>> = { CreateFleet: 'create-fleet', LaunchInstances: 'launch-instances' };
const services = ['ec2', 'autoscaling', 'elasticloadbalancing'];

type Tagged = { readonly TagSpecifications?: readonly { readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[] }[] };
type Given = {
  readonly Instances?: readonly { readonly InstanceIds?: readonly string[] }[];
  readonly Errors?: readonly { readonly ErrorCode?: string }[];
};

const nameTag = ({ TagSpecifications = [] }: Tagged): string =>
  TagSpecifications.flatMap(({ Tags = [] }) => Tags).find(({ Key }) => Key === 'Name')?.Value ?? '';

type Reading = {
  readonly Filters?: readonly { readonly Name?: string; readonly Values?: readonly string[] }[];
  readonly AutoScalingGroupNames?: readonly string[];
  readonly TargetGroupArn?: string;
};

const ofAsg = (name: string): string => name.replace(/-(?:spot|on-demand)-[a-z]$/, '');

type Shown = {
  readonly Reservations?: readonly {
    readonly Instances?: readonly { readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[] }[];
  }[];
};

/** The groups of the instances that a read shows. */
const shownIn = (output: unknown): readonly string[] =>
  ((output as Shown | undefined)?.Reservations ?? [])
    .flatMap(({ Instances = [] }) => Instances)
    .flatMap(({ Tags = [] }) => {
      const tag = (key: string): string | undefined => Tags.find(({ Key }) => Key === key)?.Value;
      return tag('Name') ?? ofAsg(tag(asgTag) ?? '');
    });

/** The groups that a read names. */
const namedIn = ({ Filters = [], AutoScalingGroupNames = [], TargetGroupArn }: Reading): readonly string[] => {
  const tagged = Filters.filter(({ Name }) => Name?.startsWith('tag:')).flatMap(({ Values = [] }) => Values);
  const named = [...tagged, ...AutoScalingGroupNames].map((value) => ofAsg(value.replace(/^[^/]*\//, '')));
  return [...named, ...(TargetGroupArn?.split('/').slice(-2, -1) ?? [])];
};

/** The groups that a read is for. A read of instances by their ids is for the groups of those that it finds. */
const readsOf = (input: Reading, output: unknown): readonly string[] => {
  const named = namedIn(input);
  return [...new Set(named.length > 0 ? named : shownIn(output))];
};

/** The group that a launch call is for: named by its tags, or the first words of its Auto Scaling group. */
const groupOf = (input: Readonly<Record<string, unknown>>): string =>
  typeof input.AutoScalingGroupName === 'string' ? ofAsg(input.AutoScalingGroupName) : nameTag(input);

type Asking = { readonly TargetCapacitySpecification?: { readonly TotalTargetCapacity?: number }; readonly RequestedCapacity?: number };

const askedIn = ({ TargetCapacitySpecification, RequestedCapacity }: Asking): number =>
  Number(TargetCapacitySpecification?.TotalTargetCapacity ?? RequestedCapacity ?? 0);

const givenIn = (output: unknown): number =>
  ((output as Given | undefined)?.Instances ?? []).reduce((sum, { InstanceIds = [] }) => sum + InstanceIds.length, 0);

const isThrottledWithin = (output: unknown): boolean =>
  ((output as Given | undefined)?.Errors ?? []).some(({ ErrorCode }) => ErrorCode === 'RequestLimitExceeded');

/** Messages that were handed to a function more than once. */
const watchMessages = (sandbox: Sandbox): { readonly twice: () => number } => {
  const twice = new Set<string>();
  sandbox.platform.functions.observe(
    () => undefined,
    ({ event }) => {
      const { Records = [] } = event as { Records?: readonly { messageId?: string; attributes?: { ApproximateReceiveCount?: string } }[] };
      for (const { messageId, attributes } of Records) if (Number(attributes?.ApproximateReceiveCount ?? 1) > 1) twice.add(messageId ?? '');
    },
  );
  return { twice: () => twice.size };
};

/** Notes from now on what functions do. */
export const watchCalls = (sandbox: Sandbox) => {
  const seen: { -readonly [Key in keyof Seen]: Seen[Key] } = { launches: [], reads: [], throttled: [], calls: [], mutating: 0 };
  sandbox.callLog.observe((call, { input, output }) => {
    if (call.invocation === undefined || !services.includes(call.service)) return;
    const name = `${call.operation} by ${call.invocation.functionName.replace(/^[^-]*-/, '')}`;
    const isThrottled = call.trouble === 'bucket' || isThrottledWithin(output);
    seen.calls.push({ name, atMs: call.atMs, isThrottled });
    if (isThrottled) seen.throttled.push(name);
    if (isMutating(call.operation)) seen.mutating += 1;
    else if (call.invocation.functionName.endsWith('-react'))
      seen.reads.push({ operation: call.operation, atMs: call.atMs, groups: readsOf(input, output) });
    const api = launchApis[call.operation];
    if (api === undefined) return;
    const [asked, given] = [askedIn(input), givenIn(output)];
    const counts = { asked, given, refused: isThrottled ? 0 : Math.max(0, asked - given) };
    seen.launches.push({ group: groupOf(input), api, atMs: call.atMs, ...counts, tookMs: call.durationMs ?? 0 });
  });
  return { seen, twice: watchMessages(sandbox).twice };
};
