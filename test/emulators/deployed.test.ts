import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { items, tags } from '../../functions/contract.ts';
import { interruptionWarning } from '../react/event-samples.ts';
import { type Cdk, createCdk } from './cdk.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { needUrl } from './emulators.ts';
import { eventually } from './eventually.ts';

const policyOf = ({ subnets, targetGroup }: Deployment, group: string, more: Readonly<Record<string, unknown>> = {}) => ({
  group,
  size: 2,
  capacity: { spread: ['a', 'b'] },
  defaults: { launchTemplate: 'web', instanceTypes: ['m7g.large'] },
  pools: { a: { market: 'spot', subnets: [subnets[0]] }, b: { market: 'spot', subnets: [subnets[1]] } },
  drain: { timeout: '30s', loadBalancers: [targetGroup] },
  ...more,
});

const idsOf = async (of: Deployment, group: string): Promise<readonly string[]> =>
  (await of.instances(group)).map(({ InstanceId }) => InstanceId ?? '').toSorted();

const warningFor = (instance: string) => ({
  ...interruptionWarning({ 'instance-id': instance }),
  time: new Date().toISOString(),
  account: '000000000000',
  region: 'us-east-1',
});

const filled = (of: Deployment, group: string, count: number): Promise<readonly string[]> =>
  eventually(`${count} instances of ${group}`, async () => {
    const ids = await idsOf(of, group);
    return ids.length === count && ids;
  });

describe('the stack on MiniStack, deployed by the CDK', () => {
  let cdk: Cdk;
  let stack: Deployment;

  beforeAll(async () => {
    const url = needUrl('ministack');
    cdk = await createCdk('ministack', url);
    await cdk.bootstrap();
    await cdk.deploy();
    stack = await openDeployment(url);
  });
  afterAll(() => stack?.close());

  test('accepts a policy, stores it as version 1, and brings the group to its size, spread as it says', async () => {
    const sinceMs = Date.now();
    await stack.putPolicy(policyOf(stack, 'workers'));
    expect(await stack.statusSince('workers', sinceMs)).toMatchObject({ status: 'accepted', version: 1 });
    expect(await stack.item('groups', 'workers', items.version(1))).toMatchObject({ version: 1, document: { size: 2 } });
    await filled(stack, 'workers', 2);
    const pools = (await stack.instances('workers')).map(({ Tags }) => Tags?.find(({ Key }) => Key === tags.pool)?.Value ?? '');
    expect(pools.toSorted()).toEqual(['a', 'b']);
  });

  test('rejects a policy with every reason, and keeps the version in force', async () => {
    const sinceMs = Date.now();
    await stack.putPolicy(policyOf(stack, 'workers', { size: -1, pools: { a: { market: 'spot', subnets: ['subnet-none'] }, b: {} } }));
    const status = await stack.statusSince('workers', sinceMs);
    expect(status).toMatchObject({ status: 'rejected', version: 1 });
    expect(JSON.stringify(status.problems)).toContain('size');
    expect(await stack.item('groups', 'workers', items.accepted)).toMatchObject({ version: 1 });
  });

  test('answers a warning with a replacement, a swap item, a decision, and a drain that ends', async () => {
    const before = await filled(stack, 'workers', 2);
    const leaving = before[0] ?? '';
    await stack.signal(warningFor(leaving));
    await eventually('a replacement', async () => (await idsOf(stack, 'workers')).some((id) => !before.includes(id)));
    const found = await stack.stateItems('workers');
    expect(found.find(({ item }) => item === items.swap(leaving))).toMatchObject({ reason: 'interruption', instance: leaving });
    expect(found.some(({ item }) => String(item).startsWith(items.decisionPrefix))).toBe(true);
    const ended = await eventually(
      'the end of the drain',
      async () => {
        const all = await stack.executions();
        return all.length > 0 && all.every(({ status }) => status !== 'RUNNING') && all;
      },
      150_000,
    );
    expect(ended.map(({ status }) => status)).toEqual(['SUCCEEDED']);
  }, 200_000);

  test('acknowledges what it cannot read: nothing comes again, nothing is set aside, and the next signal is heard', async () => {
    for (const poison of ['not JSON at all', '{"detail-type":"Nobody Knows This","source":"somewhere","detail":{}}', '[]'])
      await stack.signal(poison);
    await eventually('an empty queue', async () => {
      const { waiting, taken } = await stack.depth('holdfast-signals');
      return waiting + taken === 0;
    });
    expect(await stack.depth('holdfast-signals-dlq')).toEqual({ waiting: 0, taken: 0 });
    const sinceMs = Date.now();
    await stack.putPolicy(policyOf(stack, 'after-poison', { size: 1 }));
    expect(await stack.statusSince('after-poison', sinceMs)).toMatchObject({ status: 'accepted' });
    await filled(stack, 'after-poison', 1);
  });

  test('is deployed again with a change over the living groups, and keeps them', async () => {
    const before = await idsOf(stack, 'after-poison');
    await cdk.deploy({ 'only-tagged': 'true' });
    expect(await idsOf(stack, 'after-poison')).toEqual(before);
    await stack.putPolicy(policyOf(stack, 'after-poison', { size: 2 }));
    const after = await filled(stack, 'after-poison', 2);
    expect(after).toEqual(expect.arrayContaining([...before]));
    expect(await stack.item('groups', 'after-poison', items.accepted)).toMatchObject({ version: 2 });
  });

  test('is destroyed with everything but its tables and the instances', async () => {
    const before = await idsOf(stack, 'after-poison');
    await cdk.destroy();
    expect(await stack.exists('holdfast-signals')).toBe(false);
    expect(await stack.item('groups', 'after-poison', items.accepted)).toMatchObject({ version: 2 });
    expect(await idsOf(stack, 'after-poison')).toEqual(before);
  });
});

