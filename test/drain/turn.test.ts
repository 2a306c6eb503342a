import { describe, expect, test } from 'vitest';
import type { Group } from '../../core/group/group.ts';
import { type AccountBudget, emptyBudget } from '../../core/limits/account-budget.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { beginDrain } from '../../functions/begin-drain/begin-drain.ts';
import { looksAtMs, releasesAtMs } from '../../functions/begin-drain/turn.ts';
import { awsError } from '../aws/fake-aws.ts';
import { createFleet, group, noonMs, order, swap } from './fleet.ts';

const inMs = (seconds: number) => noonMs + seconds * 1_000;
const balanced = group({ drain: { timeoutMs: 300_000, loadBalancers: ['tg-1', 'tg-2'] } });
const attached = group({ holding: { kind: 'attach', asg: 'web-asg' }, drain: { timeoutMs: 300_000, loadBalancers: [] } });

/** An account whose budget is this, and what is written to it. Every write fails if `contended` says so. */
const accountOf = (budget: Partial<AccountBudget> = {}, { contended = false } = {}) => {
  const account = { budget: { ...emptyBudget, ...budget }, writes: 0 };
  const store = {
    budget: async () => account.budget,
    putBudget: async (next: AccountBudget) => {
      account.writes += 1;
      if (contended || next.version !== account.budget.version + 1) return 'conflict' as const;
      account.budget = next;
      return 'done' as const;
    },
  };
  return { account, ports: { store, clock: { now: () => noonMs }, missed: () => {} } };
};

/** The tokens that were taken from a full bucket. */
const takenFrom = ({ budget }: { readonly budget: AccountBudget }, bucket: 'health' | 'autoScaling' | 'targets', full: number) =>
  full - (budget.levels[bucket]?.tokens ?? full);
const inSeconds = (atMs: number | undefined) => (atMs === undefined ? undefined : (atMs - noonMs) / 1_000);
const pair = (rest: Partial<Swap> = {}) => [swap('i-1', rest), swap('i-2', rest)];

describe('a look of a drain', () => {
  test('takes as many calls as it makes: three for each target group at first, one later, and those of Auto Scaling', async () => {
    const taken = async (of: Group, look: 'first' | 'later', own = pair()) => {
      const { account, ports } = accountOf();
      expect(await looksAtMs(ports, of, own, look)).toBeUndefined();
      return [takenFrom(account, 'health', 40), takenFrom(account, 'autoScaling', 20)];
    };
    expect(await taken(balanced, 'first')).toEqual([6, 0]);
    expect(await taken(balanced, 'later')).toEqual([2, 0]);
    expect(await taken(attached, 'first')).toEqual([0, 2]);
    expect(await taken(balanced, 'first', pair({ asg: 'old-asg' }))).toEqual([0, 2]);
  });

  test('waits while the bucket is empty, and is entered under its drain, behind everything that launches', async () => {
    const { account, ports } = accountOf({ levels: { health: { tokens: -20, atMs: noonMs } } });
    const waitS = inSeconds(await looksAtMs(ports, balanced, pair(), 'later'));
    expect(waitS).toBeGreaterThanOrEqual(2);
    expect(account.budget.waiting).toMatchObject([{ group: 'd-1', bucket: 'health', calls: 2, instances: 0, need: { urgency: 'look', size: 2 } }]);
  });

  test('is made again within seven seconds where others wrote at the same moment, at another time for each drain', async () => {
    const { ports } = accountOf({}, { contended: true });
    const waits = await Promise.all(['d-1', 'd-2', 'd-3', 'd-4', 'd-5'].map((drain) => looksAtMs(ports, balanced, pair({ drain }), 'later')));
    const seconds = waits.map((atMs) => inSeconds(atMs) ?? 0);
    for (const waitS of seconds) {
      expect(waitS).toBeGreaterThanOrEqual(1);
      expect(waitS).toBeLessThan(7);
    }
    expect(new Set(seconds).size).toBeGreaterThan(1);
    expect(await looksAtMs(ports, balanced, pair({ drain: 'd-1' }), 'later')).toBe(waits[0]);
  });

  test('is made without a turn where the budget cannot be used', async () => {
    const { ports } = accountOf();
    const store = { ...ports.store, budget: async () => Promise.reject(awsError('ThrottlingException')) };
    expect(await looksAtMs({ ...ports, store }, balanced, pair(), 'later')).toBeUndefined();
  });
});

describe('a drain whose group waits to launch', () => {
  const launch = {
    group: 'web',
    bucket: 'createFleet',
    calls: 1,
    instances: 2,
    need: { urgency: 'warned', size: 2 },
    sinceMs: noonMs,
    turnAtMs: inMs(12),
  } as const;
  const waits = async (...waiting: AccountBudget['waiting']) =>
    inSeconds(await looksAtMs(accountOf({ waiting }).ports, balanced, pair(), 'later', true));

  test('looks three seconds after the turn of the launch, or after now where that turn has come', async () => {
    expect(await waits(launch)).toBe(15);
    expect(await waits({ ...launch, turnAtMs: inMs(-9) })).toBe(3);
  });

  test('reads the budget once, for the launches and for its own turn, and once more after a lost race', async () => {
    const readsAfter = async (lostRaces: number) => {
      const { ports } = accountOf();
      const calls = { reads: 0, writes: 0 };
      const store: typeof ports.store = {
        budget: async () => {
          calls.reads += 1;
          return ports.store.budget();
        },
        putBudget: async (next) => {
          calls.writes += 1;
          return calls.writes <= lostRaces ? 'conflict' : ports.store.putBudget(next);
        },
      };
      expect(await looksAtMs({ ...ports, store }, balanced, pair(), 'later', true)).toBeUndefined();
      return calls.reads;
    };
    expect([await readsAfter(0), await readsAfter(1)]).toEqual([1, 2]);
  });

  test('waits for no launch of another group, for no calls that launch nothing, and for no budget that cannot be read', async () => {
    expect(await waits({ ...launch, group: 'other' }, { ...launch, instances: 0 })).toBeUndefined();
    expect(await waits({ ...launch, group: 'other' }, { ...launch, turnAtMs: inMs(4) })).toBe(7);
    const { ports } = accountOf();
    const store = { ...ports.store, budget: async () => Promise.reject(awsError('ThrottlingException')) };
    expect(await looksAtMs({ ...ports, store }, balanced, pair(), 'later', true)).toBeUndefined();
  });
});

