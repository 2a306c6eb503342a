import { describe, expect, test } from 'vitest';
import { asNew } from '../../core/group-state/restored.ts';
import { initialState } from '../../core/group-state/state.ts';
import type { CapacityIn, Holdings } from '../../core/ports/capacity-provider.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { loweredShownMs } from '../../core/times/times.ts';
import type { RaisedMax } from '../../core/view/raised-max.ts';
import type { GroupState } from '../../core/view/view.ts';
import { gather } from '../../functions/react/look/gather.ts';
import { noticingRestored } from '../../functions/react/look/restored-states.ts';
import type { ReactPorts } from '../../functions/react/ports.ts';
import { group, nowMs, state } from '../core/views.ts';
import { factsOf, silent } from './facts.ts';

const raise = { asg: 'web-asg', fromMax: 5, toMax: 7 };
const before: GroupState = state({ version: 5 });
const raised: GroupState = { ...before, version: 6, raised: [raise] };

/** A table, and environments that read and write it. */
const tableWith = (stored: GroupState | undefined) => {
  const table = { stored, nowMs };
  const environment = () => {
    const store: Partial<StateStore> = {
      state: async () => table.stored,
      stateAndSwaps: async () => ({ state: table.stored, swaps: [] }),
      putState: async (_, next) => {
        table.stored = next;
        return 'done';
      },
    };
    const { store: noticing, believed } = noticingRestored(store as StateStore, silent, () => table.nowMs);
    return {
      read: async (): Promise<GroupState> => {
        const { state: found } = await noticing.stateAndSwaps('web');
        return believed('web', found ?? initialState(group()));
      },
      /** Reads again after a lost race: no look begins. */
      readAgain: () => noticing.state('web'),
      put: (next: GroupState) => noticing.putState('web', next),
    };
  };
  return { table, environment };
};

describe('a maximum that is raised', () => {
  test.each([
    ['restored', before],
    ['emptied', undefined],
  ] as const)('is still known where the table was %s', async (_, found) => {
    const { table, environment } = tableWith(raised);
    const { read } = environment();
    await read();
    table.stored = found;
    expect((await read()).raised).toEqual([raise]);
    expect((await read()).raised).toEqual([raise]);
  });

  test('is known by each of its values where the restored item has a smaller one', async () => {
    const known = { ...raise, toMax: 9, earlier: [7, 8], atMs: nowMs };
    const { table, environment } = tableWith({ ...raised, raised: [known] });
    const { read } = environment();
    await read();
    const noteAfter = async (note: Partial<RaisedMax>): Promise<unknown> => {
      table.stored = { ...before, raised: [{ ...raise, ...note }] };
      return (await read()).raised;
    };
    expect(await noteAfter({ toMax: 6 })).toEqual([{ ...known, earlier: [7, 8, 6] }]);
    expect(await noteAfter({ toMax: 11, earlier: [9] })).toEqual([{ ...raise, toMax: 11, earlier: [9] }]);
    // Another environment raised it since, and took our value for the owner's.
    const later = { fromMax: 9, toMax: 11, atMs: nowMs + 1 };
    expect(await noteAfter(later)).toEqual([{ ...raise, ...later, fromMax: 5, earlier: [7, 8, 9] }]);
  });

  test('is still known where another environment found the restore first, and wrote the item anew', async () => {
    const { table, environment } = tableWith(before);
    const [one, other] = [environment(), environment()];
    await one.put(raised);
    table.stored = asNew(before, nowMs);
    expect((await other.read()).raised).toEqual([]);
    expect((await one.read()).raised).toEqual([raise]);
  });

  test('is no longer known once the item says that it was put back', async () => {
    const { table, environment } = tableWith(raised);
    const { read, put } = environment();
    await read();
    table.stored = { ...before, version: 7 };
    await read();
    table.stored = before;
    expect((await read()).raised).toEqual([]);
    // The same where this environment put it back after the restore.
    await put({ ...raised, version: 8 });
    table.stored = before;
    const restored = await read();
    await put({ ...restored, version: 6, raised: [] });
    expect((await read()).raised).toEqual([]);
  });

  test('is still known after a write over an item that no look of this environment has read', async () => {
    const { table, environment } = tableWith(raised);
    const { read, readAgain, put } = environment();
    await read();
    table.stored = asNew(before, nowMs);
    const found = await readAgain();
    await put({ ...asNew(before, nowMs), ...found, version: 1 });
    expect((await read()).raised).toEqual([raise]);
  });

  test('counts once, with the values of the item and its own', async () => {
    const { table, environment } = tableWith(raised);
    const { read } = environment();
    await read();
    const more = { ...raise, toMax: 9 };
    table.stored = { ...asNew(before, nowMs), raised: [more] };
    expect((await read()).raised).toEqual([{ ...more, earlier: [7] }]);
  });

  test('and was put back longer ago than a describe may lag is forgotten', async () => {
    const { table, environment } = tableWith({ ...raised, raised: [{ ...raise, putBackAtMs: nowMs }] });
    const { read } = environment();
    await read();
    table.nowMs = nowMs + loweredShownMs;
    await read();
    table.stored = before;
    expect((await read()).raised).toEqual([]);
  });
});