describe('the stack on MiniStack with signatures and roles checked', () => {
  const judged = { judged: 'true' };
  let cdk: Cdk;
  let stack: Deployment;

  beforeAll(async () => {
    const url = needUrl('ministack-auth');
    cdk = await createCdk('ministack-auth', url);
    await cdk.bootstrap();
    await cdk.deploy(judged);
    stack = await openDeployment(url);
  });
  afterAll(async () => {
    await cdk?.destroy(judged);
    stack?.close();
  });

  const replaces = async (group: string): Promise<void> => {
    const before = await idsOf(stack, group);
    await stack.signal(warningFor(before[0] ?? ''));
    await eventually('a replacement', async () => (await idsOf(stack, group)).some((id) => !before.includes(id)));
  };

  test('works with the rights that it gives its functions', async () => {
    await stack.putPolicy(policyOf(stack, 'guarded', { size: 1 }));
    await filled(stack, 'guarded', 1);
    await replaces('guarded');
    await eventually('the end of the drain', async () => (await stack.executions()).some(({ status }) => status === 'SUCCEEDED'), 150_000);
  }, 240_000);

  test('breaks when one of them is taken away, keeps the signal, and goes on once it is back', async () => {
    await stack.putPolicy(policyOf(stack, 'broken', { size: 1 }));
    const before = await filled(stack, 'broken', 1);
    await cdk.deploy({ ...judged, denied: 'true' });
    const sinceMs = Date.now();
    await stack.putPolicy(policyOf(stack, 'broken', { size: 2 }));
    expect(await stack.statusSince('broken', sinceMs)).toMatchObject({ status: 'accepted', version: 2 });
    await sleep(10_000);
    expect(await idsOf(stack, 'broken')).toEqual(before);
    const { waiting, taken } = await stack.depth('holdfast-signals');
    expect(waiting + taken).toBeGreaterThan(0);
    await cdk.deploy(judged);
    await eventually('a second instance', async () => (await idsOf(stack, 'broken')).length === 2, 120_000);
  }, 300_000);
});
