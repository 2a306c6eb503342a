import { describe, expect, it } from 'vitest';
import type { Ending } from '../../../core/pool-memory/boot-memory.ts';
import { failsForLong, learnRefills, type RefillMemory, withoutFailing } from '../../../core/pool-memory/failing-refills.ts';
import { members } from '../members.ts';
import { asgView, nowMs, spotA } from '../views.ts';

const ending = (code = 'Client.InternalError'): Ending => ({
  code,
  message: code,
  offering: { instanceType: 'm7g.large', zone: 'zone-a', market: 'spot' },
});
const [member] = members(spotA, 1);
if (member === undefined) throw new Error('there is one');

type Seen = { readonly holds?: Readonly<Record<string, number>>; readonly ends?: Readonly<Record<string, string>>; readonly up?: readonly string[] };

/** A look some seconds from now at what the group `web-asg` holds, by launch times in such seconds. */
const lookAt = (memory: RefillMemory, second: number, { holds = {}, ends = {}, up = [] }: Seen, ours: readonly string[] = []): RefillMemory => {
  const untagged = Object.fromEntries(Object.entries(holds).map(([instance, atS]) => [instance, nowMs + 1_000 * atS]));
  const shown = {
    asgs: [asgView({ name: 'web-asg', untagged })],
    members: up.map((instance) => ({ ...member, instance, admitted: true })),
    endings: Object.fromEntries(Object.entries(ends).map(([instance, code]) => [instance, ending(code)])),
  };
  return learnRefills(memory, shown, new Set(ours), nowMs + 1_000 * second);
};
/** What a look says of launches that come and that fail. */
const toldBy = (...look: Parameters<typeof lookAt>): RefillMemory => {
  const { latestRefill: _, ...told } = lookAt(...look);
  return told;
};
const died = 'Client.InternalError';
const failing = (sinceS: number, atS: number) => ({ 'web-asg': { sinceMs: nowMs + 1_000 * sinceS, atMs: nowMs + 1_000 * atS } });

describe('launches of an Auto Scaling group itself', () => {
  it('are remembered until their fate is known, or for three minutes', () => {
    const coming = toldBy({}, 5, { holds: { 'i-1': 0 } });
    expect(coming).toEqual({ refills: { 'i-1': { asg: 'web-asg', atMs: nowMs } } });
    expect(toldBy(coming, 179, {})).toEqual(coming);
    expect(toldBy(coming, 180, {})).toEqual({});
    expect(toldBy(coming, 20, { up: ['i-1'] })).toEqual({});
  });
  it('that end before they come up are a row from the launch of the first', () => {
    const first = toldBy(lookAt({}, 5, { holds: { 'i-1': 0 } }), 12, { ends: { 'i-1': died } });
    expect(first).toEqual({ failing: failing(0, 12) });
    expect(toldBy(first, 40, { holds: { 'i-2': 30 }, ends: { 'i-2': died } })).toEqual({ failing: failing(0, 40) });
  });
  it('count once when they end, however long their group holds them', () => {
    const row = lookAt({}, 12, { holds: { 'i-1': 0 }, ends: { 'i-1': died } });
    expect(lookAt(row, 85, { holds: { 'i-1': 0 }, ends: { 'i-1': died } })).toEqual(row);
    const coming = lookAt(row, 30, { holds: { 'i-2': 12 } });
    expect(toldBy(coming, 95, { holds: { 'i-2': 12 }, ends: { 'i-2': died } })).toEqual({ failing: failing(0, 95) });
  });
  it('do not count where an earlier look found them up', () => {
    const up = lookAt({}, 20, { holds: { 'i-1': 0 }, up: ['i-1'] });
    expect(toldBy(up, 60, { holds: { 'i-1': 0 }, ends: { 'i-1': died } })).toEqual({});
    // They end no row that later launches begin.
    const after = lookAt(up, 60, { holds: { 'i-1': 0, 'i-2': 50 }, ends: { 'i-1': died, 'i-2': died } });
    expect(after.failing).toEqual(failing(50, 60));
  });
  it('do not count again once a policy was written, although their group holds them still', () => {
    const row = lookAt({}, 12, { holds: { 'i-1': 0 }, ends: { 'i-1': died } });
    expect(toldBy(withoutFailing(row, nowMs + 13_000), 14, { holds: { 'i-1': 0 }, ends: { 'i-1': died } })).toEqual({});
  });
  it('count for each Auto Scaling group of its own, and are forgotten with it', () => {
    const memory: RefillMemory = { latestRefill: { 'web-asg': nowMs, gone: nowMs + 60_000 } };
    const next = lookAt(memory, 40, { holds: { 'i-2': 30 }, ends: { 'i-2': died } });
    expect(next).toEqual({ failing: failing(30, 40), latestRefill: { 'web-asg': nowMs + 30_000 } });
  });
  it('are not those of Holdfast, and not those that a user ended or EC2 took', () => {
    expect(toldBy({}, 12, { holds: { 'i-1': 0 }, ends: { 'i-1': died } }, ['i-1'])).toEqual({});
    for (const code of ['Client.UserInitiatedShutdown', 'Server.SpotInstanceTermination'])
      expect(toldBy({}, 12, { holds: { 'i-1': 0 }, ends: { 'i-1': code } })).toEqual({});
  });
  it('end the row where one comes up, whatever was launched before that one', () => {
    const row: RefillMemory = { failing: failing(0, 12) };
    expect(toldBy(row, 50, { holds: { 'i-2': 30, 'i-3': 30 }, ends: { 'i-2': died }, up: ['i-3'] })).toEqual({});
    expect(toldBy(row, 50, { holds: { 'i-2': -1 }, up: ['i-2'] })).toEqual(row);
    expect(toldBy(row, 60, { holds: { 'i-2': 30, 'i-3': 40 }, ends: { 'i-3': died }, up: ['i-2'] })).toEqual({ failing: failing(40, 60) });
  });
  it('are forgotten fifteen minutes after the last end, and when a user writes the policy', () => {
    const row: RefillMemory = { failing: failing(0, 12) };
    expect(toldBy(row, 911, {})).toEqual(row);
    expect(toldBy(row, 912, {})).toEqual({});
    expect(withoutFailing(row, nowMs + 11_000)).toEqual(row);
    expect(withoutFailing(row, nowMs + 12_000)).toEqual({});
  });
  it('fail for long once the row has lasted for longer than the time that a group has to refill itself', () => {
    expect([12, 90, 91].map((atS) => failsForLong({ failing: failing(0, atS) }, 'web-asg'))).toEqual([false, false, true]);
    expect(failsForLong({ failing: failing(0, 91) }, 'other')).toBe(false);
  });
  it('begin a new row after a time in which the group launched nothing', () => {
    const row: RefillMemory = { failing: failing(0, 12) };
    const next = (launchedS: number) => toldBy(row, 130, { holds: { 'i-2': launchedS }, ends: { 'i-2': died } });
    expect(next(102)).toEqual({ failing: failing(0, 130) });
    expect(next(103)).toEqual({ failing: failing(103, 130) });
  });
});
