import { describe, expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import type { Trial } from '../../core/launch/launch-checks.ts';
import { group } from './builders.ts';
import { failsWith } from './fake-aws.ts';
import { providerOver } from './provider.ts';

const trial: Trial = { launchTemplate: 'web', market: 'spot', subnet: 'subnet-b', pools: ['spot-a'] };

/** What a dry run returns that EC2 answers like this, and the requests that it made. */
const tried = async (answer: object | (() => never), of: Group = group(), one: Trial = trial) => {
  const { provider, aws } = providerOver(of.holding, { CreateFleet: answer });
  return { check: await provider.tryLaunch(of, one), inputs: aws.inputsOf('CreateFleet') };
};
const wouldSucceed = failsWith('DryRunOperation', 'Request would have succeeded, but DryRun flag is set.', 412);

describe('a dry run of a launch', () => {
  test('requests one instance, in all types of the pool, from its subnet alone, and launches nothing', async () => {
    const { check, inputs } = await tried(wouldSucceed);
    expect(check).toBeUndefined();
    expect(inputs).toMatchObject([
      {
        DryRun: true,
        TargetCapacitySpecification: { TotalTargetCapacity: 1 },
        LaunchTemplateConfigs: [
          {
            LaunchTemplateSpecification: { LaunchTemplateName: 'web' },
            Overrides: [
              { InstanceType: 'm7g.large', SubnetId: 'subnet-b' },
              { InstanceType: 'm6g.large', SubnetId: 'subnet-b' },
            ],
          },
        ],
      },
    ]);
    // A token would make the launch itself a repeat of the dry run.
    expect(inputs[0]).not.toHaveProperty('ClientToken');
  });

  test('that AWS takes although it is dry finds nothing wrong either', async () => {
    expect((await tried({ Instances: [] })).check).toBeUndefined();
  });

  test('returns what AWS would refuse, with its code and its text', async () => {
    const { check } = await tried(failsWith('InvalidLaunchTemplateName.NotFoundException', 'There is no launch template web.'));
    expect(check).toEqual({
      code: 'refused',
      pools: ['spot-a'],
      launchTemplate: 'web',
      market: 'spot',
      subnet: 'subnet-b',
      awsCode: 'InvalidLaunchTemplateName.NotFoundException',
      message:
        'AWS would refuse launch template web on spot in subnet-b (InvalidLaunchTemplateName.NotFoundException): There is no launch template web.',
    });
  });

  test('that AWS throttles, or that gets no clear response, has found nothing and is made again', async () => {
    expect((await tried(failsWith('RequestLimitExceeded', 'Later.', 503))).check).toMatchObject({
      code: 'not-tried',
      awsCode: 'RequestLimitExceeded',
    });
    expect((await tried(failsWith('InternalError', 'Oh.', 500))).check).toMatchObject({ code: 'not-tried', awsCode: 'InternalError' });
  });

  test('is not made for a pool that the policy no longer has, or that left the subnet', async () => {
    expect(await tried({}, group(), { ...trial, pools: ['gone'] })).toEqual({ check: undefined, inputs: [] });
    expect(await tried({}, group(), { ...trial, pools: [] })).toEqual({ check: undefined, inputs: [] });
    expect(await tried({}, group(), { ...trial, subnet: 'subnet-gone' })).toEqual({ check: undefined, inputs: [] });
  });

  test('throws a bug of ours', async () => {
    const broken = (): never => {
      throw new TypeError('undefined is not a function');
    };
    await expect(tried(broken)).rejects.toThrow('undefined is not a function');
  });
});
