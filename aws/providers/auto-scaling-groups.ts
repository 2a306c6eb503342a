import {
  type AutoScalingClient,
  type AutoScalingGroup,
  type Instance,
  paginateDescribeAutoScalingGroups,
} from '@aws-sdk/client-auto-scaling';
import type { UnfitSetting } from '../../core/group/unfit.ts';
import type { Holdings } from '../../core/ports/capacity-provider.ts';
import type { AsgView } from '../../core/view/view.ts';
import { countsOf, unitOf } from '../asg-shape.ts';
import { allOf } from '../calls/all-of.ts';
import { chunks } from '../calls/chunks.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { merging } from '../calls/merging.ts';

/** Names that one call takes (Auto Scaling API reference: 50, and up to 100 with MaxRecords). */
const namesPerCall = 100;

/** The state of an instance in its Auto Scaling group. */
export type Standing = {
  readonly asg: string;
  /**
   * Counts towards the desired capacity: pending or in service. Terminating, detaching, standby and warm instances do
   * not.
   */
  readonly counts: boolean;
  readonly inService: boolean;
  readonly leaving: boolean;
  /** Its termination waits on hooks. */
  readonly waits: boolean;
  readonly protected: boolean;
  readonly unhealthy: boolean;
};

/** The parts of an Auto Scaling group that we need: its numbers, its target groups, and its instances. */
export type Asg = AsgView & {
  readonly targetGroups: readonly string[];
  readonly standings: ReadonlyMap<string, Standing>;
};

const counting = /^(Pending|InService|ReplacingRootVolume|RootVolumeReplaced)/;
const going = /^(Terminating|Terminated|Detaching|Detached)/;

const standingOf = (asg: string, instance: Instance): Standing => {
  const lifecycle: string = instance.LifecycleState ?? '';
  return {
    asg,
    counts: counting.test(lifecycle),
    inService: lifecycle === 'InService',
    leaving: going.test(lifecycle),
    waits: lifecycle === 'Terminating:Wait',
    protected: instance.ProtectedFromScaleIn === true,
    unhealthy: instance.HealthStatus?.toLowerCase() === 'unhealthy',
  };
};

/** Instances that terminating hooks of these Auto Scaling groups hold, and which group each. */
export const waitingIn = (standings: ReadonlyMap<string, Standing>): Pick<Holdings, 'waiting'> => {
  const found = [...standings].flatMap(([instance, { waits, asg }]) => (waits ? [[instance, asg] as const] : []));
  return found.length === 0 ? {} : { waiting: Object.fromEntries(found) };
};

/** Instances that these Auto Scaling groups keep without a place. */
export const standbyIn = (standings: ReadonlyMap<string, Standing>): Pick<Holdings, 'standby'> => {
  const found = [...standings].flatMap(([instance, { counts, leaving }]) => (counts || leaving ? [] : [instance]));
  return found.length === 0 ? {} : { standby: found };
};

export const suspendedIn = ({ SuspendedProcesses = [] }: AutoScalingGroup): readonly string[] =>
  SuspendedProcesses.flatMap(({ ProcessName }) => ProcessName ?? []);

/** ARNs of the target groups where the group registers its instances. None while `AddToLoadBalancer` is suspended. */
export const ownTargetGroups = (asg: AutoScalingGroup): readonly string[] => {
  const suspended = suspendedIn(asg);
  if (suspended.includes('AddToLoadBalancer')) return [];
  const sources = (asg.TrafficSources ?? []).flatMap(({ Identifier }) =>
    Identifier?.includes(':targetgroup/') ? [Identifier] : [],
  );
  return [...new Set([...(asg.TargetGroupARNs ?? []), ...sources])];
};

/** Settings with which acceptance refuses a policy. */
const unfitIn = (asg: AutoScalingGroup): readonly UnfitSetting[] => {
  const unit = unitOf(asg);
  return [
    ...(asg.CapacityRebalance ? (['capacity-rebalancing'] as const) : []),
    ...(asg.WarmPoolConfiguration ? (['warm-pool'] as const) : []),
    ...(unit ? [unit] : []),
  ];
};

const toAsg = (asg: AutoScalingGroup): Asg => {
  const name = asg.AutoScalingGroupName ?? '';
  const standings = new Map(
    (asg.Instances ?? []).map((instance) => [instance.InstanceId ?? '', standingOf(name, instance)]),
  );
  const unfit = unfitIn(asg);
  const countedAs = (isCounted: boolean): readonly string[] =>
    [...standings].filter(([, { counts }]) => counts === isCounted).map(([id]) => id);
  const [holds, aside] = [countedAs(true), countedAs(false)];
  return {
    name,
    min: asg.MinSize ?? 0,
    max: asg.MaxSize ?? 0,
    desired: asg.DesiredCapacity ?? 0,
    held: holds.length,
    holds,
    ...(aside.length > 0 && { aside }),
    inside: standings.size,
    suspended: suspendedIn(asg),
    ...(unfit.length > 0 && { unfit }),
    ...countsOf(asg),
    targetGroups: ownTargetGroups(asg),
    standings,
  };
};

/**
 * The named groups, all pages, as Auto Scaling describes them. A group that does not exist is missing. Without names
 * there is no call, because AWS takes an empty list for every group.
 */
export const groupsNamed = async (
  client: AutoScalingClient,
  names: readonly string[],
): Promise<readonly AutoScalingGroup[]> => {
  const parts = await inParallel(chunks(names, namesPerCall), 2, (part) =>
    allOf(
      paginateDescribeAutoScalingGroups({ client }, { AutoScalingGroupNames: [...part], MaxRecords: namesPerCall }),
      ({ AutoScalingGroups }) => AutoScalingGroups,
    ),
  );
  return parts.flat();
};

type ReadAsgs = (names: readonly string[]) => Promise<readonly Asg[]>;

const merged = new WeakMap<AutoScalingClient, ReadAsgs>();

/** Reads groups for several callers at once, and returns to each caller its own. */
const readMerged = (client: AutoScalingClient): ReadAsgs =>
  merging(async (asked: readonly (readonly string[])[]) => {
    const found = (await groupsNamed(client, [...new Set(asked.flat())])).map(toAsg);
    return asked.map((names) => found.filter(({ name }) => names.includes(name)));
  });

/**
 * The named groups with the facts that decisions need. Groups of one batch that change their sizes at the same moment
 * are read together, because the account has few calls for many groups.
 */
export const describeAsgs = async (client: AutoScalingClient, names: readonly string[]): Promise<readonly Asg[]> => {
  if (names.length === 0) return [];
  const read = merged.get(client) ?? readMerged(client);
  merged.set(client, read);
  return read(names);
};

/** State by instance, over several groups. */
export const standingsIn = (asgs: readonly Asg[]): ReadonlyMap<string, Standing> =>
  new Map(asgs.flatMap(({ standings }) => [...standings]));
