import { DescribeInstanceStatusCommand, type EC2Client, type InstanceStatus } from '@aws-sdk/client-ec2';
import type { StatusCheck } from '../../core/view/ready.ts';
import { chunks } from '../calls/chunks.ts';
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

/**
 * The status checks of these running instances. An instance that EC2 does not list yet is `waiting`. If the checks
 * cannot be read now, they are `unread`.
 */
export const statusChecksOf = async (
  { ec2, missed }: Pick<ProviderDeps, 'ec2' | 'missed'>,
  instances: readonly string[],
): Promise<ReadonlyMap<string, StatusCheck>> => {
  const asked = instances.filter((id) => !passed.has(ec2, id));
  const found = await inParallel(chunks(asked, idsPerCall), callsAtOnce, async (ids) => {
    const command = new DescribeInstanceStatusCommand({ InstanceIds: [...ids] });
    const read = await optionalRead('instance status', missed, () => ec2.send(command, hasty));
    if (read === undefined) return ids.map((id) => [id, 'unread'] as const);
    const told = new Map((read.InstanceStatuses ?? []).map((one) => [one.InstanceId ?? '', checkOf(one)]));
    return ids.map((id) => [id, told.get(id) ?? 'waiting'] as const);
  });
  const checks = new Map<string, StatusCheck>(found.flat());
  passed.add(
    ec2,
    asked.filter((id) => checks.get(id) === 'passed'),
  );
  return checks;
};
