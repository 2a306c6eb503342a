import { describe, expect, it } from 'vitest';
import { decide, isQuiet } from '../../../core/decide/decide.ts';
import type { Group } from '../../../core/group/group.ts';
import type { Placement } from '../../../core/placement/placement.ts';
import { takenAtOnceCode } from '../../../core/pool-memory/pool-memory.ts';
import type { AsgView, GroupState } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { asgView, group, nowMs, onDemandB, reservation, spotA, spotB, state, swapOf, view } from '../views.ts';

const launched = (placements: readonly Placement[]): number => placements.reduce((sum, { count }) => sum + count, 0);
const five = (pool: typeof spotA, rest = {}) => members(pool, 5, rest);

describe('size', () => {
  it('does nothing when as many stay as are wanted', () => {
    expect(isQuiet(decide(view()))).toBe(true);
  });
  it('launches what is missing', () => {
    const decision = decide(view({ members: [...five(spotA), ...members(spotB, 3)] }));
    expect(decision.placements).toMatchObject([{ pool: 'spot-b', count: 2 }]);
  });
  it('removes members above the size, and never a protected member', () => {
    const all = [...members(spotA, 6, { protected: true }), ...members(spotB, 6)];
    const { removals } = decide(view({ members: all }));
    expect(removals.map(({ instance }) => instance.split('#')[0])).toEqual(['spot-b', 'spot-b']);
    expect(removals.every(({ reason }) => reason === 'scale-in')).toBe(true);
  });
  it('keeps a group of size 0 empty', () => {
    expect(isQuiet(decide(view({ state: state({ desired: 0 }), members: [] })))).toBe(true);
  });
  it('does not remove members that serve while those that would be left do not serve yet', () => {
    const booting = members(onDemandB, 2, { serving: false, admitted: false, state: 'pending' });
    const { removals } = decide(view({ members: [...five(spotA), ...five(spotB), ...booting] }));
    expect(removals.map(({ instance }) => instance.split('#')[0])).toEqual(['od-b', 'od-b']);
  });
});

describe('an interruption', () => {
  const leaving = [swapOf('spot-a#1'), swapOf('spot-a#2')];
  it('is replaced at once, whatever the surge budget', () => {
    const all = [1, 2, 3, 4, 5].map((n) => swapOf(`spot-a#${n}`));
    expect(launched(decide(view({ swaps: all })).placements)).toBe(5);
  });
  it('is replaced where what was launched for it is in standby, or was taken out of the group', () => {
    const granted = state({ reservations: [reservation({ instances: ['i-new-1', 'i-new-2'] })] });
    const placed = (aside: readonly string[]) => decide(view({ swaps: leaving, aside, state: granted })).placements.map(({ count }) => count);
    expect(placed([])).toEqual([]);
    expect(placed(['i-new-1'])).toEqual([1]);
  });

  it('is not replaced twice: launches in flight count', () => {
    const inFlight = reservation({ instances: ['i-new-1', 'i-new-2'] });
    expect(decide(view({ swaps: leaving, state: state({ reservations: [inFlight] }) })).placements).toEqual([]);
  });
  it('counts a launch once, whether a describe shows it already or not', () => {
    const inFlight = reservation({ instances: ['i-new-1', 'i-new-2'] });
    const shown = member('i-new-1', spotB, { state: 'pending', admitted: false, serving: false });
    const decision = decide(view({ swaps: leaving, members: [...five(spotA), ...five(spotB), shown], state: state({ reservations: [inFlight] }) }));
    expect(decision.placements).toEqual([]);
    expect(decision.removals).toEqual([]);
  });
  it('counts a request without a response, less the instances that a describe shows', () => {
    const shown = member('i-new-1', spotB, { reservation: 'r-1' });
    const decision = decide(
      view({ swaps: leaving, members: [...five(spotA), ...five(spotB), shown], state: state({ reservations: [reservation()] }) }),
    );
    expect(decision.placements).toEqual([]);
  });
  it('launches again for an instance whose end is known, and for one that was never seen in its time', () => {
    const dead = decide(
      view({ swaps: leaving, ended: ['i-new-1'], state: state({ reservations: [reservation({ instances: ['i-new-1', 'i-new-2'] })] }) }),
    );
    expect(launched(dead.placements)).toBe(1);
    const lost = reservation({ instances: ['i-new-1', 'i-new-2'], forgetAtMs: nowMs });
    expect(launched(decide(view({ swaps: leaving, state: state({ reservations: [lost] }) })).placements)).toBe(2);
  });
  it('is not undone by a describe that still shows an instance known to be gone', () => {
    const gone = [swapOf('spot-a#1', { state: 'gone' })];
    expect(launched(decide(view({ swaps: gone })).placements)).toBe(1);
    expect(launched(decide(view({ ended: ['spot-a#1'] })).placements)).toBe(1);
  });
});

