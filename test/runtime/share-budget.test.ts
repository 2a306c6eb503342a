import { describe, expect, test } from 'vitest';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import type { Ask } from '../../core/limits/need.ts';
import { noLessons, shareBudget } from '../../functions/runtime/share-budget.ts';
import { awsError } from '../aws/fake-aws.ts';

const noonMs = Date.UTC(2026, 10, 20, 12);

describe('the budget of the account', () => {
  const ask = (name: string, rest: Partial<Ask> = {}): Ask => ({
    group: name,
    by: `by-${name}`,
    bucket: 'createFleet',
    calls: 1,
    instances: 2,
    need: { urgency: 'missing', size: 2 },
    ...rest,
  });
  const accountOf = (results: readonly ('done' | 'conflict')[], budget: AccountBudget = emptyBudget) => {
    const written: AccountBudget[] = [];
    const store = {
      budget: async () => budget,
      putBudget: async (next: AccountBudget) => {
        written.push(next);
        return results[Math.min(written.length, results.length) - 1] ?? ('done' as const);
      },
    };
    const missed: string[] = [];
    const clock = { now: () => noonMs };
    return { written, missed, ports: { store, clock, missed: (read: string, code: string) => void missed.push(`${read}: ${code}`) } };
  };

  test('is written once for several requests, and again after a lost race', async () => {
    const { written, ports } = accountOf(['conflict', 'conflict', 'done']);
    const shared = await shareBudget([ask('web'), ask('api')], noLessons, ports);
    expect(typeof shared === 'object' && [...shared.turns.keys()].toSorted()).toEqual(['api', 'web']);
    expect(written).toHaveLength(3);
  });

  test('is contended after eight lost races', async () => {
    const { written, ports } = accountOf(['conflict']);
    expect(await shareBudget([ask('web')], noLessons, ports)).toBe('contended');
    expect(written).toHaveLength(8);
  });

  test('is not written where other decisions about all of these groups were given their turns a moment ago', async () => {
    const given = { web: { by: 'another', atMs: noonMs - 10 } };
    const taken = accountOf(['done'], { ...emptyBudget, given });
    const shared = await shareBudget([ask('web')], noLessons, taken.ports);
    expect(typeof shared === 'object' && shared.turns.get('web')).toEqual({ kind: 'taken' });
    expect(taken.written).toEqual([]);
    const both = accountOf(['done'], { ...emptyBudget, given });
    await shareBudget([ask('web'), ask('api')], noLessons, both.ports);
    expect(both.written).toHaveLength(1);
    const none = accountOf(['done'], { ...emptyBudget, given });
    await shareBudget([], { ...noLessons, unspent: { instances: 3 } }, none.ports);
    expect(none.written).toHaveLength(1);
  });

  test('learns what launches showed also where other decisions about all of these groups were given their turns', async () => {
    const given = { web: { by: 'another', atMs: noonMs - 10 } };
    const levels = { instances: { tokens: 100, atMs: noonMs } };
    const { written, ports } = accountOf(['done'], { ...emptyBudget, levels, given });
    const shared = await shareBudget([ask('web')], { ...noLessons, unspent: { instances: 400 } }, ports);
    expect(typeof shared === 'object' && shared.turns.get('web')).toEqual({ kind: 'taken' });
    expect(written.map(({ levels: left }) => left.instances?.tokens)).toEqual([500]);
  });

  test('does without the item where AWS fails, notes why, and throws a bug of ours', async () => {
    const { missed, ports } = accountOf(['done']);
    const failing = (error: Error) =>
      shareBudget([ask('web')], noLessons, { ...ports, store: { ...ports.store, budget: async () => Promise.reject(error) } });
    expect(await failing(awsError('ThrottlingException'))).toBeUndefined();
    expect(await failing(awsError('AccessDeniedException', 'No.', 403))).toBeUndefined();
    expect(missed).toEqual(['budget of the account: ThrottlingException', 'budget of the account: AccessDeniedException']);
    await expect(failing(new TypeError('undefined is not a function'))).rejects.toThrow('undefined is not a function');
  });
});
