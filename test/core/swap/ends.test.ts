import { describe, expect, it } from 'vitest';
import type { Group } from '../../../core/group/group.ts';
import type { Holdings } from '../../../core/ports/capacity-provider.ts';
import type { Owner } from '../../../core/ports/owners.ts';
import { endsIn, unseenIn } from '../../../core/swap/ends.ts';
import type { Swap } from '../../../core/swap/swap.ts';
import { members } from '../members.ts';
import { group, nowMs, spotA, state, swapOf } from '../views.ts';

const nothing: Holdings = { members: [], asgs: [], aside: [], ended: [], stopped: [] };
const asg = { name: 'web-asg', min: 0, max: 9, desired: 1, held: 1, holds: ['spot-a#1'], suspended: [] };
const [one] = members(spotA, 1);
const there: Partial<Holdings> = { members: one === undefined ? [] : [one] };

type Rest = {
  readonly holdings?: Partial<Holdings>;
  readonly heard?: Partial<Record<'ended' | 'stopped', readonly string[]>>;
  readonly group?: Group;
  /** Whether EC2 shows it by its id, as running; undefined where that could not be read. */
  readonly runsOn?: boolean | undefined;
};
const beyond = (runsOn: boolean | undefined): ReadonlyMap<string, Owner> | undefined =>
  runsOn === undefined
    ? undefined
    : new Map(runsOn ? [['spot-a#1', { offering: { instanceType: 'm7g.large', zone: 'eu-west-1a', market: 'spot' }, state: 'running' }]] : []);
const ends = (swap: Swap, { holdings = there, heard = {}, group: of = group(), ...rest }: Rest = {}) => {
  const { gone, over, open } = endsIn([swap], {
    group: of,
    holdings: { ...nothing, ...holdings },
    heard: { ended: [], stopped: [], ...heard },
    nowMs,
    state: state(),
    beyond: beyond('runsOn' in rest ? rest.runsOn : false),
  });
  if (over.length > 0) return 'over';
  return gone.length > 0 && open[0]?.state === 'gone' ? 'gone' : open[0] === swap ? 'open' : 'changed';
};
const without = (swap: Swap, ...fields: readonly (keyof Swap)[]): Swap =>
  Object.fromEntries(Object.entries(swap).filter(([field]) => !fields.includes(field as keyof Swap))) as Swap;
const leaving = (rest: Partial<Swap> = {}): Swap => swapOf('spot-a#1', rest);

describe('a swap whose instance', () => {
  it('has ended is closed, whether a describe or a signal says so', () => {
    expect(ends(leaving(), { holdings: { ended: ['spot-a#1'] } })).toBe('gone');
    expect(ends(leaving(), { heard: { ended: ['spot-a#1'] } })).toBe('gone');
  });
  it('has ended is closed, and no history yet, also if its group no longer acts', () => {
    const waiting = leaving({ reason: 'rebalance', state: 'waiting' });
    expect(ends(waiting, { holdings: { ended: ['spot-a#1'] }, group: group({ mode: 'pause' }) })).toBe('gone');
  });
  it('is only stopped stays open', () => {
    expect(ends(leaving(), { holdings: { ended: ['spot-a#1'], stopped: ['spot-a#1'] } })).toBe('open');
    expect(ends(leaving(), { holdings: {}, heard: { ended: ['spot-a#1'], stopped: ['spot-a#1'] } })).toBe('open');
  });
  it('no describe shows is closed ten minutes after its claim and its deadline', () => {
    const old = leaving({ claimedAtMs: nowMs - 900_000, deadlineMs: nowMs - 599_999 });
    expect(ends(old, { holdings: {} })).toBe('open');
    expect(ends({ ...old, deadlineMs: nowMs - 600_000 }, { holdings: {} })).toBe('gone');
    expect(ends({ ...old, deadlineMs: nowMs - 600_000 }, { holdings: { aside: ['spot-a#1'] } })).toBe('open');
  });
  it('is no member, and waits to be replaced, becomes history once describes have had their time', () => {
    const waiting = leaving({ reason: 'rebalance', state: 'waiting', claimedAtMs: nowMs - 180_000 });
    const holdings = { aside: ['spot-a#1'] };
    expect(ends(waiting, { holdings })).toBe('over');
    expect(ends({ ...waiting, claimedAtMs: nowMs - 179_999 }, { holdings })).toBe('open');
    expect(ends(waiting)).toBe('open');
    expect(ends({ ...waiting, state: 'leaving' }, { holdings })).toBe('open');
  });
  it('no look shows, and EC2 shows by its id, becomes history: its user took it out of the group', () => {
    const old = leaving({ claimedAtMs: nowMs - 900_000, deadlineMs: nowMs - 600_000 });
    expect(ends(old, { holdings: {}, runsOn: true })).toBe('over');
    expect(ends(old, { holdings: {}, runsOn: undefined })).toBe('open');
    expect(ends({ ...old, deadlineMs: nowMs - 599_999 }, { holdings: {}, runsOn: true })).toBe('open');
    expect(ends(old, { runsOn: true })).toBe('open');
  });
});

