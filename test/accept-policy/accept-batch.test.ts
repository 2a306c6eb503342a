import { describe, expect, it } from 'vitest';
import { acceptBatch } from '../../functions/accept-policy/accept-batch.ts';
import type { Outcome } from '../../functions/accept-policy/accept-policy.ts';
import { metrics } from '../../functions/contract.ts';
import { createTelemetry } from '../../functions/runtime/telemetry.ts';

/** A record of the groups table's stream, as Lambda hands it over. */
const record = (group: string, sequence: number, item = 'policy') => ({
  eventID: `id-${sequence}`,
  eventName: 'MODIFY',
  eventSource: 'aws:dynamodb',
  dynamodb: { Keys: { group: { S: group }, item: { S: item } }, SequenceNumber: String(sequence), StreamViewType: 'NEW_AND_OLD_IMAGES' },
});

const run = async (event: unknown, failing: readonly string[] = []) => {
  const accepted: string[] = [];
  const counted: [string, number | undefined][] = [];
  const telemetry = createTelemetry('accept-policy', { env: {}, now: () => 0, random: () => 0, clientConfig: {}, quiet: true });
  const acceptOne = async (group: string): Promise<Outcome> => {
    if (failing.includes(group)) throw new Error('EC2 does not answer');
    accepted.push(group);
    return { kind: 'accepted', group, version: 1 };
  };
  const response = await acceptBatch(event, acceptOne, { ...telemetry, count: (metric, by) => void counted.push([metric, by]) });
  return { accepted, counted, response };
};

describe('a batch of the stream', () => {
  it('handles every group once, however often it changed', async () => {
    const { accepted, response } = await run({ Records: [record('a', 1), record('b', 2), record('a', 3)] });
    expect(accepted).toEqual(['a', 'b']);
    expect(response).toEqual({ batchItemFailures: [] });
  });

  it('asks for the first record of a group that met trouble, and still handles the others', async () => {
    const { accepted, response } = await run({ Records: [record('a', 1), record('b', 2), record('b', 3), record('c', 4)] }, ['b']);
    expect(accepted).toEqual(['a', 'c']);
    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  it('leaves items alone that are no policy', async () => {
    const { accepted, counted } = await run({ Records: [record('a', 1, 'status'), record('a', 2, 'accepted')] });
    expect(accepted).toEqual([]);
    expect(counted).toEqual([]);
  });

  it('acknowledges and counts records that it cannot read', async () => {
    const { accepted, counted, response } = await run({ Records: [{}, { dynamodb: { Keys: { group: { N: '1' } } } }, record('a', 3)] });
    expect(accepted).toEqual(['a']);
    expect(counted).toEqual([[metrics.poisonMessages, 2]]);
    expect(response).toEqual({ batchItemFailures: [] });
  });

  it('that is no batch changes nothing', async () => {
    for (const event of [undefined, null, {}, 'x', { Records: 'x' }]) expect((await run(event)).response).toEqual({ batchItemFailures: [] });
  });

  it('fails as a whole for trouble that no record can be named for', async () => {
    const { dynamodb, ...rest } = record('a', 1);
    const { SequenceNumber: _, ...unnumbered } = dynamodb;
    await expect(run({ Records: [{ ...rest, dynamodb: unnumbered }] }, ['a'])).rejects.toThrow('EC2 does not answer');
  });
});
