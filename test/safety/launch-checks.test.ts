import { expect, test } from 'vitest';
import type { LaunchCheck } from '../../core/launch/launch-checks.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import { withArns } from '../../sandbox/scenario/perform.ts';
import { openStage } from '../sim/stage.ts';
import { settingOf } from '../sim/worlds.ts';
import './fleet.ts';

const { spec, policy } = settingOf('tag');
const template = { name: 'secret', data: { ImageId: 'resolve:ssm:/prod/password' } };
const situation = {
  name: 'launch checks',
  seed: 1,
  spec: { ...spec, launchTemplates: [...spec.launchTemplates, template] },
  policies: [policy],
  asked: { web: { size: 6 } },
  steps: [],
  calmAtMs: 0,
  restWithinMs: 0,
};
const pools = policy.pools as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
const changed = { ...policy, pools: { ...pools, 'od-c': { ...pools['od-c'], launchTemplate: 'secret' } } };

test('the status of a policy lists the launches that AWS would refuse, and again every day', async () => {
  const stage = await openStage(situation);
  const { sandbox } = stage;
  const status = async () => (await sandbox.items('groups')).find(({ group, item }) => group === 'web' && item === 'status');
  const dryRuns = () =>
    sandbox.callLog.calls().filter(({ operation, outcome }) => operation === 'CreateFleet' && outcome === 'DryRunOperation').length;
  const dueAtMs = async () =>
    ((await sandbox.items('state')).find(({ item }) => item === 'state')?.state as { checksDueAtMs?: number } | undefined)?.checksDueAtMs;
  const becomesDue = () =>
    stage.operate('dynamodb', 'UpdateItem', {
      TableName: 'holdfast-state',
      Key: toItem({ group: 'web', item: 'state' }),
      UpdateExpression: 'SET #state.#due = :now',
      ExpressionAttributeNames: { '#state': 'state', '#due': 'checksDueAtMs' },
      ExpressionAttributeValues: toItem({ ':now': sandbox.clock.now() }),
    });
  try {
    await sandbox.drive(
      (async () => {
        await sandbox.putPolicy(withArns(sandbox as never, changed));
        await sandbox.clock.sleep(60_000);
        const found = (await status())?.checks as readonly LaunchCheck[];
        expect(found).toEqual([
          {
            code: 'refused',
            pools: ['od-c'],
            launchTemplate: 'secret',
            market: 'on-demand',
            subnet: 'subnet-c',
            awsCode: 'UnauthorizedOperation',
            missing: { action: 'ssm:GetParameters', resource: expect.stringContaining(':parameter/prod/password') },
            message: expect.stringContaining('its role lacks ssm:GetParameters on'),
          },
        ]);
        const first = (await status())?.checkedAt;
        expect(dryRuns()).toBe(4);
        expect(await dueAtMs()).toBe(Date.parse(String(first)) + 24 * 3_600_000);
        await sandbox.clock.sleep(600_000);
        expect(dryRuns()).toBe(4);
        await becomesDue();
        await sandbox.clock.sleep(180_000);
        expect((await status())?.checkedAt).not.toBe(first);
        expect(dryRuns()).toBe(8);
      })(),
    );
  } finally {
    await sandbox.close();
  }
});
