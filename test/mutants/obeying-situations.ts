import type { FaultInput } from '../../sandbox/fault-schema.ts';
import { noCapacity } from '../sim/capacity-steps.ts';
import { setBy } from '../sim/outside-steps.ts';
import type { Step } from '../sim/situation.ts';
import { interrupt } from '../sim/steps.ts';
import { type SettingOptions, zones } from '../sim/worlds.ts';
import { minuteMs, ofOneGroup } from './one-group.ts';

const asg = 'web-asg';
const sized = { size: { from: 'asg', min: 0, max: 20 }, return: false };

const of = (name: string, endsAt: number, options: SettingOptions, steps: readonly Step[], faults: readonly FaultInput[] = []) =>
  ofOneGroup(name, 'attach', { size: 6, max: 20, market: 'spot', policy: sized, ...options }, () => steps, {
    endsAt,
    ...(faults.length > 0 && { faults }),
    calmAtMs: 15 * minuteMs,
    restWithinMs: 10 * minuteMs,
  });

/** Spot is gone for good, and takes two members with it. Holdfast attaches two on demand, 17 s later. */
const spotIsGone = [noCapacity(500, 840_000, ['spot'], zones), interrupt(1_000, 2)];

/** A person sets a size once. */
const sets = (atMs: number, value: number): Step => setBy(atMs, { kind: 'person', asg, wants: [{ atSeconds: 0, value }] }, 5_000);

/** A scheduler ends the newest member with the capacity that it holds. */
const endNewest = (atMs: number): Step => ({
  kind: 'ended-through-asg',
  atMs,
  what: 'a scheduler ends the newest member with its capacity',
  about: { group: 'web' },
  happen: async (stage) => {
    const InstanceId = stage.members('web').at(-1)?.id;
    stage.did({ kind: 'ended-through-asg', instances: InstanceId === undefined ? [] : [InstanceId], groups: ['web'], asgs: [asg] });
    if (InstanceId === undefined) return;
    await stage.operate('autoscaling', 'TerminateInstanceInAutoScalingGroup', { InstanceId, ShouldDecrementDesiredCapacity: true });
  },
});

/** The function that attaches is killed after the call. */
const diesAttaching: FaultInput = { on: 'call', kind: 'crash-caller', when: 'after', times: 1, match: { operation: 'AttachInstances' } };

const hooks = [{ name: 'drain', transition: 'terminating', heartbeatSeconds: 120, defaultResult: 'CONTINUE' }] as const;
const hooksAreLost: FaultInput = { on: 'event', kind: 'drop', match: { detailType: 'EC2 Instance-terminate Lifecycle Action' } };

/** Worlds in which others set the size of a group within seconds of what Holdfast does, or no message tells Holdfast what the group does. */
export const obeyingSituations = {
  'others end a member that has just joined, and set a size': of('others end a member that has just joined, and set a size', 7, {}, [
    ...spotIsGone,
    endNewest(21_000),
    sets(22_000, 7),
  ]),
  'others set the number of an attach after another one': of('others set the number of an attach after another one', 8, {}, [
    ...spotIsGone,
    interrupt(18_500, 1),
    sets(34_000, 8),
  ]),
  'a member joins while no describe shows an earlier attach': of(
    'a member joins while no describe shows an earlier attach',
    6,
    { asgLagSeconds: [12, 12] },
    // Two join at 19.5 s, and their function dies. The third one runs at 27.6 s, before a describe shows the two.
    [...spotIsGone, interrupt(16_400, 1)],
    [diesAttaching],
  ),
  'others set a size while a function launches': of('others set a size while a function launches', 8, {}, [
    ...spotIsGone,
    interrupt(16_500, 1),
    sets(18_500, 8),
  ]),
  'others lower a size, and the messages of the hooks are lost': of(
    'others lower a size, and the messages of the hooks are lost',
    4,
    { hooks },
    [sets(1_000, 4)],
    [hooksAreLost],
  ),
};
