import type { FaultInput } from '../../fault-schema.ts';
import type { Chronicle } from '../chronicle.ts';
import type { History } from '../history.ts';

/** Operations by service. A rule names those that have to succeed, and events that have to come. */
type Operations = Readonly<Record<string, readonly string[]>>;
export type Way = { readonly calls: Operations; readonly events?: 'needed' };

const merged = (...all: readonly Operations[]): Operations => {
  const services = new Set(all.flatMap((one) => Object.keys(one)));
  return Object.fromEntries([...services].map((service) => [service, [...new Set(all.flatMap((one) => one[service] ?? []))]]));
};

/** Several ways in one. */
export const ways = (...all: readonly Way[]): Way => ({
  calls: merged(...all.map(({ calls }) => calls)),
  ...(all.some(({ events }) => events === 'needed') && { events: 'needed' as const }),
});

/** What a tick needs until its look has decided and stored that (docs/architecture.md, "Reading the fleet"). */
export const look: Way = {
  calls: {
    dynamodb: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchGetItem'],
    sqs: ['SendMessage', 'SendMessageBatch'],
    ec2: ['DescribeInstances'],
    autoscaling: ['DescribeAutoScalingGroups'],
  },
};

/** What shows who serves. */
export const health: Way = { calls: { elasticloadbalancing: ['DescribeTargetHealth'], ec2: ['DescribeInstanceStatus'] } };

/** Whatever takes members in. */
export const joining: Way = {
  calls: {
    autoscaling: ['AttachInstances', 'UpdateAutoScalingGroup', 'SuspendProcesses', 'ResumeProcesses'],
    elasticloadbalancing: ['RegisterTargets'],
  },
};

/** Launches. */
const requesting: Way = { calls: { ec2: ['CreateFleet'], autoscaling: ['LaunchInstances', 'UpdateAutoScalingGroup'] } };

/** Launches of members that come to serve. */
export const launching: Way = ways(requesting, joining);

/** Drains: what takes members out of service and ends them. */
export const draining: Way = {
  calls: {
    states: ['StartExecution', 'DescribeExecution'],
    ec2: ['TerminateInstances'],
    autoscaling: [
      'TerminateInstanceInAutoScalingGroup',
      'DetachInstances',
      'DescribeLifecycleHooks',
      'CompleteLifecycleAction',
      'RecordLifecycleActionHeartbeat',
    ],
    elasticloadbalancing: ['DeregisterTargets', 'DescribeTargetGroupAttributes', 'DescribeTargetHealth'],
  },
};

/** Events of Holdfast’s own. */
export const telling: Way = { calls: { events: ['PutEvents'] } };

const listed = (one: string | readonly string[] | undefined): readonly string[] | undefined => (typeof one === 'string' ? [one] : one);

type CallFault = Extract<FaultInput, { readonly on: 'call' }>;

/** A function that dies, or waits for a response, does nothing else meanwhile, whatever it called. */
const stopsFunction = ({ kind }: CallFault): boolean => kind === 'crash-caller' || kind === 'delay' || kind === 'lose-answer';

const meets = (fault: CallFault, { calls }: Way): boolean => {
  const services = listed(fault.match?.service);
  const operations = listed(fault.match?.operation);
  return Object.entries(calls).some(
    ([service, needed]) => services?.includes(service) !== false && (operations === undefined || operations.some((one) => needed.includes(one))),
  );
};

/** Whether a fault can hold up what is done this way. Whoever reads a wrong clock, or a batch twice, does it nevertheless. */
export const holdsUp = (fault: FaultInput, way: Way): boolean => {
  if (fault.on === 'event') return way.events === 'needed';
  if (fault.on === 'call') return stopsFunction(fault) || meets(fault, way);
  return false;
};

/** Faults in force at some time between two moments that can hold up what is done this way. */
export const hindrances = ({ history }: Chronicle, way: Way, fromMs: number, untilMs: number): History['faults'] =>
  history.faults.filter((one) => one.fromMs <= untilMs && one.untilMs >= fromMs && holdsUp(one.fault, way));

export const isHindered = (chronicle: Chronicle, way: Way, fromMs: number, untilMs: number): boolean =>
  hindrances(chronicle, way, fromMs, untilMs).length > 0;
