import type { Group, Holding } from '../core/group.ts';
import type { ActionResult, CapacityIn, CapacityOut, CapacityProvider } from '../core/ports.ts';
import { inParallel } from './in-parallel.ts';
import { allOf } from './providers/act-on.ts';
import { attachMembers, noteJoined } from './providers/attach-members.ts';
import { fleetRequest, launchFleet } from './providers/create-fleet.ts';
import { describeHoldings, namedTargetGroups } from './providers/describe-members.ts';
import { endMembers } from './providers/end-members.ts';
import { createInspectDrain } from './providers/inspect-drain.ts';
import { asgRequest, launchIntoAsg } from './providers/launch-into-asg.ts';
import type { ProviderDeps } from './providers/provider-deps.ts';
import { releaseMembers } from './providers/release-members.ts';
import { createSizeChanges } from './providers/size-changes.ts';
import { registerTargets } from './providers/target-groups.ts';

/** Requests under way together: one for each pool that a decision takes from, mostly. */
const launchesAtOnce = 10;

/**
 * Joins running members to what they serve: named target groups by us, the Auto Scaling group where the group is one.
 */
const admitMembers = async (deps: ProviderDeps, group: Group, instances: readonly string[]): Promise<ActionResult> => {
  if (instances.length === 0) return { done: [], failed: [] };
  const { holding } = group;
  const attached =
    holding.kind === 'attach' ? await attachMembers(deps, holding.asg, instances) : { done: instances, failed: [] };
  if (holding.kind === 'attach') await noteJoined(deps, group.name, holding.asg, attached.done);
  return allOf(instances, [attached, await registerTargets(deps.elb, namedTargetGroups(group), attached.done)]);
};

/**
 * Capacity from EC2, held in one of the three ways, as far as it comes in.
 * Nothing here waits or repeats by itself beyond the SDK's own attempts: what may succeed later is said to.
 */
export const createCapacityIn = (holding: Holding, deps: ProviderDeps): CapacityIn => ({
  describe: (group) => describeHoldings(deps, group),
  requestOf: (group, reservation) =>
    (holding.kind === 'launch-instances' ? asgRequest : fleetRequest)(deps, group, reservation),
  // A repeat goes where the request says, however the group is held by now.
  launch: (orders) =>
    inParallel(orders, launchesAtOnce, (order) =>
      (order.request.api === 'LaunchInstances' ? launchIntoAsg : launchFleet)(deps, order),
    ),
  admit: (group, instances) => admitMembers(deps, group, instances),
  release: (group, swaps) => releaseMembers(deps, group, swaps),
  ...createSizeChanges(deps),
});

/** The same capacity, as far as it leaves. A function that drains bundles nothing that launches. */
export const createCapacityOut = (deps: ProviderDeps): CapacityOut => ({
  describe: (group) => describeHoldings(deps, group),
  release: (group, swaps) => releaseMembers(deps, group, swaps),
  inspectDrain: createInspectDrain(deps),
  end: (group, swaps) => endMembers(deps, group, swaps),
});

/** Both together. */
export const createCapacityProvider = (holding: Holding, deps: ProviderDeps): CapacityProvider => ({
  ...createCapacityIn(holding, deps),
  ...createCapacityOut(deps),
});