it('of claims for advice, those beyond the budget become history', () => {
  const waits = (instance: string, rest: Partial<Swap> = {}): Swap => swapOf(instance, { reason: 'rebalance', state: 'waiting', ...rest });
  const swaps = [
    waits('i-3', { claimedAtMs: nowMs - 2 }),
    waits('i-2', { claimedAtMs: nowMs - 3 }),
    waits('i-4', { state: 'leaving' }),
    waits('i-1', { reason: 'maintenance' }),
  ];
  const over = (atMostPerHour: number | undefined, advised = 0) =>
    endsIn(swaps, {
      group: group({ rebalance: { act: true, ...(atMostPerHour !== undefined && { atMostPerHour }) } }),
      holdings: nothing,
      heard: { ended: [], stopped: [] },
      nowMs,
      state: state({ advised: [{ atMs: nowMs - 1_000, count: advised }] }),
      beyond: new Map(),
    }).over.map(({ instance }) => instance);
  expect([over(undefined), over(2), over(1), over(1, 1)]).toEqual([[], [], ['i-3'], ['i-3', 'i-2']]);
});

describe('a swap becomes history', () => {
  const gone = leaving({ state: 'gone', goneAtMs: nowMs - 600_000 });
  it('ten minutes after its instance has ended and its target groups are done', () => {
    expect(ends(gone)).toBe('over');
    expect(ends({ ...gone, goneAtMs: nowMs - 599_999 })).toBe('open');
    expect(ends({ ...gone, busyUntilMs: nowMs })).toBe('open');
  });
  it('when its Auto Scaling group still shows as a member an instance that was to wait on a hook', () => {
    const hooked = without(leaving({ reason: 'hook', claimedAtMs: nowMs - 60_000 }), 'deadlineMs');
    expect(ends(hooked, { holdings: { ...there, asgs: [asg] } })).toBe('over');
    expect(ends({ ...hooked, claimedAtMs: nowMs - 59_999 }, { holdings: { ...there, asgs: [asg] } })).toBe('open');
    expect(ends({ ...hooked, deadlineMs: nowMs }, { holdings: { ...there, asgs: [asg] } })).toBe('open');
    expect(ends({ ...hooked, reason: 'rebalance' }, { holdings: { ...there, asgs: [asg] } })).toBe('open');
  });
  it('when its member is again where the policy holds its members, and it had not begun', () => {
    const moved = without(leaving({ reason: 'moved', state: 'waiting' }), 'deadlineMs', 'drain');
    expect(ends(moved)).toBe('over');
    expect(ends({ ...moved, state: 'leaving' })).toBe('open');
    expect(ends({ ...moved, reason: 'rebalance' })).toBe('open');
    expect(ends(moved, { holdings: { members: [{ ...members(spotA, 1)[0], asg: 'web-asg' }] as never } })).toBe('open');
  });
  it('when it waits and its group no longer acts', () => {
    const waiting = without(leaving({ reason: 'rebalance', state: 'waiting' }), 'deadlineMs', 'drain');
    expect(ends(waiting)).toBe('open');
    expect(ends(waiting, { group: group({ mode: 'pause' }) })).toBe('over');
  });
  it('when its member was kept for long enough, or left alone', () => {
    expect(ends(leaving({ state: 'drained', keptUntilMs: nowMs }))).toBe('over');
    expect(ends(leaving({ state: 'drained', keptUntilMs: nowMs + 1 }))).toBe('open');
    expect(ends(leaving({ shortfall: { code: 'let-go' } }))).toBe('open');
    expect(ends(without(leaving({ reason: 'hook', shortfall: { code: 'let-go' } }), 'deadlineMs'))).toBe('open');
    expect(ends(without(leaving({ reason: 'scale-in', shortfall: { code: 'let-go' } }), 'deadlineMs'))).toBe('over');
  });
});