describe('taking members out of service', () => {
  const warned = { deadlineMs: inMs(120) };
  const empty = (bucket: 'targets' | 'autoScaling', tokens: number) => ({ levels: { [bucket]: { tokens, atMs: noonMs } } });

  test('is done now where the buckets allow it, and takes a call for each target group and those of Auto Scaling', async () => {
    const taken = async (of: Group, hasLooked: boolean) => {
      const { account, ports } = accountOf();
      expect(await releasesAtMs(ports, of, pair(warned), hasLooked)).toBeUndefined();
      return [takenFrom(account, 'targets', 20), takenFrom(account, 'autoScaling', 20)];
    };
    expect(await taken(balanced, false)).toEqual([2, 0]);
    expect(await taken(balanced, true)).toEqual([2, 0]);
    expect(await taken(attached, false)).toEqual([0, 2]);
    // The turn of the look covers these calls.
    expect(await taken(attached, true)).toEqual([0, 0]);
  });

  test('from target groups waits for its turn where that comes within five seconds, and is done now where it comes later', async () => {
    const { account, ports } = accountOf(empty('targets', -6));
    expect(inSeconds(await releasesAtMs(ports, balanced, pair(warned), false))).toBe(2);
    expect(account.budget.waiting).toMatchObject([
      { group: 'd-1 targets', calls: 2, instances: 0, need: { urgency: 'warned', size: 2, deadlineMs: inMs(120) } },
    ]);
    expect(await releasesAtMs(accountOf(empty('targets', -60)).ports, balanced, pair(warned), false)).toBeUndefined();
  });

  test('through Auto Scaling waits for its turn up to the margin before the earliest deadline', async () => {
    const waits = async (deadlineMs: number | undefined) => {
      const [one, two] = pair();
      const own = [
        { ...one, deadlineMs },
        { ...two, deadlineMs: inMs(3_600) },
      ] as unknown as readonly Swap[];
      return inSeconds(await releasesAtMs(accountOf(empty('autoScaling', -48)).ports, attached, own, false));
    };
    expect(await waits(inMs(120))).toBe(10);
    expect(await waits(inMs(20))).toBe(10);
    expect(await waits(inMs(19.9))).toBeUndefined();
    expect(await waits(undefined)).toBe(10);
  });

  test('waits for the later of two turns, and needs it without a deadline when EC2 takes no member', async () => {
    const both: Group = { ...attached, drain: { timeoutMs: 300_000, loadBalancers: ['tg-1'] } };
    const levels = { targets: { tokens: -3, atMs: noonMs }, autoScaling: { tokens: -18, atMs: noonMs } };
    const { account, ports } = accountOf({ levels });
    expect(inSeconds(await releasesAtMs(ports, both, pair({ deadlineMs: undefined } as unknown as Partial<Swap>), false))).toBe(4);
    expect(
      account.budget.waiting
        .map(({ group: name, need }) => [name, need])
        .toSorted()
        .toReversed(),
    ).toEqual(['d-1 targets', 'd-1 ends'].map((name) => [name, { urgency: 'warned', size: 2 }]));
  });
});

describe('the step of a drain whose release has no turn yet', () => {
  const latest = { deadlineMs: inMs(120), drainOrderedAtMs: inMs(-300) };

  test('comes again at its turn, and takes no member out of service before it', async () => {
    const fleet = createFleet([swap('i-1', { ...latest, deadlineMs: inMs(30) })], 30_000);
    fleet.group = group({ drain: { timeoutMs: 300_000, loadBalancers: ['tg-1'] } });
    fleet.ports.store.budget = async () => ({ ...emptyBudget, levels: { targets: { tokens: -11, atMs: noonMs } } });
    expect(await beginDrain(fleet.ports, order())).toEqual({ step: { next: 'begin', untilIso: '2026-01-19T12:00:03Z' }, begun: 0, failed: [] });
    expect(fleet.calls).not.toContain('release');
  });

  test('takes no turn once all of its members are out of service', async () => {
    const fleet = createFleet([swap('i-1', { ...latest, deadlineMs: inMs(30), state: 'draining', drainStartedAtMs: noonMs })], 10_000);
    fleet.group = group({ drain: { timeoutMs: 300_000, loadBalancers: ['tg-1'] } });
    fleet.ports.store.budget = async () => ({ ...emptyBudget, levels: { targets: { tokens: -11, atMs: noonMs } } });
    expect((await beginDrain(fleet.ports, order())).step.next).toBe('check');
  });
});
