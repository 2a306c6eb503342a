import { describe, expect, it } from 'vitest';
import { decide } from '../../../core/decide/decide.ts';
import { followView } from '../../../core/group-state/state.ts';
import { type BootMemory, diedOnly, neverServedCode } from '../../../core/pool-memory/boot-memory.ts';
import { learnBoots } from '../../../core/pool-memory/failed-boots.ts';
import { learnGivenUp } from '../../../core/pool-memory/given-up.ts';
import { endsIn } from '../../../core/swap/ends.ts';
import { hopelessIn, toBeGivenUp, unservedNow, whyIdle } from '../../../core/view/unserved.ts';
import type { Member, View } from '../../../core/view/view.ts';
import { member, members } from '../members.ts';
import { group, nowMs, onDemandB, spotA, spotB, state, swapOf, view } from '../views.ts';

const minutesAgo = (minutes: number): number => nowMs - minutes * 60_000;
const idle = (instance: string, minutes: number, rest: Partial<Member> = {}): Member =>
  member(instance, spotA, { serving: false, launchedAtMs: minutesAgo(minutes), ...rest });
const serving = members(spotB, 3);
const usual = group();
const look = { group: usual, swaps: [], asgs: [], nowMs };
const givenUp = (list: readonly Member[], rest: Partial<Parameters<typeof toBeGivenUp>[0]> = {}): readonly string[] => {
  const unserved = Object.fromEntries(list.filter((one) => !one.serving).map((one) => [one.instance, { why: whyIdle(one), sinceMs: minutesAgo(5) }]));
  return toBeGivenUp({ ...look, members: list, unserved, ...rest }).map(({ instance }) => instance);
};

describe('a member that has not served since its launch', () => {
  const noticed = (one: Member, unserved = {}) => Object.keys(unservedNow({ ...look, members: [one], unserved }));
  it('is noticed when it has had a minute, and before half of its time is over', () => {
    expect(noticed(idle('i', 0.9))).toEqual([]);
    expect(noticed(idle('i', 1))).toEqual(['i']);
    expect(noticed(idle('i', 5))).toEqual(['i']);
    expect(noticed(idle('i', 5.1))).toEqual([]);
  });
  it('does not count if a look found it serving while it was new, also when it fails soon after', () => {
    const seen = (list: readonly Member[], of = state({ arriving: { i: minutesAgo(1) } })) =>
      followView(view({ state: of, members: list }), { ended: [], refusedAsgs: [] });
    const after = seen([member('i', spotA, { launchedAtMs: minutesAgo(1) })]);
    expect(after.cameUp).toEqual(['i']);
    expect(seen([idle('i', 3)], after)).toMatchObject({ cameUp: ['i'] });
    expect(seen([idle('i', 3)], after)).not.toHaveProperty('unserved');
    expect(seen([idle('i', 5.1)], after)).not.toHaveProperty('cameUp');
    expect(seen([idle('i', 3)]).unserved).toHaveProperty('i');
    // Its Auto Scaling group launched it by itself.
    const refill = member('i', spotA, { launchedAtMs: minutesAgo(1), asg: 'web-asg' });
    expect(seen([idle('i', 3)], seen([refill], state()))).not.toHaveProperty('unserved');
    // A member that was there long before was not launched a moment ago.
    expect(seen([member('old', spotA)], state({ arriving: {} }))).not.toHaveProperty('cameUp');
  });
  it('is noticed late where no look could read its health since Holdfast launched it', () => {
    const seen = (of: ReturnType<typeof state>, rest: Partial<Member> = {}) =>
      followView(view({ state: of, members: [...serving, idle('i', 9, rest)] }), { ended: [], refusedAsgs: [] }).unserved;
    const launched = state({ arriving: { i: minutesAgo(9) } });
    expect(seen(launched)).toEqual({ i: { why: 'target-health', sinceMs: nowMs } });
    expect(seen(launched, { mayServe: true })).toBeUndefined();
    expect(seen(state({ arriving: { other: minutesAgo(9) } }))).toBeUndefined();
  });
  it('is remembered until it serves, or is gone', () => {
    const known = { why: 'target-health', sinceMs: 7 } as const;
    expect(unservedNow({ ...look, members: [idle('i', 30)], unserved: { i: known, gone: known } })).toEqual({ i: known });
    expect(noticed({ ...idle('i', 30), serving: true }, { i: known })).toEqual([]);
  });
  it('begins anew when it could join at last', () => {
    const before = { why: 'not-joined', sinceMs: 7 } as const;
    expect(unservedNow({ ...look, members: [idle('i', 30)], unserved: { i: before } })).toEqual({ i: { why: 'target-health', sinceMs: nowMs } });
    expect(givenUp([...serving, idle('i', 30)], { unserved: { i: { why: 'target-health', sinceMs: minutesAgo(4) } } })).toEqual([]);
    expect(givenUp([...serving, idle('i', 30)], { unserved: { i: { why: 'not-joined', sinceMs: minutesAgo(20) } } })).toEqual([]);
  });
  it('does not count if it may serve, because that is not known', () => {
    expect(noticed(idle('i', 2, { mayServe: true }))).toEqual([]);
    expect(noticed(idle('i', 30, { mayServe: true }), { i: { why: 'target-health', sinceMs: 7 } })).toEqual(['i']);
  });
  it('is at most five hundred', () => {
    const many = members(spotA, 600, { serving: false, launchedAtMs: minutesAgo(2) });
    expect(Object.keys(unservedNow({ ...look, members: many, unserved: {} }))).toHaveLength(500);
    const last = many[599]?.instance ?? '';
    const known = { [last]: { why: 'target-health' as const, sinceMs: nowMs - 1 } };
    expect(unservedNow({ ...look, members: many, unserved: known })).toMatchObject(known);
  });
  it('is part of the state while it is not empty', () => {
    const found = view({ members: [...serving, idle('i', 2)] });
    expect(followView(found, { ended: [], refusedAsgs: [] }).unserved).toEqual({ i: { why: 'target-health', sinceMs: nowMs } });
    const before = state({ unserved: { 'spot-b#1': { why: 'target-health', sinceMs: 1 } } });
    expect(followView(view({ state: before, members: serving }), { ended: [], refusedAsgs: [] })).not.toHaveProperty('unserved');
  });
  it('is no instance that has ended, which an older describe shows as running', () => {
    const shown = [...serving, idle('i', 3)];
    const noted = (more: Partial<View>) => followView(view({ state: state(), members: shown, ...more }), { ended: [], refusedAsgs: [] }).unserved;
    expect(noted({})).toHaveProperty('i');
    expect(noted({ swaps: [swapOf('i', { reason: 'return', state: 'draining' })] })).toHaveProperty('i');
    expect(noted({ swaps: [swapOf('i', { reason: 'return', state: 'gone' })] })).toBeUndefined();
    expect(noted({ ended: ['i'] })).toBeUndefined();
  });
});