describe('a rebalance, launch first', () => {
  const waiting = [1, 2, 3].map((n) =>
    swapOf(`spot-a#${n}`, { reason: 'rebalance', state: 'waiting', drain: undefined, deadlineMs: undefined, claimedAtMs: nowMs + n }),
  );
  it('launches ahead, at most the surge budget', () => {
    const decision = decide(view({ swaps: waiting }));
    expect(launched(decision.placements)).toBe(2);
    expect(decision.drains).toEqual([]);
  });
  it('removes as many as serve beyond the desired size, the first claimed first', () => {
    const decision = decide(view({ swaps: waiting, members: [...five(spotA), ...members(spotB, 7)] }));
    expect(decision.drains).toEqual(['spot-a#1', 'spot-a#2']);
    expect(decision.removals).toEqual([]);
  });
  it('holds on while the new members do not serve', () => {
    const newcomers = members(onDemandB, 2, { serving: false });
    expect(decide(view({ swaps: waiting, members: [...five(spotA), ...five(spotB), ...newcomers] })).drains).toEqual([]);
  });
});

describe('a rebalance, drain first', () => {
  const drainFirst = (maxSurge: number) => group({ swap: { order: 'drain-first', maxSurge } });
  const soft = { reason: 'rebalance', deadlineMs: undefined } as const;
  const waiting = (count: number) =>
    [1, 2, 3, 4, 5].slice(0, count).map((n) => swapOf(`spot-a#${n}`, { ...soft, state: 'waiting', drain: undefined, claimedAtMs: n }));
  const [, ...fourOfA] = five(spotA);
  const refused = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 30_000, streak: 1 } as const;

  it('begins at once, at most the surge budget, and launches only when drained', () => {
    const first = decide(view({ group: drainFirst(1), swaps: waiting(2) }));
    expect(first.drains).toEqual(['spot-a#1']);
    expect(first.placements).toEqual([]);
    expect(decide(view({ group: drainFirst(3), swaps: waiting(5) })).drains).toEqual(['spot-a#1', 'spot-a#2', 'spot-a#3']);
    const draining = decide(view({ group: drainFirst(1), swaps: [swapOf('spot-a#1', { ...soft, state: 'draining' }), ...waiting(2).slice(1)] }));
    expect(draining.drains).toEqual([]);
    expect(draining.placements).toEqual([]);
    const drained = decide(view({ group: drainFirst(1), swaps: [swapOf('spot-a#1', { ...soft, state: 'drained' })] }));
    expect(launched(drained.placements)).toBe(1);
  });
  it('goes on only when the replacement of the one before serves, and not when it is merely there', () => {
    const next = (successor: object) =>
      decide(view({ group: drainFirst(1), swaps: waiting(2).slice(1), members: [...fourOfA, ...five(spotB), member('i-new', spotB, successor)] }))
        .drains;
    expect(next({ state: 'pending', admitted: false, serving: false })).toEqual([]);
    expect(next({ serving: false })).toEqual([]);
    expect(next({})).toEqual(['spot-a#2']);
  });
  it('is held back by a member that was lost for another reason', () => {
    const lost = decide(view({ group: drainFirst(1), swaps: [swapOf('spot-b#1'), ...waiting(2)] }));
    expect(lost.drains).toEqual([]);
    expect(launched(lost.placements)).toBe(1);
    // Each lost member is one of those that may be missing.
    const begunBeside = (count: number) =>
      decide(view({ group: drainFirst(3), swaps: [...[1, 2, 3].slice(0, count).map((n) => swapOf(`spot-b#${n}`)), ...waiting(5)] })).drains;
    expect([begunBeside(1), begunBeside(2), begunBeside(3)]).toEqual([['spot-a#1', 'spot-a#2'], ['spot-a#1'], []]);
  });
  it('leaves a member that comes up in place of a lost one until it serves, or would be given up', () => {
    const begun = (rest: Parameters<typeof member>[2], more: Partial<GroupState> = {}) => {
      const swaps = [{ ...swapOf('i-new'), ...waiting(1)[0], instance: 'i-new' }];
      const arriving = { 'i-new': nowMs - 30_000 };
      const all = [...fourOfA, ...five(spotB), member('i-new', spotB, rest)];
      return decide(view({ group: drainFirst(2), swaps, members: all, state: state({ arriving, ...more }) })).drains;
    };
    expect(begun({ serving: false, launchedAtMs: nowMs - 30_000 })).toEqual([]);
    expect(begun({ launchedAtMs: nowMs - 30_000 })).toEqual(['i-new']);
    const late = { serving: false, launchedAtMs: nowMs - 600_000 };
    expect(begun(late, { unserved: { 'i-new': { why: 'target-health', sinceMs: nowMs - 500_000 } } })).toEqual(['i-new']);
    // It has served, and fails now.
    expect(begun({ serving: false }, { arriving: {} })).toEqual(['i-new']);
  });
  it('does not begin while nothing could replace it: all is refused, launches are throttled, or others are missing', () => {
    const memory = { 'm7g.large/a/spot': refused, 'm7g.large/b/spot': refused, 'm7g.large/b/on-demand': refused };
    expect(decide(view({ group: drainFirst(1), swaps: waiting(2), state: state({ memory }) })).drains).toEqual([]);
    const throttle = { untilMs: nowMs + 2_000, streak: 1 };
    expect(decide(view({ group: drainFirst(1), swaps: waiting(2), state: state({ throttle }) })).drains).toEqual([]);
    const eleven = [...five(spotA), ...members(spotB, 6)];
    expect(decide(view({ group: drainFirst(1), swaps: waiting(2), members: eleven, state: state({ memory }) })).drains).toEqual(['spot-a#1']);
  });
  it('begins as many as the tree can replace, the room counted that they leave below the cap of their pool', () => {
    const pools = { 'spot-a': { ...spotA, cap: 5 }, 'spot-b': { ...spotB, cap: 5 }, 'od-b': { ...onDemandB, cap: 0 } };
    expect(decide(view({ group: { ...drainFirst(2), pools }, swaps: waiting(3) })).drains).toEqual(['spot-a#1', 'spot-a#2']);
    const full = { ...pools, 'spot-b': { ...spotB, cap: 4 } };
    const ofBoth = [...waiting(1), { ...swapOf('spot-b#1'), ...waiting(1)[0], instance: 'spot-b#1', claimedAtMs: 2 }];
    expect(decide(view({ group: { ...drainFirst(2), pools: full }, swaps: ofBoth })).drains).toEqual(['spot-a#1']);
  });
});

