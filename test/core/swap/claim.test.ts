import { describe, expect, it } from 'vitest';
import { type Claiming, claimedAgain, claimedBy, isNewWarning, type LeavingFact, removedBy, tightened } from '../../../core/swap/claim.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { member } from '../members.ts';
import { nowMs, spotA, swapOf } from '../views.ts';

const one = member('i-1', spotA, { asg: 'web-asg' });
const claiming = (rest: Partial<Claiming> = {}): Claiming => ({
  group: 'web',
  nowMs,
  decision: 'd-1',
  drainFor: (kind, deadlineMs) => `${kind}-${deadlineMs ?? 'open'}`,
  members: new Map([['i-1', one]]),
  asgs: new Set(['web-asg']),
  ended: new Set(),
  ...rest,
});
const warning: LeavingFact = { instance: 'i-1', reason: 'interruption', atMs: nowMs - 500, deadlineMs: nowMs + 120_000 };
const advice: LeavingFact = { instance: 'i-1', reason: 'rebalance', atMs: nowMs - 500 };
const hookOf = (token: string) => ({ asg: 'web-asg', hook: 'drain', token, expiresAtMs: nowMs + 60_000 });
const hook = (token: string): LeavingFact => ({ instance: 'i-1', reason: 'hook', atMs: nowMs, hook: hookOf(token) });
const waiting = () => claimedBy(advice, claiming());

describe('the first signal about a member', () => {
  it('makes a swap that leaves, on the drain of its kind and deadline', () => {
    expect(claimedBy(warning, claiming())).toEqual({
      group: 'web',
      instance: 'i-1',
      reason: 'interruption',
      state: 'leaving',
      pool: 'spot-a',
      offering: 'm7g.large/a/spot',
      asg: 'web-asg',
      launchedAtMs: one.launchedAtMs,
      claimedAtMs: nowMs,
      warnedAtMs: nowMs - 500,
      deadlineMs: nowMs + 120_000,
      drain: `interruption-${nowMs + 120_000}`,
      drainOrderedAtMs: nowMs,
      decision: 'd-1',
    });
    const owner = { offering: one.offering, state: 'running', launchedAtMs: nowMs - 90_000 } as const;
    expect(claimedBy({ ...warning, owner }, claiming({ members: new Map() }))).toMatchObject({ launchedAtMs: nowMs - 90_000 });
    expect(claimedBy(warning, claiming({ members: new Map() }))).not.toHaveProperty('launchedAtMs');
    expect(claimedBy(hook('t'), claiming())).toMatchObject({ state: 'leaving', drain: 'hook-open', hooks: [hookOf('t')] });
  });
  it('keeps when the drain of a swap was wanted that the table has lost', () => {
    const lost = { ...warning, drainWantedAtMs: nowMs - 60_000 };
    expect(claimedBy(lost, claiming())).toMatchObject({ claimedAtMs: nowMs, drainOrderedAtMs: nowMs - 60_000 });
  });
  it('makes one that waits without a drain when the reason waits for surge', () => {
    expect(waiting()).toMatchObject({ state: 'waiting', warnedAtMs: nowMs - 500 });
    expect(waiting()).not.toHaveProperty('drain');
    const moved = claimedBy({ ...advice, reason: 'moved' }, claiming());
    expect(moved).toMatchObject({ state: 'waiting' });
    expect(moved).not.toHaveProperty('warnedAtMs');
  });
  it('orders no drain for an instance that has ended', () => {
    expect(claimedBy(warning, claiming({ ended: new Set(['i-1']) }))).not.toHaveProperty('drain');
  });
  it('takes from the owner of the instance what no member shows, but not the Auto Scaling group of another group', () => {
    const owner = { group: 'web', asg: 'other-asg', pool: 'spot-b' } as LeavingFact['owner'] & object;
    const swap = claimedBy({ ...warning, owner }, claiming({ members: new Map() }));
    expect(swap).toMatchObject({ pool: 'spot-b', offering: 'unknown' });
    expect(swap).not.toHaveProperty('asg');
  });
});