describe('a new member that never serves', () => {
  it('is given up at its age, and not sooner', () => {
    expect(givenUp([...serving, idle('i', 10)])).toEqual(['i']);
    expect(givenUp([...serving, idle('i', 9.99)])).toEqual([]);
    expect(
      givenUp([...serving, idle('i', 3)], {
        group: group({ ready: { withinMs: 180_000 } }),
        unserved: { i: { why: 'target-health', sinceMs: minutesAgo(2) } },
      }),
    ).toEqual(['i']);
  });
  it('is not one that has served once', () => {
    expect(givenUp([...serving, idle('i', 30)], { unserved: {} })).toEqual([]);
  });
  it('is not one that may serve, that is protected, or that leaves already', () => {
    expect(givenUp([...serving, idle('i', 10, { mayServe: true })])).toEqual([]);
    expect(givenUp([...serving, idle('i', 10, { protected: true })])).toEqual([]);
    expect(givenUp([...serving, idle('i', 10)], { swaps: [swapOf('i')] })).toEqual([]);
  });
  it('is given up one at a time while no other member serves: one replacement tests whether others would', () => {
    const all = [idle('i', 10), idle('j', 11)];
    const open = swapOf('j', { reason: 'never-served', state: 'waiting' });
    expect(givenUp(all)).toEqual(['j']);
    expect(givenUp(all, { swaps: [open] })).toEqual([]);
    expect(givenUp([...serving, ...all], { swaps: [open] })).toEqual(['i']);
    expect(givenUp([idle('i', 10)])).toEqual(['i']);
    expect(givenUp([...all, member('last', spotB)], { swaps: [swapOf('last')] })).toEqual(['j']);
    // A describe that lags may still show one that has ended.
    expect(givenUp([...all, member('last', spotB)], { swaps: [swapOf('last', { state: 'gone' })] })).toEqual(['j']);
  });
  it('is given up in turn, the oldest first, no more at a time than the surge', () => {
    const all = [idle('i', 10), idle('j', 12), idle('k', 11)];
    expect(givenUp([...serving, ...all])).toEqual(['j', 'k']);
    const open = swapOf('j', { reason: 'never-served', state: 'waiting' });
    expect(givenUp([...serving, ...all], { swaps: [open] })).toEqual(['k']);
    expect(givenUp([...serving, ...all], { swaps: [open, { ...open, instance: 'k' }] })).toEqual([]);
    expect(givenUp([...serving, ...all], { swaps: [{ ...open, state: 'gone' }] })).toEqual(['k', 'i']);
  });
  it('is given up beside members that others replace', () => {
    const all = [idle('i', 10), idle('j', 12)];
    const other = swapOf('spot-b#1', { reason: 'rebalance', state: 'waiting' });
    expect(givenUp([...serving, ...all], { swaps: [other] })).toEqual(['j', 'i']);
  });
  it('goes by its id where another has waited for as long', () => {
    expect(givenUp([...serving, idle('j', 10), idle('i', 10)])).toEqual(['i', 'j']);
    expect(givenUp([...serving, idle('i', 10), idle('j', 10)])).toEqual(['i', 'j']);
  });
  it('is kept by the minimum of its own Auto Scaling group', () => {
    const asg = { name: 'spot-a', min: 1, max: 9, desired: 1, held: 1, holds: ['i'], suspended: [] };
    const held = { group: group({ holding: { kind: 'launch-instances' } }), asgs: [asg] } as const;
    const list = [...serving, idle('i', 10, { asg: 'spot-a' })];
    expect(givenUp(list, held)).toEqual([]);
    expect(givenUp(list, { ...held, asgs: [{ ...asg, desired: 2 }] })).toEqual(['i']);
    const roomy = { ...asg, name: 'spot-b', desired: 2 };
    expect(givenUp(list, { ...held, asgs: [roomy, asg] })).toEqual([]);
    expect(givenUp(list, { ...held, asgs: [{ ...roomy, desired: 1 }] })).toEqual(['i']);
    expect(givenUp(list, { group: group({ holding: { kind: 'attach', asg: 'spot-a' } }), asgs: [asg] })).toEqual(['i']);
  });
  it('is kept while its Auto Scaling group has no room for another one', () => {
    const asg = { name: 'web', min: 0, max: 3, desired: 3, held: 3, holds: [], suspended: [] };
    const attached = { group: group({ holding: { kind: 'attach', asg: 'web' } }), asgs: [asg] } as const;
    const outside = idle('i', 10, { admitted: false });
    expect(givenUp([...serving, outside], attached)).toEqual([]);
    expect(givenUp([...serving, outside], { ...attached, asgs: [{ ...asg, max: 4 }] })).toEqual(['i']);
    const other = { ...asg, name: 'other' };
    expect(givenUp([...serving, outside], { ...attached, asgs: [{ ...other, max: 4 }, asg] })).toEqual([]);
    expect(givenUp([...serving, outside], { ...attached, asgs: [other, { ...asg, max: 4 }] })).toEqual(['i']);
    expect(givenUp([...serving, idle('i', 10, { asg: 'web' })], attached)).toEqual(['i']);
  });
  it('has the reason that keeps it from serving', () => {
    expect(whyIdle(idle('i', 1, { state: 'pending', admitted: false }))).toBe('pending');
    expect(whyIdle(idle('i', 1, { admitted: false }))).toBe('not-joined');
    expect(whyIdle(idle('i', 1, { unready: 'status-checks' }))).toBe('status-checks');
    expect(whyIdle(idle('i', 1))).toBe('target-health');
  });
});

