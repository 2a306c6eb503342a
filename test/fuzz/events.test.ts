import { expect, test } from 'vitest';
import { eventKinds } from './event-texts.ts';
import { floodQueue } from './flood-queue.ts';
import { canary } from './nasties.ts';

test('a thousand events that need no action change nothing, cause no failure, come to an end, and stay out of the logs', async () => {
  const flooded = await floodQueue(1_000, 1);
  expect(Object.keys(flooded.byKind).filter((kind) => (flooded.byKind[kind] ?? 0) > 20)).toEqual(eventKinds);
  expect(flooded.before).toHaveLength(7);
  expect(flooded.after).toEqual(flooded.before);
  expect(flooded).toMatchObject({ failures: [], left: 0, deadLetters: 0, executions: 0, swaps: 0 });
  expect(flooded.logged).toContain('could not be read');
  expect(flooded.logged).toContain('"sha256"');
  expect(flooded.logged).not.toContain(canary);
}, 60_000);