describe('a hook that a look found without its message', () => {
  const found: LeavingFact = { ...hook('t'), hook: { asg: 'web-asg', hook: 'drain', expiresAtMs: nowMs } };
  it('is the action that its message names later, and the other way round', () => {
    expect(tightened(claimedBy(found, claiming()), hook('t'), claiming())).toBeUndefined();
    expect(tightened(claimedBy(hook('t'), claiming()), found, claiming())).toBeUndefined();
  });
  // Seed 22395005 of `small`: the drain waited five seconds too long for connections, and the record said that they were open when the instance ended.
  it('has waited since its message says, so another drain counts its connections from then', () => {
    const { token, ...untold } = hookOf('t');
    const heldSince = (sinceMs: number): LeavingFact => ({ ...found, hook: { ...untold, sinceMs } });
    const told = (sinceMs: number): LeavingFact => ({ ...found, hook: { ...untold, token, sinceMs, expiresAtMs: nowMs + 25_000 } });
    const swap: Swap = { ...claimedBy(heldSince(nowMs), claiming()), state: 'draining', drainStartedAtMs: nowMs };
    const message = told(nowMs - 5_000);
    const set = tightened(swap, message, claiming({ nowMs: nowMs + 1_000 }));
    expect(set).toEqual({
      hooks: [{ ...hookOf('t'), sinceMs: nowMs - 5_000 }],
      drain: 'hook-open',
      drainOrderedAtMs: nowMs + 1_000,
    });
    expect(tightened({ ...swap, ...set }, message, claiming())).toBeUndefined();
    expect(tightened({ ...swap, ...set }, told(nowMs - 6_000), claiming())).toBeUndefined();
    expect(tightened(swap, told(nowMs), claiming())).toBeUndefined();
    expect(tightened({ ...swap, state: 'drained', drainedAtMs: nowMs }, message, claiming())).toBeUndefined();
    const ended = claimedBy(heldSince(nowMs), claiming({ ended: new Set([found.instance]) }));
    expect([ended.drain, tightened(ended, message, claiming())]).toEqual([undefined, undefined]);
  });
  it('is another action than that of another hook or another Auto Scaling group', () => {
    for (const other of [{ hook: 'logs' }, { asg: 'other-asg' }]) {
      const fact = { ...found, hook: { ...hookOf('t'), ...other } };
      expect(tightened(claimedBy(found, claiming()), fact, claiming())?.hooks).toHaveLength(2);
    }
    expect(tightened(claimedBy(hook('t'), claiming()), hook('u'), claiming())?.hooks).toHaveLength(2);
  });
});

describe('a claim of an instance of which little is known', () => {
  const offering = { instanceType: 'm7g.large', zone: 'b', market: 'spot' as const };
  const bare = (fact: Partial<LeavingFact>) => claimedBy({ ...warning, ...fact }, claiming({ members: new Map() }));
  it('has what its owner says, or says that it is unknown', () => {
    expect(bare({ owner: { offering, asg: 'web-asg', pool: 'spot-b' } as never })).toMatchObject({
      pool: 'spot-b',
      offering: 'm7g.large/b/spot',
      asg: 'web-asg',
    });
    expect(bare({})).toMatchObject({ pool: 'unknown', offering: 'unknown' });
    expect(bare({})).not.toHaveProperty('asg');
    expect(bare({})).not.toHaveProperty('heardAtMs');
  });
  it('has the time at which its first signal was received, when that was earlier', () => {
    expect(bare({ heardAtMs: nowMs - 9_000 }).heardAtMs).toBe(nowMs - 9_000);
  });
  it('has no deadline where none was announced', () => {
    expect(waiting()).not.toHaveProperty('deadlineMs');
    expect(waiting()).not.toHaveProperty('hooks');
  });
});

describe('a member that a decision removes', () => {
  it('without a pool or an Auto Scaling group is said to be of none', () => {
    const { asg: _asg, ...loose } = one;
    const swap = removedBy({ reason: 'unwanted' }, { ...loose, pool: undefined }, { group: 'web', nowMs, decision: 'd-1', drain: 'a-drain' });
    expect(swap).toMatchObject({ pool: 'unknown', claimedAtMs: nowMs, decision: 'd-1' });
    expect(swap).not.toHaveProperty('asg');
  });
  it('leaves at once, on the drain of that decision', () => {
    const swap = removedBy({ reason: 'scale-in' }, one, { group: 'web', nowMs, decision: 'd-1', drain: 'a-drain' });
    expect(swap).toMatchObject({ instance: 'i-1', reason: 'scale-in', state: 'leaving', asg: 'web-asg', drain: 'a-drain', drainOrderedAtMs: nowMs });
  });
});