const note = { asg: 'web-asg', processes: ['Launch', 'Terminate'], atMs: nowMs - 1_000 };
const addition = { asg: 'web-asg', from: 6, instances: ['i-1'], atMs: nowMs - 1_000 };

describe.each([
  ['processes that are suspended', { suspended: [note] }, { suspended: [{ ...note, atMs: 1, isAnswered: true, resumedAtMs: 60_001 }] }],
  ['what attaching added', { added: [addition] }, { added: [{ ...addition, atMs: 1, takenDownAtMs: 60_001 }] }],
] as const)('%s', (_, notes, over) => {
  const noted: GroupState = { ...before, version: 6, ...notes };
  const notesOf = ({ suspended, added }: GroupState) => ({ ...(suspended && { suspended }), ...(added && { added }) });

  test('are still known where the table was restored or emptied, and come before notes of the restored item that are over', async () => {
    for (const found of [before, undefined, { ...before, ...over }]) {
      const { table, environment } = tableWith(noted);
      const { read } = environment();
      await read();
      table.stored = found;
      const [kind = 'added'] = Object.keys(notes) as ('added' | 'suspended')[];
      expect((await read())[kind]?.[0]).toEqual(notesOf(noted)[kind]?.[0]);
    }
  });

  test('are no longer known once the item says that they were put back', async () => {
    const { table, environment } = tableWith(noted);
    const { read } = environment();
    await read();
    table.stored = { ...before, version: 7 };
    await read();
    table.stored = before;
    expect(notesOf(await read())).toEqual({});
  });

  test('count once, as the item has them', async () => {
    const { table, environment } = tableWith(noted);
    const { read } = environment();
    await read();
    const found = { ...asNew(before, nowMs), ...notes };
    table.stored = found;
    expect(notesOf(await read())).toEqual(notes);
  });
});

test('a look at a group without a state item has the notes of Auto Scaling groups', async () => {
  const policy = group({ holding: { kind: 'attach', asg: 'web-asg' } });
  const holdings: Holdings = { members: [], asgs: [], aside: [], ended: [], stopped: [] };
  const provider = { describe: async () => holdings } as Partial<CapacityIn> as CapacityIn;
  const believed: ReactPorts['believed'] = (_, known) => ({ ...known, raised: [raise], added: [addition], suspended: [note] });
  const clock = { now: () => nowMs };
  const store: Partial<StateStore> = { claimOf: async () => undefined };
  const ports = { store, believed, clock, prices: { spotPrices: async () => [] } } as unknown as ReactPorts;
  const found = await gather(policy, factsOf({}), provider, ports, { state: undefined, swaps: [] });
  expect(found.state.raised).toEqual([raise]);
  expect(found.state.suspended).toEqual([note]);
});