describe('a member at risk that may or may not serve', () => {
  it('is taken to leave a gap, in either order', () => {
    const unread = [...five(spotA, { serving: false, mayServe: true }), ...five(spotB, { serving: false, mayServe: true })];
    const waiting = [1, 2, 3, 4, 5].map((n) =>
      swapOf(`spot-a#${n}`, { reason: 'rebalance', state: 'waiting', drain: undefined, deadlineMs: undefined, claimedAtMs: n }),
    );
    for (const order of ['launch-first', 'drain-first'] as const)
      expect(decide(view({ group: group({ swap: { order, maxSurge: 9 } }), swaps: waiting, members: unread })).drains).toEqual([]);
  });
});

describe('a member at risk that does not serve', () => {
  const waits = swapOf('i-late', { reason: 'rebalance', state: 'waiting', drain: undefined, deadlineMs: undefined });
  const late = member('i-late', spotB, { serving: false });
  const nine = [...five(spotA), ...members(spotB, 4)];
  it('stays until its replacement serves, because it may be there first', () => {
    const coming = member('i-new', spotB, { state: 'pending', admitted: false, serving: false });
    expect(decide(view({ swaps: [waits], members: [...nine, late, coming] })).drains).toEqual([]);
  });
  it('leaves then, and takes no other with it', () => {
    expect(decide(view({ swaps: [waits], members: [...nine, late, member('i-new', spotB)] })).drains).toEqual(['i-late']);
    const two = [waits, swapOf('spot-a#1', { ...waits, instance: 'spot-a#1', claimedAtMs: nowMs + 1 })];
    expect(decide(view({ swaps: two, members: [...nine, late, member('i-new', spotB)] })).drains).toEqual(['i-late']);
  });
});

