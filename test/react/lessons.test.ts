import { expect, test } from 'vitest';
import type { Gathered } from '../../functions/react/look/gather.ts';
import { learn } from '../../functions/react/look/lessons.ts';
import type { Run } from '../../functions/react/run.ts';
import { members } from '../core/members.ts';
import { nowMs } from '../core/selector/tree-builders.ts';
import { group, spotA, state, swapOf } from '../core/views.ts';

const run = { id: '2', facts: { ended: [], leaving: [], ran: [] }, ports: { clock: { now: () => nowMs } } } as unknown as Run;

const learned = (swap: ReturnType<typeof swapOf>, counted?: readonly string[]) => {
  const breaker = { interruptions: 1, withinMs: 600_000, holdMs: 600_000 };
  const before = state(counted === undefined ? {} : { counted });
  const holdings = { members: members(spotA, 3), ended: [], endings: {} };
  return learn({ group: group({ breaker }), state: before, swaps: [swap], holdings } as unknown as Gathered, run, []);
};

test('a warning whose function died before it wrote the state is counted by the next look', () => {
  const claimed = swapOf('spot-a#1', { warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000, decision: '1' });
  const { state: after, breakers } = learned(claimed);
  expect(after.counted).toEqual(['spot-a#1']);
  expect(breakers?.map(({ code }) => code)).toEqual(['breaker-opened']);
  expect(after.memory['m7g.large/a/spot']).toMatchObject({ kind: 'interrupted' });
});

test('it is counted no second time, and an old one not at all', () => {
  const claimed = swapOf('spot-a#1', { warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000 });
  const again = learned(claimed, ['spot-a#1']);
  expect([again.breakers, again.state.counted]).toEqual([[], ['spot-a#1']]);
  const old = swapOf('spot-a#1', { warnedAtMs: nowMs - 200_000, claimedAtMs: nowMs - 190_000 });
  expect(learned(old).state.counted).toBeUndefined();
});

test('nothing is counted for a member that its Auto Scaling group ends', () => {
  const hooked = swapOf('spot-a#1', { reason: 'hook', warnedAtMs: nowMs - 20_000, claimedAtMs: nowMs - 19_000 });
  expect(learned(hooked).state.counted).toBeUndefined();
});

test('how long an instance lived is learned of EC2 where it is no member any more', () => {
  const returning = { afterMs: 600_000, everyMs: 60_000, atMost: { by: 1, isShare: false }, windows: [], timezone: 'UTC' };
  const warned = { instance: 'i-1', offering: 'm7g.large/a/spot' } as const;
  const owner = { offering: { instanceType: 'm7g.large', zone: 'a', market: 'spot' }, state: 'stopping', launchedAtMs: nowMs - 90_000 };
  const facts = { ended: [], leaving: [{ instance: 'i-1', reason: 'interruption', atMs: nowMs, owner }], ran: [] };
  const holdings = { members: members(spotA, 3), ended: [], endings: {} };
  const gathered = { group: group({ returning } as never), state: state(), swaps: [], holdings } as unknown as Gathered;
  const { state: after } = learn(gathered, { ...run, facts } as unknown as Run, [warned]);
  expect(after.returns?.losses).toEqual([{ offering: 'm7g.large/a/spot', atMs: nowMs, livedMs: 90_000 }]);
});
