import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { throwIfFailed } from '../../aws/calls/in-parallel.ts';
import type { StateStore, SwapChange } from '../../core/ports/state-store.ts';
import type { Swap } from '../../core/swap/swap.ts';
import { claimAll, writesAtOnce } from '../../functions/react/carry-out/claims.ts';

const warning = { instance: 'i-spot', reason: 'interruption', atMs: 1_000, deadlineMs: 121_000 } as const;
let elsewhere: Awaited<ReturnType<StateStore['swapOf']>>;
const claiming = async (fact: Parameters<typeof claimAll>[0][number], ...ended: readonly string[]) => {
  const store = { claim: async () => ({ kind: 'claimed' }), swapOf: async () => elsewhere } as Partial<StateStore> as StateStore;
  const context = {
    store,
    group: 'web',
    nowMs: 2_000,
    decision: 'd',
    drainFor: () => 'a-drain',
    members: new Map(),
    asgs: new Set(['web-asg']),
    ended: new Set(ended),
  };
  return claimAll([fact], [], context);
};
const claimed = async (...ended: readonly string[]) => (await claiming(warning, ...ended)).fresh;

describe('a warning', () => {
  it('puts its instance on a drain', async () => {
    expect(await claimed('i-other')).toMatchObject([{ instance: 'i-spot', state: 'leaving', drain: 'a-drain', drainOrderedAtMs: 2_000 }]);
  });
  it('about an instance that has ended is noted, and drains nothing', async () => {
    const [swap] = await claimed('i-spot');
    expect(swap).toMatchObject({ instance: 'i-spot', state: 'leaving' });
    expect(swap).not.toHaveProperty('drain');
  });
  it('is not claimed when its instance has ended, and another group had claimed it for the same warning', async () => {
    const other = { ...moved, group: 'before', reason: 'interruption', state: 'gone', warnedAtMs: warning.atMs } as const;
    const madeBeside = async (swap: typeof elsewhere, ...ended: readonly string[]) => {
      elsewhere = swap;
      const { fresh, swaps, warned } = await claiming(warning, ...ended).finally(() => (elsewhere = undefined));
      return [fresh, swaps, warned].map(({ length }) => length);
    };
    expect(await madeBeside(other, 'i-spot')).toEqual([0, 0, 0]);
    expect(await madeBeside(other)).toEqual([1, 1, 1]);
    expect(await madeBeside({ ...other, warnedAtMs: 900 }, 'i-spot')).toEqual([1, 1, 1]);
    expect(await madeBeside({ ...other, group: 'web' }, 'i-spot')).toEqual([1, 1, 1]);
  });
  it('is not claimed again, like any message about it, where its swap is history and says how it ended', async () => {
    const past = { ...moved, reason: 'rebalance', state: 'gone', drainedAtMs: 40_000, goneAtMs: 50_000 } as const;
    const done: string[] = [];
    const made = async (fact: Parameters<typeof claimAll>[0][number], of: Swap, ...ended: readonly string[]) => {
      done.length = 0;
      const store = {
        swapOf: async () => of,
        claim: async (swap: Swap) => {
          done.push(`claims ${swap.reason} ${swap.state}`);
          return { kind: 'claimed' };
        },
        advance: async (_: unknown, { set }: SwapChange) => {
          done.push(`sets ${Object.keys(set).join()}`);
          return 'done';
        },
      } as unknown as StateStore;
      const context = {
        ...{ store, group: 'web', nowMs: 900_000, decision: 'd', drainFor: () => 'a-drain' },
        ...{ members: new Map(), asgs: new Set(['web-asg']), ended: new Set(ended) },
      };
      const { fresh, warned } = await claimAll([fact], [], context);
      return [...done, fresh.length, warned.length];
    };
    const hook = { instance: 'i-spot', reason: 'hook', atMs: 1_000, hook: { asg: 'web-asg', hook: 'h', expiresAtMs: 31_000 } } as const;
    expect(await made(hook, past, 'i-spot')).toEqual([0, 0]);
    // It may run, or have been started again since.
    expect(await made(hook, past)).toEqual(['claims hook leaving', 1, 0]);
    expect(await made({ ...hook, atMs: 50_001 }, past, 'i-spot')).toEqual(['claims hook leaving', 1, 0]);
    expect(await made(hook, { ...past, state: 'withdrawn' }, 'i-spot')).toEqual(['claims hook leaving', 1, 0]);
    // A first warning counts, and its swap keeps what is known of its drain.
    expect(await made(warning, past, 'i-spot')).toEqual(['claims rebalance gone', 'sets deadlineMs,warnedAtMs', 0, 1]);
    expect(await made(warning, { ...past, deadlineMs: warning.deadlineMs }, 'i-spot')).toEqual([0, 0]);
  });
  it('is news about its offering, unless its group received it while it was only observed', async () => {
    expect((await claiming(warning)).warned).toMatchObject([{ instance: 'i-spot', warnedAtMs: warning.atMs }]);
    expect(await claiming({ ...warning, heardAtMs: 1_500 })).toMatchObject({ fresh: [{ instance: 'i-spot' }], warned: [] });
  });
});

