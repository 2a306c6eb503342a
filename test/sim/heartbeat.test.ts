import { expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/door.ts';
import { settingOf } from './worlds.ts';

/** Plays ten minutes of a deployment without policies. `mine`: one message of the test's own, delivered so late. */
const play = async (delaySeconds?: number) => {
  const values: string[] = [];
  const { spec } = settingOf('tag', { size: 2 });
  const sandbox = await startSandbox({ mode: 'simulated', spec, seed: 1, onMetric: (metric, value) => void values.push(`${metric} ${value}`) });
  const queue = sandbox.platform.queues.find(({ name }) => name.endsWith('-signals'));
  try {
    await sandbox.drive(
      (async () => {
        await sandbox.clock.sleep(30_000);
        const detail = { 'instance-id': 'i-0123456789abcdef0', state: 'terminated' };
        const event = {
          source: 'aws.ec2',
          'detail-type': 'EC2 Instance State-change Notification',
          time: new Date(sandbox.clock.now()).toISOString(),
          detail,
        };
        if (delaySeconds !== undefined)
          await sandbox.cloud.call({
            service: 'sqs',
            operation: 'SendMessage',
            input: { QueueUrl: queue?.url, MessageBody: JSON.stringify(event), DelaySeconds: delaySeconds },
            caller: { kind: 'operator' },
          });
        await sandbox.clock.sleep(570_000);
      })(),
    );
    return { values, looks: sandbox.invocations().filter(({ functionName }) => functionName.endsWith('-react')) };
  } finally {
    await sandbox.close();
  }
};

test('without any group, react runs each minute all the same', async () => {
  const { values, looks } = await play();
  expect(looks.length).toBeGreaterThanOrEqual(9);
  expect(looks.every(({ result }) => result.kind === 'ok')).toBe(true);
  expect(values).not.toContain('PoisonMessages 1');
});

test('a signal that is read more than a minute after it came is counted as late, one that is read in time is not', async () => {
  expect((await play(90)).values).toContain('SignalsLate 1');
  expect((await play(5)).values).not.toContain('SignalsLate 1');
});