describe('a member that is not expected to serve', () => {
  const hopeless = (one: Member, known = true) =>
    hopelessIn(view({ members: [one], state: state(known ? { unserved: { i: { why: 'target-health', sinceMs: 1 } } } : {}) })).has('i');
  it('has not served by its age, and is known not to have served before', () => {
    expect(hopeless(idle('i', 10))).toBe(true);
    expect(hopeless(idle('i', 9.99))).toBe(false);
    expect(hopeless(idle('i', 10), false)).toBe(false);
    expect(hopeless({ ...idle('i', 10), serving: true })).toBe(false);
  });
});

describe('its swap', () => {
  const waiting = swapOf('i', { reason: 'never-served', state: 'waiting' });
  const over = (one: Member) =>
    endsIn([waiting], {
      group: group({ holding: { kind: 'tag' } }),
      holdings: { members: [one], asgs: [], aside: [], stopped: [], ended: [] },
      state: state(),
      heard: { ended: [], stopped: [] },
      nowMs,
      beyond: new Map(),
    }).over.length;
  it('is withdrawn when it comes to serve, and not before', () => {
    expect(over(idle('i', 20))).toBe(0);
    expect(over({ ...idle('i', 20), serving: true })).toBe(1);
  });
  it('is replaced besides members at risk, within a surge of its own', () => {
    const ten = [...members(spotA, 4), ...members(spotB, 5), idle('i', 20)];
    const swaps = [swapOf('spot-a#1', { reason: 'rebalance', state: 'waiting' }), waiting];
    const found = (maxSurge: number): number =>
      decide(view({ group: group({ swap: { order: 'launch-first', maxSurge } }), members: ten, swaps })).placements.reduce(
        (sum, { count }) => sum + count,
        0,
      );
    expect([1, 2].map(found)).toEqual([2, 2]);
  });
  it('lets it leave when its replacement serves', () => {
    const nine = [...members(spotA, 4), ...members(spotB, 5)];
    const found = (rest: Partial<Member>) =>
      decide(view({ members: [...nine, idle('i', 20), member('new', onDemandB, rest)], swaps: [waiting] })).drains;
    expect(found({ serving: false })).toEqual([]);
    expect(found({})).toEqual(['i']);
  });
});

