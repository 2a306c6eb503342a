import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventSource, items, metrics, ownMessages, tags } from '../../core/contract.ts';
import { interruptionWarning } from '../react/event-samples.ts';
import { type AwsCli, awsClis, createAwsCli, type InstalledCli } from './aws-cli.ts';
import { type Cdk, createCdk } from './cdk.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { needUrl } from './emulators.ts';
import { eventually } from './eventually.ts';
import { inventory } from './inventory.ts';

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

/**
 * MiniStack carries out dry runs of CreateFleet: for each that Holdfast makes after a policy is accepted, the group has an instance too many, which it
 * removes. So a group has come to its size only when it has kept it for a while.
 */
const calmMs = 20_000;

const filled = (of: Deployment, group: string, count: number): Promise<readonly string[]> => {
  let since = Date.now();
  let before: readonly string[] = [];
  return eventually(
    `${count} instances of ${group} that stay`,
    async () => {
      const ids = await idsOf(of, group);
      if (ids.join() !== before.join()) since = Date.now();
      before = ids;
      return ids.length === count && Date.now() - since >= calmMs && ids;
    },
    100_000,
  );
};

/** Sum of a metric that a function writes into its log, in CloudWatch's embedded format. */
const countIn = async (aws: AwsCli, group: string, metric: string): Promise<number> => {
  const lines: readonly string[] = await aws('logs', 'filter-log-events', '--log-group-name', group, '--query', 'events[].message');
  const counts = lines.flatMap((line) => [...line.matchAll(new RegExp(`"${metric}":(\\d+)`, 'g'))].map(([, count]) => Number(count)));
  return counts.reduce((sum, count) => sum + count, 0);
};

const needCli = (): InstalledCli => {
  const [cli] = awsClis;
  if (cli === undefined) throw new Error('The AWS CLI could not be installed: what it would have looked at is not checked.');
  return cli;
};

/**
 * The state of a deployed alarm once its metric has this value. MiniStack counts messages and publishes no metrics of SQS, so the value is put where
 * the alarm looks: under the namespace, name and dimensions that SQS publishes it (SQS developer guide, available CloudWatch metrics).
 */
const goesOff = async (aws: AwsCli, alarm: string, value: number): Promise<string> => {
  const look = () => aws('cloudwatch', 'describe-alarms', '--alarm-names', alarm, '--query', 'MetricAlarms[0]');
  expect(await look()).toMatchObject({
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateNumberOfMessagesVisible',
    Dimensions: [{ Name: 'QueueName', Value: 'holdfast-signals-dlq' }],
  });
  const metric = ['--namespace', 'AWS/SQS', '--metric-name', 'ApproximateNumberOfMessagesVisible', '--dimensions', 'QueueName=holdfast-signals-dlq'];
  await aws('cloudwatch', 'put-metric-data', ...metric, '--value', String(value));
  return (await look()).StateValue;
};

describe('the stack on MiniStack, deployed by the CDK', () => {
  let cdk: Cdk;
  let stack: Deployment;
  let aws: AwsCli;

  beforeAll(async () => {
    const url = needUrl('ministack');
    aws = createAwsCli(needCli(), url);
    cdk = await createCdk('ministack', url);
    await cdk.bootstrap();
    await cdk.deploy();
    stack = await openDeployment(url);
  });
  afterAll(() => stack?.close());

  test('accepts a policy, stores it as version 1, and brings the group to its size, spread as the policy sets', async () => {
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

  test('follows a warning with a replacement, a swap item, a decision, and a drain that ends', async () => {
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
    expect([...new Set(ended.map(({ status }) => status))]).toEqual(['SUCCEEDED']);
    expect(ended.some(({ name }) => name?.startsWith('workers-interruption-'))).toBe(true);
  }, 200_000);

  test('acknowledges and counts what it cannot read: nothing comes again, nothing is set aside, and the next signal is received', async () => {
    for (const poison of ['not JSON at all', '{"detail-type":"Nobody Knows This","source":"somewhere","detail":{}}', '[]'])
      await stack.signal(poison);
    await eventually('an empty queue', async () => {
      const { waiting, taken } = await stack.depth('holdfast-signals');
      return waiting + taken === 0;
    });
    expect(await stack.depth('holdfast-signals-dlq')).toEqual({ waiting: 0, taken: 0 });
    await eventually(
      'a count of three poison messages',
      async () => (await countIn(aws, '/aws/lambda/holdfast-react', metrics.poisonMessages)) === 3,
    );
    const sinceMs = Date.now();
    await stack.putPolicy(policyOf(stack, 'after-poison', { size: 1 }));
    expect(await stack.statusSince('after-poison', sinceMs)).toMatchObject({ status: 'accepted' });
    await filled(stack, 'after-poison', 1);
  });

  test('moves a signal that cannot be handled to the dead-letter queue, after two tries and without others; sent again after the repair, it is handled', async () => {
    await stack.putPolicy(policyOf(stack, 'poisoned', { size: 1 }));
    const before = await filled(stack, 'poisoned', 1);
    const accepted = (await stack.item('groups', 'poisoned', items.accepted)) ?? {};
    const put = (resolved: object) => stack.putItem('groups', { ...accepted, resolved: { ...accepted.resolved, ...resolved } });
    await put({ capacity: 7 });
    await stack.signal({
      source: eventSource,
      'detail-type': ownMessages.policyChange,
      time: new Date().toISOString(),
      detail: { group: 'poisoned' },
    });
    await stack.putPolicy(policyOf(stack, 'beside-poison', { size: 1 }));
    await filled(stack, 'beside-poison', 1);
    const set = await eventually('a dead letter', async () => (await stack.depth('holdfast-signals-dlq')).waiting || undefined, 200_000);
    expect(await idsOf(stack, 'poisoned')).toEqual(before);
    expect(await goesOff(aws, 'holdfast-signals-dead-letters', set)).toBe('ALARM');

    await put({ size: { min: 2, max: 2, desired: 2 } });
    const moved = await stack.redrive();
    expect(moved.map(({ body }) => JSON.parse(body))).toContainEqual(
      expect.objectContaining({ 'detail-type': ownMessages.policyChange, detail: { group: 'poisoned' } }),
    );
    for (const { body, receives } of moved) {
      expect(body).toContain('poisoned');
      expect(receives).toBeGreaterThanOrEqual(2);
    }
    expect(await filled(stack, 'poisoned', 2)).toEqual(expect.arrayContaining([...before]));
  }, 300_000);

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
    const tables = ['holdfast-groups', 'holdfast-state'];
    const kinds = ['alarms', 'event sources', 'functions', 'log groups', 'queues', 'roles', 'rules', 'stacks', 'state machines', 'tables'];
    expect(Object.keys(await inventory(aws, 'holdfast'))).toEqual(expect.arrayContaining(kinds));
    await cdk.destroy();
    const { 'log groups': logGroups = [], ...left } = await inventory(aws, 'holdfast');
    expect(left).toEqual({ tables });
    // A tick that runs meanwhile has MiniStack make its log group anew. On AWS it cannot: no function has the right to.
    expect(['/aws/lambda/holdfast-tick']).toEqual(expect.arrayContaining([...logGroups]));
    expect(await stack.item('groups', 'after-poison', items.accepted)).toMatchObject({ version: 2 });
    expect(await idsOf(stack, 'after-poison')).toEqual(before);
  }, 300_000);
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
    await filled(stack, 'broken', 2);
  }, 300_000);
});