describe('claims of which one fails', () => {
  it('return the members that they claimed, and why the others are missing', async () => {
    const trouble = new Error('throttled');
    const store = {
      claim: ({ instance }) => (instance === 'i-2' ? Promise.reject(trouble) : Promise.resolve({ kind: 'claimed' })),
    } as Partial<StateStore> as StateStore;
    const context = {
      ...{ store, group: 'web', nowMs: 2_000, decision: 'd', drainFor: () => 'a-drain' },
      ...{ members: new Map(), asgs: new Set<string>(), ended: new Set<string>() },
    };
    const claimed = await claimAll(
      ['i-1', 'i-2'].map((instance) => ({ ...warning, instance })),
      [],
      context,
    );
    expect(claimed).toMatchObject({ fresh: [{ instance: 'i-1' }], swaps: [{ instance: 'i-1' }], failure: { error: trouble } });
    expect(() => throwIfFailed(claimed)).toThrow(trouble);
    expect(() => throwIfFailed({})).not.toThrow();
  });
  it('go on in a storm, in which not all are made at once', async () => {
    const store = {
      claim: ({ instance }) => (instance === 'i-0' ? Promise.reject(new Error('throttled')) : Promise.resolve({ kind: 'claimed' })),
    } as Partial<StateStore> as StateStore;
    const storm = Array.from({ length: 2 * writesAtOnce }, (_, index) => ({ ...warning, instance: `i-${index}` }));
    const { fresh } = await claimAll(storm, [], {
      ...{ store, group: 'web', nowMs: 2_000, decision: 'd', drainFor: () => 'a-drain' },
      ...{ members: new Map(), asgs: new Set<string>(), ended: new Set<string>() },
    });
    expect(fresh).toHaveLength(2 * writesAtOnce - 1);
  });
});

describe('a warning about a member whose swap is over because it could not be taken out of service', () => {
  const kept: Swap = {
    group: 'web',
    instance: 'i-spot',
    reason: 'rebalance',
    state: 'drained',
    pool: 'spot-a',
    offering: 'm7g.large/a/spot',
    claimedAtMs: 500,
    decision: 'c',
    shortfall: { code: 'not-released', awsCode: 'BelowMinSize' },
  };
  const warned = async (swap: Swap, retired: 'done' | 'conflict' = 'done') => {
    const done: string[] = [];
    const store = {
      retire: async () => {
        done.push('retires');
        return retired;
      },
      advance: async (_: unknown, { set }: { readonly set: object }) => {
        done.push(`sets ${Object.keys(set).join()}`);
        return 'done' as const;
      },
      claim: async () => ({ kind: 'claimed' as const }),
    } as unknown as StateStore;
    const context = {
      ...{ store, group: 'web', nowMs: 2_000, decision: 'd', drainFor: () => 'a-drain' },
      ...{ members: new Map(), asgs: new Set<string>(), ended: new Set<string>() },
    };
    return { done, ...(await claimAll([warning], [swap], context)) };
  };
  it('makes its swap anew, so that a drain takes it out of service before its deadline', async () => {
    const { done, fresh } = await warned(kept);
    expect(done).toEqual(['retires']);
    expect(fresh).toMatchObject([{ reason: 'interruption', state: 'leaving', drain: 'a-drain', deadlineMs: 121_000 }]);
    expect(fresh[0]).not.toHaveProperty('shortfall');
  });
  it('only tightens a swap that went on meanwhile, or whose member is out of service', async () => {
    expect(await warned(kept, 'conflict')).toMatchObject({ done: ['retires', 'sets deadlineMs,warnedAtMs'], fresh: [] });
    expect(await warned({ ...kept, drainStartedAtMs: 600 })).toMatchObject({ done: ['sets deadlineMs,warnedAtMs'], fresh: [] });
  });
});

describe('a warning about a member that waits to leave for advice', () => {
  const waiting = {
    group: 'web',
    instance: 'i-spot',
    reason: 'rebalance',
    state: 'waiting',
    pool: 'spot-a',
    offering: 'm7g.large/a/spot',
    claimedAtMs: 500,
    decision: 'c',
  } as const;
  const tightened = async (...known: Parameters<typeof claimAll>[1]) => {
    const store = { advance: () => Promise.resolve('done') } as Partial<StateStore> as StateStore;
    const context = {
      store,
      group: 'web',
      nowMs: 2_000,
      decision: 'd',
      drainFor: () => 'a-drain',
      members: new Map(),
      asgs: new Set<string>(),
      ended: new Set<string>(),
    };
    return claimAll([warning], known, context);
  };
  it('is news about its offering, though its swap is not', async () => {
    expect(await tightened(waiting)).toMatchObject({ fresh: [], warned: [{ instance: 'i-spot', reason: 'interruption' }] });
    const advisedThen = { ...waiting, warnedAtMs: warning.atMs };
    expect((await tightened(advisedThen)).warned).toMatchObject([{ instance: 'i-spot', deadlineMs: warning.deadlineMs }]);
  });
  it('is none when it comes again', async () => {
    const { swaps } = await tightened(waiting);
    expect((await tightened(...swaps)).warned).toEqual([]);
  });
});

