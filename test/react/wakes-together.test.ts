import { describe, expect, test } from 'vitest';
import { commonTime, wakesTogether } from '../../functions/react/turns/wakes-together.ts';
import { awsError } from '../aws/fake-aws.ts';

const nowMs = 1_000_000;
const clock = { now: () => nowMs };

const collected = (refuses: (groups: readonly string[]) => boolean = () => false) => {
  const sent: (readonly [number, readonly string[]])[] = [];
  const wake = async (groups: readonly string[], atMs: number): Promise<void> => {
    if (refuses(groups)) throw awsError('ServiceUnavailable', 'Try later.', 503);
    sent.push([atMs - nowMs, groups]);
  };
  return { sent, wakes: wakesTogether({ came: () => undefined, wake }, clock) };
};

describe('wakes of groups of one batch', () => {
  test('that are due at the same time are one message', async () => {
    const { sent, wakes } = collected();
    await wakes.wake(['api'], nowMs + 10_000);
    await wakes.wake(['web'], nowMs + 10_000);
    await wakes.wake(['jobs'], nowMs + 12_000);
    expect(sent).toEqual([]);
    expect(await wakes.send('all')).toEqual([]);
    expect(sent).toEqual([
      [10_000, ['api', 'web']],
      [12_000, ['jobs']],
    ]);
    await wakes.send('all');
    expect(sent).toHaveLength(2);
  });

  test('are one for each group, the earliest', async () => {
    const { sent, wakes } = collected();
    await wakes.wake(['api'], nowMs + 10_000);
    await wakes.wake(['api'], nowMs + 5_000);
    await wakes.wake(['api'], nowMs + 20_000);
    await wakes.send('all');
    expect(sent).toEqual([[5_000, ['api']]]);
  });

  test('are shared with other functions only where nothing is due', async () => {
    const hows: unknown[] = [];
    const wakes = wakesTogether({ came: () => undefined, wake: async (groups, atMs, how) => void hows.push([groups, atMs - nowMs, how]) }, clock);
    await wakes.wake(['api'], nowMs + 10_000, 'together');
    await wakes.wake(['web'], nowMs + 10_000);
    await wakes.wake(['jobs'], nowMs + 10_000, 'together');
    for (const how of ['together', undefined, 'together'] as const) await wakes.wake(['both'], nowMs + 10_000, how);
    await wakes.wake(['mail'], nowMs + 10_000);
    await wakes.wake(['mail'], nowMs + 5_000, 'together');
    await wakes.send('all');
    expect(hows).toEqual([
      [['web', 'both'], 10_000, undefined],
      [['api', 'jobs'], 10_000, 'together'],
      [['mail'], 5_000, 'together'],
    ]);
  });

  test('that are due soon do not wait for the end of the batch', async () => {
    const { sent, wakes } = collected();
    await wakes.wake(['api'], nowMs + 1_000);
    await wakes.wake(['web'], nowMs + 10_000);
    await wakes.wake(['jobs'], nowMs + 2_000);
    await wakes.send('due');
    expect(sent).toEqual([[1_000, ['api']]]);
  });

  test('name fifty groups a message', async () => {
    const { sent, wakes } = collected();
    const groups = Array.from({ length: 60 }, (_, index) => `group-${index}`);
    for (const group of groups) await wakes.wake([group], nowMs + 10_000);
    await wakes.send('all');
    expect(sent.map(([, named]) => named.length)).toEqual([50, 10]);
  });

  test('that are wanted ahead are sent at once, and are no failure if the queue does not take them', async () => {
    const { sent, wakes } = collected((groups) => groups.includes('api'));
    await wakes.wake(['web'], nowMs + 5_000, 'ahead');
    await wakes.wake(['api'], nowMs + 5_000, 'ahead');
    expect(sent).toEqual([[5_000, ['web']]]);
    expect(await wakes.send('all')).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  test('that the queue does not take are returned; other failures are thrown', async () => {
    const { sent, wakes } = collected((groups) => groups.includes('api'));
    await wakes.wake(['api'], nowMs + 10_000);
    await wakes.wake(['web'], nowMs + 12_000);
    expect(await wakes.send('all')).toEqual(['api']);
    expect(sent).toEqual([[12_000, ['web']]]);
    const broken = wakesTogether({ came: () => undefined, wake: () => Promise.reject(new TypeError('a bug')) }, clock);
    await broken.wake(['api'], nowMs);
    await expect(broken.send('all')).rejects.toThrow('a bug');
  });
});

test('a group alone is woken at its own time, several at a common one that is not earlier', () => {
  expect(commonTime(nowMs + 1, 1)).toBe(nowMs + 1);
  expect(commonTime(nowMs + 1, 2)).toBe(nowMs + 2_000);
  expect(commonTime(nowMs + 1_999, 40)).toBe(nowMs + 2_000);
  expect(commonTime(nowMs, 40)).toBe(nowMs);
});