describe('instances without a request', () => {
  const stray = member('i-stray', spotA, { pool: undefined, reservation: undefined });
  it('are neither counted nor removed at first sight', () => {
    const decision = decide(view({ members: [...five(spotA), ...five(spotB), stray] }));
    expect(decision.removals).toEqual([]);
  });
  it('are removed once seen twice over the minimum age', () => {
    const seen = state({ strays: { 'i-stray': { firstSeenAtMs: nowMs - 300_000, sightings: 2 } } });
    expect(decide(view({ members: [...five(spotA), ...five(spotB), stray], state: seen })).removals).toMatchObject([
      { instance: 'i-stray', reason: 'unwanted' },
    ]);
    const young = state({ strays: { 'i-stray': { firstSeenAtMs: nowMs - 299_000, sightings: 9 } } });
    expect(decide(view({ members: [...five(spotA), ...five(spotB), stray], state: young })).removals).toEqual([]);
  });
  it('are adopted when a pool of the policy explains them', () => {
    const explained = member('i-adopted', spotB, { reservation: undefined });
    const decision = decide(view({ members: [...five(spotA), ...members(spotB, 4), explained] }));
    expect(isQuiet(decision)).toBe(true);
  });
});

describe('an Auto Scaling group', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
  const asg = { name: 'web-asg', min: 0, max: 10, desired: 10, held: 10, holds: [] as readonly string[], suspended: [] };
  const ready = members(onDemandB, 3, { admitted: false, serving: false });
  const attachView = (rest: Parameters<typeof view>[0] = {}) => view({ group: attached, asgs: [asg], ...rest });

  it('keeps the minimum size that its user gave it, though the policy wants fewer', () => {
    const all = [...five(spotA), ...five(spotB)];
    const holds = all.map(({ instance }) => instance);
    const shrunk = (min: number) => decide(attachView({ asgs: [{ ...asg, min, holds }], members: all, state: state({ desired: 4 }) })).removals;
    expect([0, 4, 7, 10].map((min) => shrunk(min).length)).toEqual([6, 6, 3, 0]);
  });

  it('reports the number of members that its minimum keeps when it changes, and only then', () => {
    const all = [...five(spotA), ...five(spotB)];
    const asgs = [{ ...asg, min: 7, held: 7, holds: all.slice(0, 7).map(({ instance }) => instance) }];
    const said = (kept?: number) =>
      decide(attachView({ asgs, members: all.slice(0, 7), state: state({ desired: 4, ...(kept !== undefined && { keptByMinimum: kept }) }) }));
    expect(said().keptByMinimum).toBe(3);
    expect(said(2).remarks).toEqual([{ code: 'kept-by-minimum', count: 3, asgs: [{ asg: 'web-asg', min: 7 }] }]);
    expect(said(3).remarks).toEqual([]);
    expect(decide(attachView({ members: all, state: state({ desired: 4, keptByMinimum: 3 }) }))).not.toHaveProperty('keptByMinimum');
  });

  it('keeps it in each of several groups, and takes the rest where it can', () => {
    const all = [...five(spotA), ...five(spotB)];
    const asgs = [spotA, spotB].map(({ name }, index) => ({
      ...asg,
      name,
      min: index * 5,
      holds: all.filter(({ pool }) => pool === name).map(({ instance }) => instance),
    }));
    const single = group({ holding: { kind: 'launch-instances' } });
    const { removals } = decide(view({ group: single, asgs, members: all, state: state({ desired: 4 }) }));
    expect(removals.map(({ instance }) => instance).sort()).toEqual(
      five(spotA)
        .map(({ instance }) => instance)
        .sort(),
    );
  });

  it('is left to refill itself for a while', () => {
    const short = { ...asg, held: 9 };
    expect(decide(attachView({ asgs: [short], members: [...five(spotA), ...members(spotB, 4)] })).placements).toEqual([]);
  });
  it('is left to end by itself what it holds beyond its desired capacity, unless the user has suspended that', () => {
    const eleven = [...five(spotA), ...members(spotB, 6)];
    const held = { ...asg, held: 11, holds: eleven.map(({ instance }) => instance) };
    expect(decide(attachView({ asgs: [held], members: eleven })).removals).toEqual([]);
    expect(decide(attachView({ asgs: [{ ...held, suspended: ['Terminate'] }], members: eleven })).removals).toHaveLength(1);
  });
  it('is not corrected for what it launched itself before it shows that as its own', () => {
    const eleven = [...five(spotA), ...members(spotB, 6)].map((one, index) => ({ ...one, reservation: index === 10 ? undefined : 'ours' })) as never;
    expect(decide(attachView({ members: eleven })).removals).toEqual([]);
  });
  it('is left to replace what EC2 has ended before the group noticed, unless the user has suspended that', () => {
    const dead = { asgs: [{ ...asg, holds: ['i-dead'] }], members: [...five(spotA), ...members(spotB, 4)], ended: ['i-dead'] };
    expect(decide(attachView(dead)).placements).toEqual([]);
    expect(launched(decide(attachView({ ...dead, asgs: [{ ...asg, holds: ['i-dead'], suspended: ['ReplaceUnhealthy'] }] })).placements)).toBe(1);
  });
  it('is left to replace a member that had ended before its warning arrived', () => {
    const late = {
      asgs: [{ ...asg, holds: ['i-dead'] }],
      swaps: [{ ...swapOf('i-dead', { state: 'gone' }), drain: undefined } as never],
      ended: ['i-dead'],
    };
    expect(decide(attachView({ ...late, members: [...five(spotA), ...members(spotB, 4)] }))).toMatchObject({ placements: [], unnoticed: [] });
    // EC2's describe lags: it shows the instance as running again, after the look that closed its swap.
    const shown = { ...late, ended: [], members: [...five(spotA), ...members(spotB, 4), { ...members(spotB, 1)[0], instance: 'i-dead' } as never] };
    expect(decide(attachView(shown))).toMatchObject({ placements: [], unnoticed: [] });
  });
  it('removes a member that died while it waited for its turn, once its replacement is there', () => {
    const waited = { ...swapOf('i-waited', { state: 'gone', reason: 'rebalance' }), drain: undefined } as never;
    const dead = { asgs: [{ ...asg, desired: 11, held: 11, holds: ['i-waited'] }], swaps: [waited], ended: ['i-waited'] };
    expect(decide(attachView({ ...dead, members: [...five(spotA), ...five(spotB)] })).unnoticed).toEqual(['i-waited']);
  });
  it('must no longer hold a leaving instance that has ended, because Holdfast launches its replacement', () => {
    const dead = { asgs: [{ ...asg, holds: ['i-dead'] }], swaps: [swapOf('i-dead', { state: 'gone' })], ended: ['i-dead'] };
    const decision = decide(attachView({ ...dead, members: [...five(spotA), ...members(spotB, 4)] }));
    expect(decision.unnoticed).toEqual(['i-dead']);
    expect(launched(decision.placements)).toBe(1);
  });
  it.each(['draining', 'drained'] as const)(
    'must no longer hold a %s instance once its minimum allows, before EC2 takes it and the group replaces it',
    (now) => {
      const held = { ...asg, holds: ['spot-a#1'] };
      const left = { swaps: [swapOf('spot-a#1', { state: now })], members: [...five(spotA), ...five(spotB)] };
      expect(decide(attachView({ ...left, asgs: [held] })).unnoticed).toEqual(['spot-a#1']);
      expect(decide(attachView({ ...left, asgs: [{ ...held, min: 10 }] })).unnoticed).toEqual([]);
    },
  );
  it('is believed to replace what it ends itself until its describe shows whether it does, dead or alive', () => {
    const swaps = [swapOf('i-hooked', { reason: 'hook' })];
    const nine = [...five(spotA), ...members(spotB, 4)];
    const refused = state({ asgGaps: { 'web-asg': { sinceMs: nowMs, refused: true } } });
    const stale = { ...asg, holds: ['i-hooked'] };
    for (const ended of [[], ['i-hooked']]) {
      const decision = decide(attachView({ asgs: [stale], swaps, members: nine, ended, state: refused }));
      expect(decision).toMatchObject({ placements: [], unnoticed: [], wakeAtMs: nowMs + 10_000 });
    }
    expect(launched(decide(attachView({ asgs: [{ ...asg, desired: 9, held: 9 }], swaps, members: nine })).placements)).toBe(1);
  });
  it('is believed about instances that EC2 does not show yet', () => {
    const young = { asgs: [{ ...asg, holds: ['i-young'] }], members: [...five(spotA), ...members(spotB, 4)] };
    expect(decide(attachView(young)).placements).toEqual([]);
  });
  it('is taken over when it cannot: suspended, refused, or too slow', () => {
    const nine = [...five(spotA), ...members(spotB, 4)];
    const short = { ...asg, held: 9 };
    const cases = [
      decide(attachView({ asgs: [{ ...short, suspended: ['Launch'] }], members: nine })),
      decide(attachView({ asgs: [short], members: nine, state: state({ asgGaps: { 'web-asg': { sinceMs: nowMs, refused: true } } }) })),
      decide(attachView({ asgs: [short], members: nine, state: state({ asgGaps: { 'web-asg': { sinceMs: nowMs - 91_000, refused: false } } }) })),
    ];
    for (const { placements, takeOver } of cases) {
      expect(launched(placements)).toBe(1);
      expect(takeOver).toEqual([{ asg: 'web-asg', desired: 9 }]);
    }
  });
  it('that was refused is taken over with its dead, which it replaces itself once it notices', () => {
    const [eight, refused] = [[...five(spotA), ...members(spotB, 3)], state({ asgGaps: { 'web-asg': { sinceMs: nowMs, refused: true } } })];
    const short = { ...asg, held: 9, holds: ['i-dead'] };
    const decision = decide(attachView({ asgs: [short], members: eight, ended: ['i-dead'], state: refused }));
    expect(launched(decision.placements)).toBe(1);
    expect(decision.takeOver).toEqual([{ asg: 'web-asg', desired: 9 }]);
  });
  it('has its maximum raised only as far as the new members need, and the old value is kept', () => {
    const swaps = [1, 2, 3].map((n) => swapOf(`spot-a#${n}`));
    const decision = decide(attachView({ swaps, members: [...five(spotA), ...five(spotB), ...ready] }));
    expect(decision.admissions).toHaveLength(3);
    expect(decision.raise).toEqual([{ asg: 'web-asg', fromMax: 10, toMax: 13 }]);
    const again = state({ raised: [{ asg: 'web-asg', fromMax: 10, toMax: 12 }] });
    expect(
      decide(attachView({ swaps, members: [...five(spotA), ...five(spotB), ...ready], asgs: [{ ...asg, max: 12 }], state: again })).raise,
    ).toEqual([{ asg: 'web-asg', fromMax: 10, toMax: 13, earlier: [12] }]);
  });
  it('has its maximum raised once for all that are on their way, not for each batch of them', () => {
    const swaps = [1, 2, 3, 4, 5].map((n) => swapOf(`spot-a#${n}`));
    const early = ready.slice(0, 2).map((one) => ({ ...one, launchedAtMs: nowMs - 30_000 }));
    const coming = { ...member('i-pending', spotB), state: 'pending' as const, admitted: false, serving: false };
    const granted = reservation({ instances: ['i-unseen-1', 'i-unseen-2'] });
    const seen = [...five(spotA), ...five(spotB), ...early, coming];
    const decision = decide(attachView({ swaps, members: seen, state: state({ reservations: [granted] }) }));
    expect(decision.admissions).toHaveLength(2);
    expect(decision.raise).toEqual([{ asg: 'web-asg', fromMax: 10, toMax: 15 }]);
  });
  it('has room enough otherwise', () => {
    const swaps = [1, 2, 3].map((n) => swapOf(`spot-a#${n}`));
    expect(decide(attachView({ swaps, asgs: [{ ...asg, max: 20 }], members: [...five(spotA), ...five(spotB), ...ready] })).raise).toEqual([]);
  });
  it('gets its maximum back when it fits again and no member is on the way', () => {
    const raised = [{ asg: 'web-asg', fromMax: 10, toMax: 13 }];
    expect(decide(attachView({ asgs: [{ ...asg, max: 13 }], state: state({ raised }) })).restore).toEqual(raised);
    expect(decide(attachView({ asgs: [{ ...asg, max: 13, desired: 12 }], state: state({ raised }) })).restore).toEqual([]);
    const coming = state({ raised, reservations: [reservation()] });
    expect(decide(attachView({ asgs: [{ ...asg, max: 13 }], state: coming })).restore).toEqual([]);
  });
});

