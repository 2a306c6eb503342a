import { describe, expect, it } from 'vitest';
import { nothingIsDatedAhead } from '../../sandbox/judge/rules/memory/writes.ts';
import { datedAhead } from '../../sandbox/judge/said/dated-ahead.ts';
import { toItem } from '../../sandbox/platform/tables/plain-items.ts';
import { details } from './details.ts';
import { react } from './histories.ts';

const nowMs = 100_000;
const ahead = (item: object) => {
  const found = datedAhead(toItem({ group: 'web', ...item }), react('i-1'), nowMs);
  return found?.kind === 'dated-ahead' ? `${found.field} ${found.aheadMs}` : undefined;
};
const inState = (state: object) => ahead({ item: 'state', state });
const inSwap = (fields: object) => ahead({ item: 'swap#i-9', ...fields });

describe('nothing is dated after it was written', () => {
  it('finds the latest past time of a state, wherever it is', () => {
    expect(inState({ launches: [{ atMs: 103_000, count: 1 }, { atMs: 90_000 }] })).toBe('launches 3000');
    expect(inState({ memory: { 't/z-a/spot': { atMs: 101_000 } }, strays: { 'i-1': { firstSeenAtMs: 108_000 } } })).toBe('strays 8000');
    expect(inState({ arriving: { 'i-1': 109_000 } })).toBe('arriving 9000');
    expect(inState({ returns: { losses: [{ latestMs: 105_000 }] }, asgGaps: { web: { sinceMs: 104_000 } } })).toBe('returns 5000');
    expect(inState({ renewedAtMs: 100_000, arriving: { 'i-1': 99_000 } })).toBeUndefined();
  });
  it('finds those of a swap, and of no other item', () => {
    expect(inSwap({ claimedAtMs: 107_000 })).toBe('claimedAtMs 7000');
    expect(inSwap({ leftTargetGroupsAtMs: { web: 106_000 } })).toBe('leftTargetGroupsAtMs 6000');
    expect(ahead({ item: 'decision#1', atMs: 107_000 })).toBeUndefined();
  });
  it('passes over times that are to come', () => {
    expect(inState({ wakeAtMs: 160_000, checksDueAtMs: 170_000, reservations: [{ forgetAtMs: 900_000, leaseUntilMs: 130_000 }] })).toBeUndefined();
    expect(inSwap({ deadlineMs: 200_000, hooks: [{ expiresAtMs: 300_000 }], shortfall: { cutAtMs: 200_000 }, keptUntilMs: 500_000 })).toBeUndefined();
  });
  it('passes over a time of draining that is the end of the deregistration delay, and over no other', () => {
    expect(inSwap({ drainedAtMs: 109_000, busyUntilMs: 109_000 })).toBeUndefined();
    expect(inSwap({ drainedAtMs: 109_000, busyUntilMs: 108_000 })).toBe('drainedAtMs 9000');
    expect(inSwap({ drainedAtMs: 109_000 })).toBe('drainedAtMs 9000');
    expect(inSwap({ drainedAtMs: 109_000, busyUntilMs: 109_000, drainStartedAtMs: 107_000 })).toBe('drainStartedAtMs 7000');
  });
  it('breaks beyond what the start of a function may take', () => {
    const found = (aheadMs: number) =>
      details(nothingIsDatedAhead, (script) =>
        script.at(10, { kind: 'dated-ahead', group: 'web', item: 'state', field: 'launches', aheadMs, by: react('i-1') }),
      );
    expect(found(6_000)).toEqual([]);
    expect(found(6_100)).toEqual(['launches of state is dated 6.1 s after it was written']);
  });
});