describe('of several swaps', () => {
  const look = (rest: Partial<Parameters<typeof endsIn>[1]> = {}) => ({
    group: group(),
    holdings: { ...nothing, members: members(spotA, 4) },
    heard: { ended: [], stopped: [] },
    nowMs,
    state: state(),
    beyond: new Map(),
    ...rest,
  });
  const idsOf = (swaps: readonly Swap[]) => swaps.map(({ instance }) => instance);
  const waits = (instance: string, reason: Swap['reason']) => without(swapOf(instance, { reason, state: 'waiting' }), 'deadlineMs', 'drain');

  it('each is closed, becomes history or stays by itself', () => {
    const swaps = [swapOf('spot-a#1'), swapOf('spot-a#2', { state: 'drained', keptUntilMs: nowMs }), swapOf('spot-a#3')];
    const { gone, over, open } = endsIn(swaps, look({ heard: { ended: ['spot-a#1'], stopped: [] } }));
    expect(gone.map(({ before, after }) => [before.state, after.state, after.goneAtMs])).toEqual([['leaving', 'gone', nowMs]]);
    expect(idsOf(over)).toEqual(['spot-a#2']);
    expect(open.map(({ instance, state: now }) => [instance, now])).toEqual([
      ['spot-a#1', 'gone'],
      ['spot-a#3', 'leaving'],
    ]);
  });
  it('one that is gone is not closed again', () => {
    const gone = swapOf('spot-a#1', { state: 'gone', goneAtMs: nowMs - 1_000, claimedAtMs: nowMs - 900_000, deadlineMs: nowMs - 800_000 });
    const found = endsIn([gone], look({ heard: { ended: ['spot-a#1'], stopped: [] } }));
    expect(found).toEqual({ gone: [], over: [], open: [gone] });
    expect(endsIn([gone], look({ holdings: nothing })).gone).toEqual([]);
  });
  it('EC2 is not read for one that is gone, or that was announced a moment ago', () => {
    const old = { claimedAtMs: nowMs - 900_000, deadlineMs: nowMs - 800_000 };
    const swaps = [swapOf('spot-a#7', { ...old, state: 'gone' }), swapOf('spot-a#8', old), swapOf('spot-a#9'), swapOf('spot-a#1', old)];
    expect(idsOf(unseenIn(swaps, look()))).toEqual(['spot-a#8']);
  });
  it('one whose member was never served is over when that member serves, and not when another does', () => {
    const idle = members(spotA, 4).map((one, index) => ({ ...one, serving: index > 0 }));
    const swaps = [waits('spot-a#1', 'never-served'), waits('spot-a#2', 'never-served')];
    expect(idsOf(endsIn(swaps, look({ holdings: { ...nothing, members: idle } })).over)).toEqual(['spot-a#2']);
    expect(idsOf(endsIn(swaps, look({ holdings: { ...nothing, members: idle.slice(2) } })).over)).toEqual([]);
  });
  it('one whose member is in service again is over', () => {
    const swaps = [swapOf('spot-a#1', { state: 'drained' }), swapOf('spot-a#2', { state: 'drained' })];
    expect(idsOf(endsIn(swaps, look({ back: new Set(['spot-a#2']) })).over)).toEqual(['spot-a#2']);
    expect(idsOf(endsIn(swaps, look()).over)).toEqual([]);
  });
  it('only those that wait are called off with their group', () => {
    const swaps = [swapOf('spot-a#1'), waits('spot-a#2', 'rebalance')];
    expect(idsOf(endsIn(swaps, look({ group: group({ mode: 'observe' }) })).over)).toEqual(['spot-a#2']);
  });
});
