import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { mostRemembered, perClient } from '../calls/remembered.ts';

/** Whom this environment attached, and when. `noted`: a tag of the instance says so too. */
type Joined = { readonly asg: string; readonly atMs: number; readonly noted: boolean };

/**
 * Who joins waits so long for others that are coming, so that one call tags all of them. It is at least how long those
 * wait for each other before they join.
 */
export const notedWithinMs = 20_000;

/** Lost with the environment, so it may only save calls: a later look finds who has no tag. */
const knownTo = perClient<AutoScalingClient, Map<string, Joined>>(() => new Map());

/**
 * Remembers that instances joined an Auto Scaling group now. Who joined before keeps its time. Where they are too many,
 * those that are noted are forgotten.
 */
export const rememberJoined = (
  client: AutoScalingClient,
  instances: readonly string[],
  { asg, atMs }: Pick<Joined, 'asg' | 'atMs'>,
): void => {
  const known = knownTo(client);
  if (known.size > mostRemembered) for (const [id, { noted }] of known) if (noted) known.delete(id);
  for (const id of instances) if (known.get(id)?.asg !== asg) known.set(id, { asg, atMs, noted: false });
};

/** What this environment knows of an instance that joined this Auto Scaling group. */
export const joinedHere = (client: AutoScalingClient, asg: string, instance: string): Joined | undefined => {
  const joined = knownTo(client).get(instance);
  return joined?.asg === asg ? joined : undefined;
};

/** Who joined this Auto Scaling group and has no tag yet. */
export const notNotedYet = (client: AutoScalingClient, asg: string): readonly (Joined & { readonly id: string })[] =>
  [...knownTo(client)].flatMap(([id, joined]) => (joined.asg === asg && !joined.noted ? [{ id, ...joined }] : []));

/** Remembers that tags say it. */
export const rememberNoted = (client: AutoScalingClient, instances: readonly string[]): void => {
  const known = knownTo(client);
  for (const id of instances) {
    const joined = known.get(id);
    if (joined !== undefined) known.set(id, { ...joined, noted: true });
  }
};
