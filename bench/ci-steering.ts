import { isMutating } from '../sandbox/call-log.ts';
import type { Sandbox } from '../sandbox/door.ts';
import { everyPeriod, type Surroundings, unlessRefused, type Writer } from '../sandbox/outside/writer.ts';

/** The interval of steering's looks. EventBridge delivers the event of a failed launch about as soon. */
const lookEveryMs = 5_000;
/** How long spot rests that was refused, as in Holdfast. */
const restMs = 180_000;

type Shown = {
  readonly AutoScalingGroups: readonly { readonly DesiredCapacity: number; readonly Instances: readonly { readonly InstanceId: string }[] }[];
};
type Tried = { readonly Activities: readonly { readonly StatusCode: string; readonly StartTime: Date }[] };

/** Sets the base of a group whose share above the base is nothing on demand. */
export type SetBase = (base: number) => Promise<unknown>;

export type Steering = Writer & {
  /** The number of times that it set the base. */
  readonly changes: () => number;
};

/**
 * A model of steering, the other way to replace spot capacity that is refused (ADR 9). After a refusal, the base on demand becomes the number of members on
 * demand plus the number of missing members. A higher base is lowered at once. If no launch has failed for three minutes, the base becomes 0. A warning is not
 * a refusal, because nothing is missing yet.
 */
export const startSteering = (sandbox: Sandbox, surroundings: Surroundings, asg: string, setBase: SetBase): Steering => {
  const { world, clock } = sandbox;
  const { call } = surroundings;
  let [base, lookedAtMs, refusedAtMs] = [0, clock.now(), Number.NEGATIVE_INFINITY];
  const wantedBase = ({ AutoScalingGroups: [group] }: Shown, { Activities }: Tried): number => {
    if (group === undefined) return base;
    const members = new Set(group.Instances.map(({ InstanceId }) => InstanceId));
    const onDemand = world.snapshot().instances.filter(({ id, market }) => members.has(id) && market === 'on-demand').length;
    const missing = Math.max(0, group.DesiredCapacity - members.size);
    const hasFailed = Activities.some(({ StatusCode, StartTime }) => StatusCode === 'Failed' && StartTime.getTime() >= lookedAtMs);
    if (hasFailed) refusedAtMs = clock.now();
    if (hasFailed && missing > 0) return onDemand + missing;
    return clock.now() - refusedAtMs < restMs ? Math.min(base, onDemand + missing) : 0;
  };
  let changes = 0;
  const writer = everyPeriod(surroundings, lookEveryMs, async () => {
    const nowMs = clock.now();
    const shown = (await unlessRefused(() => call('DescribeAutoScalingGroups', { AutoScalingGroupNames: [asg] }))) as Shown | undefined;
    const tried = (await unlessRefused(() => call('DescribeScalingActivities', { AutoScalingGroupName: asg }))) as Tried | undefined;
    if (shown === undefined || tried === undefined) return;
    const next = wantedBase(shown, tried);
    lookedAtMs = nowMs;
    if (next === base) return;
    base = next;
    changes += 1;
    await setBase(base);
  });
  return { ...writer, changes: () => changes };
};

const services = ['ec2', 'autoscaling'];

/** Calls of Holdfast's functions that change something in EC2 and Auto Scaling. Dry runs change nothing. */
export const countChanges = ({ callLog }: Sandbox): (() => number) => {
  let count = 0;
  callLog.observe(({ service, operation, invocation, outcome }) => {
    if (invocation !== undefined && services.includes(service) && isMutating(operation) && outcome !== 'DryRunOperation') count += 1;
  });
  return () => count;
};
