import { expect, test } from 'vitest';
import { metrics } from '../../core/contract.ts';
import type { GroupState } from '../../core/view/view.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { putState } from '../../functions/react/record/put-state.ts';
import { nowMs, reservation, state } from '../core/views.ts';

/** Writes a state, and returns what was written, counted and logged. */
const writing = async (wanted: GroupState, written: 'done' | 'conflict' = 'done') => {
  const seen = { stored: [] as GroupState[], counted: [] as string[], logged: [] as unknown[] };
  const log = (_: string, more: unknown): void => void seen.logged.push(more);
  const ports = {
    store: {
      putState: async (_: string, next: GroupState) => {
        seen.stored.push(next);
        return written;
      },
    },
    clock: { now: () => nowMs },
    telemetry: { count: (name: string) => void seen.counted.push(name), logger: { warn: log, error: log } },
  } as unknown as ReactPorts;
  return { ...seen, result: await putState('web', wanted, ports) };
};

const lessons = (count: number, coolingUntilMs: number): GroupState['memory'] =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `m7g.${index}xlarge/eu-west-1a/spot`,
      { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs - 60_000, coolingUntilMs, streak: 1 },
    ]),
  );

test('a state that fits is written as it is, and nothing is logged', async () => {
  const wanted = state();
  expect(await writing(wanted)).toEqual({ stored: [wanted], counted: [], logged: [], result: wanted });
  expect((await writing(wanted, 'conflict')).result).toBe('conflict');
});

test('a state that is too large is written without lessons that can be learned again, and this is logged', async () => {
  const { stored, counted, logged, result } = await writing(state({ memory: lessons(2_000, nowMs - 1_000) }));
  expect(Object.keys(stored[0]?.memory ?? {}).length).toBeLessThan(2_000);
  expect(result).toBe(stored[0]);
  expect(counted).toEqual([]);
  expect(logged).toMatchObject([{ group: 'web', shed: expect.arrayContaining([expect.anything()]), bytes: expect.any(Number) }]);
});

test('a state that stays too large is written all the same, which is an error that is counted', async () => {
  const huge = state({ reservations: Array.from({ length: 1_000 }, (_, index) => reservation({ id: `r-${index}`, decision: 'd'.repeat(300) })) });
  const { stored, counted, logged } = await writing(huge);
  expect(stored).toHaveLength(1);
  expect(counted).toEqual([metrics.actionsFailed]);
  expect(logged.at(-1)).toMatchObject({ group: 'web', bound: 200_000 });
});