const moved = {
  group: 'web',
  instance: 'i-spot',
  reason: 'moved',
  state: 'waiting',
  pool: 'spot-a',
  offering: 'm7g.large/a/spot',
  claimedAtMs: 500,
  decision: 'c',
} as const;

describe('a warning of a member whose swap was withdrawn a moment ago', () => {
  it('makes a swap of its own', async () => {
    const withdrawn = { ...moved, state: 'withdrawn', withdrawnAtMs: 1_900 } as const;
    const store = {
      advance: () => Promise.resolve('conflict'),
      swapNow: () => Promise.resolve(withdrawn),
      claim: () => Promise.resolve({ kind: 'claimed' }),
    } as Partial<StateStore> as StateStore;
    const context = {
      store,
      group: 'web',
      nowMs: 2_000,
      decision: 'd',
      drainFor: () => 'a-drain',
      members: new Map(),
      asgs: new Set<string>(),
      ended: new Set<string>(),
    };
    const { fresh, swaps } = await claimAll([warning], [moved], context);
    expect(fresh).toMatchObject([{ instance: 'i-spot', reason: 'interruption', state: 'leaving' }]);
    expect(swaps).toEqual(fresh);
  });
});

describe('a warning of a member whose swap is stored no longer', () => {
  it('makes a swap of its own, because EC2 warns once', async () => {
    const store = {
      advance: () => Promise.resolve('conflict'),
      swapNow: () => Promise.resolve(undefined),
      claim: () => Promise.resolve({ kind: 'claimed' }),
    } as Partial<StateStore> as StateStore;
    const { fresh, swaps } = await claimAll([warning], [moved], {
      ...{ store, group: 'web', nowMs: 2_000, decision: 'd', drainFor: () => 'a-drain' },
      ...{ members: new Map(), asgs: new Set<string>(), ended: new Set<string>() },
    });
    expect(fresh).toMatchObject([{ instance: 'i-spot', reason: 'interruption', deadlineMs: warning.deadlineMs }]);
    expect(swaps).toEqual(fresh);
  });
});

describe('a second terminating hook of a member', () => {
  const hookOf = (token: string) => ({ asg: 'web-asg', hook: `drain-${token}`, token, expiresAtMs: 30_000 });
  const factOf = (token: string) => ({ instance: 'i-1', reason: 'hook', atMs: 1_000, hook: hookOf(token) }) as const;
  it('joins the first, and puts the member on a drain that reads both', async () => {
    const changes: unknown[] = [];
    const store = {
      claim: () => Promise.resolve({ kind: 'claimed' }),
      advance: (_swap: unknown, change: unknown) => Promise.resolve(changes.push(change)).then(() => 'done'),
    } as Partial<StateStore> as StateStore;
    const context = {
      store,
      group: 'web',
      nowMs: 2_000,
      decision: 'd',
      drainFor: () => 'a-drain',
      members: new Map(),
      asgs: new Set<string>(),
      ended: new Set<string>(),
    };
    const { swaps } = await claimAll([factOf('1'), factOf('2'), factOf('1')], [], context);
    expect(swaps).toMatchObject([{ hooks: [hookOf('1'), hookOf('2')], drain: 'a-drain' }]);
    expect(changes).toMatchObject([{ hooksSeen: [hookOf('1')], set: { drain: 'a-drain', drainOrderedAtMs: 2_000 } }]);
  });
  it('keeps what a heartbeat recorded in the first meanwhile', async () => {
    const read: Swap = { ...moved, state: 'draining', hooks: [hookOf('1')] };
    const beaten = { ...hookOf('1'), timeoutMs: 60_000, expiresAtMs: 75_000 };
    const stored: Swap = { ...read, hooks: [beaten] };
    const store = {
      advance: async (_swap: unknown, { hooksSeen }: SwapChange) => (isDeepStrictEqual(hooksSeen, stored.hooks) ? 'done' : 'conflict'),
      swapNow: async () => stored,
    } as Partial<StateStore> as StateStore;
    const context = {
      ...{ store, group: 'web', nowMs: 2_000, decision: 'd', drainFor: () => 'a-drain' },
      ...{ members: new Map(), asgs: new Set<string>(), ended: new Set<string>() },
    };
    const { swaps } = await claimAll([{ ...factOf('2'), instance: read.instance }], [read], context);
    expect(swaps).toMatchObject([{ hooks: [beaten, hookOf('2')], drain: 'a-drain' }]);
  });
});
