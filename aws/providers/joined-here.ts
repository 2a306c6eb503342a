import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { describeLagMs } from '../../core/times/times.ts';
import type { Instance } from '../calls/ec2-shapes.ts';
import { mostRemembered, perClient } from '../calls/remembered.ts';

/**
 * An instance that this environment attached, and when. `noted`: the instance is tagged as joined. `leftOut`: no call
 * that tags others tags it, because EC2 would refuse the whole call.
 */
type Joined = { readonly asg: string; readonly atMs: number; readonly noted: boolean; readonly leftOut?: true };

/**
 * How long the tag of a member that joined waits for other new members, so that one call tags all of them. It is at
 * least as long as members wait for each other before they join.
 */
export const notedWithinMs = 20_000;

/**
 * Whether the tag of a member that another environment attached is shown by now, if there is one. A younger member is
 * not tagged again.
 */
export const isNoteShown = ({ LaunchTime }: Instance, nowMs: number): boolean =>
  nowMs - (LaunchTime?.getTime() ?? nowMs) > describeLagMs;

/** Lost with the environment, so it may only save calls. A later look finds members without a tag. */
const knownTo = perClient<AutoScalingClient, Map<string, Joined>>(() => new Map());

/**
 * Remembers that instances joined an Auto Scaling group now. An instance that joined before keeps its time. One that
 * was left out since joins anew. If there are too many, tagged ones are forgotten.
 */
export const rememberJoined = (
  client: AutoScalingClient,
  instances: readonly string[],
  { asg, atMs }: Pick<Joined, 'asg' | 'atMs'>,
): void => {
  const known = knownTo(client);
  if (known.size > mostRemembered) for (const [id, { noted }] of known) if (noted) known.delete(id);
  for (const id of instances) {
    const before = known.get(id);
    if (before?.asg !== asg || before.leftOut === true) known.set(id, { asg, atMs, noted: false });
  }
};

/** The memory of this environment about an instance that it attached to an Auto Scaling group. */
export const joinedHere = (client: AutoScalingClient, instance: string): Joined | undefined =>
  knownTo(client).get(instance);

/** Instances that joined this Auto Scaling group, have no tag yet, and can be tagged with others. */
export const notNotedYet = (client: AutoScalingClient, asg: string): readonly (Joined & { readonly id: string })[] =>
  [...knownTo(client)].flatMap(([id, joined]) =>
    joined.asg === asg && !joined.noted && joined.leftOut === undefined ? [{ id, ...joined }] : [],
  );

const remember = (
  client: AutoScalingClient,
  instances: readonly string[],
  more: Partial<Pick<Joined, 'noted' | 'leftOut'>>,
): void => {
  const known = knownTo(client);
  for (const id of instances) {
    const joined = known.get(id);
    if (joined !== undefined) known.set(id, { ...joined, ...more });
  }
};

/** Remembers that these instances are tagged as joined. */
export const rememberNoted = (client: AutoScalingClient, instances: readonly string[]): void =>
  remember(client, instances, { noted: true });

/**
 * Remembers that no call that tags others may tag these instances: EC2 refused it, or their user detached them. If a
 * describe shows one in its Auto Scaling group later, it is tagged all the same.
 */
export const leaveOutOfNotes = (client: AutoScalingClient, instances: readonly string[]): void =>
  remember(client, instances, { leftOut: true });