describe('the pool of a member that never served', () => {
  const pools = { 'spot-a': spotA };
  const learned = (memory: BootMemory, at: number, launchedAtMs: number) => learnGivenUp(memory, [idle('i', 0, { launchedAtMs })], pools, at);
  it('rests for ten minutes, twice as long each further time, four hours at most', () => {
    let memory: BootMemory = {};
    const rests: number[] = [];
    for (let [at, round] = [nowMs, 0]; round < 7; round += 1) {
      const { news, ...next } = learned(memory, at, at - 600_000);
      rests.push(((news[0]?.untilMs ?? 0) - at) / 60_000);
      memory = next;
      at += 600_000;
    }
    expect(rests).toEqual([10, 20, 40, 80, 160, 240, 240]);
  });
  it('does so once for members that were launched before the last ones were given up', () => {
    const first = learned({}, nowMs, nowMs - 600_000);
    expect(learned(first, nowMs + 60_000, nowMs - 600_000).failedBoots).toMatchObject({ 'spot-a': { streak: 1 } });
  });
  it('works again when a later member of it serves, and not when one merely joins', () => {
    const { failedBoots } = learned({}, nowMs, nowMs - 600_000);
    const remembered = (rest: Partial<Member>) =>
      learnBoots({ ...(failedBoots && { failedBoots }) }, { members: [idle('new', -1, rest)] }, pools, nowMs + 120_000).memory.failedBoots;
    expect(remembered({ serving: true })).toBeUndefined();
    expect(remembered({ serving: false })).toBeDefined();
    expect(remembered({ serving: true, launchedAtMs: minutesAgo(60) })).toBeDefined();
  });
  it('is passed over while another one is eligible, and used while none is', () => {
    const lesson = { code: neverServedCode, message: 'target-health', atMs: nowMs, restsUntilMs: nowMs + 600_000, streak: 1, template: 'web' };
    const launchedFrom = (names: readonly string[]) => {
      const failedBoots = Object.fromEntries(names.map((name) => [name, lesson]));
      return decide(view({ state: state({ failedBoots }), members: members(spotB, 9) })).placements.map(({ pool }) => pool);
    };
    expect(launchedFrom(['spot-a'])).toEqual(['spot-b']);
    expect(launchedFrom(['spot-a', 'spot-b', 'od-b'])).toEqual(['spot-a']);
    expect(diedOnly({ 'spot-a': lesson, 'spot-b': { ...lesson, code: 'Client.InternalError' } })).toHaveProperty('spot-b');
    expect(diedOnly({ 'spot-a': lesson })).toEqual({});
  });
});

describe('members that are given up', () => {
  const idles = ['a', 'b', 'c', 'd'].map((name) => idle(name, 30));
  const swaps = ['a', 'b'].map((name) => swapOf(name, { reason: 'never-served', state: 'waiting', claimedAtMs: minutesAgo(20) }));
  const unserved = Object.fromEntries(idles.map((one) => [one.instance, { why: whyIdle(one), sinceMs: minutesAgo(25) }]));
  const leaving = (servingNow: number, known: typeof unserved) =>
    decide(view({ members: [...members(spotB, servingNow), ...idles], swaps, state: state({ desired: 5, unserved: known }) })).drains;
  it('leave when their replacements serve, however many others never served', () => {
    expect(leaving(3, unserved)).toEqual(['a', 'b']);
  });
  it('stay where no replacement serves yet, and where the others may still come to serve', () => {
    expect(leaving(1, unserved)).toEqual([]);
    expect(leaving(3, Object.fromEntries(Object.entries(unserved).slice(0, 2)))).toEqual([]);
  });
});
