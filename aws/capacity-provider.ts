import { isAsAdded } from '../core/group/attached-number.ts';
import type { Group, Holding } from '../core/group/group.ts';
import { namedTargetGroups } from '../core/group/holders.ts';
import { howHeld } from '../core/group/holding.ts';
import { outsideAsgOf } from '../core/group/outside-size.ts';
import type {
  ActionResult,
  Admitted,
  Admitting,
  CapacityIn,
  CapacityOut,
  CapacityProvider,
} from '../core/ports/capacity-provider.ts';
import type { Added } from '../core/view/added.ts';
import { inParallel } from './calls/in-parallel.ts';
import { createDraining } from './draining/draining.ts';
import { createInspectDrain } from './draining/inspect-drain.ts';
import { allOf } from './providers/act-on.ts';
import { attachMembers, noteJoined, noteTogether } from './providers/attach-members.ts';
import { describeAsgs } from './providers/auto-scaling-groups.ts';
import { fleetRequest, launchFleet } from './providers/create-fleet.ts';
import { describeHoldings } from './providers/describe-members.ts';
import { endMembers } from './providers/end-members.ts';
import { asgRequest, launchIntoAsg, tagLaunched } from './providers/launch-into-asg.ts';
import type { ProviderDeps } from './providers/provider-deps.ts';
import { createMaximumChanges, createSizeChanges, createSuspensions } from './providers/size-changes.ts';
import { registerTargets } from './providers/target-groups.ts';
import { protectedAmong } from './providers/termination-protection.ts';
import { tryLaunch } from './providers/try-launch.ts';

/** Requests under way at once: usually one for each pool of a decision. */
const launchesAtOnce = 10;

/** Whether the size is still the one in the note of an attach. Others have set another one if the note is gone. */
const isAsNoted = async ({ autoScaling }: ProviderDeps, added: Added | undefined): Promise<boolean> => {
  if (added === undefined) return false;
  const [asg] = await describeAsgs(autoScaling, [added.asg]);
  return asg !== undefined && isAsAdded(added, asg);
};

/** The next look writes a new note with the size. */
const sizeChanged = (instances: readonly string[]): ActionResult => ({
  done: [],
  failed: instances.map((instance) => ({ instance, code: 'SizeChanged', retry: 'later' })),
});

/**
 * Puts running members into service: registers them with named target groups, and attaches them where the group is an
 * Auto Scaling group.
 */
const admitMembers = async (
  deps: ProviderDeps,
  group: Group,
  instances: readonly string[],
  { added, ...noting }: Admitting,
): Promise<Admitted> => {
  if (instances.length === 0) return { done: [], failed: [] };
  if (outsideAsgOf(group) !== undefined && !(await isAsNoted(deps, added))) return sizeChanged(instances);
  const { joins } = howHeld(group);
  const { mayBeDone, ...attached }: Admitted =
    joins === undefined ? { done: instances, failed: [] } : await attachMembers(deps, joins, instances);
  if (joins !== undefined) await noteTogether(deps, { group: group.name, asg: joins }, attached.done, noting);
  const registered = await registerTargets(deps.elb, namedTargetGroups(group), attached.done);
  return { ...allOf(instances, [attached, registered]), ...(mayBeDone && { mayBeDone }) };
};

const requestsBy = { createFleet: fleetRequest, autoScaling: asgRequest };

/**
 * Capacity from EC2, held in one of the three ways: the launching part. Nothing here waits or repeats beyond the SDK's
 * own attempts. The result says what may succeed later.
 */
export const createCapacityIn = (holding: Holding, deps: ProviderDeps): CapacityIn => ({
  describe: (group, changes) => describeHoldings(deps, group, changes),
  requestOf: (group, reservation) => requestsBy[howHeld({ holding }).launchesBy](deps, group, reservation),
  // A repeat uses the API of its stored request, even if the group is held in another way now.
  launch: (orders) =>
    inParallel(orders, launchesAtOnce, (order) =>
      (order.request.api === 'LaunchInstances' ? launchIntoAsg : launchFleet)(deps, order),
    ),
  tryLaunch: (group, trial) => tryLaunch(deps, group, trial),
  admit: (group, instances, admitting = {}) => admitMembers(deps, group, instances, admitting),
  noteJoined: ({ name }, asg, instances) => noteJoined(deps, name, asg, instances),
  tagLaunched: (group, reservation, instances) => tagLaunched(deps, group, reservation, instances),
  ...createDraining(deps),
  ...createMaximumChanges(deps),
  ...createSizeChanges(deps),
  ...createSuspensions(deps),
});

/** The same capacity: the leaving part. A drain function's bundle has no code that launches. */
export const createCapacityOut = (deps: ProviderDeps): CapacityOut => ({
  describe: (group, changes) => describeHoldings(deps, group, changes),
  protectedAmong: (instances) => protectedAmong(deps, instances),
  release: createDraining(deps).release,
  inspectDrain: createInspectDrain(deps),
  end: (group, swaps) => endMembers(deps, group, swaps),
});

/** Both parts. */
export const createCapacityProvider = (holding: Holding, deps: ProviderDeps): CapacityProvider => ({
  ...createCapacityIn(holding, deps),
  ...createCapacityOut(deps),
});