describe('admission', () => {
  const young = { admitted: false, serving: false, launchedAtMs: nowMs - 5_000 };
  it('waits for the rest of the batch, but not for long', () => {
    const pending = member('i-pending', spotB, { ...young, state: 'pending' });
    const running = member('i-running', spotB, young);
    const eight = [...members(spotA, 4), ...members(spotB, 4)];
    expect(decide(view({ members: [...eight, pending, running] })).admissions).toEqual([]);
    expect(decide(view({ members: [...eight, pending, { ...running, launchedAtMs: nowMs - 20_000 }] })).admissions).toEqual(['i-running']);
    expect(decide(view({ members: [...eight, running] })).admissions).toEqual(['i-running']);
  });
});

describe('looking again', () => {
  it('is requested while members come up, and when an offering that is needed is done resting', () => {
    const granted = reservation({ instances: ['i-new-1', 'i-new-2'] });
    expect(decide(view({ state: state({ reservations: [granted] }) })).wakeAtMs).toBe(nowMs + 10_000);
    const lesson = { kind: 'refused', code: 'InsufficientInstanceCapacity', atMs: nowMs, coolingUntilMs: nowMs + 30_000, streak: 1 } as const;
    const memory = { 'm7g.large/a/spot': lesson, 'm7g.large/b/spot': lesson, 'm7g.large/b/on-demand': lesson };
    const nothingLeft = decide(view({ members: members(spotA, 9), state: state({ memory }) }));
    expect(nothingLeft.unplaced).toBe(1);
    expect(nothingLeft.wakeAtMs).toBe(nowMs + 30_000);
  });
  it('is requested for the time when a request without a response is repeated, and less often while a member takes long to join', () => {
    const wakeFor = (rest: Parameters<typeof view>[0]) => decide(view(rest)).wakeAtMs;
    expect(wakeFor({ state: state({ reservations: [reservation({ leaseUntilMs: nowMs + 17_000 })] }) })).toBe(nowMs + 17_000);
    expect(wakeFor({ state: state({ reservations: [reservation({ leaseUntilMs: nowMs })] }) })).toBeUndefined();
    expect(wakeFor({ state: state({ reservations: [reservation({ unanswerable: true, leaseUntilMs: nowMs })] }) })).toBe(nowMs + 10_000);
    const idle = (ageMs: number) => member('spot-b#5', spotB, { state: 'pending', admitted: false, serving: false, launchedAtMs: nowMs - ageMs });
    const among = (ageMs: number) => wakeFor({ members: [...members(spotA, 5), ...members(spotB, 4), idle(ageMs)] });
    expect([0, 40_000, 120_000].map(among)).toEqual([nowMs + 10_000, nowMs + 10_000, nowMs + 30_000]);
  });
  it('is requested for when a replacement has warmed up, and seldom while its status checks have no result', () => {
    const waiting = [swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' })];
    const wakeFor = (unready: 'warm-up' | 'status-checks') => {
      const fresh = member('spot-a#new', spotA, { launchedAtMs: nowMs - 30_000, serving: false, unready });
      const members = [...view().members, fresh, member('spot-b#new', spotB)];
      return decide(view({ group: group({ ready: { afterMs: 90_000 } }), members, swaps: waiting })).wakeAtMs;
    };
    expect(wakeFor('warm-up')).toBe(nowMs + 60_000);
    expect(wakeFor('status-checks')).toBe(nowMs + 30_000);
  });
  it('is not requested at rest', () => {
    expect(decide(view()).wakeAtMs).toBeUndefined();
  });
});

describe('a throttle', () => {
  const throttled = state({ throttle: { untilMs: nowMs + 4_000, streak: 2 } });
  it('holds back every launch until its time, and schedules the next look then', () => {
    const decision = decide(view({ members: members(spotA, 8), state: throttled }));
    expect(decision.placements).toEqual([]);
    expect(decision.wakeAtMs).toBe(nowMs + 4_000);
  });
  it('is over when its time has come', () => {
    expect(launched(decide(view({ nowMs: nowMs + 4_000, members: members(spotA, 8), state: throttled })).placements)).toBe(2);
  });
});

describe('a group whose Auto Scaling group its owner has deleted', () => {
  const attached = group({ spare: 1, holding: { kind: 'attach', asg: 'web-asg' } });
  const all = members(spotA, 4).map((member, index) => ({ ...member, reservation: 'r-1', ...(index < 2 && { asg: 'web-asg' }) }));
  const decided = (asgs: readonly AsgView[]) => decide(view({ group: attached, asgs, state: state({ desired: 8 }), members: all }));

  it('launches nobody, and lets those leave who have not joined', () => {
    expect(launched(decided([asgView()]).placements)).toBeGreaterThan(0);
    expect(decided([asgView()]).removals).toEqual([]);
    expect(decided([]).placements).toEqual([]);
    expect(decided([]).removals.map(({ instance }) => instance)).toEqual(all.slice(2).map(({ instance }) => instance));
  });
});

describe('members that have joined an Auto Scaling group which does not show them', () => {
  const attached = group({ holding: { kind: 'attach', asg: 'web-asg' } });
  const removals = (unshown: number) => {
    const all = members(spotA, 10).map((member, index) => ({ ...member, reservation: 'r-1', ...(index < unshown && { unshown: true }) }));
    return decide(view({ group: attached, asgs: [asgView()], state: state({ desired: 8 }), members: all })).removals;
  };
  it('make no surplus: others stay until a describe shows them', () => {
    expect(removals(0)).toHaveLength(2);
    expect(removals(1)).toHaveLength(1);
    expect(removals(2)).toEqual([]);
  });
});

describe('members that may or may not serve', () => {
  const unread = members(spotA, 9).map((member) => ({ ...member, serving: false, mayServe: true as const }));
  it('are no surplus that may go, though idle ones would be', () => {
    const eight = state({ desired: 8 });
    expect(decide(view({ state: eight, members: unread })).removals).toEqual([]);
    expect(decide(view({ state: eight, members: members(spotA, 9).map((member) => ({ ...member, serving: false })) })).removals).toHaveLength(1);
  });
  it('are replaced when they are warned as any others', () => {
    const swaps = unread.slice(0, 2).map(({ instance }) => swapOf(instance));
    expect(launched(decide(view({ state: state({ desired: 9 }), members: unread, swaps })).placements)).toBe(2);
  });
});

describe('an offering that EC2 grants and takes back at once', () => {
  const resting = { kind: 'refused', code: takenAtOnceCode, atMs: nowMs, coolingUntilMs: nowMs + 60_000, streak: 0 } as const;
  const memory = { 'm7g.large/a/spot': resting, 'm7g.large/b/spot': resting } as const;
  const placed = (pools: Group['pools']) =>
    decide(view({ group: group({ pools }), state: state({ memory }), members: [] })).placements.map(({ pool, count }) => [pool, count]);

  it('opens the next tier', () => {
    expect(placed(group().pools)).toEqual([['od-b', 10]]);
  });

  it('is used while nothing else gives', () => {
    const full = { ...onDemandB, cap: 0 };
    expect(placed({ ...group().pools, 'od-b': full })).toEqual([
      ['spot-a', 5],
      ['spot-b', 5],
    ]);
  });
});
