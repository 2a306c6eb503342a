import { expect, test } from 'vitest';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import type { GroupState } from '../../core/view/view.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { nowMs, state, view } from '../core/views.ts';

const note: RaisedMax = { asg: 'web-asg', fromMax: 12, toMax: 16 };

/** The notes that are left when a look has put the maximum back. */
const left = async (raised: RaisedMax, raise: readonly RaisedMax[] = []): Promise<readonly RaisedMax[] | undefined> => {
  const written: GroupState[] = [];
  const run = {
    group: { name: 'web', holding: { kind: 'attach', asg: 'web-asg' }, size: { min: 0, max: 20, desired: 9 } },
    turns: { learn: () => {} },
    provider: { restoreMax: async () => 'done', noteJoined: async () => {} },
    ports: {
      clock: { now: () => nowMs },
      wakes: { wake: async () => {} },
      store: {
        putState: async (_: string, next: GroupState) => {
          written.push(next);
          return 'done';
        },
      },
      telemetry: { logger: { warn: () => {} }, count: () => {} },
    },
    groupsAtOnce: 1,
  };
  const decision = { unnoticed: [], admissions: [], raise, restore: [raised], resume: [], removals: [] };
  const round = { decision, view: view(), sizes: [], launched: [], state: state({ raised: [raised] }) };
  await carryOutRounds({ ...run, rounds: [round] } as unknown as Run & { readonly rounds: readonly Round[] });
  return written.at(-1)?.raised;
};

test('the note of a maximum that was put back is removed when no function can raise it any more', async () => {
  expect(await left({ ...note, atMs: nowMs - 35_000 })).toEqual([]);
  expect(await left(note)).toEqual([]);
});

test('it stays while another function that noted it may still raise it', async () => {
  const fresh = { ...note, atMs: nowMs - 1_000 };
  expect((await left(fresh)) ?? [fresh]).toEqual([fresh]);
  const both = { ...note, atMs: nowMs, beforeMs: nowMs - 1_000 };
  expect((await left(both, [note])) ?? [both]).toEqual([both]);
});

test('its own author has raised it already', async () => {
  expect(await left({ ...note, atMs: nowMs, beforeMs: nowMs - 600_000 }, [note])).toEqual([]);
});
