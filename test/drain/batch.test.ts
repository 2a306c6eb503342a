import { expect, test } from 'vitest';
import { gatherBatch } from '../../functions/runtime/drain/batch.ts';
import { createFleet, group, order, swap } from './fleet.ts';

const idsOf = (swaps: readonly { readonly instance: string }[]) => swaps.map(({ instance }) => instance);

test('a batch has the members of its drain that are neither gone nor waiting, and apart from them those that are gone', async () => {
  const fleet = createFleet([
    swap('i-leaving'),
    swap('i-draining', { state: 'draining' }),
    swap('i-drained', { state: 'drained' }),
    swap('i-gone', { state: 'gone' }),
    swap('i-waiting', { state: 'waiting', reason: 'rebalance' }),
    swap('i-other', { drain: 'd-2' }),
    swap('i-other-gone', { drain: 'd-2', state: 'gone' }),
  ]);
  const batch = await gatherBatch(fleet.ports.store, order());
  expect(idsOf(batch.own)).toEqual(['i-leaving', 'i-draining', 'i-drained']);
  expect(idsOf(batch.gone)).toEqual(['i-gone']);
  expect(batch).toMatchObject({ isLetGo: false, mode: 'act', group: { name: 'web' } });
});

test('a batch reads the swaps of its drain that ended long ago, too', async () => {
  const { ports } = createFleet([]);
  const asked: unknown[] = [];
  const stateAndSwaps: typeof ports.store.stateAndSwaps = (...args) => {
    asked.push(args);
    return ports.store.stateAndSwaps(...args);
  };
  await gatherBatch({ ...ports.store, stateAndSwaps }, order());
  expect(asked).toEqual([[order().group, order().drain]]);
});

test('a batch of a group that was let go has its last policy, and ends what has begun', async () => {
  const fleet = createFleet([swap('i-1')]);
  fleet.group = undefined;
  expect(await gatherBatch(fleet.ports.store, order())).toMatchObject({ isLetGo: true, mode: 'act', group: { name: 'web' } });
  fleet.group = group({ mode: 'observe' });
  expect(await gatherBatch(fleet.ports.store, order())).toMatchObject({ isLetGo: false, mode: 'observe' });
});
