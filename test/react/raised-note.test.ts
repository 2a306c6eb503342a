import { expect, test } from 'vitest';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import type { GroupState } from '../../core/view/view.ts';
import { carryOutRounds } from '../../functions/react/carry-out/carry-out.ts';
import type { Round, Run } from '../../functions/react/run.ts';
import { nowMs, state, view } from '../core/views.ts';

const note: RaisedMax = { asg: 'web-asg', fromMax: 12, toMax: 16 };

/** The notes that are left when a look has put the maximum back. `raise`: what this look has raised before that. */
const left = async (raised: RaisedMax, raise: readonly RaisedMax[] = []): Promise<readonly RaisedMax[] | undefined> => {
  const written: GroupState[] = [];
  const run = {
    id: 'run',
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
  const noted = state({ raised: [raised] });
  const round = { decision, view: view(), sizes: [], launched: [], state: noted, raised: raise.map(({ asg }) => asg) };
  await carryOutRounds({ ...run, rounds: [round] } as unknown as Run & { readonly rounds: readonly Round[] });
  return written.at(-1)?.raised;
};

test('the note of a maximum says that it was put back when no function can raise it any more', async () => {
  const old = { ...note, atMs: nowMs - 35_000 };
  expect(await left(old)).toEqual([{ ...old, putBackAtMs: nowMs }]);
  expect(await left(note)).toEqual([{ ...note, putBackAtMs: nowMs }]);
});

test('it stays while another function that noted it may still raise it', async () => {
  const fresh = { ...note, atMs: nowMs - 1_000 };
  expect((await left(fresh)) ?? [fresh]).toEqual([fresh]);
  const both = { ...note, atMs: nowMs, beforeMs: nowMs - 1_000, by: 'run' };
  expect(await left(both, [note])).toEqual([{ ...both, answeredAtMs: nowMs }]);
});

test('its own author has raised it already', async () => {
  const own = { ...note, atMs: nowMs, beforeMs: nowMs - 600_000, by: 'run' };
  expect(await left(own, [note])).toEqual([{ ...own, answeredAtMs: nowMs, putBackAtMs: nowMs }]);
});