describe('a warning that comes when its instance has ended', () => {
  const gone: Swap = { ...waiting(), state: 'gone', goneAtMs: nowMs - 1_000 };
  it('is written in the swap and counts once, however often its message comes', () => {
    const set = tightened(gone, warning, claiming());
    expect(set).toEqual({ deadlineMs: warning.deadlineMs, warnedAtMs: warning.atMs });
    const after = { ...gone, ...set };
    expect([isNewWarning(warning, after, gone), isNewWarning(warning, after, after)]).toEqual([true, false]);
    expect(tightened(after, { ...warning, deadlineMs: nowMs + 240_000 }, claiming())).toBeUndefined();
  });
  it('is no advice and no hook', () => {
    expect([tightened(gone, advice, claiming()), tightened(gone, hook('t'), claiming())]).toEqual([undefined, undefined]);
  });
});

describe('a later signal about a leaving member', () => {
  it('begins a swap that waited, as a warning with its deadline', () => {
    expect(tightened(waiting(), warning, claiming())).toEqual({
      reason: 'interruption',
      state: 'leaving',
      deadlineMs: warning.deadlineMs,
      warnedAtMs: warning.atMs,
      drain: `interruption-${warning.deadlineMs}`,
      drainOrderedAtMs: nowMs,
    });
    expect(tightened(waiting(), hook('t'), claiming())).toEqual({
      state: 'leaving',
      hooks: [hookOf('t')],
      drain: 'hook-open',
      drainOrderedAtMs: nowMs,
    });
  });
  it('has the deadline of a warning that comes after the deadline of the one before', () => {
    const swap = { ...claimedBy(warning, claiming()), deadlineMs: nowMs - 1_000 };
    const again = { ...warning, atMs: nowMs - 999 };
    const order = { deadlineMs: again.deadlineMs, warnedAtMs: again.atMs, drain: `interruption-${again.deadlineMs}` };
    expect(tightened(swap, again, claiming())).toMatchObject(order);
    expect(tightened({ ...swap, state: 'drained' }, again, claiming())).toEqual({ deadlineMs: again.deadlineMs, warnedAtMs: again.atMs });
    expect(tightened(swap, { ...again, atMs: nowMs - 1_000 }, claiming())).toBeUndefined();
  });
  it('keeps the deadline of the later of two such warnings, whichever comes first', () => {
    const earlier = { ...warning, atMs: nowMs - 125_000, deadlineMs: nowMs - 5_000 };
    expect(tightened(claimedBy(warning, claiming()), earlier, claiming())).toBeUndefined();
    const first = claimedBy(earlier, claiming());
    const second = { ...first, ...tightened(first, warning, claiming()) };
    expect(second).toMatchObject({ deadlineMs: warning.deadlineMs, warnedAtMs: warning.atMs });
    expect(tightened(second, earlier, claiming())).toBeUndefined();
    const inTime = { ...earlier, deadlineMs: nowMs + 60_000 };
    expect(tightened(second, inTime, claiming())).toMatchObject({ deadlineMs: inTime.deadlineMs });
  });
  it('tightens a deadline and never loosens it', () => {
    const swap = claimedBy(warning, claiming());
    expect(tightened(swap, warning, claiming())).toBeUndefined();
    expect(tightened(swap, { ...warning, deadlineMs: nowMs + 130_000 }, claiming())).toBeUndefined();
    expect(tightened(swap, { ...warning, deadlineMs: nowMs + 60_000 }, claiming())).toMatchObject({ deadlineMs: nowMs + 60_000 });
  });
  it('leaves a member on its hook to its hook, with the deadline of the warning', () => {
    const swap = claimedBy(hook('t'), claiming());
    expect(tightened(swap, warning, claiming())).toMatchObject({
      reason: 'hook',
      deadlineMs: warning.deadlineMs,
      drain: `hook-${warning.deadlineMs}`,
    });
  });
  it('puts a member that drains already on a drain that does not wait', () => {
    const draining = { ...waiting(), state: 'draining' } as const;
    const set = tightened(draining, warning, claiming());
    expect(set).toMatchObject({ reason: 'interruption', drain: `swap-${warning.deadlineMs}` });
    expect(set).not.toHaveProperty('state');
  });
  it('changes only the deadline of one that has drained, and the time of its warning', () => {
    const set = { deadlineMs: warning.deadlineMs, warnedAtMs: warning.atMs };
    expect(tightened({ ...waiting(), state: 'drained' }, warning, claiming())).toEqual(set);
  });
  it('leaves anew where its member works again by the time of a later warning, which ordered no drain that takes it out of service', () => {
    const { deadlineMs } = warning;
    const drained: Swap = {
      ...{ ...claimedBy(warning, claiming()), asg: 'web-asg', state: 'drained', claimedAtMs: 1, deadlineMs, warnedAtMs: nowMs - 1 },
      ...{ drainStartedAtMs: 2, drainedAtMs: 3, busyUntilMs: 4, decision: 'before', shortfall: { code: 'not-seen' } },
    };
    const { pool, offering, group, instance } = drained;
    const leavesAnew = {
      ...{ group, instance, reason: 'interruption', state: 'leaving', pool, offering, asg: 'web-asg' },
      ...{ claimedAtMs: nowMs, warnedAtMs: nowMs - 1, deadlineMs },
      ...{ drain: `interruption-${deadlineMs}`, drainOrderedAtMs: nowMs, decision: claiming().decision },
    };
    expect(claimedAgain(drained, claiming())).toEqual(leavesAnew);
    expect(claimedAgain({ ...drained, state: 'draining' }, claiming())).toEqual(leavesAnew);
    for (const state of ['leaving', 'gone', 'withdrawn'] as const) expect(claimedAgain({ ...drained, state }, claiming())).toBeUndefined();
    const { deadlineMs: _, ...undated } = drained;
    expect(claimedAgain(undated, claiming())).toBeUndefined();
  });
  it('changes nothing where its deadline was long over when the member was claimed', () => {
    const outlived = { ...warning, atMs: nowMs - 300_001, deadlineMs: nowMs - 180_001 };
    expect(tightened(waiting(), outlived, claiming())).toBeUndefined();
    expect(tightened({ ...waiting(), state: 'draining' }, outlived, claiming())).toBeUndefined();
    expect(tightened(waiting(), { ...outlived, deadlineMs: nowMs - 180_000 }, claiming())).toMatchObject({ reason: 'interruption' });
  });
  it('adds each hook once', () => {
    const swap = claimedBy(hook('t'), claiming());
    expect(tightened(swap, hook('t'), claiming())).toBeUndefined();
    expect(tightened(swap, hook('u'), claiming())?.hooks).toEqual([hookOf('t'), hookOf('u')]);
  });
  it('changes nothing as a hook without a token, or as a warning without a deadline', () => {
    const { hook: _hook, ...hookless } = hook('t');
    expect(tightened(claimedBy(warning, claiming()), hookless, claiming())).toBeUndefined();
    const { deadlineMs: _deadline, ...timeless } = warning;
    expect(tightened(claimedBy(hook('t'), claiming()), timeless, claiming())).toBeUndefined();
    expect(tightened(waiting(), timeless, claiming())).toBeUndefined();
  });
  it('lets a member that leaves already be waited for, as one that waited', () => {
    const leaving = { ...waiting(), state: 'leaving' } as const;
    const set = tightened(leaving, warning, claiming());
    expect(set).toMatchObject({ drain: `interruption-${warning.deadlineMs}` });
    expect(set).not.toHaveProperty('state');
    expect(tightened({ ...leaving, state: 'draining' }, hook('t'), claiming())).not.toHaveProperty('state');
  });
  it('changes nothing as mere advice', () => {
    expect(tightened(swapOf('i-1'), advice, claiming())).toBeUndefined();
  });
});

describe('a warning', () => {
  it('is new when its swap did not have its deadline before', () => {
    const swap = claimedBy(warning, claiming());
    expect(isNewWarning(warning, swap, undefined)).toBe(true);
    expect(isNewWarning(warning, swap, waiting())).toBe(true);
    expect(isNewWarning(warning, swap, swap)).toBe(false);
    expect(isNewWarning(advice, waiting(), undefined)).toBe(false);
    expect(isNewWarning({ ...hook('t'), deadlineMs: nowMs + 5 }, { ...waiting(), deadlineMs: nowMs + 5 }, undefined)).toBe(false);
    expect(isNewWarning({ ...warning, deadlineMs: nowMs + 130_000 }, swap, waiting())).toBe(false);
  });
});
