import { describe, expect, test } from 'vitest';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import { releasesAtMs } from '../../functions/begin-drain/turn.ts';
import { createFleet, group, noonMs, swap } from './fleet.ts';

/** When a batch with one target group is released, while registrations of others took these many tokens too many; and who waits then. */
const released = async (tokens: number) => {
  const fleet = createFleet([]);
  let stored: AccountBudget = { ...emptyBudget, levels: { targets: { tokens: -tokens, atMs: noonMs } } };
  fleet.ports.store.budget = async () => stored;
  fleet.ports.store.putBudget = async (next) => {
    stored = next;
    return 'done';
  };
  const ours = group({ drain: { timeoutMs: 300_000, loadBalancers: ['arn:web'] } });
  const atMs = await releasesAtMs(fleet.ports, ours, [swap('i-1', { deadlineMs: noonMs + 120_000 })], false);
  return { inMs: atMs === undefined ? undefined : atMs - noonMs, waiting: stored.waiting.map(({ group: name }) => name) };
};

describe('the release of a batch', () => {
  test('waits for its turn, and keeps its place until then', async () => {
    expect(await released(19)).toEqual({ inMs: 5_000, waiting: [expect.stringContaining(' targets')] });
  });

  test('begins at once when its turn comes too late, and keeps no place in line that it does not use', async () => {
    expect(await released(20)).toEqual({ inMs: undefined, waiting: [] });
  });
});
