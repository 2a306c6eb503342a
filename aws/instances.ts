import { type EC2Client, type Filter, paginateDescribeInstances } from '@aws-sdk/client-ec2';
import { groupTagValue, tags } from '../core/contract.ts';
import type { Offering } from '../core/pool/offering.ts';
import type { Ending } from '../core/pool-memory/boot-memory.ts';
import { allOf } from './calls/all-of.ts';
import { chunks, chunksByWeight } from './calls/chunks.ts';
import type { Instance } from './calls/ec2-shapes.ts';
import { inParallel } from './calls/in-parallel.ts';
import { rememberedByKey } from './calls/remembered.ts';

/** Tag that Auto Scaling puts on its instances. */
export const asgTag = 'aws:autoscaling:groupName';
/** Values that one filter takes (EC2 API reference, DescribeInstances). */
const filterValues = 200;
const describesAtOnce = 5;

/** The most times that a list is read, if it changes between its pages. */
const mostReadings = 5;

/**
 * Every instance that the filters match, all pages. Filtered calls with MaxResults use the larger token bucket. EC2
 * promises no order: a list that changes between two pages shows one instance twice and another not at all, so it is
 * read again.
 */
const describeInstances = async (
  ec2: EC2Client,
  filters: readonly Filter[],
  onPage: () => void = () => undefined,
  readings = mostReadings,
): Promise<readonly Instance[]> => {
  const found = await allOf(
    paginateDescribeInstances({ client: ec2 }, { Filters: [...filters], MaxResults: 1000 }),
    ({ Reservations }) => {
      onPage();
      return Reservations?.flatMap(({ Instances = [] }) => Instances);
    },
  );
  const once = new Map(found.map((instance) => [instance.InstanceId, instance]));
  if (once.size < found.length && readings > 1) {
    const again = await describeInstances(ec2, filters, onPage, readings - 1);
    for (const instance of again) once.set(instance.InstanceId, instance);
  }
  return [...once.values()];
};

/**
 * What EC2 shows of these instances. A later page may be older than the first one. So what several pages did not show
 * is read once more, alone.
 */
const describeByIds = async (
  ec2: EC2Client,
  ids: readonly string[],
  readsAgain = true,
): Promise<readonly Instance[]> => {
  let pages = 0;
  const found = await describeInstances(ec2, [{ Name: 'instance-id', Values: [...ids] }], () => {
    pages += 1;
  });
  const shown = new Set(found.map(({ InstanceId }) => InstanceId));
  const missing = ids.filter((id) => !shown.has(id));
  if (!readsAgain || pages < 2 || missing.length === 0) return found;
  return [...found, ...(await describeByIds(ec2, missing, false))];
};

/** Looks instances up by id. By filter, not by `InstanceIds`: one unknown id would fail the whole call. */
export const instancesById = async (ec2: EC2Client, ids: readonly string[]): Promise<ReadonlyMap<string, Instance>> => {
  const parts = chunks([...new Set(ids)], filterValues);
  const found = await inParallel(parts, describesAtOnce, (part) => describeByIds(ec2, part));
  return new Map(found.flat().map((instance) => [instance.InstanceId ?? '', instance]));
};

/**
 * What one describe by tag may find, so that it needs one page of 1,000. Several pages come one after the other, and
 * are read again where the list changes between them.
 */
const onOnePage = { items: filterValues, weight: 950 };
/** How many instances a value is expected to find that this environment has not read yet. */
const unreadWeight = 16;

/** How many instances each value of a tag found at the last read of this environment. */
const foundBefore = rememberedByKey<EC2Client, number>();

/** How many instances these values of a tag found at the last read of this environment. */
export const lastFound = (ec2: EC2Client, tag: string, values: readonly string[]): number =>
  values.reduce((sum, value) => sum + (foundBefore(ec2).get(`${tag} ${value}`) ?? 0), 0);

/** Notes what a read of all states found. */
const noteFound = (ec2: EC2Client, tag: string, values: readonly string[], found: readonly Instance[]): void => {
  const counts = Map.groupBy(found, (instance) => tagOf(instance, tag));
  const before = foundBefore(ec2);
  for (const value of values) before.set(`${tag} ${value}`, counts.get(value)?.length ?? 0);
};

/** Instances that carry a tag with one of these values: all, or those in these states. */
export const instancesByTag = async (
  ec2: EC2Client,
  tag: string,
  values: readonly string[],
  states: readonly string[] = [],
): Promise<readonly Instance[]> => {
  const inStates = states.length === 0 ? [] : [{ Name: 'instance-state-name', Values: [...states] }];
  const before = foundBefore(ec2);
  const parts = chunksByWeight(values, (value) => before.get(`${tag} ${value}`) ?? unreadWeight, onOnePage);
  const found = await inParallel(parts, describesAtOnce, (part) =>
    describeInstances(ec2, [{ Name: `tag:${tag}`, Values: [...part] }, ...inStates]),
  );
  const all = found.flat();
  if (states.length === 0) noteFound(ec2, tag, values, all);
  return all;
};

export const tagOf = (instance: Instance, key: string): string | undefined =>
  instance.Tags?.find(({ Key }) => Key === key)?.Value;

/** The group of this deployment that an instance is tagged for. */
export const groupOf = (instance: Instance, deployment: string): string | undefined => {
  const value = tagOf(instance, tags.group);
  const prefix = groupTagValue(deployment, '');
  return value?.startsWith(prefix) ? value.slice(prefix.length) : undefined;
};

export const offeringOf = (instance: Instance): Offering => ({
  instanceType: instance.InstanceType ?? 'unknown',
  zone: instance.Placement?.AvailabilityZone ?? 'unknown',
  market: instance.InstanceLifecycle === 'spot' ? 'spot' : 'on-demand',
});

/** Stopped or stopping: it does no work, and still has to be terminated. */
export const isStopped = (instance: Instance | undefined): boolean =>
  instance?.State?.Name === 'stopping' || instance?.State?.Name === 'stopped';

/** True while EC2 runs it or will soon. A stopped instance does no work and is part of no group's size. */
export const isAlive = (instance: Instance | undefined): boolean =>
  instance?.State?.Name === 'pending' || instance?.State?.Name === 'running';

/** The reason of EC2 for the end of an instance. Undefined while it runs, or while EC2 shows no reason. */
export const endingOf = (instance: Instance): Ending | undefined => {
  const { Code: code, Message: message = '' } = instance.StateReason ?? {};
  return isAlive(instance) || isStopped(instance) || !code
    ? undefined
    : { code, message, offering: offeringOf(instance) };
};
