import { CreateFleetCommand } from '@aws-sdk/client-ec2';
import type { Group } from '../../core/group/group.ts';
import { type LaunchCheck, refusedCheck, type Trial, untriedCheck } from '../../core/launch/launch-checks.ts';
import type { Pool } from '../../core/pool/pool.ts';
import { codeOf, isFromAws, messageOf, troubleOf } from '../calls/errors.ts';
import { fleetInput } from './create-fleet.ts';
import type { ProviderDeps } from './provider-deps.ts';

/** EC2 returns this error where the request would have been carried out. */
const wouldSucceed = 'DryRunOperation';

/** The request of one instance from one subnet, in all types of the pool. */
const inputOf = (deployment: string, group: Group, pool: Pool, { subnet }: Trial) => {
  const subnets = pool.subnets.filter(({ id }) => id === subnet);
  const zone = subnets[0]?.zone ?? '';
  const offerings = pool.instanceTypes.map((instanceType) => ({ instanceType, zone, market: pool.market }));
  const placement = { pool: pool.name, count: 1, offerings };
  const never = { decision: '', atMs: 0, leaseUntilMs: 0, forgetAtMs: 0, replaces: [] };
  const reservation = { id: 'dry-run', token: 'dry-run', placement, ...never };
  const input = fleetInput(deployment, group, { ...pool, subnets }, reservation);
  if (input === undefined) return undefined;
  const { ClientToken: _token, ...rest } = input;
  return { ...rest, DryRun: true };
};

/** Tries a launch with a dry run. Undefined: AWS would carry it out. */
export const tryLaunch = async (
  { ec2, deployment }: Pick<ProviderDeps, 'ec2' | 'deployment'>,
  group: Group,
  trial: Trial,
): Promise<LaunchCheck | undefined> => {
  const pool = group.pools[trial.pools[0] ?? ''];
  const input = pool && inputOf(deployment, group, pool, trial);
  if (input === undefined) return undefined;
  try {
    await ec2.send(new CreateFleetCommand(input));
    return undefined;
  } catch (error) {
    if (!isFromAws(error)) throw error;
    const code = codeOf(error);
    if (code === wouldSucceed) return undefined;
    const trouble = troubleOf(error);
    return trouble === 'throttled' || trouble === 'ambiguous'
      ? untriedCheck(trial, code)
      : refusedCheck(trial, code, messageOf(error));
  }
};
