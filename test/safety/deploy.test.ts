import { describe, expect, test } from 'vitest';
import { holdings } from '../sim/worlds.ts';
import { type Fleet, type Item, withFleet } from './fleet.ts';

const policy = { rebalance: { act: true } };

/** Two members are taken, and the next one is recommended to leave while their replacements come. */
const storm = async (fleet: Fleet): Promise<void> => {
  fleet.warn(2);
  await fleet.minutes(0.25);
  fleet.recommend(1);
};

/** Repeats something until a moment. */
const every = async (fleet: Fleet, seconds: number, minutes: number, act: () => void | Promise<void>): Promise<void> => {
  for (let left = minutes * 60; left > 0; left -= seconds) {
    await act();
    await fleet.minutes(seconds / 60);
  }
};

describe.each(holdings)('a fleet held by %s', (holding) => {
  test('ends the same when every invocation starts anew, two versions side by side, and every event comes twice', () =>
    withFleet({ holding, spot: 8, policy }, async (fleet) => {
      fleet.addFaults([{ on: 'event', kind: 'duplicate', copies: 1, withinMs: 8_000 }]);
      const before = fleet.launched();
      await storm(fleet);
      await every(fleet, 1, 3, () => fleet.sandbox.platform.functions.renew());
      await fleet.settles(6);
      expect(fleet.launched() - before).toBe(3);
      expect((await fleet.swaps()).map(({ state }) => state)).toEqual(['gone', 'gone', 'gone']);
    }));
});

/** What a later version might write beside what this one knows. */
const news = { future: { since: 2, of: ['x'] } };
const withNews = (item: Item): Item => {
  const inner = item.item === 'state' ? { state: { ...(item.state as Item), ...news } } : {};
  const resolved = item.item === 'accepted' ? { resolved: { ...(item.resolved as Item), ...news } } : {};
  return { ...item, ...news, ...inner, ...resolved };
};

test('items with attributes of a later version are read as if they were not there, and those of states and swaps are kept', () =>
  withFleet({ holding: 'tag', spot: 8, policy }, async (fleet) => {
    const addNews = async (table: 'groups' | 'state'): Promise<void> => fleet.overwrite(table, (await fleet.sandbox.items(table)).map(withNews));
    await addNews('groups');
    await addNews('state');
    const before = fleet.launched();
    await storm(fleet);
    await fleet.minutes(0.25);
    // At a moment when nobody writes: a fixed overwrite would otherwise undo what was written in between.
    await addNews('state');
    await fleet.settles(6);
    expect(fleet.launched() - before).toBe(3);
    expect(await fleet.state()).toMatchObject(news);
    expect(await fleet.swaps()).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ state: 'gone', ...news })));
    await fleet.put({ size: 7 });
    await fleet.settles(7);
  }));
