import { describe, expect, it } from 'vitest';
import { play } from './play.ts';
import { stormsOf } from './storms.ts';
import { holdings } from './worlds.ts';

describe.each(holdings)('a storm in a group held by %s ends where the policy says, although', (holding) => {
  it.each(stormsOf(holding).map((situation) => [situation.name.split(': ')[1], situation] as const))('%s', async (_, situation) => {
    const { violations } = await play(situation);
    expect(violations).toEqual([]);
  });
});
