import { DescribeInstanceStatusCommand, type EC2Client } from '@aws-sdk/client-ec2';
import type { StatusCheck } from '../../core/view/ready.ts';
import { chunks } from '../calls/chunks.ts';
import type { InstanceStatus } from '../calls/ec2-shapes.ts';
import { codeOf, instancesNamedIn } from '../calls/errors.ts';
import { inParallel } from '../calls/in-parallel.ts';
import { hasty, optionalRead } from '../calls/optional-read.ts';
import { remembered } from '../calls/remembered.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** Ids of one call (EC2 API Reference, DescribeInstanceStatus). */
const idsPerCall = 100;
const callsAtOnce = 5;

/** Instances whose checks this environment saw pass, by client. They are not read again. */
const passed = remembered<EC2Client>();

/** Both checks must pass: that of the instance, and that of the machine below it. */
const checkOf = ({ InstanceStatus: own, SystemStatus: system }: InstanceStatus): StatusCheck => {
  const said = [own?.Status, system?.Status];
  if (said.includes('impaired')) return 'failed';
  return said.every((status) => status === 'ok') ? 'passed' : 'waiting';
};

type Read = { readonly statuses: readonly InstanceStatus[]; readonly unknown: ReadonlySet<string> };

/** Reads the instances of one call. One id that EC2 does not know fails the call, so the others are read once more. */
const readOnce = async (ec2: EC2Client, ids: readonly string[]): Promise<Read> => {
  const read = async (asked: readonly string[]): Promise<readonly InstanceStatus[]> =>
    asked.length === 0
      ? []
      : ((await ec2.send(new DescribeInstanceStatusCommand({ InstanceIds: [...asked] }), hasty)).InstanceStatuses ??
        []);
  try {
    return { statuses: await read(ids), unknown: new Set() };
  } catch (error) {
    const unknown = new Set(codeOf(error) === 'InvalidInstanceID.NotFound' ? instancesNamedIn(error) : []);
    const others = ids.filter((id) => !unknown.has(id));
    if (others.length === ids.length) throw error;
    return { statuses: await read(others), unknown };
  }
};

/**
 * The status checks of these running instances. An instance that EC2 does not list yet is `waiting`. If the checks
 * cannot be read now, or EC2 does not know the instance, they are `unread`.
 */
export const statusChecksOf = async (
  { ec2, missed }: Pick<ProviderDeps, 'ec2' | 'missed'>,
  instances: readonly string[],
): Promise<ReadonlyMap<string, StatusCheck>> => {
  const asked = instances.filter((id) => !passed.has(ec2, id));
  const found = await inParallel(chunks(asked, idsPerCall), callsAtOnce, async (ids) => {
    const read = await optionalRead('instance status', missed, () => readOnce(ec2, ids));
    if (read === undefined) return ids.map((id) => [id, 'unread'] as const);
    const told = new Map(read.statuses.map((one) => [one.InstanceId ?? '', checkOf(one)]));
    return ids.map((id) => [id, told.get(id) ?? (read.unknown.has(id) ? 'unread' : 'waiting')] as const);
  });
  const checks = new Map<string, StatusCheck>(found.flat());
  passed.add(
    ec2,
    asked.filter((id) => checks.get(id) === 'passed'),
  );
  return checks;
};
