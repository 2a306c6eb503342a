import type { EC2Client, Instance } from '@aws-sdk/client-ec2';
import { perClient } from '../calls/remembered.ts';
import { instancesById, instancesByTag, isAlive } from '../instances.ts';

/** Of a group this large, a page of which takes half a second to read, what cannot have changed is not read again. */
const largeFrom = 1_000;
/** Shorter than a minute, so that every tick reads all of it, and than the time for which launches are believed. */
const usedAgainForMs = 50_000;
/** Instances that are looked up by their ids at the most. With more of them, a whole read costs as little. */
const mostById = 400;
/** Instances that an environment keeps. */
const mostKept = 20_000;

type Whole = { readonly atMs: number; readonly instances: readonly Instance[] };
const wholes = perClient<EC2Client, Map<string, Whole>>(() => new Map());

/** What no look asks for takes most of the room. */
const slim = ({ NetworkInterfaces: _n, BlockDeviceMappings: _b, SecurityGroups: _s, ...rest }: Instance): Instance =>
  rest;

const isRunning = ({ State }: Instance): boolean => State?.Name === 'running';
const idOf = ({ InstanceId = '' }: Instance): string => InstanceId;

const keep = (ec2: EC2Client, value: string, whole: Whole): void => {
  const kept = wholes(ec2);
  kept.delete(value);
  if (whole.instances.length < largeFrom) return;
  const others = [...kept.values()].reduce((sum, { instances }) => sum + instances.length, 0);
  if (others + whole.instances.length > mostKept) kept.clear();
  kept.set(value, { ...whole, instances: whole.instances.map(slim) });
};

/** Instances by the states that are no rest: a filter finds all that ended or stopped, and those that begin to run. */
const notRunning = ['pending', 'shutting-down', 'terminated', 'stopping', 'stopped'];

/**
 * All instances of one group by its tag. Of a large group that this environment has read whole a moment ago, only
 * those are read that do not run, those that did not run then, and those that Holdfast was granted since. The others
 * ran then, and run still.
 *
 * @param granted instances that EC2 granted and that describes may not have shown yet, from the state of the group
 */
export const instancesOfOne = async (
  { ec2, now }: { readonly ec2: EC2Client; readonly now: () => number },
  tag: string,
  value: string,
  granted: readonly string[],
): Promise<readonly Instance[]> => {
  const nowMs = now();
  const whole = wholes(ec2).get(value);
  const ran = new Map(whole?.instances.filter(isRunning).map((one) => [idOf(one), one]));
  const begun = whole?.instances.filter((one) => isAlive(one) && !isRunning(one)).map(idOf) ?? [];
  const open = [...new Set([...begun, ...granted])].filter((id) => !ran.has(id));
  if (whole === undefined || nowMs - whole.atMs >= usedAgainForMs || open.length > mostById) {
    const instances = await instancesByTag(ec2, tag, [value]);
    keep(ec2, value, { atMs: nowMs, instances });
    return instances;
  }
  const [others, byId] = await Promise.all([
    instancesByTag(ec2, tag, [value], notRunning),
    open.length === 0 ? new Map<string, Instance>() : instancesById(ec2, open),
  ]);
  const all = new Map([...ran, ...[...others, ...byId.values()].map((one) => [idOf(one), one] as const)]);
  const instances = [...all.values()];
  keep(ec2, value, { atMs: whole.atMs, instances });
  return instances;
};
