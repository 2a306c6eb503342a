import { describe, expect, it } from 'vitest';
import { metrics } from '../../core/contract.ts';
import { acceptBatch } from '../../functions/accept-policy/accept-batch.ts';
import type { Outcome } from '../../functions/accept-policy/accept-policy.ts';
import { type Changed, changedGroups } from '../../functions/accept-policy/changed-groups.ts';
import { createTelemetry } from '../../functions/runtime/telemetry.ts';

/** A record of the groups table's stream, as Lambda hands it over. */
const record = (group: string, sequence: number, item = 'policy', eventName = 'MODIFY') => ({
  eventID: `id-${sequence}`,
  eventName,
  eventSource: 'aws:dynamodb',
  dynamodb: {
    Keys: { group: { S: group }, item: { S: item } },
    ...(eventName === 'REMOVE' ? {} : { NewImage: { group: { S: group }, item: { S: item } } }),
    SequenceNumber: String(sequence),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
});

const secretProblem = { path: 'size', found: 'secret', allowed: 'a number', nearest: 'secret', message: 'size: found secret' };

const run = async (event: unknown, failing: readonly string[] = []) => {
  const accepted: string[] = [];
  const counted: [string, number | undefined][] = [];
  const logged: unknown[] = [];
  const { logger, ...telemetry } = createTelemetry('accept-policy', {
    id: 'environment',
    env: {},
    now: () => 0,
    elapsedMs: () => 0,
    sleep: async () => {},
    random: () => 0,
    clientConfig: {},
    quiet: true,
  });
  const others: (readonly [string, readonly string[]])[] = [];
  const acceptOne = async (group: string, changed: Changed): Promise<Outcome> => {
    others.push([group, changed.others]);
    if (failing.includes(group)) throw new Error('EC2 does not answer');
    accepted.push(group);
    if (group.startsWith('wrong')) return { kind: 'rejected', group, problems: [secretProblem], inForce: undefined };
    return { kind: 'accepted', group, version: 1 };
  };
  for (const level of ['info', 'warn', 'error'] as const) logger[level] = (...said: unknown[]) => void logged.push(...said);
  const heard = { ...telemetry, logger, count: (metric: string, by?: number) => void counted.push([metric, by]) };
  const response = await acceptBatch(event, acceptOne, heard, (text) => `hash of ${text.length}`);
  return { accepted, others, counted, response, logged: JSON.stringify(logged) };
};

describe('a batch of the stream', () => {
  it('returns when the policy item of a group was last written, and nothing about other items', () => {
    const at = (second: number, group: string, item?: string) => {
      const { dynamodb, ...rest } = record(group, second, item);
      return { ...rest, dynamodb: { ...dynamodb, ApproximateCreationDateTime: second } };
    };
    const { groups } = changedGroups({ Records: [at(7, 'a'), at(5, 'a'), at(9, 'a', 'Policy'), at(8, 'b', 'Policy'), record('c', 1)] });
    expect(groups.map(({ group, writtenAtMs }) => [group, writtenAtMs])).toEqual([
      ['a', 7_999],
      ['b', undefined],
      ['c', undefined],
    ]);
  });

  it('handles every group once, however often it changed', async () => {
    const { accepted, response } = await run({ Records: [record('a', 1), record('b', 2), record('a', 3)] });
    expect(accepted).toEqual(['a', 'b']);
    expect(response).toEqual({ batchItemFailures: [] });
  });

  it('returns the first record of a group that failed, and still handles the others', async () => {
    const { accepted, response, logged } = await run({ Records: [record('a', 1), record('b', 2), record('b', 3), record('c', 4)] }, ['b']);
    expect(logged).toContain('A policy change could not be handled. The version in force stays in force, and the change is delivered again.');
    expect(accepted).toEqual(['a', 'c']);
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  it('ignores items that Holdfast writes itself', async () => {
    const own = [record('a', 1, 'status'), record('a', 2, 'accepted'), record('a', 3, 'version#000001'), record('@registry', 4, 'entry#a')];
    const { accepted, counted } = await run({ Records: own });
    expect(accepted).toEqual([]);
    expect(counted).toEqual([]);
  });

  it('passes on the sort keys of items that are never read, without those of removed items', async () => {
    const { others } = await run({ Records: [record('a', 1, 'Policy'), record('a', 2), record('b', 3, 'notes', 'REMOVE')] });
    expect(others).toEqual([
      ['a', ['Policy']],
      ['b', []],
    ]);
  });

  it('acknowledges and counts records that it cannot read', async () => {
    const { accepted, counted, response } = await run({ Records: [{}, { dynamodb: { Keys: { group: { N: '1' } } } }, record('a', 3)] });
    expect(accepted).toEqual(['a']);
    expect(counted).toEqual([[metrics.poisonMessages, 2]]);
    expect(response).toEqual({ batchItemFailures: [] });
  });

  it('logs the paths of the problems of a rejected policy, and none of its values', async () => {
    const { logged } = await run({ Records: [record('wrong', 1)] });
    expect(logged).toContain('"problems":["size"],"reasons":1');
    expect(logged).not.toContain('secret');
  });

  it('logs a hash for a key that no group can have', async () => {
    const { logged } = await run({ Records: [record('wrong secret', 1), record('odd secret', 2)] }, ['odd secret']);
    expect(logged).toContain('sha256:hash of 12');
    expect(logged).toContain('sha256:hash of 10');
    expect(logged).not.toContain('secret');
  });

  it('that is not a batch changes nothing', async () => {
    for (const event of [undefined, null, {}, 'x', { Records: 'x' }]) expect((await run(event)).response).toEqual({ batchItemFailures: [] });
  });

  it('fails as a whole for an error that belongs to no record', async () => {
    const { dynamodb, ...rest } = record('a', 1);
    const { SequenceNumber: _, ...unnumbered } = dynamodb;
    await expect(run({ Records: [{ ...rest, dynamodb: unnumbered }] }, ['a'])).rejects.toThrow('EC2 does not answer');
  });
});
